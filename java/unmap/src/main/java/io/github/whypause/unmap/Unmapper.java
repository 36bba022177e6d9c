package io.github.whypause.unmap;

import java.nio.MappedByteBuffer;

/**
 * Releases the mapping of a {@link MappedByteBuffer} that exists already.
 *
 * <p><b>Using the buffer afterwards crashes the JVM</b> (SIGSEGV), or reads and writes whatever was
 * mapped at the same address since. That is so for the buffer, for its slices and duplicates, for
 * {@code asXxxBuffer} views, for memory segments made of it, in every thread, and for an access
 * that is under way. Nothing here or in the JVM can prevent it; whoever calls must know that
 * nobody uses the buffer any more. {@link MappedFile} does not have this problem.
 *
 * <p>It works without a warning
 * <ul>
 *   <li>on JDK 8 (by the buffer's cleaner) and on JDK 9 to 23 (by {@code Unsafe.invokeCleaner});
 *   <li>on JDK 24 and newer only if the JVM was started with
 *       {@code --sun-misc-unsafe-memory-access=allow} or
 *       {@code --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED}. Otherwise the JVM would
 *       print four lines of warnings, or refuse; {@link #isSupported()} is then false.
 * </ul>
 *
 * <p>All methods are safe to call from any thread.
 */
public final class Unmapper {
    private Unmapper() {}

    /**
     * Whether {@link #unmap} works in this JVM. Decided once; costs nothing.
     *
     * @return true if it does
     */
    public static boolean isSupported() {
        return Cleaners.UNSUPPORTED == null;
    }

    /**
     * Why {@link #unmap} does not work in this JVM, and what to do about it.
     *
     * @return one sentence; null where it works
     */
    public static String unsupportedReason() {
        return Cleaners.UNSUPPORTED;
    }

    /**
     * Releases the mapping on this thread: its addresses are free when this returns, and so are the
     * blocks of the file, if it was deleted and this was its last use. A second time does nothing.
     *
     * <p>It takes as long as {@code munmap} does: microseconds, or for a deleted file as long as
     * its file system needs to free the blocks. No other thread is stopped for it.
     *
     * @param buffer what {@link java.nio.channels.FileChannel#map(
     *     java.nio.channels.FileChannel.MapMode, long, long)} has returned. <b>It must not be used
     *     again</b>, by any thread.
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is a slice, a duplicate or a view: only the buffer
     *     that was mapped owns the mapping
     * @throws InternalError if an earlier access of this thread was beyond the end of a file, and
     *     the JVM has not reported it yet; the mapping is released all the same
     * @throws UnsupportedOperationException where {@link #isSupported()} is false, with the reason
     */
    public static void unmap(MappedByteBuffer buffer) {
        if (buffer == null) {
            throw new NullPointerException("buffer");
        }
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("not a direct buffer");
        }
        InternalError pending = Faults.take();
        Cleaners.clean(buffer);
        Faults.rethrow(pending);
    }
}
