package io.github.whypause.unmap;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * {@code java.lang.foreign} of JDK 22 and newer, looked up by name: this class is compiled for
 * Java 8. JDK 21 has it as a preview, where closing fails while another thread reads.
 */
final class Foreign {
    private static final int FIRST = 22;
    private static final MethodHandle OF_CONFINED;
    private static final MethodHandle OF_SHARED;
    private static final MethodHandle CLOSE;
    private static final MethodHandle MAP;
    private static final MethodHandle AS_SLICE;
    private static final MethodHandle AS_BUFFER;

    static {
        MethodHandle[] found = Jdk.FEATURE < FIRST ? new MethodHandle[6] : lookUp();
        OF_CONFINED = found[0];
        OF_SHARED = found[1];
        CLOSE = found[2];
        MAP = found[3];
        AS_SLICE = found[4];
        AS_BUFFER = found[5];
    }

    private Foreign() {}

    static boolean isThere() {
        return Jdk.FEATURE >= FIRST;
    }

    private static MethodHandle[] lookUp() {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        try {
            Class<?> arena = Class.forName("java.lang.foreign.Arena");
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            MethodType make = MethodType.methodType(arena);
            MethodType map = MethodType.methodType(
                    segment, MapMode.class, long.class, long.class, arena);
            MethodType slice = MethodType.methodType(segment, long.class, long.class);
            MethodType buffer = MethodType.methodType(ByteBuffer.class);
            MethodType close = MethodType.methodType(void.class);
            return new MethodHandle[] {
                erased(lookup.findStatic(arena, "ofConfined", make)),
                erased(lookup.findStatic(arena, "ofShared", make)),
                erased(lookup.findVirtual(arena, "close", close)),
                lookup.findVirtual(FileChannel.class, "map", map).asType(MethodType.methodType(
                        Object.class, FileChannel.class, MapMode.class, long.class, long.class,
                        Object.class)),
                erased(lookup.findVirtual(segment, "asSlice", slice)),
                erased(lookup.findVirtual(segment, "asByteBuffer", buffer)),
            };
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The types of JDK 22 become Object, so that calls compile for Java 8. */
    private static MethodHandle erased(MethodHandle handle) {
        return handle.asType(handle.type().erase());
    }

    static Object confinedArena() {
        try {
            return (Object) OF_CONFINED.invokeExact();
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static Object sharedArena() {
        try {
            return (Object) OF_SHARED.invokeExact();
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static void close(Object arena) {
        try {
            CLOSE.invokeExact(arena);
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static Object map(FileChannel channel, MapMode mode, long offset, long length, Object arena)
            throws IOException {
        try {
            return (Object) MAP.invokeExact(channel, mode, offset, length, arena);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static ByteBuffer buffer(Object segment, long offset, long length) {
        try {
            Object slice = (Object) AS_SLICE.invokeExact(segment, offset, length);
            return (ByteBuffer) (Object) AS_BUFFER.invokeExact(slice);
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }
}
