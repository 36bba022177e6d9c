import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** One thread takes down large mappings of a file, again and again, and another one makes small ones meanwhile. */
public class Unmapper {
    private static final long LARGE = 768L << 20;
    private static final int PAGE = 4096;

    public static void main(String[] arguments) throws Exception {
        RandomAccessFile file = new RandomAccessFile(arguments[0], "rw");
        file.setLength(LARGE);
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        Method unmap = unsafe.getClass().getMethod("invokeCleaner", ByteBuffer.class);
        new Thread(() -> forever(() -> unmap.invoke(unsafe, touched(file.getChannel()))), "unmapper").start();
        new Thread(() -> forever(() -> unmap.invoke(unsafe, map(file.getChannel(), PAGE))), "mapper").start();
        System.out.println("ready");
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void forever(Step step) {
        try {
            while (true) {
                step.run();
            }
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static ByteBuffer map(FileChannel channel, long bytes) throws Exception {
        return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
    }

    private static ByteBuffer touched(FileChannel channel) throws Exception {
        ByteBuffer all = map(channel, LARGE);
        for (int at = 0; at < LARGE; at += PAGE) {
            all.put(at, (byte) 1);
        }
        return all;
    }
}
