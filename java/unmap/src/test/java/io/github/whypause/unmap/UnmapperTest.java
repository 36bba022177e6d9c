package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnmapperTest {
    @TempDir Path dir;

    private static MappedByteBuffer map(Path path) throws Exception {
        try (FileChannel channel = FileChannel.open(path)) {
            return channel.map(MapMode.READ_ONLY, 0, channel.size());
        }
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> Unmapper.unmap(null));
    }

    @Test
    void supportAndReasonAgree() {
        assertEquals(Unmapper.isSupported(), Unmapper.unsupportedReason() == null);
        if (Jvm.version() < 24) {
            assertTrue(Unmapper.isSupported(), Unmapper.unsupportedReason());
        }
    }

    @Test
    void theMappingIsGone() throws Exception {
        Path path = Files.write(dir.resolve("file"), new byte[4096]);
        MappedByteBuffer buffer = map(path);
        assertTrue(Jvm.isMapped(path));
        if (!Unmapper.isSupported()) {
            assertThrows(UnsupportedOperationException.class, () -> Unmapper.unmap(buffer));
            assertTrue(Jvm.isMapped(path));
            return;
        }
        for (ByteBuffer part : Arrays.asList(buffer.duplicate(), buffer.slice(),
                buffer.asReadOnlyBuffer())) {
            assertThrows(IllegalArgumentException.class,
                    () -> Unmapper.unmap((MappedByteBuffer) part));
        }
        assertTrue(Jvm.isMapped(path));
        Unmapper.unmap(buffer);
        assertFalse(Jvm.isMapped(path));
        Unmapper.unmap(buffer);
        Unmapper.unmap(map(Files.write(dir.resolve("empty"), new byte[0])));
    }

    /** Unmaps in a JVM that is watched for what it prints. */
    static final class Unmaps {
        private Unmaps() {}

        public static void main(String[] arguments) throws Exception {
            Path path = Files.createTempFile(Paths.get(arguments[0]), "file", "");
            Files.write(path, new byte[4096]);
            MappedByteBuffer buffer = map(path);
            if (Unmapper.isSupported()) {
                Unmapper.unmap(buffer);
            }
            System.out.println(Jvm.isMapped(path) ? Unmapper.unsupportedReason() : "released");
        }
    }

    @Test
    void itIsSilentOrRefuses() throws Exception {
        Jvm jvm = Jvm.run(Collections.emptyList(), Unmaps.class, dir);
        assertEquals("", jvm.err);
        assertEquals(0, jvm.exit);
        if (Jvm.version() < 24) {
            assertEquals("released\n", jvm.out);
        } else {
            assertTrue(jvm.out.contains("--sun-misc-unsafe-memory-access=allow"), jvm.out);
        }
    }

    @Test
    void flagsOfNewerVersionsMakeItWork() throws Exception {
        assumeTrue(Jvm.version() >= 24, "JDK 24 and newer");
        List<String> flags = Arrays.asList("--sun-misc-unsafe-memory-access=allow",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
        for (String flag : flags) {
            Jvm jvm = Jvm.run(Collections.singletonList(flag), Unmaps.class, dir);
            assertEquals("", jvm.err);
            assertEquals("released\n", jvm.out);
        }
        Jvm denied = Jvm.run(Collections.singletonList("--sun-misc-unsafe-memory-access=deny"),
                Unmaps.class, dir);
        assertTrue(denied.out.contains("MappedFile"), denied.toString());
        assertEquals("", denied.err);
    }
}
