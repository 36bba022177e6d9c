package io.github.whypause.log4j2;

import io.github.whypause.logging.CompressedLogWriter;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;

/** Where a layout puts the bytes of one event. For one thread. */
final class LineBuffer implements ByteBufferDestination {
    private static final int BYTES = 4 << 10;
    /** A longer one was for a long line, and is not kept. */
    private static final int MOST_KEPT_BYTES = 64 << 10;

    private ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    /** While a layout fills it: what is logged by the event's own objects needs another one. */
    boolean isBusy;

    /** Empty again. */
    void begin() {
        isBusy = true;
        // casts: as Java 8 declares it
        ((Buffer) buffer).clear();
    }

    void end() {
        isBusy = false;
        if (buffer.capacity() > MOST_KEPT_BYTES) {
            buffer = ByteBuffer.allocate(BYTES);
        }
    }

    boolean writeTo(CompressedLogWriter writer, boolean important) {
        return writer.write(buffer.array(), 0, buffer.position(), important);
    }

    @Override
    public ByteBuffer getByteBuffer() {
        return buffer;
    }

    /** Makes room. What is there stays. */
    @Override
    public ByteBuffer drain(ByteBuffer full) {
        if (full != buffer) {
            // somebody's own buffer, as writeBytes would get it
            ((Buffer) full).flip();
            writeBytes(full);
            ((Buffer) full).clear();
            return full;
        }
        room(Math.max(buffer.capacity(), 1));
        return buffer;
    }

    @Override
    public void writeBytes(ByteBuffer data) {
        room(data.remaining());
        buffer.put(data);
    }

    @Override
    public void writeBytes(byte[] data, int offset, int length) {
        room(length);
        buffer.put(data, offset, length);
    }

    private void room(int length) {
        if (buffer.remaining() < length) {
            long wanted = Math.max(2L * buffer.capacity(), (long) buffer.position() + length);
            ByteBuffer more = ByteBuffer.allocate((int) Math.min(wanted, Integer.MAX_VALUE - 8));
            ((Buffer) buffer).flip();
            more.put(buffer);
            buffer = more;
        }
    }
}
