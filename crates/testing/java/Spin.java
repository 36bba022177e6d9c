// Threads that compute and neither allocate nor wait. Arguments: threads.
public class Spin {
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(Spin::spin, "spinner-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void spin() {
        for (long n = 0; ; n++) {
            sink = n;
        }
    }
}
