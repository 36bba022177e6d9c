package io.github.whypause.logging;

import javax.management.MXBean;

/**
 * What a writer has done since it was opened, and what waits in its memory. In JMX as {@code
 * io.github.whypause.logging:type=CompressedLogWriter,name=FILE}.
 *
 * <p>Each line that was logged is in one of them, whatever has failed: once a log is closed and its
 * threads have ended, {@code WrittenLines + DroppedLines + LateLines} are all calls of {@code write} that
 * had something to write and returned.
 */
@MXBean
public interface LogWriterCounters {
    /**
     * The file that is written to, or the pattern where it has no fixed name.
     *
     * @return its path
     */
    String getFile();

    /**
     * Lines that were taken out of the ring to be compressed.
     *
     * @return a number that only grows
     */
    long getLines();

    /**
     * Their bytes, before compression.
     *
     * @return a number that only grows
     */
    long getRawBytes();

    /**
     * Lines that the kernel has taken.
     *
     * @return a number that only grows
     */
    long getWrittenLines();

    /**
     * Bytes that the kernel has taken, compressed.
     *
     * @return a number that only grows
     */
    long getWrittenBytes();

    /**
     * Lines that were dropped, for each of the three reasons that follow.
     *
     * @return a number that only grows
     */
    long getDroppedLines();

    /**
     * Lines that were dropped because there was no room in memory.
     *
     * @return a number that only grows
     */
    long getDroppedFullLines();

    /**
     * Lines that were lost because something failed in memory: there was none left to compress them, or
     * the codec failed. The log goes on behind them.
     *
     * @return a number that only grows
     */
    long getDroppedFailedLines();

    /**
     * Lines that were dropped because the log was closed while the disk did not take them.
     *
     * @return a number that only grows
     */
    long getDroppedClosedLines();

    /**
     * Their bytes.
     *
     * @return a number that only grows
     */
    long getDroppedBytes();

    /**
     * Lines that came after the log was closed.
     *
     * @return a number that only grows
     */
    long getLateLines();

    /**
     * Times that a thread had to wait for room.
     *
     * @return a number that only grows
     */
    long getWaits();

    /**
     * What is used of the ring.
     *
     * @return bytes
     */
    int getRingUsedBytes();

    /**
     * The size of the ring.
     *
     * @return bytes
     */
    int getRingBytes();

    /**
     * The most that was used of the ring, as the compressing thread has seen it.
     *
     * @return bytes
     */
    int getRingPeakBytes();

    /**
     * Compressed blocks that wait for the disk.
     *
     * @return bytes
     */
    long getBacklogBytes();

    /**
     * The most that waited for the disk.
     *
     * @return bytes
     */
    long getBacklogPeakBytes();

    /**
     * The longest that one write to the disk took: what threads that log would have waited for.
     *
     * @return microseconds
     */
    long getLongestWriteMicros();

    /**
     * All writes to the disk together.
     *
     * @return microseconds
     */
    long getWriteMicros();

    /**
     * What failed: writes, which are tried again, and blocks that could not be compressed.
     *
     * @return a number that only grows
     */
    long getWriteErrors();

    /**
     * The last failure.
     *
     * @return its text; empty where nothing has failed
     */
    String getLastError();

    /**
     * Files that were rolled.
     *
     * @return a number that only grows
     */
    long getRolledFiles();

    /**
     * Rolled files that were deleted because they were too many, too old or too long.
     *
     * @return a number that only grows
     */
    long getDeletedFiles();

    /** Closes the file and opens it by its name again, as after it was moved by others. */
    void reopen();
}
