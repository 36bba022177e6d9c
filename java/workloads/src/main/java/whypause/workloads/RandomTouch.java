package whypause.workloads;

/**
 * Reads and writes random places of a large array: a load whose time goes into translating
 * addresses, so that huge pages help it.
 *
 * <p>Arguments, all optional: {@code mib=512 report=0 seconds=0}. {@code report=1} prints once a
 * second how many places were touched so far.
 */
public final class RandomTouch {
    private static final int LONGS_PER_MIB = 1 << 17;
    /** Places between two updates of the counter. */
    private static final int BATCH = 4096;

    private static volatile long touched;

    private RandomTouch() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException {
        Arguments given = new Arguments(args, "mib", "report", "seconds");
        final long[] places = new long[Math.max(1, given.number("mib", 512)) * LONGS_PER_MIB];
        for (int i = 0; i < places.length; i += 512) {
            places[i] = i + 1;
        }
        Thread thread = new Thread("touch") {
            @Override
            public void run() {
                long random = 88172645463325252L;
                while (true) {
                    random = batch(places, random);
                    touched = touched + BATCH;
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        if (given.number("report", 0) > 0) {
            new Reporter(new Reporter.Work() {
                @Override
                public long done() {
                    return touched;
                }
            }).start();
        }
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return "touched=" + touched;
            }
        });
    }

    /** Touches some places; each choice is that of Marsaglia's xorshift generator. */
    private static long batch(long[] places, long seed) {
        long random = seed;
        for (int i = 0; i < BATCH; i++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            places[(int) ((random >>> 1) % places.length)] += 1;
        }
        return random;
    }
}
