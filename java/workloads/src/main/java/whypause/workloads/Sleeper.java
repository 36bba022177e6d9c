package whypause.workloads;

/**
 * Sleeps a millisecond again and again and records by how much each sleep was too long: what a
 * thread that does nothing feels of the JVM's pauses.
 *
 * <p>It feels safepoints, a full run queue and CPU throttling, and nothing that blocks only
 * another thread.
 */
final class Sleeper extends Thread {
    private static final long SLEEP_NS = 1000000L;

    /** By how much the sleeps were too long. */
    final Latencies overrun = new Latencies();

    Sleeper() {
        super("sleeper");
        setDaemon(true);
    }

    @Override
    public void run() {
        try {
            while (true) {
                long start = System.nanoTime();
                Thread.sleep(1);
                overrun.record(Math.max(0, System.nanoTime() - start - SLEEP_NS));
            }
        } catch (InterruptedException e) {
            // asked to end
        }
    }
}
