import java.io.RandomAccessFile;
import java.nio.channels.FileChannel.MapMode;

/**
 * Holds the lock of its own address space for as long as a file system does not answer: mmap() of a
 * file that is read past the page cache first writes back what is dirty of it in that cache.
 */
class Stuck {
    public static void main(String[] arguments) throws Exception {
        RandomAccessFile cached = new RandomAccessFile(arguments[0], "rw");
        cached.getChannel().map(MapMode.READ_WRITE, 0, 4096).put(0, (byte) 1);
        // From the second time on the server has it opened for direct input and output.
        RandomAccessFile direct = new RandomAccessFile(arguments[0], "rw");
        System.out.println("ready");
        direct.getChannel().map(MapMode.PRIVATE, 0, 4096);
        System.out.println("answered");
        Thread.sleep(600_000);
    }
}
