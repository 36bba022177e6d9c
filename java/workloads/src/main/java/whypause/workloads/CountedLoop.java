package whypause.workloads;

/**
 * Sums a large array in one counted loop after the other while other threads allocate, so that
 * safepoints come while a loop is under way.
 *
 * <p>A loop that counts an {@code int} with a constant step is a counted loop. Without strip
 * mining ({@code -XX:-UseCountedLoopSafepoints}) the compiler gives it no place to stop in, and a
 * safepoint waits until it is through.
 *
 * <p>Arguments, all optional: {@code millions=100 repeat=4 threads=1 rate=8000 size=10240
 * queue=1000 drop=500 seconds=0}. Each loop adds up {@code millions} million numbers
 * {@code repeat} times.
 */
public final class CountedLoop {
    private CountedLoop() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException {
        Arguments given = new Arguments(
                args, "millions", "repeat", "threads", "rate", "size", "queue", "drop",
                "seconds");
        final Counter counter =
                new Counter(given.number("millions", 100), given.number("repeat", 4));
        counter.warmUp();
        final Allocator[] allocators = AllocLoad.start(given, 1, 8000, 1000, 500);
        final Sleeper sleeper = new Sleeper();
        sleeper.start();
        counter.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return counter.latency.describe("loop") + " " + AllocLoad.describe(allocators)
                        + " " + sleeper.overrun.describe("sleep_overrun");
            }
        });
    }

    /** The thread that counts. */
    private static final class Counter extends Thread {
        private static final int WARM_UP = 20000;

        final Latencies latency = new Latencies();
        private final byte[] numbers;
        private final int repeat;
        /** Keeps the sums from being optimised away. */
        volatile long sum;

        Counter(int millions, int repeat) {
            super("counter");
            setDaemon(true);
            this.numbers = new byte[Math.max(1, millions) * 1000000];
            this.repeat = Math.max(1, repeat);
        }

        /** Lets the loop be compiled before it is entered for long. */
        void warmUp() {
            for (int i = 0; i < WARM_UP; i++) {
                sum += total(numbers, 1000, 1);
            }
        }

        @Override
        public void run() {
            while (true) {
                long start = System.nanoTime();
                sum += total(numbers, numbers.length, repeat);
                latency.record(System.nanoTime() - start);
            }
        }

        /** A division for each number keeps the compiler from adding many at once. */
        private static long total(byte[] numbers, int count, int repeat) {
            long sum = 1;
            for (int round = 0; round < repeat; round++) {
                for (int i = 0; i < count; i++) {
                    sum += numbers[i] ^ (sum / 3);
                }
            }
            return sum;
        }
    }
}
