package io.github.whypause.unmap;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;

/**
 * A part of a {@link MappedFile} with the methods of a {@link ByteBuffer}, so that code which was
 * written for a {@link java.nio.MappedByteBuffer} changes only where it maps.
 *
 * <p>Each method does what the one of ByteBuffer with the same name does, and throws the same; once
 * the mapping is closed, an {@link IllegalStateException} instead of a crash. The order of bytes
 * begins with that of the mapping. No part of it is copied: several views see each other's writes.
 *
 * <p>Position, limit, mark and order are for one thread at a time, as in a ByteBuffer; threads that
 * share a mapping take a view each ({@link #duplicate}).
 */
public final class MappedBuffer extends MappedCursor {
    MappedBuffer(MappedFile file, long start, int capacity) {
        super(file, start, capacity);
    }

    @Override
    MappedBuffer self() {
        return this;
    }

    /**
     * Reads a byte, and moves on.
     *
     * @return the value
     */
    public byte get() {
        return file.get(start + read(1));
    }

    /**
     * Reads a byte.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public byte get(int index) {
        return file.get(start + within(index, 1));
    }

    /**
     * Writes a byte, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer put(byte value) {
        file.put(start + write(1), value);
        return this;
    }

    /**
     * Writes a byte.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer put(int index, byte value) {
        file.put(start + within(index, 1), value);
        return this;
    }

    /**
     * Reads two bytes, and moves on.
     *
     * @return the value
     */
    public short getShort() {
        return file.getShort(start + read(Short.BYTES));
    }

    /**
     * Reads two bytes.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public short getShort(int index) {
        return file.getShort(start + within(index, Short.BYTES));
    }

    /**
     * Writes two bytes, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer putShort(short value) {
        file.putShort(start + write(Short.BYTES), value);
        return this;
    }

    /**
     * Writes two bytes.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer putShort(int index, short value) {
        file.putShort(start + within(index, Short.BYTES), value);
        return this;
    }

    /**
     * Reads two bytes as a character, and moves on.
     *
     * @return the value
     */
    public char getChar() {
        return (char) file.getShort(start + read(Character.BYTES));
    }

    /**
     * Reads two bytes as a character.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public char getChar(int index) {
        return (char) file.getShort(start + within(index, Character.BYTES));
    }

    /**
     * Writes two bytes as a character, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer putChar(char value) {
        file.putShort(start + write(Character.BYTES), (short) value);
        return this;
    }

    /**
     * Writes two bytes as a character.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer putChar(int index, char value) {
        file.putShort(start + within(index, Character.BYTES), (short) value);
        return this;
    }

    /**
     * Reads four bytes, and moves on.
     *
     * @return the value
     */
    public int getInt() {
        return file.getInt(start + read(Integer.BYTES));
    }

    /**
     * Reads four bytes.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public int getInt(int index) {
        return file.getInt(start + within(index, Integer.BYTES));
    }

    /**
     * Writes four bytes, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer putInt(int value) {
        file.putInt(start + write(Integer.BYTES), value);
        return this;
    }

    /**
     * Writes four bytes.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer putInt(int index, int value) {
        file.putInt(start + within(index, Integer.BYTES), value);
        return this;
    }

    /**
     * Reads eight bytes, and moves on.
     *
     * @return the value
     */
    public long getLong() {
        return file.getLong(start + read(Long.BYTES));
    }

    /**
     * Reads eight bytes.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public long getLong(int index) {
        return file.getLong(start + within(index, Long.BYTES));
    }

    /**
     * Writes eight bytes, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer putLong(long value) {
        file.putLong(start + write(Long.BYTES), value);
        return this;
    }

    /**
     * Writes eight bytes.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer putLong(int index, long value) {
        file.putLong(start + within(index, Long.BYTES), value);
        return this;
    }

    /**
     * Reads four bytes as a floating-point number, and moves on.
     *
     * @return the value
     */
    public float getFloat() {
        return file.getFloat(start + read(Float.BYTES));
    }

    /**
     * Reads four bytes as a floating-point number.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public float getFloat(int index) {
        return file.getFloat(start + within(index, Float.BYTES));
    }

    /**
     * Writes four bytes as a floating-point number, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer putFloat(float value) {
        file.putFloat(start + write(Float.BYTES), value);
        return this;
    }

    /**
     * Writes four bytes as a floating-point number.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer putFloat(int index, float value) {
        file.putFloat(start + within(index, Float.BYTES), value);
        return this;
    }

    /**
     * Reads eight bytes as a floating-point number, and moves on.
     *
     * @return the value
     */
    public double getDouble() {
        return file.getDouble(start + read(Double.BYTES));
    }

    /**
     * Reads eight bytes as a floating-point number.
     *
     * @param index of the first, below the limit
     * @return the value
     */
    public double getDouble(int index) {
        return file.getDouble(start + within(index, Double.BYTES));
    }

    /**
     * Writes eight bytes as a floating-point number, and moves on.
     *
     * @param value the value
     * @return this
     */
    public MappedBuffer putDouble(double value) {
        file.putDouble(start + write(Double.BYTES), value);
        return this;
    }

    /**
     * Writes eight bytes as a floating-point number.
     *
     * @param index of the first, below the limit
     * @param value the value
     * @return this
     */
    public MappedBuffer putDouble(int index, double value) {
        file.putDouble(start + within(index, Double.BYTES), value);
        return this;
    }

    /**
     * Reads many bytes, and moves on.
     *
     * @param into where they go
     * @param offset of the first there
     * @param length how many
     * @return this
     */
    public MappedBuffer get(byte[] into, int offset, int length) {
        MappedValues.check(into, offset, length);
        file.get(start + read(length), into, offset, length);
        return this;
    }

    /**
     * Fills an array, and moves on.
     *
     * @param into where the bytes go
     * @return this
     */
    public MappedBuffer get(byte[] into) {
        return get(into, 0, into.length);
    }

    /**
     * Writes many bytes, and moves on.
     *
     * @param from where they come from
     * @param offset of the first there
     * @param length how many
     * @return this
     */
    public MappedBuffer put(byte[] from, int offset, int length) {
        MappedValues.check(from, offset, length);
        file.put(start + write(length), from, offset, length);
        return this;
    }

    /**
     * Writes an array, and moves on.
     *
     * @param from where the bytes come from
     * @return this
     */
    public MappedBuffer put(byte[] from) {
        return put(from, 0, from.length);
    }

    /**
     * Writes all that remains in a buffer, and moves on in both.
     *
     * @param from where the bytes come from
     * @return this
     */
    public MappedBuffer put(ByteBuffer from) {
        if (from.remaining() > remaining()) {
            throw new BufferOverflowException();
        }
        byte[] bytes = new byte[from.remaining()];
        from.duplicate().get(bytes);
        put(bytes, 0, bytes.length);
        // not the method that returns a ByteBuffer, which JDK 8 does not have
        ((java.nio.Buffer) from).position(from.limit());
        return this;
    }
}
