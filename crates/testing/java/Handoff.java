// Two threads hand a number to each other: the most context switches that Java brings about.
import java.util.concurrent.SynchronousQueue;

public class Handoff {
    public static void main(String[] args) throws Exception {
        SynchronousQueue<Integer> there = new SynchronousQueue<>();
        SynchronousQueue<Integer> back = new SynchronousQueue<>();
        Thread echo = new Thread(() -> {
            try {
                while (true) {
                    back.put(there.take());
                }
            } catch (InterruptedException e) {
                return;
            }
        }, "echo");
        echo.setDaemon(true);
        echo.start();
        System.out.println("ready");
        while (true) {
            there.put(1);
            back.take();
        }
    }
}
