package io.github.whypause.logging;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counters, and what waits for them.
 *
 * <p>To count allocates nothing: it is done where memory has run out, too. So no {@code LongAdder},
 * which makes cells when threads meet.
 */
final class Counters implements LogWriterCounters {
    private final CompressedLogWriter writer;
    private final Ring ring;
    private final Backlog backlog;
    private final String file;
    private static final Loss[] LOSSES = Loss.values();
    // Not constants of the compiler: the text of one is made where it is used first.
    private static final String OUT_OF_MEMORY = OutOfMemoryError.class.getName();
    private static final String NO_TEXT = String.valueOf("a failure, and no memory for its text");

    /** By {@link Loss}. */
    private final AtomicLongArray droppedLines = new AtomicLongArray(LOSSES.length);
    private final AtomicLong droppedBytes = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    // Each of these is written by one thread.
    volatile long lines;
    volatile long rawBytes;
    volatile int ringPeak;
    volatile long backlogPeak;
    volatile long rolled;
    volatile long deleted;
    volatile String lastError = "";
    private volatile long writtenLines;
    private volatile long writtenBytes;
    private volatile long writeNanos;
    private volatile long longestWriteNanos;
    /** Up to where of the ring all is written, or counted as lost. */
    private long settledTo;

    Counters(CompressedLogWriter writer, Ring ring, Backlog backlog, String file) {
        this.writer = writer;
        this.ring = ring;
        this.backlog = backlog;
        this.file = file;
        // What is used for the first time is linked then, and that takes memory.
        dropped(Loss.FAILED, 0, 0);
        textOf(new OutOfMemoryError());
    }

    void dropped(Loss why, long lines, long rawBytes) {
        droppedLines.addAndGet(why.ordinal(), lines);
        droppedBytes.addAndGet(rawBytes);
    }

    long dropped(Loss why) {
        return droppedLines.get(why.ordinal());
    }

    void late() {
        late.incrementAndGet();
    }

    void waited() {
        waits.incrementAndGet();
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void written(Block block) {
        writtenLines += block.lines;
        writtenBytes += block.bytes.length;
        settled(block.end);
    }

    /** Nothing up to there is on its way any more. */
    synchronized void settled(long end) {
        settledTo = Math.max(settledTo, end);
        notifyAll();
    }

    void took(long nanos) {
        writeNanos += nanos;
        longestWriteNanos = Math.max(longestWriteNanos, nanos);
    }

    void failed(Throwable e) {
        errors.incrementAndGet();
        lastError = textOf(e);
    }

    private static String textOf(Throwable e) {
        try {
            return e.toString();
        } catch (Throwable again) {
            return e instanceof OutOfMemoryError ? OUT_OF_MEMORY : NO_TEXT;
        }
    }

    /** Waits until nothing up to there is on its way, and says whether all of it was written. */
    synchronized boolean awaitSettled(long end, long nanos) throws InterruptedException {
        long lost = lost();
        long until = System.nanoTime() + nanos;
        while (settledTo < end) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return lost() == lost;
    }

    /** Lines that were taken and not written. */
    private long lost() {
        return dropped(Loss.FAILED) + dropped(Loss.CLOSED);
    }

    @Override
    public String getFile() {
        return file;
    }

    @Override
    public long getLines() {
        return lines;
    }

    @Override
    public long getRawBytes() {
        return rawBytes;
    }

    @Override
    public long getWrittenLines() {
        return writtenLines;
    }

    @Override
    public long getWrittenBytes() {
        return writtenBytes;
    }

    @Override
    public long getDroppedLines() {
        long sum = 0;
        for (Loss why : LOSSES) {
            sum += dropped(why);
        }
        return sum;
    }

    @Override
    public long getDroppedFullLines() {
        return dropped(Loss.NO_ROOM);
    }

    @Override
    public long getDroppedFailedLines() {
        return dropped(Loss.FAILED);
    }

    @Override
    public long getDroppedClosedLines() {
        return dropped(Loss.CLOSED);
    }

    @Override
    public long getDroppedBytes() {
        return droppedBytes.get();
    }

    @Override
    public long getLateLines() {
        return late.get();
    }

    @Override
    public long getWaits() {
        return waits.get();
    }

    @Override
    public int getRingUsedBytes() {
        return ring.used();
    }

    @Override
    public int getRingBytes() {
        return ring.capacity();
    }

    @Override
    public int getRingPeakBytes() {
        return ringPeak;
    }

    @Override
    public long getBacklogBytes() {
        return backlog.bytes();
    }

    @Override
    public long getBacklogPeakBytes() {
        return backlogPeak;
    }

    @Override
    public long getLongestWriteMicros() {
        return TimeUnit.NANOSECONDS.toMicros(longestWriteNanos);
    }

    @Override
    public long getWriteMicros() {
        return TimeUnit.NANOSECONDS.toMicros(writeNanos);
    }

    @Override
    public long getWriteErrors() {
        return errors.get();
    }

    @Override
    public String getLastError() {
        return lastError;
    }

    @Override
    public long getRolledFiles() {
        return rolled;
    }

    @Override
    public long getDeletedFiles() {
        return deleted;
    }

    @Override
    public void reopen() {
        writer.reopen();
    }
}
