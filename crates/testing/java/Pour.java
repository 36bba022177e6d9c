// A thread writes more to the pipe named by the argument than that takes at once, again and again.
import java.io.FileOutputStream;

public class Pour {
    public static void main(String[] args) throws Exception {
        FileOutputStream pipe = new FileOutputStream(args[0]);
        Thread writer = new Thread(() -> {
            byte[] block = new byte[4096];
            try {
                while (true) {
                    for (int i = 0; i < 32; i++) {
                        pipe.write(block);
                    }
                    Thread.sleep(100);
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "pourer-1");
        writer.setDaemon(true);
        writer.start();
        System.out.println("ready");
        Thread.sleep(600_000);
    }
}
