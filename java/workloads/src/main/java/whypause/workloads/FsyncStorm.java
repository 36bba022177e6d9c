package whypause.workloads;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Threads that append records to files and have each record forced to the disk before they go on,
 * as a database or a message broker does for each commit, among many threads that wait for work.
 *
 * <p>Arguments: {@code dir=DIR}, and optional {@code sync=each appenders=8 perSecond=4 bytes=2048
 * idle=200 threads=1 rate=2000 size=10240 queue=1000 drop=500 seconds=0}. With {@code sync=each}
 * an appender writes and forces its own file; with {@code sync=behind} it hands the record to one
 * thread {@code syncer} that does so for all of them, and goes on. {@code perSecond} counts
 * records of one appender.
 *
 * <p>Prints each call of 10 ms and more at the end ({@link Stalls}).
 */
public final class FsyncStorm {
    /** Records that may wait for the thread behind; a record that finds no room is dropped. */
    private static final int MOST_WAITING = 10000;

    private FsyncStorm() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Arguments given = new Arguments(args, "dir", "sync", "appenders", "perSecond", "bytes",
                "idle", "threads", "rate", "size", "queue", "drop", "seconds");
        final Stalls stalls = new Stalls();
        String dir = given.text("dir", ".");
        int bytes = given.number("bytes", 2048);
        int perSecond = given.number("perSecond", 4);
        boolean each = each(given.text("sync", "each"));
        BlockingQueue<Integer> behind = new ArrayBlockingQueue<Integer>(MOST_WAITING);
        if (!each) {
            syncer(behind, new RecordFile(dir, "all", bytes), stalls).start();
        }
        for (int i = 0; i < given.number("appenders", 8); i++) {
            Worker appender = each
                    ? appender(i, perSecond, new RecordFile(dir, "records-" + i, bytes), stalls)
                    : handing(i, perSecond, behind);
            appender.start();
        }
        IdleThreads.start(given.number("idle", 200));
        final Allocator[] allocators = AllocLoad.start(given, 1, 2000, 1000, 500);
        final Sleeper sleeper = new Sleeper();
        sleeper.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return stalls.describe() + " " + AllocLoad.describe(allocators) + " "
                        + sleeper.overrun.describe("sleep_overrun");
            }
        });
    }

    private static boolean each(String sync) {
        if (sync.equals("each") || sync.equals("behind")) {
            return sync.equals("each");
        }
        throw Arguments.refuse("`sync` is each or behind, not `" + sync + "`");
    }

    /** Writes and forces its own file. */
    private static Worker appender(
            int number, int perSecond, final RecordFile file, Stalls stalls) {
        final String name = "appender-" + number;
        final Stalls.Calls calls = stalls.ofRequests(name);
        final Pace pace = new Pace(perSecond);
        return new Worker(name) {
            @Override
            void once() throws IOException {
                pace.await();
                file.append(calls);
            }
        };
    }

    /** Leaves that to another thread. */
    private static Worker handing(
            final int number, int perSecond, final BlockingQueue<Integer> behind) {
        final Pace pace = new Pace(perSecond);
        return new Worker("appender-" + number) {
            @Override
            void once() {
                pace.await();
                behind.offer(number);
            }
        };
    }

    /** Writes and forces a record for each that was handed over. */
    private static Worker syncer(
            final BlockingQueue<Integer> behind, final RecordFile file, Stalls stalls) {
        final Stalls.Calls calls = stalls.inBackground("syncer");
        return new Worker("syncer") {
            @Override
            void once() throws IOException, InterruptedException {
                behind.take();
                // one record on the disk stands for all that wait
                behind.clear();
                file.append(calls);
            }
        };
    }
}
