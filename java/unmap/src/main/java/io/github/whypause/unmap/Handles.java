package io.github.whypause.unmap;

/** Calls of methods that this class file, made for Java 8, cannot name. */
final class Handles {
    private Handles() {}

    /** What was thrown through a method handle, to be thrown on. */
    static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof RuntimeException) {
            return (RuntimeException) thrown;
        }
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        return new IllegalStateException(thrown);
    }
}
