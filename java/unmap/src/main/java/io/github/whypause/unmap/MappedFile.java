package io.github.whypause.unmap;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

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
 * establish themselves.
 *
 * <p><b>Cost.</b> A confined access compares a few words more than one to a ByteBuffer does. A
 * shared access costs an atomic instruction before JDK 22 and next to nothing since; the bulk
 * methods pay it once. Closing is one {@code munmap} for each GiB; for a shared mapping it waits
 * before JDK 22 for accesses under way, and since JDK 22 makes a handshake with all threads, which
 * {@link MappedFiles} makes once for many files. The numbers are in the project's README.
 *
 * <p><b>Values</b> are big-endian, as in a new {@link java.nio.ByteBuffer} and in {@code DataOutput}; {@link
 * Long#reverseBytes} and its like turn them round in one instruction. Positions are bytes from the
 * beginning of the mapping, up to 2<sup>63</sup>-1, and need no alignment.
 *
 * <p><b>Errors.</b> Each method that reads or writes throws an IllegalStateException if the mapping
 * is closed or confined to another thread, an {@link IndexOutOfBoundsException} if a byte of it is
 * not in the mapping or the array, and to write to a read-only mapping a {@link
 * java.nio.ReadOnlyBufferException}; nothing is written then.
 *
 * <p><b>What remains.</b> If the file is made shorter under the mapping, an access beyond its new
 * end throws an {@link InternalError}, as with every mapping of the JVM, which may come a moment
 * later than the access; JDK 8 may crash. On JDK 22 and newer a mapping that is never closed is never released; on
 * older ones the collector releases it some day.
 */
public final class MappedFile implements AutoCloseable {
    private final Pieces pieces;
    private final long size;
    private final Lifetime lifetime;
    /** Whether the memory goes with this object, and not with its group. */
    private final boolean alone;
    /** Of a file of a group that is closed before the group. */
    private volatile boolean closed;

    MappedFile(Pieces pieces, long size, Lifetime lifetime, boolean alone) {
        this.pieces = pieces;
        this.size = size;
        this.lifetime = lifetime;
        this.alone = alone;
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
        return !closed && lifetime.isOpen();
    }

    /**
     * Reads a byte.
     *
     * @param position of the byte
     * @return the byte
     */
    public byte get(long position) {
        int ticket = lifetime.enter();
        try {
            check(position, 1);
            return pieces.get(position);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes a byte.
     *
     * @param position of the byte
     * @param value the byte
     */
    public void put(long position, byte value) {
        int ticket = lifetime.enter();
        try {
            check(position, 1);
            pieces.put(position, value);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads two bytes.
     *
     * @param position of the first
     * @return the value
     */
    public short getShort(long position) {
        int ticket = lifetime.enter();
        try {
            check(position, Short.BYTES);
            return pieces.getShort(position);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes two bytes.
     *
     * @param position of the first
     * @param value the value
     */
    public void putShort(long position, short value) {
        int ticket = lifetime.enter();
        try {
            check(position, Short.BYTES);
            pieces.putShort(position, value);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads four bytes.
     *
     * @param position of the first
     * @return the value
     */
    public int getInt(long position) {
        int ticket = lifetime.enter();
        try {
            check(position, Integer.BYTES);
            return pieces.getInt(position);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes four bytes.
     *
     * @param position of the first
     * @param value the value
     */
    public void putInt(long position, int value) {
        int ticket = lifetime.enter();
        try {
            check(position, Integer.BYTES);
            pieces.putInt(position, value);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads eight bytes.
     *
     * @param position of the first
     * @return the value
     */
    public long getLong(long position) {
        int ticket = lifetime.enter();
        try {
            check(position, Long.BYTES);
            return pieces.getLong(position);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes eight bytes.
     *
     * @param position of the first
     * @param value the value
     */
    public void putLong(long position, long value) {
        int ticket = lifetime.enter();
        try {
            check(position, Long.BYTES);
            pieces.putLong(position, value);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads many bytes, for the cost of one access. If the mapping is closed meanwhile, closing
     * waits before JDK 22; since JDK 22 this method may throw and leave some bytes copied.
     *
     * @param position of the first in the mapping
     * @param into where they go
     * @param offset of the first there
     * @param length how many
     */
    public void get(long position, byte[] into, int offset, int length) {
        int ticket = lifetime.enter();
        try {
            check(position, length);
            check(into, offset, length);
            pieces.get(position, into, offset, length);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes many bytes, for the cost of one access. If the mapping is closed meanwhile, closing
     * waits before JDK 22; since JDK 22 this method may throw and leave some bytes written.
     *
     * @param position of the first in the mapping
     * @param from where they come from
     * @param offset of the first there
     * @param length how many
     */
    public void put(long position, byte[] from, int offset, int length) {
        int ticket = lifetime.enter();
        try {
            check(position, length);
            check(from, offset, length);
            pieces.put(position, from, offset, length);
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes what was changed to the disk and waits for it ({@code msync}); nothing of a read-only
     * or private mapping. Closing does not do this: the kernel writes changes later by itself.
     *
     * @throws IOException if the disk reports an error
     * @throws IllegalStateException if the mapping is closed, or confined to another thread
     */
    public void force() throws IOException {
        int ticket = lifetime.enter();
        try {
            check(0, 0);
            pieces.force();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Ends the use of this mapping and releases its memory, on this thread; of a file of {@link
     * MappedFiles} the memory goes with the group. A second time does nothing, and the file may be
     * deleted or shortened already.
     *
     * @throws IllegalStateException if the mapping is confined to another thread; or before JDK 22,
     *     if an access is still under way after ten seconds, as on a disk that does not respond:
     *     the mapping is closed then, and its memory left to the garbage collector
     * @throws InternalError if an earlier access of this thread was beyond the end of its file, and
     *     the JVM has not reported it yet; the memory is released all the same
     */
    @Override
    public void close() {
        if (alone) {
            lifetime.close();
        } else {
            closed = true;
        }
    }

    /** Length and whether it is open. */
    @Override
    public String toString() {
        return "MappedFile[" + size + " bytes, " + (isOpen() ? "open" : "closed") + "]";
    }

    private void check(long position, int length) {
        if (closed) {
            throw Lifetime.closed();
        }
        if (position < 0 || length < 0 || position > size - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + position
                    + " in a mapping of " + size);
        }
    }

    private static void check(byte[] array, int offset, int length) {
        if (offset < 0 || offset > array.length - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset
                    + " in an array of " + array.length);
        }
    }
}
