package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleaseTest {
    private static final int BYTES = 64 << 20;

    @TempDir Path dir;

    @Test
    void theSpaceOfADeletedFileComesBackAtOnce() throws Exception {
        Path memory = Paths.get("/dev/shm");
        assumeTrue(Files.isWritable(memory)
                && Files.getFileStore(memory).getUsableSpace() > 2 * BYTES, "no /dev/shm");
        Path path = Files.createTempFile(memory, "unmap", "");
        MappedFile file = MappedFile.openShared(path, MapMode.READ_WRITE, 0, BYTES);
        file.put(0, new byte[BYTES], 0, BYTES);
        Files.delete(path);
        long before = Files.getFileStore(memory).getUsableSpace();
        file.close();
        long freed = Files.getFileStore(memory).getUsableSpace() - before;
        assertTrue(freed > BYTES / 2, freed + " bytes came back");
    }

    @Test
    void aShortenedFileIsClosed() throws Exception {
        Path path = dir.resolve("short");
        MappedFile file;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file = MappedFile.map(channel, MapMode.READ_WRITE, 0, 1 << 20);
            channel.truncate(0);
        }
        file.close();
        assertFalse(Jvm.isMapped(path));
    }

    /** Uses what is behind the end of a file that was made shorter. */
    static final class Shortened {
        private static int caught;

        private Shortened() {}

        public static void main(String[] arguments) throws Exception {
            Path path = Files.createTempFile(Paths.get(arguments[0]), "short", "");
            Files.write(path, new byte[1 << 16]);
            // until the methods are compiled
            try (MappedFile file = MappedFile.openShared(path, MapMode.READ_WRITE)) {
                for (int i = 0; i < 20000; i++) {
                    for (Uses.Use use : i == 0 ? Uses.all() : Uses.reads()) {
                        use.of(file);
                    }
                }
            }
            for (int i = 0; i < 200; i++) {
                Files.write(path, new byte[1 << 16]);
                Thread user = new Thread(() -> use(path));
                user.setUncaughtExceptionHandler((thread, error) -> caught(error));
                user.start();
                user.join();
            }
            System.out.println(caught > 200 ? "caught" : "caught only " + caught);
        }

        private static void use(Path path) {
            try (MappedFile file = MappedFile.openShared(path, MapMode.READ_WRITE)) {
                try (FileChannel to = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    to.truncate(0);
                }
                for (Uses.Use use : Uses.all()) {
                    try {
                        use.of(file);
                    } catch (Exception | InternalError e) {
                        caught(e);
                    }
                }
                try {
                    file.get(5, new byte[40000], 3, 33333);
                } catch (InternalError e) {
                    caught(e);
                }
            } catch (IOException | InternalError e) {
                caught(e);
            }
        }

        /** Compiled code may throw it later, and then past each {@code catch}, with a plain buffer too. */
        private static void caught(Throwable error) {
            if (error instanceof InternalError || error instanceof IOException) {
                caught++;
            } else {
                error.printStackTrace();
                System.exit(1);
            }
        }
    }

    @Test
    void aShortenedFileThrowsAndCrashesNothing() throws Exception {
        assumeTrue(Jvm.version() > 8, "JDK 8 does not handle such an access");
        Jvm jvm = Jvm.run(Collections.emptyList(), Shortened.class, dir);
        assertEquals(0, jvm.exit, jvm.toString());
        assertEquals("caught\n", jvm.out, jvm.toString());
    }

    @Test
    void aGroupIsReleasedAtOnce() throws Exception {
        Path[] paths = new Path[20];
        MappedFile[] files = new MappedFile[paths.length];
        MappedFiles group = new MappedFiles();
        for (int i = 0; i < paths.length; i++) {
            paths[i] = Files.write(Files.createTempFile(dir, "member", ""), new byte[5000]);
            files[i] = i % 2 == 0
                    ? group.open(paths[i], MapMode.READ_WRITE)
                    : group.open(paths[i], MapMode.READ_ONLY, 100, 200);
            files[i].getLong(8);
        }
        files[0].close();
        assertFalse(files[0].isOpen());
        for (Uses.Use use : Uses.all()) {
            assertThrows(IllegalStateException.class, () -> use.of(files[0]));
        }
        assertTrue(files[1].isOpen());
        files[1].getLong(8);
        assertThrows(IOException.class, () -> group.open(dir.resolve("none"), MapMode.READ_ONLY));
        Thread other = new Thread(group::close);
        other.start();
        other.join();
        for (int i = 0; i < paths.length; i++) {
            MappedFile file = files[i];
            assertFalse(file.isOpen());
            assertThrows(IllegalStateException.class, () -> file.getLong(8));
            assertFalse(Jvm.isMapped(paths[i]));
            file.close();
        }
        group.close();
        assertThrows(IllegalStateException.class, () -> group.open(paths[0], MapMode.READ_ONLY));
        assertFalse(Jvm.isMapped(paths[0]));
    }

    @Test
    void aGroupMapsAnOpenChannel() throws Exception {
        Path path = Files.write(dir.resolve("channel"), new byte[] {0, 0, 0, 9});
        try (MappedFiles group = new MappedFiles();
                FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            assertEquals(9, group.map(channel, MapMode.READ_ONLY, 0, 4).getInt(0));
        }
        assertFalse(Jvm.isMapped(path));
    }

    /** All of it in a JVM that is watched for what it prints. */
    static final class Everything {
        private Everything() {}

        public static void main(String[] arguments) throws Exception {
            Path path = Files.createTempFile(Paths.get(arguments[0]), "all", "");
            Files.write(path, new byte[4096]);
            try (MappedFile confined = MappedFile.open(path, MapMode.READ_WRITE);
                    MappedFile shared = MappedFile.openShared(path, MapMode.READ_WRITE);
                    MappedFiles group = new MappedFiles()) {
                MappedFile member = group.open(path, MapMode.READ_WRITE);
                for (Uses.Use use : Uses.all()) {
                    use.of(confined);
                    use.of(shared);
                    use.of(member);
                }
            }
            System.out.println(Jvm.isMapped(path) ? "mapped" : "released");
        }
    }

    @Test
    void nothingIsPrinted() throws Exception {
        Jvm jvm = Jvm.run(Collections.emptyList(), Everything.class, dir);
        assertEquals("", jvm.err);
        assertEquals("released\n", jvm.out);
        assertEquals(0, jvm.exit);
    }
}
