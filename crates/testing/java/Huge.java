import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

// Has much of all that a recorder reads of a JVM: mapped ranges, mapped and open files with long
// names, threads, deep stacks, and a log with a line that has no end. It allocates meanwhile.
// Arguments: a directory, then the log; whatever follows only makes the command line long.
public class Huge {
    static final int RANGES = 30_000;
    static final int FILES = 3_000;
    static final int THREADS = 1_500;
    static final int DEEP_THREADS = 100;
    static final int DEPTH = 1_000;
    static final byte[] WITHOUT_END = new byte[1 << 20];
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        List<Object> held = new ArrayList<>();
        Path many = directory.resolve("many");
        try (FileChannel file = create(many)) {
            for (int i = 0; i < RANGES; i++) {
                // Every other page, or they would be one range.
                held.add(file.map(FileChannel.MapMode.READ_WRITE, i * 8192L, 4096));
            }
        }
        for (int i = 0; i < FILES; i++) {
            FileChannel file = create(directory.resolve("n".repeat(240) + i));
            held.add(file);
            held.add(file.map(FileChannel.MapMode.READ_WRITE, 0, 4096));
        }
        for (int i = 0; i < THREADS; i++) {
            int depth = i < DEEP_THREADS ? DEPTH : 1;
            Thread thread = new Thread(null, () -> doze(depth), "t".repeat(60) + i, 256 * 1024);
            thread.setDaemon(true);
            thread.start();
        }
        java.util.Arrays.fill(WITHOUT_END, (byte) 'x');
        Path log = Path.of(args[1]);
        System.out.println("ready");
        for (int n = 0; ; n++) {
            sink = new byte[2048];
            if (n % 2000 == 0) {
                Thread.sleep(1);
            }
            if (n % 200_000 == 0 && Files.size(log) < 256L << 20) {
                Files.write(log, WITHOUT_END, StandardOpenOption.APPEND);
            }
        }
    }

    static FileChannel create(Path path) throws Exception {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    static void doze(int depth) {
        if (depth > 1) {
            doze(depth - 1);
            return;
        }
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            return;
        }
    }
}
