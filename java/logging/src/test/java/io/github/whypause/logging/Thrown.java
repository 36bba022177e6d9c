package io.github.whypause.logging;

/** Throws what is not declared, as native code and other languages do. */
final class Thrown {
    private Thrown() {}

    static void sneaky(Throwable e) {
        Thrown.<RuntimeException>unchecked(e);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void unchecked(Throwable e) throws T {
        throw (T) e;
    }
}
