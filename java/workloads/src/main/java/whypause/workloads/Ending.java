package whypause.workloads;

/**
 * How every workload ends: after a number of seconds, or when it is terminated, and always with
 * one line of results on stdout.
 */
final class Ending {
    /** Makes the line of results. */
    interface Results {
        /** {@code key=value} pairs separated by blanks. */
        String line();
    }

    private Ending() {}

    /**
     * Waits and ends the program.
     *
     * @param seconds how long; 0 for until the process is terminated
     * @param results asked once, at the end; also on SIGTERM and Ctrl-C
     */
    static void after(int seconds, final Results results) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread("results") {
            @Override
            public void run() {
                System.out.println(results.line());
                System.out.flush();
            }
        });
        System.out.println("ready=1");
        System.out.flush();
        if (seconds > 0) {
            Thread.sleep(seconds * 1000L);
            System.exit(0);
        }
        Thread.sleep(Long.MAX_VALUE);
    }
}
