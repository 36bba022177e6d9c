// Many threads that sleep a little and do nothing, and one that allocates. Arguments: threads.
public class Crowd {
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(null, Crowd::doze, "crowd-" + i, 64 * 1024);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        for (int n = 0; ; n++) {
            sink = new byte[2048];
            if (n % 2000 == 0) {
                Thread.sleep(1);
            }
        }
    }

    static void doze() {
        try {
            while (true) {
                Thread.sleep(400);
            }
        } catch (InterruptedException e) {
            return;
        }
    }
}
