package whypause.workloads;

/**
 * Holds memory that is full of data, and writes to every page of it again and again, so that the
 * kernel has to keep it or to swap it.
 *
 * <p>Arguments, all optional: {@code mib=500 mibPerSecond=200 seconds=0}. The data are not zeros,
 * because pages of zeros need no place in swap space.
 */
public final class MemoryHog {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int PAGE_BYTES = 4096;

    private MemoryHog() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException {
        Arguments given = new Arguments(args, "mib", "mibPerSecond", "seconds");
        final byte[][] blocks = new byte[Math.max(1, given.number("mib", 500))][];
        final Pace pace = new Pace(given.number("mibPerSecond", 200));
        Thread thread = new Thread("hog") {
            @Override
            public void run() {
                for (int i = 0; true; i = (i + 1) % blocks.length) {
                    pace.await();
                    touch(blocks, i);
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return "hog_mib=" + blocks.length;
            }
        });
    }

    private static void touch(byte[][] blocks, int index) {
        if (blocks[index] == null) {
            blocks[index] = new byte[BLOCK_BYTES];
        }
        for (int at = 0; at < BLOCK_BYTES; at += PAGE_BYTES) {
            blocks[index][at] += (byte) 1;
        }
    }
}
