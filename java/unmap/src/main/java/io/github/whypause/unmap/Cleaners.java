package io.github.whypause.unmap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;

/** The cleaner of a direct buffer, run by hand: what each JDK has for it. */
final class Cleaners {
    /** Why it cannot be done here; null where it can. */
    static final String UNSUPPORTED;

    /** Since this version the JVM warns of {@code sun.misc.Unsafe} unless it is told not to. */
    private static final int WARNS = 24;
    private static final String FLAG = "sun.misc.unsafe.memory.access";

    /** Takes a ByteBuffer. JDK 9 and newer. */
    private static final MethodHandle INVOKE_CLEANER;
    /** Buffer to cleaner, cleaner to nothing, buffer to what it is a view of. JDK 8. */
    private static final MethodHandle CLEANER;
    private static final MethodHandle CLEAN;
    private static final MethodHandle ATTACHMENT;

    static {
        MethodHandle[] found = new MethodHandle[4];
        String why = null;
        try {
            if (Jdk.FEATURE == 8) {
                lookUpInEight(found);
            } else {
                found[0] = Jdk.FEATURE < WARNS ? ofUnsafe() : withoutWarning();
                why = found[0] == null ? refusal() : null;
            }
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            why = "this Java runtime gives no access to the cleaner of a buffer"
                    + " (is the module jdk.unsupported left out?): " + e;
        }
        INVOKE_CLEANER = found[0];
        CLEANER = found[1];
        CLEAN = found[2];
        ATTACHMENT = found[3];
        UNSUPPORTED = why;
    }

    private Cleaners() {}

    private static void lookUpInEight(MethodHandle[] found) throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> buffer = Class.forName("sun.nio.ch.DirectBuffer");
        Class<?> cleaner = Class.forName("sun.misc.Cleaner");
        found[1] = lookup.findVirtual(buffer, "cleaner", MethodType.methodType(cleaner));
        found[2] = lookup.findVirtual(cleaner, "clean", MethodType.methodType(void.class));
        found[3] = lookup.findVirtual(buffer, "attachment", MethodType.methodType(Object.class));
        for (int i = 1; i < found.length; i++) {
            found[i] = found[i].asType(found[i].type().erase());
        }
    }

    private static MethodHandle ofUnsafe() throws ReflectiveOperationException {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field field = unsafe.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return bound(MethodHandles.publicLookup(), unsafe, field.get(null));
    }

    /** Null where every way prints a warning or is refused. */
    private static MethodHandle withoutWarning() throws ReflectiveOperationException {
        try {
            Class<?> unsafe = Class.forName("jdk.internal.misc.Unsafe");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle get =
                    lookup.findStatic(unsafe, "getUnsafe", MethodType.methodType(unsafe));
            return bound(lookup, unsafe, get.invoke());
        } catch (ReflectiveOperationException e) {
            // not exported: the usual case
        } catch (Throwable e) {
            return null;
        }
        String given = System.getProperty(FLAG);
        // With `warn` and `debug` the warnings were asked for.
        boolean chosen = "allow".equals(given) || "warn".equals(given) || "debug".equals(given);
        return chosen ? ofUnsafe() : null;
    }

    private static String refusal() {
        return "JDK " + Jdk.FEATURE + " warns of Unsafe.invokeCleaner or refuses it; map the file"
                + " with MappedFile, or start the JVM with --sun-misc-unsafe-memory-access=allow"
                + " or --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    }

    private static MethodHandle bound(MethodHandles.Lookup lookup, Class<?> unsafe, Object it)
            throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(void.class, ByteBuffer.class);
        return lookup.findVirtual(unsafe, "invokeCleaner", type).bindTo(it);
    }

    /**
     * Releases the memory of a direct buffer; a second time does nothing.
     *
     * @throws IllegalArgumentException if it is a slice or a duplicate
     */
    static void clean(ByteBuffer buffer) {
        if (UNSUPPORTED != null) {
            throw new UnsupportedOperationException(UNSUPPORTED);
        }
        try {
            if (INVOKE_CLEANER != null) {
                INVOKE_CLEANER.invokeExact(buffer);
                return;
            }
            Object it = buffer;
            if ((Object) ATTACHMENT.invokeExact(it) != null) {
                throw new IllegalArgumentException("duplicate or slice");
            }
            Object cleaner = (Object) CLEANER.invokeExact(it);
            if (cleaner != null) {
                CLEAN.invokeExact(cleaner);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
