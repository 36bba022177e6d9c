package io.github.whypause.unmap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Aligned reads with acquire and writes with release semantics: {@code VarHandle} of JDK 9 and
 * newer, looked up by name; on JDK 8 a fence beside the plain access, which is one instruction
 * where it is aligned.
 */
final class Ordered {
    /** Takes buffer and index, and the value to write. JDK 9 and newer. */
    private static final MethodHandle GET_INT;
    private static final MethodHandle PUT_INT;
    private static final MethodHandle GET_LONG;
    private static final MethodHandle PUT_LONG;
    /** Take nothing. JDK 8. */
    private static final MethodHandle AFTER_LOAD;
    private static final MethodHandle BEFORE_STORE;

    static {
        MethodHandle[] found = new MethodHandle[6];
        try {
            if (Jdk.FEATURE == 8) {
                lookUpFences(found);
            } else {
                lookUpHandles(found);
            }
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        GET_INT = found[0];
        PUT_INT = found[1];
        GET_LONG = found[2];
        PUT_LONG = found[3];
        AFTER_LOAD = found[4];
        BEFORE_STORE = found[5];
    }

    private Ordered() {}

    private static void lookUpHandles(MethodHandle[] found) throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.lang.invoke.VarHandle");
        Class<?> mode = Class.forName("java.lang.invoke.VarHandle$AccessMode");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodHandle view = lookup.findStatic(MethodHandles.class, "byteBufferViewVarHandle",
                MethodType.methodType(type, Class.class, ByteOrder.class));
        MethodHandle handle = lookup.findVirtual(type, "toMethodHandle",
                MethodType.methodType(MethodHandle.class, mode));
        MethodHandle named = lookup.findStatic(mode, "valueOf",
                MethodType.methodType(mode, String.class));
        Class<?>[] arrays = {int[].class, long[].class};
        try {
            for (int i = 0; i < arrays.length; i++) {
                Object ofArray = view.invoke(arrays[i], ByteOrder.BIG_ENDIAN);
                Object acquire = named.invoke("GET_ACQUIRE");
                Object release = named.invoke("SET_RELEASE");
                found[2 * i] = (MethodHandle) handle.invoke(ofArray, acquire);
                found[2 * i + 1] = (MethodHandle) handle.invoke(ofArray, release);
            }
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void lookUpFences(MethodHandle[] found) throws ReflectiveOperationException {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field field = unsafe.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object it = field.get(null);
        MethodType type = MethodType.methodType(void.class);
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        found[4] = lookup.findVirtual(unsafe, "loadFence", type).bindTo(it);
        found[5] = lookup.findVirtual(unsafe, "storeFence", type).bindTo(it);
    }

    static int getInt(ByteBuffer buffer, int index) {
        try {
            if (GET_INT != null) {
                return (int) GET_INT.invokeExact(buffer, index);
            }
            int value = buffer.getInt(index);
            AFTER_LOAD.invokeExact();
            return value;
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static void putInt(ByteBuffer buffer, int index, int value) {
        try {
            if (PUT_INT != null) {
                PUT_INT.invokeExact(buffer, index, value);
            } else {
                BEFORE_STORE.invokeExact();
                buffer.putInt(index, value);
            }
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static long getLong(ByteBuffer buffer, int index) {
        try {
            if (GET_LONG != null) {
                return (long) GET_LONG.invokeExact(buffer, index);
            }
            long value = buffer.getLong(index);
            AFTER_LOAD.invokeExact();
            return value;
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }

    static void putLong(ByteBuffer buffer, int index, long value) {
        try {
            if (PUT_LONG != null) {
                PUT_LONG.invokeExact(buffer, index, value);
            } else {
                BEFORE_STORE.invokeExact();
                buffer.putLong(index, value);
            }
        } catch (Throwable e) {
            throw Handles.unchecked(e);
        }
    }
}
