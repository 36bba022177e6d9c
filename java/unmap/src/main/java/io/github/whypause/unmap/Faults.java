package io.github.whypause.unmap;

/**
 * The error of an access beyond the end of a file that was made shorter.
 *
 * <p>Compiled code goes on after such an access, and the JVM throws the error in this thread some
 * time later. If that is inside of a cleaner, the JVM exits: {@code Cleaner.clean} calls {@code
 * System.exit}. So closing takes the error out of the thread first, and throws it at the end.
 */
final class Faults {
    /** Not a constant, so that the array below is made by a call into the JVM in compiled code too. */
    private static volatile int one = 1;
    private static volatile Object kept;

    private Faults() {}

    /** The error that is pending in this thread, which is over then; null for none. */
    static InternalError take() {
        try {
            // The JVM throws pending errors when it returns from the call for such an array.
            kept = new byte[one][one];
            return null;
        } catch (InternalError e) {
            return e;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    static void rethrow(InternalError pending) {
        if (pending != null) {
            throw pending;
        }
    }
}
