// Allocates for as long as it lives: many short collections. Arguments: threads, bytes per object.
import java.util.concurrent.ThreadLocalRandom;

public class Alloc {
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        int bytes = args.length > 1 ? Integer.parseInt(args[1]) : 2048;
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> allocate(bytes), "allocator-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void allocate(int bytes) {
        Object[] kept = new Object[4096];
        while (true) {
            Object fresh = new byte[bytes];
            kept[ThreadLocalRandom.current().nextInt(kept.length)] = fresh;
            sink = fresh;
        }
    }
}
