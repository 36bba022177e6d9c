package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
    private static final long GIB = 1L << 30;

    @TempDir Path dir;

    private Path file(long bytes) throws IOException {
        Path file = Files.createTempFile(dir, "mapped", "");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(bytes);
        }
        return file;
    }

    @Test
    void valuesAreThoseOfAByteBuffer() throws Exception {
        Path path = file(64);
        try (MappedFile file = MappedFile.open(path, MapMode.READ_WRITE)) {
            file.put(1, (byte) -2);
            file.putShort(3, (short) -1234);
            file.putInt(6, 0x81020304);
            file.putLong(11, 0x8102030405060708L);
            file.put(20, new byte[] {0, 1, 2, 3, 4}, 1, 3);
            file.force();
            ByteBuffer disk = ByteBuffer.wrap(Files.readAllBytes(path));
            assertEquals(-2, disk.get(1));
            assertEquals(-1234, disk.getShort(3));
            assertEquals(0x81020304, disk.getInt(6));
            assertEquals(0x8102030405060708L, disk.getLong(11));
            assertEquals(0x00010203, disk.getInt(19));
            assertEquals(-2, file.get(1));
            assertEquals(-1234, file.getShort(3));
            assertEquals(0x81020304, file.getInt(6));
            assertEquals(0x8102030405060708L, file.getLong(11));
            byte[] some = new byte[5];
            file.get(20, some, 1, 3);
            assertArrayEquals(new byte[] {0, 1, 2, 3, 0}, some);
        }
    }

    @Test
    void afterCloseEachUseThrows() throws Exception {
        for (boolean shared : new boolean[] {false, true}) {
            Path path = file(4096);
            MappedFile file = shared
                    ? MappedFile.openShared(path, MapMode.READ_WRITE)
                    : MappedFile.open(path, MapMode.READ_WRITE);
            for (Uses.Use use : Uses.all()) {
                use.of(file);
            }
            assertTrue(file.isOpen());
            assertTrue(Jvm.isMapped(path));
            file.close();
            assertFalse(Jvm.isMapped(path));
            file.close();
            assertFalse(file.isOpen());
            for (Uses.Use use : Uses.all()) {
                assertThrows(IllegalStateException.class, () -> use.of(file));
            }
            // also where the arguments are wrong
            assertThrows(IllegalStateException.class, () -> file.get(-1));
            assertEquals(4096, file.size());
        }
    }

    @Test
    void onlyTheOwnerUsesAConfinedOne() throws Exception {
        Path path = file(4096);
        List<Uses.Use> uses = new ArrayList<>(Uses.all());
        uses.add(MappedFile::close);
        try (MappedFile file = MappedFile.open(path, MapMode.READ_WRITE)) {
            List<Throwable> thrown = new ArrayList<>();
            Thread other = new Thread(() -> {
                for (Uses.Use use : uses) {
                    thrown.add(assertThrows(IllegalStateException.class, () -> use.of(file)));
                }
            }, "other");
            other.start();
            other.join();
            assertEquals(uses.size(), thrown.size());
            assertTrue(thrown.get(0).getMessage().contains("`other`"), thrown.get(0).toString());
            file.putInt(0, 7);
            assertEquals(7, file.getInt(0));
        }
        assertFalse(Jvm.isMapped(path));
    }

    @Test
    void aSharedOneIsUsedAndClosedByAnyThread() throws Exception {
        Path path = file(4096);
        MappedFile file = MappedFile.openShared(path, MapMode.READ_WRITE);
        Thread other = new Thread(() -> {
            file.putInt(8, 42);
            file.close();
        });
        other.start();
        other.join();
        assertFalse(Jvm.isMapped(path));
        assertThrows(IllegalStateException.class, () -> file.getInt(8));
        assertEquals(42, ByteBuffer.wrap(Files.readAllBytes(path)).getInt(8));
    }

    @Test
    void whatIsNotInTheMappingThrows() throws Exception {
        try (MappedFile file = MappedFile.open(file(64), MapMode.READ_WRITE, 16, 32)) {
            file.getLong(24);
            for (Uses.Use use : Arrays.<Uses.Use>asList(
                    it -> it.get(-1), it -> it.get(32), it -> it.put(32, (byte) 0),
                    it -> it.getShort(31), it -> it.putShort(31, (short) 0),
                    it -> it.getInt(29), it -> it.putInt(29, 0),
                    it -> it.getLong(25), it -> it.putLong(25, 0), it -> it.getLong(-1),
                    it -> it.getLong(Long.MAX_VALUE), it -> it.getLong(Long.MIN_VALUE),
                    it -> it.getLong(1L << 32),
                    it -> it.get(30, new byte[8], 0, 3), it -> it.put(30, new byte[8], 0, 3),
                    it -> it.get(0, new byte[8], 7, 2), it -> it.put(0, new byte[8], 7, 2),
                    it -> it.get(0, new byte[8], -1, 2), it -> it.get(0, new byte[8], 0, -1))) {
                assertThrows(IndexOutOfBoundsException.class, () -> use.of(file));
            }
        }
    }

    @Test
    void aReadOnlyOneIsNotWritten() throws Exception {
        Path path = file(4096);
        try (MappedFile file = MappedFile.openShared(path, MapMode.READ_ONLY)) {
            for (Uses.Use use : Uses.writes()) {
                assertThrows(ReadOnlyBufferException.class, () -> use.of(file));
            }
            for (Uses.Use use : Uses.reads()) {
                use.of(file);
            }
            file.force();
        }
    }

    @Test
    void aPrivateOneKeepsItsChanges() throws Exception {
        Path path = file(4096);
        try (MappedFile file = MappedFile.open(path, MapMode.PRIVATE)) {
            file.putLong(0, -1);
            file.force();
            assertEquals(-1, file.getLong(0));
        }
        assertEquals(0, ByteBuffer.wrap(Files.readAllBytes(path)).getLong(0));
    }

    @Test
    void aFileThatIsTooShort() throws Exception {
        Path path = file(100);
        for (MapMode mode : new MapMode[] {MapMode.READ_ONLY, MapMode.PRIVATE}) {
            assertThrows(EOFException.class, () -> MappedFile.open(path, mode, 50, 51));
            assertThrows(EOFException.class,
                    () -> MappedFile.openShared(path, mode, 1, Long.MAX_VALUE));
        }
        assertEquals(100, Files.size(path));
        MappedFile.open(path, MapMode.READ_WRITE, 50, 51).close();
        assertEquals(101, Files.size(path));
        assertThrows(IllegalArgumentException.class,
                () -> MappedFile.open(path, MapMode.READ_ONLY, 0, -1));
        assertThrows(IllegalArgumentException.class,
                () -> MappedFile.open(path, MapMode.READ_ONLY, -1, 1));
        Path none = dir.resolve("none");
        assertThrows(NoSuchFileException.class, () -> MappedFile.open(none, MapMode.READ_WRITE));
        assertFalse(Jvm.isMapped(path));
    }

    @Test
    void anEmptyFile() throws Exception {
        try (MappedFile file = MappedFile.openShared(file(0), MapMode.READ_WRITE)) {
            assertEquals(0, file.size());
            assertThrows(IndexOutOfBoundsException.class, () -> file.get(0));
            file.get(0, new byte[0], 0, 0);
            file.force();
        }
    }

    @Test
    void anyOffset() throws Exception {
        Path path = file(20000);
        try (MappedFile whole = MappedFile.open(path, MapMode.READ_WRITE)) {
            whole.putLong(4097 + 5000, 99);
            try (MappedFile part = MappedFile.open(path, MapMode.READ_ONLY, 4097, 8000)) {
                assertEquals(99, part.getLong(5000));
            }
        }
    }

    @Test
    void moreThanTwoGib() throws Exception {
        Path path = file(3 * GIB + 100);
        for (MapMode mode : new MapMode[] {MapMode.READ_WRITE, MapMode.PRIVATE}) {
            try (MappedFile file = MappedFile.openShared(path, mode)) {
                assertEquals(3 * GIB + 100, file.size());
                for (long edge : new long[] {GIB, 2 * GIB, 3 * GIB}) {
                    for (int before = 0; before <= 8; before++) {
                        long at = edge - before;
                        file.putLong(at, 0x8102030405060708L);
                        assertEquals(0x8102030405060708L, file.getLong(at));
                        assertEquals(0x81020304, file.getInt(at));
                        assertEquals(0x0708, file.getShort(at + 6));
                        assertEquals(8, file.get(at + 7));
                        file.putInt(at, 5);
                        file.putShort(at + 4, (short) -2);
                        assertEquals(0x5fffeL, file.getLong(at) >>> 16);
                    }
                    byte[] bytes = {1, 2, 3, 4, 5, 6};
                    file.put(edge - 3, bytes, 0, 6);
                    byte[] again = new byte[6];
                    file.get(edge - 3, again, 0, 6);
                    assertArrayEquals(bytes, again);
                }
                file.put(3 * GIB + 99, (byte) 1);
                assertThrows(IndexOutOfBoundsException.class, () -> file.get(3 * GIB + 100));
            }
            assertFalse(Jvm.isMapped(path));
        }
        try (MappedFile part = MappedFile.open(path, MapMode.READ_ONLY, 3 * GIB - 3, 6)) {
            assertEquals(0x01020304, part.getInt(0));
        }
    }

    @Test
    void theChannelMayBeClosed() throws Exception {
        Path path = dir.resolve("new");
        MappedFile file;
        MappedFile shared;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file = MappedFile.map(channel, MapMode.READ_WRITE, 0, 100);
            shared = MappedFile.mapShared(channel, MapMode.READ_ONLY, 0, 100);
        }
        file.putInt(0, 3);
        assertEquals(3, shared.getInt(0));
        shared.close();
        file.close();
        assertFalse(Jvm.isMapped(path));
    }
}
