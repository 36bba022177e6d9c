package io.github.whypause.logging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A log that is compressed as it is written, and never has anybody wait for a disk.
 *
 * <p>Thread-safe. {@link #write(byte[], int, int, boolean)} takes no lock, makes no garbage and does
 * no input or output: it copies the line into memory. Lines of one thread keep their order.
 *
 * <p>A process that is killed loses what it has logged in the last {@link
 * LogWriterOptions#flushEvery flush period}; more only where the disk was slower than the log. A process
 * that ends by itself loses nothing: see {@link #close}, which is done at its exit, too.
 */
public final class CompressedLogWriter implements AutoCloseable {
    /** For how long the end of the process waits for the disk. */
    static final Duration EXIT_PATIENCE = Duration.ofSeconds(5);

    /** Writers of which a file is still open because their disk is slow, though they were closed. */
    private static final AtomicInteger CLOSED_LATE = new AtomicInteger();

    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Ring ring;
    private final Counters counters;
    private final Compressor compressor;
    private final DiskWriter disk;
    private final WhenFull whenFull;
    private final long maxWaitNanos;
    private final int fullForUnimportant;
    private final JmxName jmx;

    CompressedLogWriter(LogWriterOptions options) throws IOException {
        this.ring = new Ring(options.ringBytes);
        Backlog backlog = new Backlog(options.backlogBytes);
        this.counters = new Counters(this, ring, backlog,
                options.file == null ? options.rolled.toString() : options.file.toString());
        this.whenFull = options.whenFull;
        this.maxWaitNanos = options.maxWait.toNanos();
        this.fullForUnimportant = ring.capacity() / 5 * 4;
        BlockEncoder encoder = options.codec.encoder(options.level);
        Problems problems = new Problems(options.onProblem);
        LogFiles files = new LogFiles(options, counters, problems);
        try {
            openOrLater(files, problems);
        } catch (IOException | RuntimeException e) {
            encoder.close();
            files.end();
            throw e;
        }
        this.disk = new DiskWriter(files, backlog, counters, problems);
        this.compressor = new Compressor(options, ring, encoder, backlog, counters, problems);
        disk.start();
        compressor.start();
        this.jmx = JmxName.register(counters);
        AtExit.add(this);
    }

    /**
     * Where a slow disk still holds up the close of a log that went before, as after a new configuration,
     * the disk writer opens the file when it can, and what is logged meanwhile waits in memory.
     */
    private static void openOrLater(LogFiles files, Problems problems) throws IOException {
        try {
            files.open(System.currentTimeMillis());
        } catch (LogFiles.HeldHere e) {
            if (CLOSED_LATE.get() == 0) {
                throw e;
            }
            problems.tell("late", "`" + e.getFile() + "` is still being closed, and is opened after that");
        }
    }

    /**
     * Logs a line.
     *
     * @param line the bytes of a whole line with the line feed at its end; not changed and not kept
     * @return whether it was taken; where not, it was dropped and counted
     */
    public boolean write(byte[] line) {
        return write(line, 0, line.length, true);
    }

    /**
     * Logs a line of text in UTF-8.
     *
     * @param line a whole line; a line feed is added where it has none at its end
     * @return whether it was taken; where not, it was dropped and counted
     */
    public boolean write(String line) {
        return write((line.endsWith("\n") ? line : line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Logs a line.
     *
     * @param bytes where it is; not changed and not kept
     * @param offset where it begins
     * @param length how long it is, with the line feed at its end
     * @param important whether {@link WhenFull#DROP_UNIMPORTANT} keeps it where others are dropped
     * @return whether it was taken; where not, it was dropped and counted
     * @throws IndexOutOfBoundsException where that is not in the array
     */
    public boolean write(byte[] bytes, int offset, int length, boolean important) {
        if ((offset | length | offset + length | bytes.length - offset - length) < 0) {
            throw new IndexOutOfBoundsException(
                    offset + " + " + length + " is not in " + bytes.length + " bytes");
        }
        if (length == 0) {
            return true;
        }
        if (whenFull == WhenFull.DROP_UNIMPORTANT && !important && ring.used() > fullForUnimportant) {
            counters.dropped(length);
            return false;
        }
        Ring.Offer offer = ring.offer(bytes, offset, length);
        if (offer == Ring.Offer.FULL && whenFull != WhenFull.DROP
                && (important || whenFull == WhenFull.WAIT)) {
            offer = waitAndOffer(bytes, offset, length);
        }
        if (offer == Ring.Offer.TAKEN) {
            compressor.taken();
            return true;
        }
        if (offer == Ring.Offer.FULL) {
            compressor.taken();
            counters.dropped(length);
        } else {
            counters.late();
        }
        return false;
    }

    private Ring.Offer waitAndOffer(byte[] bytes, int offset, int length) {
        counters.waited();
        long until = System.nanoTime() + maxWaitNanos;
        Ring.Offer offer;
        do {
            compressor.taken();
            LockSupport.parkNanos(PAUSE_NANOS);
            offer = ring.offer(bytes, offset, length);
            // an interrupted thread would only spin here
        } while (offer == Ring.Offer.FULL && System.nanoTime() - until < 0
                && !Thread.currentThread().isInterrupted());
        return offer;
    }

    /**
     * Has all lines that were taken so far handed to the kernel, and waits for that.
     *
     * @param patience for how long
     * @return whether it was done in time
     * @throws InterruptedException where the thread is interrupted meanwhile
     */
    public boolean flush(Duration patience) throws InterruptedException {
        long end = ring.end();
        compressor.flushTo(end);
        return counters.awaitWritten(end, patience.toNanos());
    }

    /**
     * Closes the file and opens it by its name again: for after it was moved or deleted by others. It
     * is noticed within a second without this, too.
     */
    public void reopen() {
        disk.reopen();
    }

    /**
     * What was done so far. The answers of this object follow what happens.
     *
     * @return the counters, the same that are in JMX
     */
    public LogWriterCounters counters() {
        return counters;
    }

    /**
     * Writes what was taken, and ends. Waits for the disk for up to 5 s.
     *
     * <p>What is logged from now on is counted and not written.
     */
    @Override
    public void close() {
        try {
            close(EXIT_PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Writes what was taken, and ends.
     *
     * @param patience for how long to wait for the disk
     * @return whether all was written; where not, what is left is tried once more in the background,
     *     and dropped and counted if that fails
     * @throws InterruptedException where the thread is interrupted meanwhile
     */
    public boolean close(Duration patience) throws InterruptedException {
        AtExit.remove(this);
        jmx.unregister();
        long until = System.nanoTime() + patience.toNanos();
        ring.close();
        compressor.wake();
        if (join(compressor, until) & join(disk, until)) {
            return true;
        }
        CLOSED_LATE.incrementAndGet();
        disk.abandon(CLOSED_LATE::decrementAndGet);
        return false;
    }

    /** Writes each line at once from now on, and waits for those there are. */
    void exit(long patienceNanos) throws InterruptedException {
        compressor.hurry();
        flush(Duration.ofNanos(patienceNanos));
    }

    private static boolean join(Thread thread, long until) throws InterruptedException {
        long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        if (thread != Thread.currentThread()) {
            thread.join(Math.max(left, 1));
        }
        return !thread.isAlive();
    }
}
