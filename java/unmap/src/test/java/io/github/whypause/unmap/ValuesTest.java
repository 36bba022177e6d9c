package io.github.whypause.unmap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.InvalidMarkException;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValuesTest {
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

    @TempDir Path dir;

    private Path file(int bytes) throws Exception {
        return Files.write(Files.createTempFile(dir, "values", ""), new byte[bytes]);
    }

    @Test
    void orderAndFloatingPointAreThoseOfAByteBuffer() throws Exception {
        Path path = file(64);
        try (MappedFile big = MappedFile.openShared(path, MapMode.READ_WRITE)) {
            MappedFile little = big.withOrder(LITTLE);
            assertEquals(ByteOrder.BIG_ENDIAN, big.order());
            assertEquals(LITTLE, little.order());
            assertSame(big, big.withOrder(ByteOrder.BIG_ENDIAN));
            little.putShort(1, (short) -1234);
            little.putInt(3, 0x81020304);
            little.putLong(7, 0x8102030405060708L);
            little.putFloat(15, 1.5f);
            little.putDouble(19, -Math.PI);
            big.putFloat(27, Float.MIN_VALUE);
            big.putDouble(31, Double.MAX_VALUE);
            ByteBuffer disk = ByteBuffer.wrap(Files.readAllBytes(path));
            assertEquals(Float.MIN_VALUE, disk.getFloat(27));
            assertEquals(Double.MAX_VALUE, disk.getDouble(31));
            disk.order(LITTLE);
            assertEquals(disk.getShort(1), little.getShort(1));
            assertEquals(disk.getInt(3), little.getInt(3));
            assertEquals(0x8102030405060708L, disk.getLong(7));
            assertEquals(1.5f, little.getFloat(15));
            assertEquals(-Math.PI, disk.getDouble(19));
            little.close();
            assertThrows(IllegalStateException.class, () -> big.getDouble(19));
        }
    }

    @Test
    void acquireAndReleaseWantAnAlignedPlace() throws Exception {
        Path path = file(8192);
        try (MappedFile file = MappedFile.openShared(path, MapMode.READ_WRITE, 8, 8000)) {
            for (MappedFile it : new MappedFile[] {file, file.withOrder(LITTLE)}) {
                it.putLongRelease(16, 0x8102030405060708L);
                it.putIntRelease(28, 0x81020304);
                assertEquals(0x8102030405060708L, it.getLongAcquire(16));
                assertEquals(it.getLong(16), it.getLongAcquire(16));
                assertEquals(0x81020304, it.getIntAcquire(28));
                assertEquals(it.getInt(28), it.getIntAcquire(28));
                assertThrows(IllegalArgumentException.class, () -> it.getLongAcquire(12));
                assertThrows(IllegalArgumentException.class, () -> it.putIntRelease(2, 0));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> file.getLongAcquire(8000));
        }
        try (MappedFile skewed = MappedFile.open(path, MapMode.READ_ONLY, 4, 800)) {
            assertEquals(0, skewed.getIntAcquire(4));
            assertThrows(IllegalArgumentException.class, () -> skewed.getLongAcquire(8));
            assertThrows(ReadOnlyBufferException.class, () -> skewed.putIntRelease(4, 1));
        }
    }

    /** Another thread that sees a number sees what was written before it. */
    @Test
    void whatWasWrittenBeforeAReleaseIsSeenAfterAnAcquire() throws Exception {
        int rounds = 20000;
        try (MappedFile file = MappedFile.openShared(file(4096), MapMode.READ_WRITE)) {
            Thread writer = new Thread(() -> {
                for (int i = 1; i <= rounds; i++) {
                    file.putLong(64, i);
                    file.putLongRelease(0, i);
                }
            });
            writer.start();
            for (long seen = 0; seen < rounds; ) {
                seen = file.getLongAcquire(0);
                long value = file.getLong(64);
                if (value < seen) {
                    throw new AssertionError("saw " + seen + " and then " + value);
                }
            }
            writer.join();
        }
    }

    /** The same calls, which is the same source, for both. */
    @Test
    void aViewDoesWhatAByteBufferDoes() throws Exception {
        Path path = file(100);
        try (MappedFile file = MappedFile.open(path, MapMode.READ_WRITE)) {
            ByteBuffer plain = ByteBuffer.allocate(90);
            MappedBuffer view = file.buffer(10, 90);
            plain.put((byte) 1).putShort((short) -2).putChar('x').putInt(3).putLong(-4);
            view.put((byte) 1).putShort((short) -2).putChar('x').putInt(3).putLong(-4);
            plain.order(LITTLE).putFloat(5.5f).putDouble(-6.5).put(new byte[] {7, 8, 9}, 1, 2);
            view.order(LITTLE).putFloat(5.5f).putDouble(-6.5).put(new byte[] {7, 8, 9}, 1, 2);
            plain.put(ByteBuffer.wrap(new byte[] {10, 11})).putInt(60, 12).putChar(70, 'y');
            view.put(ByteBuffer.wrap(new byte[] {10, 11})).putInt(60, 12).putChar(70, 'y');
            assertEquals(plain.position(), view.position());
            byte[] disk = Files.readAllBytes(path);
            byte[] part = Arrays.copyOfRange(disk, 10, 100);
            assertArrayEquals(plain.array(), part);
            view.flip();
            assertEquals(33, view.remaining());
            view.order(ByteOrder.BIG_ENDIAN);
            assertEquals(1, view.get());
            assertEquals(-2, view.getShort());
            assertEquals('x', view.mark().getChar());
            assertEquals(3, view.getInt());
            assertEquals(-4, view.getLong());
            assertEquals(5.5f, view.order(LITTLE).getFloat());
            assertEquals(-6.5, view.duplicate().getDouble());
            assertEquals(-6.5, view.slice().getDouble(0));
            assertEquals('x', view.reset().order(ByteOrder.BIG_ENDIAN).getChar());
            byte[] rest = new byte[view.remaining()];
            view.get(rest);
            assertEquals(11, rest[rest.length - 1]);
            assertThrows(BufferUnderflowException.class, view::get);
            assertThrows(BufferOverflowException.class, () -> view.putLong(1));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getInt(30));
            assertThrows(IndexOutOfBoundsException.class, () -> view.get(-1));
            assertThrows(IllegalArgumentException.class, () -> view.position(34));
            assertThrows(InvalidMarkException.class, () -> view.rewind().reset());
            assertEquals(12, view.clear().order(LITTLE).getInt(60));
            view.force();
            file.withOrder(LITTLE).close();
            assertThrows(IllegalStateException.class, view::get);
        }
    }

    @Test
    void aViewEndsWithItsMapping() throws Exception {
        try (MappedFile file = MappedFile.open(file(100), MapMode.READ_ONLY)) {
            assertEquals(100, file.buffer().capacity());
            assertThrows(ReadOnlyBufferException.class, () -> file.buffer().putInt(1));
            assertThrows(IndexOutOfBoundsException.class, () -> file.buffer(90, 11));
            assertThrows(IndexOutOfBoundsException.class, () -> file.buffer(-1, 1));
        }
    }
}
