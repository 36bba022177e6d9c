package whypause.workloads;

import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a loop at a number of rounds per second.
 *
 * <p>Rounds that were missed because the thread was stopped are caught up, at most one second's
 * worth, so that a pause does not turn into a lower load forever nor into an endless burst.
 * A rate of 0 does not limit. For one thread.
 */
final class Pace {
    private static final long CATCH_UP_NS = 1000000000L;
    private static final long NAP_NS = 1000000L;

    private final long intervalNs;
    private long due = System.nanoTime();

    /** @param perSecond rounds per second; 0 for no limit */
    Pace(int perSecond) {
        intervalNs = perSecond == 0 ? 0 : 1000000000L / perSecond;
    }

    /** Waits until the next round is due. Sleeps a millisecond at a time, not per round. */
    void await() {
        if (intervalNs == 0) {
            return;
        }
        long now = System.nanoTime();
        due = Math.max(due + intervalNs, now - CATCH_UP_NS);
        if (due - now > NAP_NS) {
            LockSupport.parkNanos(due - now);
        }
    }
}
