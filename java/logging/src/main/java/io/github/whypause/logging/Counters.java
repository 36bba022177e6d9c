package io.github.whypause.logging;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The counters, and what waits for them. */
final class Counters implements LogWriterCounters {
    private final CompressedLogWriter writer;
    private final Ring ring;
    private final Backlog backlog;
    private final String file;
    private final LongAdder droppedLines = new LongAdder();
    private final LongAdder droppedBytes = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder waits = new LongAdder();
    // Each of these is written by one thread.
    volatile long lines;
    volatile long rawBytes;
    volatile int ringPeak;
    volatile long backlogPeak;
    volatile long rolled;
    volatile long deleted;
    volatile long errors;
    volatile String lastError = "";
    private volatile long writtenLines;
    private volatile long writtenBytes;
    private volatile long writeNanos;
    private volatile long longestWriteNanos;
    /** Up to where of the ring the kernel has it. */
    private long writtenTo;

    Counters(CompressedLogWriter writer, Ring ring, Backlog backlog, String file) {
        this.writer = writer;
        this.ring = ring;
        this.backlog = backlog;
        this.file = file;
    }

    void dropped(int length) {
        droppedLines.increment();
        droppedBytes.add(length);
    }

    void dropped(long lines, long rawBytes) {
        droppedLines.add(lines);
        droppedBytes.add(rawBytes);
    }

    void late() {
        late.increment();
    }

    void waited() {
        waits.increment();
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    void written(Block block, long nanos) {
        writtenLines += block.lines;
        writtenBytes += block.bytes.length;
        took(nanos);
        synchronized (this) {
            writtenTo = block.end;
            notifyAll();
        }
    }

    void took(long nanos) {
        writeNanos += nanos;
        longestWriteNanos = Math.max(longestWriteNanos, nanos);
    }

    void failed(String error) {
        errors++;
        lastError = error;
    }

    /** Waits until the kernel has all up to there. */
    synchronized boolean awaitWritten(long end, long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        while (writtenTo < end) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
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
        return droppedLines.sum();
    }

    @Override
    public long getDroppedBytes() {
        return droppedBytes.sum();
    }

    @Override
    public long getLateLines() {
        return late.sum();
    }

    @Override
    public long getWaits() {
        return waits.sum();
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
        return errors;
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
