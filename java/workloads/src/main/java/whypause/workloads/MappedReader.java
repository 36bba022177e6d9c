package whypause.workloads;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Random;

/**
 * Reads random bytes of a file while other threads allocate, so that safepoints come while a
 * read is under way.
 *
 * <p>A thread that reads through a mapping is in the state "in Java" while the kernel fetches
 * the page, so a safepoint must wait for it. A thread in {@link FileChannel#read} is in the state
 * "in native", and a safepoint does not wait.
 *
 * <p>Arguments: {@code file=PATH mode=mapped|channel|touched|none}, and optionally
 * {@code reads=40000 seed=1 threads=1 rate=20000 size=10240 queue=1000 drop=500 seconds=0}.
 * {@code touched} maps the file and reads every page of it before it starts; {@code none} reads
 * an array on the heap instead of the file. {@code reads} is per second.
 */
public final class MappedReader {
    /** One random read. */
    interface Source {
        /** The byte at {@code at}, which is below the size of the file. */
        byte get(int at) throws IOException;
    }

    private static final int PAGE_BYTES = 4096;

    private MappedReader() {}

    /** Runs the load. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Arguments given = new Arguments(
                args, "file", "mode", "reads", "seed", "threads", "rate", "size", "queue", "drop",
                "seconds");
        String file = given.text("file", "");
        final Reader reader = new Reader(
                open(given.text("mode", "mapped"), file),
                bytes(file),
                given.number("reads", 40000),
                given.number("seed", 1));
        final Allocator[] allocators = AllocLoad.start(given, 1, 20000, 1000, 500);
        final Sleeper sleeper = new Sleeper();
        sleeper.start();
        reader.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return reader.latency.describe("read") + " " + AllocLoad.describe(allocators)
                        + " " + sleeper.overrun.describe("sleep_overrun");
            }
        });
    }

    /** The thread that reads. */
    private static final class Reader extends Thread {
        final Latencies latency = new Latencies();
        private final Source source;
        private final int bytes;
        private final Pace pace;
        private final Random random;
        /** Keeps the reads from being optimised away. */
        volatile int sum;

        Reader(Source source, int bytes, int perSecond, int seed) {
            super("slow-reader");
            setDaemon(true);
            this.source = source;
            this.bytes = bytes;
            this.pace = new Pace(perSecond);
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    pace.await();
                    int at = random.nextInt(bytes);
                    long start = System.nanoTime();
                    sum += source.get(at);
                    latency.record(System.nanoTime() - start);
                }
            } catch (IOException e) {
                System.err.println("error: cannot read: " + e.getMessage());
            }
        }
    }

    private static int bytes(String file) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file, "r")) {
            long length = opened.length();
            if (length == 0 || length > Integer.MAX_VALUE) {
                throw Arguments.refuse("`file` must have between 1 byte and 2 GiB");
            }
            return (int) length;
        }
    }

    private static Source open(String mode, String file) throws IOException {
        FileChannel channel = new RandomAccessFile(file, "r").getChannel();
        if (mode.equals("mapped") || mode.equals("touched")) {
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            return mapped(map, mode.equals("touched"));
        }
        if (mode.equals("channel")) {
            return channel(channel);
        }
        if (mode.equals("none")) {
            return heap();
        }
        throw Arguments.refuse("`mode` is mapped, channel, touched or none, not `" + mode + "`");
    }

    private static Source mapped(final MappedByteBuffer map, boolean touch) {
        byte sum = 0;
        for (int at = 0; touch && at < map.capacity(); at += PAGE_BYTES) {
            sum += map.get(at);
        }
        if (touch) {
            System.out.println("touched=" + map.capacity() + " sum=" + sum);
        }
        return new Source() {
            @Override
            public byte get(int at) {
                return map.get(at);
            }
        };
    }

    private static Source channel(final FileChannel channel) {
        final ByteBuffer one = ByteBuffer.allocateDirect(1);
        return new Source() {
            @Override
            public byte get(int at) throws IOException {
                // the casts keep the class file usable on JDK 8, whose Buffer methods
                // are not overridden in ByteBuffer
                ((java.nio.Buffer) one).clear();
                if (channel.read(one, at) != 1) {
                    throw new IOException("the file became shorter");
                }
                return one.get(0);
            }
        };
    }

    private static Source heap() {
        final byte[] array = new byte[64 * PAGE_BYTES];
        return new Source() {
            @Override
            public byte get(int at) {
                return array[at % array.length];
            }
        };
    }
}
