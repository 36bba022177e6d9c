package whypause.workloads;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps which calls took 10 ms and more: in which thread, when, for how long, and in what. A
 * recording of the same time is compared with it.
 *
 * <p>Each call is a line {@code stall WHAT START_NS LENGTH_NS KIND THREAD}, with times of {@link
 * System#nanoTime()}, which is the kernel's monotonic clock. {@code WHAT} is {@code force}, {@code
 * write} (to a file), {@code send} (to a socket) or {@code lock}; {@code KIND} is {@code request}
 * or {@code background}.
 */
final class Stalls {
    /** Calls from this length on are kept. */
    private static final long FROM_NS = 10000000L;
    /** Calls that are kept, to be bounded; more are counted. */
    private static final int MOST = 100000;

    private final Queue<String> lines = new ConcurrentLinkedQueue<String>();
    private final Queue<Calls> threads = new ConcurrentLinkedQueue<Calls>();
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();

    /** The calls of one thread that serves requests: what stalls it is observed by users. */
    Calls ofRequests(String thread) {
        return of(thread, true);
    }

    /** The calls of one thread that no request waits for. */
    Calls inBackground(String thread) {
        return of(thread, false);
    }

    private Calls of(String thread, boolean servesRequests) {
        Calls calls = new Calls(thread, servesRequests);
        threads.add(calls);
        return calls;
    }

    /**
     * The line of each call, also of those that are under way, and {@code stall_max_us=…} and
     * {@code background_stall_max_us=…}: the longest call of threads that serve requests, and
     * of the others.
     */
    String describe() {
        long longest = 0;
        long longestInBackground = 0;
        for (Calls it : threads) {
            it.addUnderWay();
            if (it.servesRequests) {
                longest = Math.max(longest, it.longestNs);
            } else {
                longestInBackground = Math.max(longestInBackground, it.longestNs);
            }
        }
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(line).append('\n');
        }
        return text.append("stall_max_us=").append(longest / 1000)
                .append(" background_stall_max_us=").append(longestInBackground / 1000)
                .append(" stalls=").append(kept.get())
                .append(" stalls_dropped=").append(dropped.get())
                .toString();
    }

    /** Measures the calls of one thread: {@code begin}, the call, {@code end}. */
    final class Calls {
        private final String thread;
        private final boolean servesRequests;
        private volatile String what;
        /** 0 while no call is under way. */
        private volatile long begunNs;
        private volatile long longestNs;

        private Calls(String thread, boolean servesRequests) {
            this.thread = thread;
            this.servesRequests = servesRequests;
        }

        /** A call begins. */
        void begin(String what) {
            this.what = what;
            begunNs = System.nanoTime();
        }

        /** It has ended. */
        void end() {
            long now = System.nanoTime();
            long begun = begunNs;
            begunNs = 0;
            add(begun, now);
        }

        private void addUnderWay() {
            long begun = begunNs;
            if (begun != 0) {
                add(begun, System.nanoTime());
            }
        }

        private void add(long begun, long ended) {
            long length = ended - begun;
            longestNs = Math.max(longestNs, length);
            if (length < FROM_NS) {
                return;
            }
            if (kept.incrementAndGet() > MOST) {
                kept.decrementAndGet();
                dropped.incrementAndGet();
                return;
            }
            String kind = servesRequests ? "request" : "background";
            lines.add("stall " + what + " " + begun + " " + length + " " + kind + " " + thread);
        }
    }
}
