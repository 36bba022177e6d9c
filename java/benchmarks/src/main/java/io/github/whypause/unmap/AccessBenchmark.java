package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an access costs, and what of that is the guard: with none, with ours, and with the JVM's own of a
 * shared arena (JDK 22 and newer), which {@link SharedArenas} decides about. In this package as the public
 * methods do not let one choose.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AccessBenchmark {
    private static final int BYTES = 1 << 20;
    private static final int BLOCK = 4096;
    private static final int TIMES = 1000;

    /** A file with nothing in it, and a mapping of it. */
    public abstract static class Mapped {
        private Path path;
        MappedFile file;
        final byte[] block = new byte[BLOCK];

        abstract MappedFile map(Path path) throws IOException;

        /** Maps. */
        @Setup
        public void open() throws IOException {
            path = Files.createTempFile("access", "");
            Files.write(path, new byte[BYTES]);
            file = map(path);
        }

        /** Unmaps. */
        @TearDown
        public void close() throws IOException {
            if (file != null) {
                file.close();
            }
            Files.delete(path);
        }

        long longs() {
            long sum = 0;
            for (int i = 0; i < TIMES; i++) {
                sum += file.getLong(place(i));
            }
            return sum;
        }

        byte[] bulk() {
            file.get(0, block, 0, BLOCK);
            return block;
        }
    }

    /** The JDK's own. */
    @State(Scope.Thread)
    public static class Plain extends Mapped {
        private MappedByteBuffer buffer;

        @Override
        MappedFile map(Path path) throws IOException {
            try (FileChannel channel = FileChannel.open(path)) {
                buffer = channel.map(MapMode.READ_ONLY, 0, BYTES);
            }
            return null;
        }

        @Override
        long longs() {
            long sum = 0;
            for (int i = 0; i < TIMES; i++) {
                sum += buffer.getLong(place(i));
            }
            return sum;
        }

        @Override
        byte[] bulk() {
            ByteBuffer part = buffer.duplicate();
            part.get(block);
            return block;
        }
    }

    /** For one thread. */
    @State(Scope.Thread)
    public static class Confined extends Mapped {
        @Override
        MappedFile map(Path path) throws IOException {
            return MappedFile.open(path, MapMode.READ_ONLY);
        }
    }

    /** For all threads, with our guard. */
    @State(Scope.Benchmark)
    public static class Guarded extends Mapped {
        @Override
        MappedFile map(Path path) throws IOException {
            return new GuardedLifetime(Memory.shared()).open(path, MapMode.READ_ONLY, 0, Lifetime.WHOLE, true);
        }
    }

    /** For all threads, with that of the JVM. */
    @State(Scope.Benchmark)
    public static class Arena extends Mapped {
        @Override
        MappedFile map(Path path) throws IOException {
            return new ArenaLifetime(new ArenaMemory(Foreign.sharedArena()))
                    .open(path, MapMode.READ_ONLY, 0, Lifetime.WHOLE, true);
        }
    }

    private static int place(int i) {
        return i * 4104 & BYTES - 8;
    }

    /** A {@code MappedByteBuffer}. */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public long longPlain(Plain it) {
        return it.longs();
    }

    /** A mapping of one thread. */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public long longConfined(Confined it) {
        return it.longs();
    }

    /** Our guard. */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public long longGuarded(Guarded it) {
        return it.longs();
    }

    /** Our guard, and two threads that use one mapping. */
    @Benchmark
    @Threads(2)
    @OperationsPerInvocation(TIMES)
    public long longGuardedTwoThreads(Guarded it) {
        return it.longs();
    }

    /** The JVM's guard. */
    @Benchmark
    @OperationsPerInvocation(TIMES)
    public long longArena(Arena it) {
        return it.longs();
    }

    /** The JVM's guard, and two threads that use one mapping. */
    @Benchmark
    @Threads(2)
    @OperationsPerInvocation(TIMES)
    public long longArenaTwoThreads(Arena it) {
        return it.longs();
    }

    /** 4 KiB of a {@code MappedByteBuffer}. */
    @Benchmark
    public byte[] blockPlain(Plain it) {
        return it.bulk();
    }

    /** 4 KiB, our guard. */
    @Benchmark
    public byte[] blockGuarded(Guarded it) {
        return it.bulk();
    }

    /** 4 KiB, the JVM's guard. */
    @Benchmark
    public byte[] blockArena(Arena it) {
        return it.bulk();
    }
}
