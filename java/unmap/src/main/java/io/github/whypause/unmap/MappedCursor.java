package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteOrder;
import java.nio.InvalidMarkException;

/** What is not a read or a write in a {@link MappedBuffer}. */
abstract class MappedCursor {
    final long start;
    MappedFile file;
    private final int capacity;
    private int position;
    private int limit;
    /** -1 for none. */
    private int mark = -1;

    MappedCursor(MappedFile file, long start, int capacity) {
        this.file = file;
        this.start = start;
        this.capacity = capacity;
        this.limit = capacity;
    }

    /** For methods that return what they were called on. */
    abstract MappedBuffer self();

    /** Moves on; returns where it was. */
    final int read(int bytes) {
        if (bytes > limit - position) {
            throw new BufferUnderflowException();
        }
        return moved(bytes);
    }

    /** Moves on; returns where it was. */
    final int write(int bytes) {
        if (bytes > limit - position) {
            throw new BufferOverflowException();
        }
        return moved(bytes);
    }

    private int moved(int bytes) {
        int was = position;
        position += bytes;
        return was;
    }

    final int within(int index, int bytes) {
        if (index < 0 || index > limit - bytes) {
            throw new IndexOutOfBoundsException(bytes + " bytes at " + index
                    + " with a limit of " + limit);
        }
        return index;
    }

    /**
     * The number of bytes.
     *
     * @return it, which never changes
     */
    public int capacity() {
        return capacity;
    }

    /**
     * Where the next relative access begins.
     *
     * @return from 0 to {@link #limit()}
     */
    public int position() {
        return position;
    }

    /**
     * Sets where the next relative access begins.
     *
     * @param to from 0 to {@link #limit()}; a mark behind it is forgotten
     * @return this
     * @throws IllegalArgumentException if it is not
     */
    public MappedBuffer position(int to) {
        if (to < 0 || to > limit) {
            throw new IllegalArgumentException("position " + to + " with a limit of " + limit);
        }
        position = to;
        mark = mark > to ? -1 : mark;
        return self();
    }

    /**
     * Where accesses end.
     *
     * @return from 0 to {@link #capacity()}
     */
    public int limit() {
        return limit;
    }

    /**
     * Sets where accesses end.
     *
     * @param to from 0 to {@link #capacity()}; position and mark do not stay behind it
     * @return this
     * @throws IllegalArgumentException if it is not
     */
    public MappedBuffer limit(int to) {
        if (to < 0 || to > capacity) {
            throw new IllegalArgumentException("limit " + to + " of " + capacity + " bytes");
        }
        limit = to;
        position = Math.min(position, to);
        mark = mark > to ? -1 : mark;
        return self();
    }

    /**
     * The bytes between position and limit.
     *
     * @return how many
     */
    public int remaining() {
        return limit - position;
    }

    /**
     * Whether there are any between position and limit.
     *
     * @return true if so
     */
    public boolean hasRemaining() {
        return position < limit;
    }

    /**
     * Keeps the position for {@link #reset}.
     *
     * @return this
     */
    public MappedBuffer mark() {
        mark = position;
        return self();
    }

    /**
     * Goes back to the mark.
     *
     * @return this
     * @throws InvalidMarkException if there is none
     */
    public MappedBuffer reset() {
        if (mark < 0) {
            throw new InvalidMarkException();
        }
        position = mark;
        return self();
    }

    /**
     * Position 0, limit at the end, no mark; no byte is changed.
     *
     * @return this
     */
    public MappedBuffer clear() {
        limit = capacity;
        return rewind();
    }

    /**
     * Limit at the position, then position 0, no mark.
     *
     * @return this
     */
    public MappedBuffer flip() {
        limit = position;
        return rewind();
    }

    /**
     * Position 0, no mark.
     *
     * @return this
     */
    public MappedBuffer rewind() {
        position = 0;
        mark = -1;
        return self();
    }

    /**
     * The order of the bytes of a value.
     *
     * @return that of the mapping, if no other was set
     */
    public ByteOrder order() {
        return file.order();
    }

    /**
     * Sets the order of the bytes of a value, for this view only.
     *
     * @param order of what is read and written from now on
     * @return this
     */
    public MappedBuffer order(ByteOrder order) {
        file = file.withOrder(order);
        return self();
    }

    /**
     * What is between position and limit, as a view of its own.
     *
     * @return it, at its position 0, with the order of this one (a ByteBuffer would begin with
     *     big-endian again)
     */
    public MappedBuffer slice() {
        return new MappedBuffer(file, start + position, remaining());
    }

    /**
     * Another view of the same bytes.
     *
     * @return it, with position, limit, mark and order of this one (a ByteBuffer would begin with
     *     big-endian again)
     */
    public MappedBuffer duplicate() {
        MappedBuffer other = new MappedBuffer(file, start, capacity);
        MappedCursor there = other;
        there.position = position;
        there.limit = limit;
        there.mark = mark;
        return other;
    }

    /**
     * Writes what was changed in the whole mapping to the disk; see {@link MappedFile#force}.
     *
     * @throws IOException if the disk reports an error
     */
    public void force() throws IOException {
        file.force();
    }

    /** Position, limit and capacity. */
    @Override
    public String toString() {
        return "MappedBuffer[pos=" + position + " lim=" + limit + " cap=" + capacity + "]";
    }
}
