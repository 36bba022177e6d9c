// A thread in ever the same long counted loop without a poll (with a collector that asks for none
// there), and one that asks for a collection: each of them hangs until the loop is over.
public class Hang {
    static volatile double sink;

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 30; i++) {
            count(1.5, 2_000_000);
        }
        Thread thread = new Thread(() -> { while (true) count(1.5, 1 << 30); }, "counter");
        thread.setDaemon(true);
        thread.start();
        // Until the loop is compiled it has polls.
        for (long took = 0; took < 1_000_000_000L; ) {
            Thread.sleep(100);
            long begun = System.nanoTime();
            System.gc();
            took = System.nanoTime() - begun;
        }
        System.out.println("ready");
        while (true) {
            System.gc();
            Thread.sleep(1000);
        }
    }

    static void count(double x, int times) {
        double sum = 0;
        for (int i = 1; i < times; i++) {
            // Each step waits for the one before: seconds for all of them, on a fast processor too.
            sum = x / (sum + i);
        }
        sink = sum;
    }
}
