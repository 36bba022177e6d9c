package io.github.whypause.unmap;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * The memory of a mapping, in pieces of 1 GiB, as a buffer ends at 2 GiB. Whoever calls has checked
 * the positions and holds a ticket of the {@link Lifetime}.
 */
final class Pieces {
    private static final int SHIFT = 30;
    private static final long PIECE = 1L << SHIFT;
    private static final int MASK = (int) PIECE - 1;

    /**
     * Before JDK 14 a JVM crashes that copies many bytes beyond the end of a file which was made
     * shorter (JDK-8191278); single values throw there, too.
     */
    private static final boolean COPY_CRASHES = Jdk.FEATURE < 14;

    private final ByteBuffer[] pieces;

    /** Of the mapping in its file, which pages are aligned with: its last three bits. */
    private final int skew;

    Pieces(ByteBuffer[] pieces, long offset) {
        this.pieces = pieces;
        this.skew = (int) offset & (Long.BYTES - 1);
    }

    /** How many there are of so many bytes. */
    static int count(long length) {
        return Math.toIntExact((length >>> SHIFT) + ((length & MASK) == 0 ? 0 : 1));
    }

    static long start(int index) {
        return index * PIECE;
    }

    static long length(int index, long length) {
        return Math.min(PIECE, length - start(index));
    }

    private ByteBuffer of(long position) {
        return pieces[(int) (position >>> SHIFT)];
    }

    /** Whether so many bytes from there on are in one piece. */
    private static boolean isWhole(long position, int bytes) {
        return ((int) position & MASK) <= MASK + 1 - bytes;
    }

    byte get(long position) {
        return of(position).get((int) position & MASK);
    }

    void put(long position, byte value) {
        of(position).put((int) position & MASK, value);
    }

    short getShort(long position) {
        return isWhole(position, Short.BYTES)
                ? of(position).getShort((int) position & MASK)
                : (short) joined(position, Short.BYTES);
    }

    void putShort(long position, short value) {
        if (isWhole(position, Short.BYTES)) {
            of(position).putShort((int) position & MASK, value);
        } else {
            split(position, value, Short.BYTES);
        }
    }

    int getInt(long position) {
        return isWhole(position, Integer.BYTES)
                ? of(position).getInt((int) position & MASK)
                : (int) joined(position, Integer.BYTES);
    }

    void putInt(long position, int value) {
        if (isWhole(position, Integer.BYTES)) {
            of(position).putInt((int) position & MASK, value);
        } else {
            split(position, value, Integer.BYTES);
        }
    }

    long getLong(long position) {
        return isWhole(position, Long.BYTES)
                ? of(position).getLong((int) position & MASK)
                : joined(position, Long.BYTES);
    }

    void putLong(long position, long value) {
        if (isWhole(position, Long.BYTES)) {
            of(position).putLong((int) position & MASK, value);
        } else {
            split(position, value, Long.BYTES);
        }
    }

    int getIntAcquire(long position) {
        checkAligned(position, Integer.BYTES);
        return Ordered.getInt(of(position), (int) position & MASK);
    }

    void putIntRelease(long position, int value) {
        checkAligned(position, Integer.BYTES);
        Ordered.putInt(of(position), (int) position & MASK, value);
    }

    long getLongAcquire(long position) {
        checkAligned(position, Long.BYTES);
        return Ordered.getLong(of(position), (int) position & MASK);
    }

    void putLongRelease(long position, long value) {
        checkAligned(position, Long.BYTES);
        Ordered.putLong(of(position), (int) position & MASK, value);
    }

    /** Both, so that it is aligned in memory and within one piece. */
    private void checkAligned(long position, int bytes) {
        if ((((int) position | skew) & bytes - 1) != 0) {
            throw new IllegalArgumentException("position " + position
                    + ", or where the mapping begins in its file, is not a multiple of " + bytes);
        }
    }

    private long joined(long position, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << 8 | get(position + i) & 0xff;
        }
        return value;
    }

    private void split(long position, long value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            put(position + i, (byte) (value >>> 8 * (bytes - 1 - i)));
        }
    }

    void get(long position, byte[] into, int offset, int length) {
        for (int done = 0; done < length; ) {
            ByteBuffer piece = from(position + done);
            int now = Math.min(length - done, piece.remaining());
            if (COPY_CRASHES) {
                copy(piece, ByteBuffer.wrap(into, offset + done, now), now);
            } else {
                piece.get(into, offset + done, now);
            }
            done += now;
        }
    }

    void put(long position, byte[] from, int offset, int length) {
        for (int done = 0; done < length; ) {
            ByteBuffer piece = from(position + done);
            int now = Math.min(length - done, piece.remaining());
            if (COPY_CRASHES) {
                copy(ByteBuffer.wrap(from, offset + done, now), piece, now);
            } else {
                piece.put(from, offset + done, now);
            }
            done += now;
        }
    }

    private static void copy(ByteBuffer from, ByteBuffer to, int bytes) {
        int i = 0;
        for (; i <= bytes - Long.BYTES; i += Long.BYTES) {
            to.putLong(from.getLong());
        }
        for (; i < bytes; i++) {
            to.put(from.get());
        }
    }

    private ByteBuffer from(long position) {
        ByteBuffer piece = of(position).duplicate();
        piece.position((int) position & MASK);
        return piece;
    }

    void force() {
        for (ByteBuffer piece : pieces) {
            if (!piece.isReadOnly()) {
                ((MappedByteBuffer) piece).force();
            }
        }
    }
}
