package whypause.workloads;

/**
 * Counts latencies of one thread in constant space: number, longest, and how many were longer
 * than each of a few limits, with their sum.
 *
 * <p>Times are nanoseconds of {@link System#nanoTime()}. Written by one thread only; another
 * thread may read it at any time and sees values that are at most a moment old, because the
 * fields are volatile. Recording allocates nothing and takes no lock.
 */
final class Latencies {
    /** Limits in milliseconds. */
    static final int[] LIMITS_MS = {50, 100, 250, 500, 1000, 2000};

    /** Sum of the latencies longer than the first limit. */
    private volatile long longTotalNs;
    private volatile long count;
    private volatile long maxNs;
    private final java.util.concurrent.atomic.AtomicLongArray over =
            new java.util.concurrent.atomic.AtomicLongArray(LIMITS_MS.length);

    /** Records one latency. Called by the owning thread alone, hence no atomic addition. */
    void record(long ns) {
        count = count + 1;
        if (ns > maxNs) {
            maxNs = ns;
        }
        if (ns < LIMITS_MS[0] * 1000000L) {
            return;
        }
        longTotalNs = longTotalNs + ns;
        for (int i = 0; i < LIMITS_MS.length && ns >= LIMITS_MS[i] * 1000000L; i++) {
            over.incrementAndGet(i);
        }
    }

    /** How many were recorded so far. */
    long count() {
        return count;
    }

    /** {@code NAME_count=… NAME_max_us=… NAME_over_50ms_total_us=… NAME_over_50ms=…}. */
    String describe(String name) {
        StringBuilder text = new StringBuilder();
        text.append(name).append("_count=").append(count);
        text.append(' ').append(name).append("_max_us=").append(maxNs / 1000);
        text.append(' ').append(name).append("_over_50ms_total_us=").append(longTotalNs / 1000);
        for (int i = 0; i < LIMITS_MS.length; i++) {
            text.append(' ').append(name).append("_over_").append(LIMITS_MS[i]).append("ms=");
            text.append(over.get(i));
        }
        return text.toString();
    }
}
