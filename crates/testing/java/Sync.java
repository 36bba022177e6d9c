// Allocates, and meanwhile another thread writes to the file named by the argument and syncs it.
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

public class Sync {
    public static void main(String[] args) throws Exception {
        FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        Thread syncer = new Thread(() -> {
            try {
                while (true) {
                    file.write(ByteBuffer.allocate(4096), 0);
                    file.force(true);
                }
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }, "syncer");
        syncer.setDaemon(true);
        syncer.start();
        System.out.println("ready");
        Object[] kept = new Object[4096];
        for (int i = 0; ; i = (i + 1) % kept.length) {
            kept[i] = new byte[2048];
        }
    }
}
