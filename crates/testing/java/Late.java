// A thread in a counted loop that has no poll where the collector does not ask for it.
public class Late {
    static volatile double sink;

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> { while (true) count(1.5); }, "counter");
        thread.setDaemon(true);
        thread.start();
        System.out.println("ready");
        byte[][] kept = new byte[100][];
        for (int i = 0; ; i++) {
            kept[i % kept.length] = new byte[100_000];
            if (i % 100 == 0) {
                Thread.sleep(1);
            }
        }
    }

    static void count(double x) {
        double sum = 0;
        for (int i = 1; i < 20_000_000; i++) {
            sum += x / i;
        }
        sink = sum;
    }
}
