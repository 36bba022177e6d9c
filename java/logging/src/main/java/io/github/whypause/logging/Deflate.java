package io.github.whypause.logging;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.zip.Deflater;

/**
 * {@link Deflater} on direct buffers, where the JDK can do that (11 and later).
 *
 * <p>On arrays it works inside a JNI critical region, for whose end a garbage collection waits: with
 * the compressing thread off its CPU, all threads would wait with it (HotSpot {@code gcLocker.cpp};
 * JDK {@code Deflater.c}, {@code GetPrimitiveArrayCritical}).
 */
final class Deflate {
    /** Bytes that are compressed at a time where the JDK wants arrays: that is how long a collection waits. */
    private static final int ARRAY_BYTES = 4096;

    private static final MethodHandle SET_INPUT =
            find("setInput", MethodType.methodType(void.class, ByteBuffer.class));
    private static final MethodHandle DEFLATE =
            find("deflate", MethodType.methodType(int.class, ByteBuffer.class));

    private static final byte[] NOTHING = {};

    private final Deflater deflater;
    private final ByteBuffer direct;
    private final byte[] in;
    private byte[] out;
    private int used;

    /**
     * Collects its output, behind {@code reserved} bytes that the caller fills.
     *
     * @param level 0 to 9
     */
    Deflate(int level, int reserved) {
        this.deflater = new Deflater(level, true);
        this.direct = DEFLATE == null ? null : ByteBuffer.allocateDirect(32 << 10);
        this.in = DEFLATE == null ? new byte[ARRAY_BYTES] : null;
        this.out = new byte[64 << 10];
        this.used = reserved;
    }

    private static MethodHandle find(String name, MethodType type) {
        try {
            return MethodHandles.lookup().findVirtual(Deflater.class, name, type);
        } catch (ReflectiveOperationException e) {
            return null; // JDK 8 to 10
        }
    }

    /** Takes all that remains in a direct buffer. */
    void write(ByteBuffer raw) {
        if (DEFLATE == null) {
            while (raw.hasRemaining()) {
                int length = Math.min(raw.remaining(), in.length);
                raw.get(in, 0, length);
                deflater.setInput(in, 0, length);
                drain();
            }
        } else {
            setInput(raw);
            drain();
            // it keeps the buffer otherwise, and would take what the caller puts into it next
            deflater.setInput(NOTHING);
        }
    }

    /** Ends the stream, and returns reserved bytes, output, and room for {@code behind} bytes. */
    byte[] finish(int reserved, int behind) {
        deflater.finish();
        drain();
        byte[] all = new byte[used + behind];
        System.arraycopy(out, 0, all, 0, used);
        deflater.reset();
        used = reserved;
        return all;
    }

    void end() {
        deflater.end();
    }

    private void drain() {
        while (DEFLATE == null ? drainArray() : drainDirect()) {
            // there is more
        }
    }

    private boolean drainArray() {
        room(ARRAY_BYTES);
        int length = deflater.deflate(out, used, out.length - used);
        used += length;
        return length > 0;
    }

    private boolean drainDirect() {
        direct.clear();
        int length = deflate(direct);
        direct.flip();
        room(length);
        direct.get(out, used, length);
        used += length;
        return length > 0;
    }

    private void room(int length) {
        if (out.length - used < length) {
            out = java.util.Arrays.copyOf(out, Math.max(2 * out.length, used + length));
        }
    }

    private void setInput(ByteBuffer raw) {
        try {
            SET_INPUT.invokeExact(deflater, raw);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private int deflate(ByteBuffer to) {
        try {
            return (int) DEFLATE.invokeExact(deflater, to);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }
}
