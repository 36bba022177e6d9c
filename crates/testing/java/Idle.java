// Does nothing, so that nothing but its flags and surroundings tells of it. Arguments: `map FILE MIB` maps
// a file and deletes it; `humongous` allocates objects of more than half a region of 1 MiB.
import java.io.File;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

public class Idle {
    static volatile Object sink;
    static MappedByteBuffer mapped;

    public static void main(String[] args) throws Exception {
        if (args.length > 2 && args[0].equals("map")) {
            map(new File(args[1]), Long.parseLong(args[2]) << 20);
        }
        System.out.println("ready");
        while (args.length > 0 && args[0].equals("humongous")) {
            sink = new byte[700_000];
            Thread.sleep(2);
        }
        Thread.sleep(Long.MAX_VALUE);
    }

    // The file has no blocks: only its length is of interest.
    static void map(File path, long bytes) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            file.setLength(bytes);
            mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, bytes);
        }
        path.delete();
    }
}
