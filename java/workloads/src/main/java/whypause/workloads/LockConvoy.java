package whypause.workloads;

import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One thread writes a record and has it forced to the disk while it holds a lock, and others need
 * the lock for a moment, as with a log or a cache that is saved under its own lock.
 *
 * <p>Arguments: {@code dir=DIR}, and optional {@code lock=monitor sync=inside waiters=20
 * perSecond=20 pauseMs=300 bytes=4096 threads=1 rate=2000 size=10240 queue=1000 drop=500
 * seconds=0}. {@code lock} is {@code monitor} or {@code reentrant}; with {@code sync=outside} the
 * thread {@code holder} takes the lock only for a moment, too, and writes before. {@code
 * perSecond} is how often each waiter needs the lock; {@code pauseMs} is how long the holder does
 * nothing between two records.
 *
 * <p>Prints each call of 10 ms and more at the end ({@link Stalls}).
 */
public final class LockConvoy {
    /** A moment's work under the lock. */
    private interface Work {
        void run() throws IOException;
    }

    /** Does work while it holds the lock. */
    private interface Guard {
        /** Only the time until the lock is there is measured. */
        void with(Stalls.Calls calls, Work work) throws IOException;
    }

    private static final Work NONE = new Work() {
        @Override
        public void run() {}
    };

    private LockConvoy() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Arguments given = new Arguments(args, "dir", "lock", "sync", "waiters", "perSecond",
                "pauseMs", "bytes", "threads", "rate", "size", "queue", "drop", "seconds");
        final Stalls stalls = new Stalls();
        Guard guard = guard(given.text("lock", "monitor"));
        RecordFile file =
                new RecordFile(given.text("dir", "."), "records", given.number("bytes", 4096));
        boolean inside = inside(given.text("sync", "inside"));
        holder(guard, file, inside, given.number("pauseMs", 300), stalls).start();
        for (int i = 0; i < given.number("waiters", 20); i++) {
            waiter(i, guard, given.number("perSecond", 20), stalls).start();
        }
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

    private static boolean inside(String sync) {
        if (sync.equals("inside") || sync.equals("outside")) {
            return sync.equals("inside");
        }
        throw Arguments.refuse("`sync` is inside or outside, not `" + sync + "`");
    }

    private static Guard guard(String lock) {
        if (lock.equals("monitor")) {
            return monitor();
        }
        if (lock.equals("reentrant")) {
            return reentrant();
        }
        throw Arguments.refuse("`lock` is monitor or reentrant, not `" + lock + "`");
    }

    private static Guard monitor() {
        final Object monitor = new Object();
        return new Guard() {
            @Override
            public void with(Stalls.Calls calls, Work work) throws IOException {
                calls.begin("lock");
                synchronized (monitor) {
                    calls.end();
                    work.run();
                }
            }
        };
    }

    private static Guard reentrant() {
        final Lock lock = new ReentrantLock();
        return new Guard() {
            @Override
            public void with(Stalls.Calls calls, Work work) throws IOException {
                calls.begin("lock");
                lock.lock();
                calls.end();
                try {
                    work.run();
                } finally {
                    lock.unlock();
                }
            }
        };
    }

    private static Worker holder(
            final Guard guard, final RecordFile file, final boolean inside, final int pauseMs,
            Stalls stalls) {
        final Stalls.Calls calls = stalls.inBackground("holder");
        final Work append = new Work() {
            @Override
            public void run() throws IOException {
                file.append(calls);
            }
        };
        return new Worker("holder") {
            @Override
            void once() throws IOException, InterruptedException {
                Thread.sleep(pauseMs);
                if (!inside) {
                    append.run();
                }
                guard.with(calls, inside ? append : NONE);
            }
        };
    }

    private static Worker waiter(
            int number, final Guard guard, int perSecond, Stalls stalls) {
        final String name = "waiter-" + number;
        final Stalls.Calls calls = stalls.ofRequests(name);
        final Pace pace = new Pace(perSecond);
        return new Worker(name) {
            @Override
            void once() throws IOException {
                pace.await();
                guard.with(calls, NONE);
            }
        };
    }
}
