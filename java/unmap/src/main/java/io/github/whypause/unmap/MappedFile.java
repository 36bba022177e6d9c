package io.github.whypause.unmap;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file mapped into memory, which is released when it is closed and not some time later.
 *
 * <p>When {@link #close()} returns, the memory is unmapped, by the thread that called it. If the
 * file was deleted before, its blocks are free, and freeing them was this thread's time. Each
 * access from then on throws an {@link IllegalStateException}; no order of accesses and closing, in
 * whatever threads, crashes the JVM.
 *
 * <p><b>Threads.</b> A mapping of {@link #open} or {@link #map} is confined: only the thread that
 * made it may use and close it; others get an IllegalStateException. One of {@link #openShared},
 * {@link #mapShared} or {@link MappedFiles} is for all threads. What is written is seen by other
 * threads as in an array: there is no ordering and no atomicity between threads beyond what they
 * establish themselves, by locks or by {@link #putLongRelease} and {@link #getLongAcquire}.
 *
 * <p><b>Cost.</b> A confined access compares a few words more than one to a ByteBuffer does. A
 * shared access costs an atomic instruction, on JDK 27 and newer next to nothing; the bulk methods
 * pay it once. Closing is one {@code munmap} for each GiB; for a shared mapping it waits for
 * accesses under way, and since JDK 22 makes a handshake with all threads, which {@link
 * MappedFiles} makes once for many files. The numbers are in the project's README.
 *
 * <p><b>Values</b> are big-endian, as in a new {@link java.nio.ByteBuffer} and in {@code
 * DataOutput}, unless {@link #withOrder} was asked for another order. Positions are bytes from the
 * beginning of the mapping, up to 2<sup>63</sup>-1, and need no alignment but where a method says
 * so.
 *
 * <p><b>Errors.</b> Each method that reads or writes throws an IllegalStateException if the mapping
 * is closed or confined to another thread, an {@link IndexOutOfBoundsException} if a byte of it is
 * not in the mapping or the array, and to write to a read-only mapping a {@link
 * java.nio.ReadOnlyBufferException}; nothing is written then.
 *
 * <p><b>What remains.</b> If the file is made shorter under the mapping, an access beyond its new
 * end throws an {@link InternalError}, as with every mapping of the JVM, which may come a moment
 * later than the access; JDK 8 may crash. On JDK 22 and newer a mapping that is never closed is
 * never released; on older ones the collector releases it some day.
 */
public final class MappedFile extends MappedValues implements AutoCloseable {
    MappedFile(Pieces pieces, long size, Lifetime lifetime, AtomicBoolean ended, boolean little) {
        super(pieces, size, lifetime, ended, little);
    }

    /**
     * Maps a whole file for this thread.
     *
     * @param path an existing file
     * @param mode {@link MapMode#READ_ONLY}, {@link MapMode#READ_WRITE}, or {@link MapMode#PRIVATE}
     *     for changes that only this mapping sees
     * @return the mapping, of the file's present length, which may be 0
     * @throws IOException if the file cannot be opened or mapped
     * @throws UnsupportedOperationException if this Java runtime has no way to release a mapping
     *     (JDK 8 to 21 without the module {@code jdk.unsupported})
     */
    public static MappedFile open(Path path, MapMode mode) throws IOException {
        return Lifetime.confined().open(path, mode, 0, Lifetime.WHOLE, true);
    }

    /**
     * Maps a part of a file for this thread.
     *
     * @param path an existing file; {@link #map} takes one that was opened in another way
     * @param mode as in {@link #open(Path, MapMode)}. With {@link MapMode#READ_WRITE} a file that
     *     is too short is made longer, without blocks on the disk where its file system can.
     * @param offset bytes before the mapping, of any alignment
     * @param length bytes of the mapping, which may be more than 2 GiB
     * @return the mapping
     * @throws EOFException if the file is too short and the mode does not let it grow
     * @throws IOException if the file cannot be opened or mapped
     * @throws IllegalArgumentException if offset or length is negative
     * @throws UnsupportedOperationException as in {@link #open(Path, MapMode)}
     */
    public static MappedFile open(Path path, MapMode mode, long offset, long length)
            throws IOException {
        return Lifetime.confined().open(path, mode, offset, length, true);
    }

    /**
     * Maps a whole file for all threads; otherwise as {@link #open(Path, MapMode)}.
     *
     * @param path an existing file
     * @param mode what the mapping is for
     * @return the mapping
     * @throws IOException if the file cannot be opened or mapped
     */
    public static MappedFile openShared(Path path, MapMode mode) throws IOException {
        return Lifetime.shared().open(path, mode, 0, Lifetime.WHOLE, true);
    }

    /**
     * Maps a part of a file for all threads; otherwise as {@link #open(Path, MapMode, long, long)}.
     *
     * @param path an existing file
     * @param mode what the mapping is for
     * @param offset bytes before the mapping
     * @param length bytes of the mapping
     * @return the mapping
     * @throws IOException if the file cannot be opened or mapped, or is too short
     */
    public static MappedFile openShared(Path path, MapMode mode, long offset, long length)
            throws IOException {
        return Lifetime.shared().open(path, mode, offset, length, true);
    }

    /**
     * Maps a part of an open file for this thread; otherwise as {@link #open(Path, MapMode, long,
     * long)}.
     *
     * @param channel open for reading, and for writing too if the mode is not READ_ONLY; may be
     *     closed afterwards
     * @param mode what the mapping is for
     * @param offset bytes before the mapping
     * @param length bytes of the mapping
     * @return the mapping
     * @throws IOException if the file cannot be mapped, or is too short
     */
    public static MappedFile map(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException {
        return Lifetime.confined().map(channel, mode, offset, length, true);
    }

    /**
     * Maps a part of an open file for all threads; otherwise as {@link #map}.
     *
     * @param channel open for reading, and for writing too if the mode is not READ_ONLY; may be
     *     closed afterwards
     * @param mode what the mapping is for
     * @param offset bytes before the mapping
     * @param length bytes of the mapping
     * @return the mapping
     * @throws IOException if the file cannot be mapped, or is too short
     */
    public static MappedFile mapShared(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException {
        return Lifetime.shared().map(channel, mode, offset, length, true);
    }

    /**
     * The length of the mapping; also after it was closed.
     *
     * @return bytes
     */
    public long size() {
        return size;
    }

    /**
     * Whether it can be used; a moment later that may have changed.
     *
     * @return false once this mapping, or the group it is of, is closed
     */
    public boolean isOpen() {
        return (ended == null || !ended.get()) && lifetime.isOpen();
    }

    /**
     * The same mapping with another order of bytes. Both are closed when one of them is.
     *
     * @param order of the values that are read and written through what is returned
     * @return this, if it has that order already
     */
    public MappedFile withOrder(ByteOrder order) {
        boolean wanted = Objects.requireNonNull(order, "order") == ByteOrder.LITTLE_ENDIAN;
        return wanted == little ? this : new MappedFile(pieces, size, lifetime, ended, wanted);
    }

    /**
     * The whole mapping in the shape of a {@link java.nio.ByteBuffer}, for code that was written
     * for one.
     *
     * @return a view at position 0, with the order of this mapping
     * @throws IllegalStateException if the mapping is larger than 2 GiB less one byte
     */
    public MappedBuffer buffer() {
        if (size > Integer.MAX_VALUE) {
            throw new IllegalStateException("a mapping of " + size
                    + " bytes is too large for one buffer: take a part of it");
        }
        return buffer(0, (int) size);
    }

    /**
     * A part of the mapping in the shape of a {@link java.nio.ByteBuffer}.
     *
     * @param position of its first byte
     * @param length its capacity in bytes
     * @return a view at its position 0, with the order of this mapping
     * @throws IndexOutOfBoundsException if it is not within the mapping
     */
    public MappedBuffer buffer(long position, int length) {
        check(position, length);
        return new MappedBuffer(this, position, length);
    }

    /**
     * Ends the use of this mapping and releases its memory, on this thread; of a file of {@link
     * MappedFiles} the memory goes with the group. A second time does nothing, and the file may be
     * deleted or shortened already.
     *
     * @throws IllegalStateException if the mapping is confined to another thread; or if an access
     *     is still under way after ten seconds, as on a disk that does not respond: nothing can use
     *     the mapping then, and closing it again releases its memory
     * @throws InternalError if an earlier access of this thread was beyond the end of its file, and
     *     the JVM has not reported it yet; the memory is released all the same
     */
    @Override
    public void close() {
        if (ended == null) {
            lifetime.close();
        } else {
            ended.set(true);
        }
    }

    /** Length and whether it is open. */
    @Override
    public String toString() {
        return "MappedFile[" + size + " bytes, " + (isOpen() ? "open" : "closed") + "]";
    }
}
