package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Closes shared mappings while other threads are in the middle of every kind of access. It ends
 * with {@code right} on standard output, or with what was wrong and status 1, or it crashes.
 *
 * <p>The arguments are a folder, how to map ({@code ours}, {@code group}, or {@code arena} for the
 * JVM's own shared arena without our guard), how many closes, a seed, and how many threads.
 */
public final class Stress {
    private static final int FILES = 16;
    private static final int BYTES = 16 << 10;
    /** Of the pause between two closes. */
    private static final int LONGEST_NS = 200000;

    private static final AtomicLong ACCESSES = new AtomicLong();
    private static final AtomicLong REFUSED = new AtomicLong();
    private static volatile Filled now;
    private static volatile Throwable wrong;
    private static volatile boolean over;

    private Stress() {}

    /** A mapping, and the byte that its whole file consists of. */
    static final class Filled {
        final MappedFile file;
        final AutoCloseable memory;
        final byte value;

        Filled(MappedFile file, AutoCloseable memory, int value) {
            this.file = file;
            this.memory = memory;
            this.value = (byte) value;
        }
    }

    /**
     * Runs it.
     *
     * @param arguments folder, how, closes, seed, threads
     * @throws Exception if a file cannot be mapped
     */
    public static void main(String[] arguments) throws Exception {
        Path[] paths = new Path[FILES];
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = new byte[BYTES];
            Arrays.fill(bytes, (byte) (i + 1));
            paths[i] = Files.write(Paths.get(arguments[0], "filled-" + i), bytes);
        }
        String how = arguments[1];
        int closes = Integer.parseInt(arguments[2]);
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[3]));
        now = map(paths, 0, how);
        List<Thread> threads = new ArrayList<>();
        int many = Integer.parseInt(arguments[4]);
        for (int i = 0; i < many; i++) {
            int first = i;
            Thread thread = new Thread(() -> use(first));
            thread.setPriority(Thread.MIN_PRIORITY);
            thread.start();
            threads.add(thread);
        }
        Thread stops = new Thread(Stress::stopAll);
        stops.start();
        threads.add(stops);
        // Heeded with -XX:ThreadPriorityPolicy=1: who closes takes the CPU from who is in an access.
        Thread.currentThread().setPriority(Thread.MAX_PRIORITY);
        long begun = System.nanoTime();
        int closed = 0;
        for (; closed < closes && wrong == null; closed++) {
            // Who wakes up takes the CPU from a thread that is in the middle of an access, and closes.
            LockSupport.parkNanos(random.nextInt(LONGEST_NS));
            close(paths, closed, how);
        }
        long millis = (System.nanoTime() - begun) / 1000000;
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(closed + " closes, " + ACCESSES + " accesses, " + REFUSED
                + " refused, " + millis + " ms");
        if (wrong != null) {
            wrong.printStackTrace();
            System.exit(1);
        }
        System.out.println("right");
    }

    /** With others in it: while the next is mapped already, or with nothing there afterwards. */
    private static void close(Path[] paths, int closed, String how) throws Exception {
        Filled old = now;
        if (closed % 2 == 0) {
            now = map(paths, closed + 1, how);
            old.memory.close();
        } else {
            old.memory.close();
            now = map(paths, closed + 1, how);
        }
    }

    private static Filled map(Path[] paths, int i, String how) throws IOException {
        Path path = paths[i % FILES];
        int value = i % FILES + 1;
        if (how.equals("group")) {
            MappedFiles group = new MappedFiles();
            return new Filled(group.open(path, MapMode.READ_WRITE), group, value);
        }
        MappedFile file = how.equals("arena")
                ? new ArenaLifetime(new ArenaMemory(Foreign.sharedArena()))
                        .open(path, MapMode.READ_WRITE, 0, Lifetime.WHOLE, true)
                : MappedFile.openShared(path, MapMode.READ_WRITE);
        return new Filled(file, file, value);
    }

    /** As a monitor does, so that threads are found waiting wherever they can be stopped. */
    private static void stopAll() {
        while (!over) {
            Thread.getAllStackTraces();
            LockSupport.parkNanos(LONGEST_NS);
        }
    }

    private static void use(int first) {
        byte[] some = new byte[BYTES];
        StressKinds.Kind[] kinds = StressKinds.all();
        // Of an hour there are more accesses than an int can count.
        for (long i = first; !over; i++) {
            Filled it = now;
            try {
                if (first % 2 == 0) {
                    for (int j = 0; j < 100; j++, i++) {
                        kinds[(int) (i % kinds.length)].at(it, i * 8 % (BYTES - 64), some);
                        ACCESSES.incrementAndGet();
                    }
                } else {
                    StressKinds.loop(it, i, BYTES, ACCESSES);
                }
            } catch (IllegalStateException e) {
                REFUSED.incrementAndGet();
                Thread.yield();
            } catch (Throwable e) {
                wrong = e;
            }
        }
    }
}
