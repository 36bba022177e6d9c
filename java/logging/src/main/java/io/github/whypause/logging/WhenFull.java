package io.github.whypause.logging;

/** What happens to a line for which there is no room in memory, because the disk is too slow. */
public enum WhenFull {
    /** It is dropped and counted. The calling thread never waits. */
    DROP,
    /**
     * The calling thread waits for room, up to {@link LogWriterOptions#maxWait}; then the line is
     * dropped and counted.
     */
    WAIT,
    /**
     * Unimportant lines are dropped and counted once four fifths of the ring are used; for important
     * ones the calling thread waits as with {@link #WAIT}.
     */
    DROP_UNIMPORTANT
}
