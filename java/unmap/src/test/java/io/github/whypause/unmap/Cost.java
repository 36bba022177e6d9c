package io.github.whypause.unmap;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * What an access and a close cost here, beside a plain buffer. Prints a table in Markdown; the best
 * of several rounds, as other work on the machine only makes it slower.
 *
 * <pre>
 * mvn -q -B -pl unmap test-compile
 * java -cp unmap/target/classes:unmap/target/test-classes io.github.whypause.unmap.Cost
 * </pre>
 */
public final class Cost {
    private static final int BYTES = 1 << 20;
    private static final int ACCESSES = 20000000;
    private static final int ROUNDS = 7;
    private static final int CLOSES = 200;
    private static final int SLEEPERS = 50;

    private static volatile long kept;

    private Cost() {}

    /** Reads so many values, from scattered places. */
    private interface Reads {
        long of(int times);
    }

    private interface Step {
        void run() throws Exception;
    }

    /**
     * Measures and prints.
     *
     * @param arguments none
     * @throws Exception if a file cannot be mapped
     */
    public static void main(String[] arguments) throws Exception {
        Path path = Files.createTempFile("cost", "");
        try {
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                file.setLength(BYTES);
            }
            System.out.println("JDK " + System.getProperty("java.version") + ", "
                    + Runtime.getRuntime().availableProcessors() + " CPUs");
            System.out.println("\n| | per operation |\n|---|---|");
            accesses(path);
            closes(path);
        } finally {
            Files.delete(path);
        }
    }

    private static void accesses(Path path) throws Exception {
        MappedByteBuffer plain;
        try (FileChannel channel = FileChannel.open(path)) {
            plain = channel.map(MapMode.READ_ONLY, 0, BYTES);
        }
        try (MappedFile confined = MappedFile.open(path, MapMode.READ_ONLY);
                MappedFile shared = MappedFile.openShared(path, MapMode.READ_ONLY)) {
            byte[] block = new byte[4096];
            Reads plainLongs = times -> {
                long sum = 0;
                for (int i = 0; i < times; i++) {
                    sum += plain.getLong(place(i));
                }
                return sum;
            };
            Reads confinedLongs = times -> longs(confined, times);
            Reads sharedLongs = times -> longs(shared, times);
            line("getLong, plain MappedByteBuffer", ns(plainLongs, ACCESSES));
            line("getLong, confined", ns(confinedLongs, ACCESSES));
            line("getLong, shared", ns(sharedLongs, ACCESSES));
            if (Foreign.isThere()) {
                arena(path);
            }
            line("getLong, shared, two threads", two(sharedLongs));
            line("get of 4 KiB, plain", ns(times -> {
                long sum = 0;
                for (int i = 0; i < times; i++) {
                    java.nio.ByteBuffer part = plain.duplicate();
                    part.position(place(i) & ~4095);
                    part.get(block);
                    sum += block[0];
                }
                return sum;
            }, ACCESSES / 100));
            line("get of 4 KiB, shared", ns(times -> {
                long sum = 0;
                for (int i = 0; i < times; i++) {
                    shared.get(place(i) & ~4095, block, 0, block.length);
                    sum += block[0];
                }
                return sum;
            }, ACCESSES / 100));
        }
    }

    /** What {@link SharedArenas} decides about. */
    private static void arena(Path path) throws Exception {
        Lifetime lifetime = new ArenaLifetime(new ArenaMemory(Foreign.sharedArena()));
        try (MappedFile file =
                lifetime.open(path, MapMode.READ_ONLY, 0, Lifetime.WHOLE, true)) {
            line("getLong, shared, guarded by the JVM", ns(times -> longs(file, times), ACCESSES));
        }
    }

    private static int place(int i) {
        return i * 4104 & BYTES - 8;
    }

    private static long longs(MappedFile file, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            sum += file.getLong(place(i));
        }
        return sum;
    }

    private static double ns(Reads reads, int times) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begun = System.nanoTime();
            kept = reads.of(times);
            best = Math.min(best, (double) (System.nanoTime() - begun) / times);
        }
        return best;
    }

    private static double two(Reads reads) throws InterruptedException {
        double[] second = new double[1];
        Thread other = new Thread(() -> second[0] = ns(reads, ACCESSES));
        other.start();
        double first = ns(reads, ACCESSES);
        other.join();
        return Math.max(first, second[0]);
    }

    private static void closes(Path path) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < SLEEPERS; i++) {
            Thread sleeper = new Thread(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    // ends
                }
            });
            sleeper.start();
        }
        String with = ", with " + SLEEPERS + " sleeping threads";
        line("close, confined" + with, closing(path, false));
        line("close, shared" + with, closing(path, true));
        line("close, of a file in a group of " + CLOSES + with, closingGroup(path));
        Thread busy = new Thread(() -> {
            long sum = 0;
            while (end.getCount() > 0) {
                sum++;
            }
            kept = sum;
        });
        busy.start();
        line("close, shared, and one that is busy", closing(path, true));
        line("close, of a file in such a group, and one that is busy", closingGroup(path));
        end.countDown();
        busy.join();
    }

    private static double closing(Path path, boolean shared) throws Exception {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            List<MappedFile> files = new ArrayList<>();
            for (int i = 0; i < CLOSES; i++) {
                files.add(touched(shared ? MappedFile.openShared(path, MapMode.READ_ONLY)
                        : MappedFile.open(path, MapMode.READ_ONLY)));
            }
            best = Math.min(best, timed(() -> files.forEach(MappedFile::close)));
        }
        return best;
    }

    private static double closingGroup(Path path) throws Exception {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            MappedFiles group = new MappedFiles();
            for (int i = 0; i < CLOSES; i++) {
                touched(group.open(path, MapMode.READ_ONLY));
            }
            best = Math.min(best, timed(group::close));
        }
        return best;
    }

    private static MappedFile touched(MappedFile file) throws IOException {
        kept = file.get(0);
        return file;
    }

    private static double timed(Step step) throws Exception {
        long begun = System.nanoTime();
        step.run();
        return (double) (System.nanoTime() - begun) / CLOSES;
    }

    private static void line(String what, double ns) {
        System.out.println("| " + what + " | " + (ns < 1000 ? String.format("%.1f ns", ns)
                : String.format("%.1f µs", ns / 1000)) + " |");
    }
}
