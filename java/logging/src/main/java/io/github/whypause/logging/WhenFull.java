package io.github.whypause.logging;

import java.util.Locale;

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
    DROP_UNIMPORTANT;

    /**
     * Reads a word of a configuration.
     *
     * @param word {@code drop}, {@code wait} or {@code dropUnimportant}, in any case
     * @return what it says
     * @throws IllegalArgumentException for other words
     */
    public static WhenFull of(String word) {
        for (WhenFull policy : values()) {
            if (plain(policy.name()).equals(plain(word.trim()))) {
                return policy;
            }
        }
        throw new IllegalArgumentException("whenFull is drop, wait or dropUnimportant, not `" + word + "`");
    }

    private static String plain(String word) {
        return word.replace("_", "").toUpperCase(Locale.ROOT);
    }
}
