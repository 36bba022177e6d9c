package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LifetimeTest {
    @TempDir Path dir;

    private static boolean isThere() {
        if (!Foreign.isThere()) {
            System.out.println("SKIPPED: arenas, which JDK 22 and newer have");
        }
        return Foreign.isThere();
    }

    @Test
    void theSharedArenaIsTrustedOnlyWhereItIsMended() {
        String hotspot = "OpenJDK 64-Bit Server VM";
        assertTrue(SharedArenas.in(27, "27", hotspot, "27+36"));
        assertTrue(SharedArenas.in(28, "28.0.1", "Java HotSpot(TM) 64-Bit Server VM", "28.0.1+8"));
        // the race is in it, or a vendor may or may not have mended it
        for (int feature = 22; feature < 27; feature++) {
            assertFalse(SharedArenas.in(feature, feature + ".0.9", hotspot, "25.0.9+1"));
        }
        // a build before the release may be older than the mend
        assertFalse(SharedArenas.in(27, "27-ea", hotspot, "27-ea+5"));
        // other compilers and other virtual machines
        assertFalse(SharedArenas.in(27, "27", hotspot, "27+36-jvmci-b01"));
        assertFalse(SharedArenas.in(27, "27", "Eclipse OpenJ9 VM", "openj9-0.60.0"));
        assertFalse(SharedArenas.in(27, "27", "Substrate VM", "GraalVM 27"));
        assertFalse(SharedArenas.in(27, "", "", ""));
    }

    /** A read from a socket that is under way keeps the JVM from closing the arena of its buffer. */
    @Test
    void aCloseThatFailedCanBeTriedAgain() throws Exception {
        if (!isThere()) {
            return;
        }
        Path path = Files.write(dir.resolve("file"), new byte[4096]);
        Object arena = Foreign.sharedArena();
        ByteBuffer buffer;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            Object segment = Foreign.map(channel, MapMode.READ_WRITE, 0, 4096, arena);
            buffer = Foreign.buffer(segment, 0, 4096);
        }
        Lifetime lifetime = new GuardedLifetime(new ArenaMemory(arena));
        InetAddress here = InetAddress.getLoopbackAddress();
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open()
                        .bind(new InetSocketAddress(here, 0));
                AsynchronousSocketChannel from = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> accepted = server.accept();
            from.connect(server.getLocalAddress()).get();
            try (AsynchronousSocketChannel to = accepted.get()) {
                Future<Integer> read = from.read(buffer);
                assertThrows(IllegalStateException.class, lifetime::close);
                assertFalse(lifetime.isOpen());
                assertTrue(Jvm.isMapped(path));
                to.write(ByteBuffer.wrap(new byte[] {1})).get();
                assertEquals(1, read.get());
            }
        }
        lifetime.close();
        assertFalse(Jvm.isMapped(path));
        lifetime.close();
    }

    /** Maps so much that the buffers for its pieces do not fit into the heap. */
    static final class TooMany {
        private TooMany() {}

        public static void main(String[] arguments) throws Exception {
            Path path = Files.createTempFile(Paths.get("/dev/shm"), "many", "");
            try {
                try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
                    sparse.setLength(1L << 46);
                }
                try {
                    MappedFile.openShared(path, MapMode.READ_ONLY);
                    System.out.println("mapped");
                } catch (OutOfMemoryError e) {
                    System.out.println(Jvm.isMapped(path) ? "left behind" : "released");
                }
            } finally {
                Files.delete(path);
            }
        }
    }

    @Test
    void aMappingThatFailsAfterwardsIsNotLeftInItsArena() throws Exception {
        if (!isThere() || !Files.isWritable(Paths.get("/dev/shm"))) {
            System.out.println("SKIPPED: a mapping that fails, for want of JDK 22 or /dev/shm");
            return;
        }
        Jvm jvm = Jvm.run(Arrays.asList("-XX:+UseSerialGC", "-Xmx8m"), TooMany.class, dir);
        assertEquals("released\n", jvm.out, jvm.toString());
    }
}
