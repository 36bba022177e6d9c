package whypause.workloads;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts latencies of one thread by their size, to a thirty-second part of it, in constant space.
 *
 * <p>Written by one thread only; another may read it at any time. Recording allocates nothing and
 * takes no lock.
 */
final class Percentiles {
    /** Sizes are kept with so many bits after the first. */
    private static final int BITS = 5;
    private static final int STEPS = 1 << BITS;

    private final AtomicLongArray counts = new AtomicLongArray((64 - BITS) * STEPS);
    private volatile long maxNs;

    /** Records one latency. Called by the owning thread alone, hence no atomic addition. */
    void record(long ns) {
        int slot = slot(Math.max(0, ns));
        counts.lazySet(slot, counts.get(slot) + 1);
        if (ns > maxNs) {
            maxNs = ns;
        }
    }

    /** {@code NAME_count=… NAME_p50_ns=… NAME_p99_ns=… NAME_p9999_ns=… NAME_max_ns=…} of all. */
    static String describe(String name, Percentiles[] all) {
        long[] sums = new long[(64 - BITS) * STEPS];
        long count = 0;
        long max = 0;
        for (Percentiles it : all) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += it.counts.get(i);
                count += it.counts.get(i);
            }
            max = Math.max(max, it.maxNs);
        }
        return name + "_count=" + count
                + " " + name + "_p50_ns=" + Math.min(max, at(sums, count, 5000))
                + " " + name + "_p99_ns=" + Math.min(max, at(sums, count, 9900))
                + " " + name + "_p9999_ns=" + Math.min(max, at(sums, count, 9999))
                + " " + name + "_max_ns=" + max;
    }

    /** What so many of ten thousand are not above. */
    private static long at(long[] sums, long count, long ofTenThousand) {
        long wanted = (count * ofTenThousand + 9999) / 10000;
        long seen = 0;
        for (int i = 0; i < sums.length; i++) {
            seen += sums[i];
            if (seen >= wanted && seen > 0) {
                return most(i);
            }
        }
        return 0;
    }

    private static int slot(long ns) {
        int above = Math.max(0, 63 - BITS - Long.numberOfLeadingZeros(ns | 1));
        return above * STEPS + (int) (ns >>> above);
    }

    /** The longest that is counted there. */
    private static long most(int slot) {
        int above = Math.max(0, slot / STEPS - 1);
        return ((long) (slot - above * STEPS + 1) << above) - 1;
    }
}
