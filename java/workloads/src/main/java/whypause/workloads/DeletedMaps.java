package whypause.workloads;

import io.github.whypause.unmap.MappedFile;
import io.github.whypause.unmap.MappedFiles;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;

/**
 * Maps many files, and lets go of some of the mappings every second, as a log with segments does
 * when it drops old ones. The collector finds the mappings, and a thread of the JVM unmaps them.
 *
 * <p>Arguments: {@code dir=DIR}, and optional {@code delete=first files=8000 kib=64 perSecond=300
 * rate=4000 size=10240 queue=20000 drop=10000 seconds=0}. With {@code delete=first} the files are
 * deleted while they are mapped, so that unmapping gives their blocks back; with {@code
 * delete=later} a background thread deletes each some seconds after it was let go. With {@code
 * delete=explicit} no mapping is left to the collector: a background thread releases their
 * mappings with {@code whypause-unmap}, ten at a time, and deletes each file then.
 *
 * <p>Beside the sleeps it measures by how much references are late: the time from when the
 * collector cleared one to when it is in its queue, which the JVM's thread that unmaps also does.
 */
public final class DeletedMaps {
    private static final long LATER_NS = 4000000000L;

    private DeletedMaps() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Arguments given = new Arguments(args, "dir", "delete", "files", "kib", "perSecond",
                "threads", "rate", "size", "queue", "drop", "seconds");
        Releaser releaser = new Releaser(given);
        final Allocator[] allocators = AllocLoad.start(given, 2, 4000, 20000, 10000);
        final Sleeper sleeper = new Sleeper();
        final Canary canary = new Canary();
        sleeper.start();
        canary.start();
        releaser.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return AllocLoad.describe(allocators) + " "
                        + canary.late.describe("reference_late") + " "
                        + sleeper.overrun.describe("sleep_overrun");
            }
        });
    }

    /** Holds the mappings and lets go of them, the oldest first. */
    private static final class Releaser extends Thread {
        /** Files whose mappings are released together. */
        private static final int GROUP = 10;

        private final ArrayDeque<MappedByteBuffer> mapped = new ArrayDeque<MappedByteBuffer>();
        private final ArrayDeque<MappedFiles> groups = new ArrayDeque<MappedFiles>();
        private final ArrayDeque<File> files = new ArrayDeque<File>();
        private final boolean explicit;
        private final Pace pace;

        Releaser(Arguments given) throws IOException {
            super("releaser");
            setDaemon(true);
            this.pace = new Pace(given.number("perSecond", 300));
            String delete = given.text("delete", "first");
            this.explicit = delete.equals("explicit");
            for (int i = 0; i < given.number("files", 8000); i++) {
                File file = new File(given.text("dir", "."), "segment-" + i);
                if (explicit && i % GROUP == 0) {
                    groups.addLast(new MappedFiles());
                }
                map(file, given.number("kib", 64) * 1024);
                if (delete.equals("first")) {
                    delete(file);
                } else {
                    files.addLast(file);
                }
            }
        }

        private void map(File file, int bytes) throws IOException {
            RandomAccessFile open = new RandomAccessFile(file, "rw");
            try {
                FileChannel channel = open.getChannel();
                if (explicit) {
                    MappedFile owned = groups.getLast().map(
                            channel, FileChannel.MapMode.READ_WRITE, 0, bytes);
                    for (int at = 0; at < bytes; at += 4096) {
                        owned.put(at, (byte) 1);
                    }
                    return;
                }
                MappedByteBuffer buffer =
                        channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
                for (int at = 0; at < bytes; at += 4096) {
                    buffer.put(at, (byte) 1);
                }
                mapped.addLast(buffer);
            } finally {
                open.close();
            }
        }

        private static void delete(File file) {
            if (!file.delete()) {
                throw new IllegalStateException("cannot delete `" + file + "`");
            }
        }

        @Override
        public void run() {
            if (explicit) {
                releaseThem();
            } else {
                letGoOfThem();
            }
        }

        /** Releases and deletes: the blocks of the files are this thread's time. */
        private void releaseThem() {
            for (int i = 0; !files.isEmpty(); i++) {
                pace.await();
                if (i % GROUP == 0) {
                    groups.removeFirst().close();
                }
                delete(files.removeFirst());
            }
        }

        private void letGoOfThem() {
            long start = System.nanoTime();
            while (!mapped.isEmpty() || !files.isEmpty()) {
                pace.await();
                mapped.pollFirst();
                if (!files.isEmpty() && System.nanoTime() - start > LATER_NS) {
                    delete(files.removeFirst());
                }
            }
        }
    }

    /** Measures by how much references are late. */
    private static final class Canary extends Thread {
        /** Time from cleared to queued. */
        final Latencies late = new Latencies();

        Canary() {
            super("canary");
            setDaemon(true);
        }

        @Override
        public void run() {
            ReferenceQueue<Object> queue = new ReferenceQueue<Object>();
            try {
                while (true) {
                    WeakReference<Object> canary =
                            new WeakReference<Object>(new Object(), queue);
                    while (canary.get() != null) {
                        Thread.sleep(1);
                    }
                    long cleared = System.nanoTime();
                    queue.remove();
                    late.record(System.nanoTime() - cleared);
                }
            } catch (InterruptedException e) {
                // asked to end
            }
        }
    }
}
