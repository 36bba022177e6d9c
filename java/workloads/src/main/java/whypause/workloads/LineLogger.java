package whypause.workloads;

/** One thread that logs lines at a rate, and measures how long each call took. */
final class LineLogger extends Thread {
    /** Lines whose mean length stands for that of all. */
    private static final int SAMPLE_LINES = 10000;

    /** Time of each call. */
    final Percentiles calls = new Percentiles();

    private final AccessLines text;
    private final LogSink sink;
    private final Pace pace;
    private final long countedFrom;
    private volatile long lines;
    private volatile long bytes;
    private volatile long dropped;

    /**
     * A thread that is not started yet.
     *
     * @param number for the thread's name, {@code logger-NUMBER}
     * @param bytesPerSecond how much to log
     * @param seed of its lines
     * @param after seconds from now before times are counted
     * @param sink where to
     */
    LineLogger(int number, long bytesPerSecond, int seed, int after, LogSink sink) {
        super("logger-" + number);
        setDaemon(true);
        this.text = new AccessLines(seed);
        this.sink = sink;
        long sum = 0;
        AccessLines sample = new AccessLines(seed);
        for (int i = 0; i < SAMPLE_LINES; i++) {
            sum += sample.next();
        }
        this.pace = new Pace((int) Math.max(1, bytesPerSecond * SAMPLE_LINES / sum));
        this.countedFrom = System.nanoTime() + after * 1000000000L;
    }

    /** Lines that were logged or dropped. */
    long lines() {
        return lines;
    }

    /** Bytes of the lines that were logged. */
    long bytes() {
        return bytes;
    }

    /** Lines that were dropped. */
    long dropped() {
        return dropped;
    }

    @Override
    public void run() {
        byte[] line = text.bytes();
        while (true) {
            pace.await();
            int length = text.next();
            long start = System.nanoTime();
            boolean taken = sink.log(line, length);
            long end = System.nanoTime();
            if (end - countedFrom > 0) {
                calls.record(end - start);
            }
            lines = lines + 1;
            if (taken) {
                bytes = bytes + length;
            } else {
                dropped = dropped + 1;
            }
        }
    }
}
