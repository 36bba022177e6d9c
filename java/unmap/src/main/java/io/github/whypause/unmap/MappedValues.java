package io.github.whypause.unmap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;

/** The reads and writes of {@link MappedFile}, whose documentation speaks of all of them. */
abstract class MappedValues {
    final Pieces pieces;
    final long size;
    final Lifetime lifetime;
    /** Of a file of a group: whether it was closed before the group. Null where it is alone. */
    final AtomicBoolean ended;
    /** Whether values are little-endian. */
    final boolean little;

    MappedValues(
            Pieces pieces, long size, Lifetime lifetime, AtomicBoolean ended, boolean little) {
        this.pieces = pieces;
        this.size = size;
        this.lifetime = lifetime;
        this.ended = ended;
        this.little = little;
    }

    /**
     * The order of the bytes of a value.
     *
     * @return big-endian, if {@link MappedFile#withOrder} has not chosen otherwise
     */
    public ByteOrder order() {
        return little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
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
            return ordered(pieces.getShort(position));
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
            pieces.putShort(position, ordered(value));
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
            return ordered(pieces.getInt(position));
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
            pieces.putInt(position, ordered(value));
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
            return ordered(pieces.getLong(position));
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
            pieces.putLong(position, ordered(value));
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads four bytes as a floating-point number.
     *
     * @param position of the first
     * @return the value
     */
    public float getFloat(long position) {
        return Float.intBitsToFloat(getInt(position));
    }

    /**
     * Writes four bytes of a floating-point number.
     *
     * @param position of the first
     * @param value the value, with its bits as they are
     */
    public void putFloat(long position, float value) {
        putInt(position, Float.floatToRawIntBits(value));
    }

    /**
     * Reads eight bytes as a floating-point number.
     *
     * @param position of the first
     * @return the value
     */
    public double getDouble(long position) {
        return Double.longBitsToDouble(getLong(position));
    }

    /**
     * Writes eight bytes of a floating-point number.
     *
     * @param position of the first
     * @param value the value, with its bits as they are
     */
    public void putDouble(long position, double value) {
        putLong(position, Double.doubleToRawLongBits(value));
    }

    /**
     * Reads four bytes at once, before all that this thread reads and writes afterwards. Who sees
     * a value of {@link #putIntRelease} sees all that was written before it, also from another
     * process that maps the file.
     *
     * @param position of the first
     * @return the value
     * @throws IllegalArgumentException if the position, or that of the mapping in its file, is not a
     *     multiple of four
     */
    public int getIntAcquire(long position) {
        int ticket = lifetime.enter();
        try {
            check(position, Integer.BYTES);
            return ordered(pieces.getIntAcquire(position));
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes four bytes at once, after all that this thread has read and written before.
     *
     * @param position of the first
     * @param value the value
     * @throws IllegalArgumentException as {@link #getIntAcquire} does
     */
    public void putIntRelease(long position, int value) {
        int ticket = lifetime.enter();
        try {
            check(position, Integer.BYTES);
            pieces.putIntRelease(position, ordered(value));
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads eight bytes at once, before all that this thread reads and writes afterwards. Who sees
     * a value of {@link #putLongRelease} sees all that was written before it, also from another
     * process that maps the file.
     *
     * @param position of the first
     * @return the value
     * @throws IllegalArgumentException if the position, or that of the mapping in its file, is not a
     *     multiple of eight
     */
    public long getLongAcquire(long position) {
        int ticket = lifetime.enter();
        try {
            check(position, Long.BYTES);
            return ordered(pieces.getLongAcquire(position));
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Writes eight bytes at once, after all that this thread has read and written before.
     *
     * @param position of the first
     * @param value the value
     * @throws IllegalArgumentException as {@link #getLongAcquire} does
     */
    public void putLongRelease(long position, long value) {
        int ticket = lifetime.enter();
        try {
            check(position, Long.BYTES);
            pieces.putLongRelease(position, ordered(value));
        } finally {
            lifetime.exit(ticket);
        }
    }

    /**
     * Reads many bytes, for the cost of one access. If the mapping is closed meanwhile, closing
     * waits.
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
     * waits.
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

    private short ordered(short value) {
        return little ? Short.reverseBytes(value) : value;
    }

    private int ordered(int value) {
        return little ? Integer.reverseBytes(value) : value;
    }

    private long ordered(long value) {
        return little ? Long.reverseBytes(value) : value;
    }

    /** Also where nothing is read: what is closed says so before it looks at arguments. */
    final void check(long position, int length) {
        if (ended != null && ended.get()) {
            throw Lifetime.closed();
        }
        if (position < 0 || length < 0 || position > size - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + position
                    + " in a mapping of " + size);
        }
    }

    static void check(byte[] array, int offset, int length) {
        if (offset < 0 || length < 0 || offset > array.length - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset
                    + " in an array of " + array.length);
        }
    }
}
