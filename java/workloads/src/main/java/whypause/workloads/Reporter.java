package whypause.workloads;

/**
 * Prints once a second how much work was done so far, with the time on the clock of the GC log:
 * {@code t_ns=… done=…}. While the JVM is stopped it prints nothing, and the next line covers the
 * time in between.
 */
final class Reporter extends Thread {
    private static final long EVERY_MS = 1000;

    /** Says how much was done. */
    interface Work {
        /** A number that only grows. */
        long done();
    }

    private final Work work;

    /** A thread that is not started yet. */
    Reporter(Work work) {
        super("reporter");
        setDaemon(true);
        this.work = work;
    }

    @Override
    public void run() {
        try {
            while (true) {
                System.out.println("t_ns=" + System.nanoTime() + " done=" + work.done());
                System.out.flush();
                Thread.sleep(EVERY_MS);
            }
        } catch (InterruptedException e) {
            // asked to end
        }
    }
}
