package io.github.whypause.logging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

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

    private final Ring ring;
    private final Room room;
    private final Counters counters;
    private final Compressor compressor;
    private final DiskWriter disk;
    private final WhenFull whenFull;
    private final long maxWaitNanos;
    private final int fullForUnimportant;
    private final Runnable unregister;
    private final AtomicBoolean closedLate = new AtomicBoolean();
    /** The process ends. */
    private volatile boolean exiting;
    /** Also at the exit, threads wait for a disk that takes nothing only once. */
    private volatile boolean exitStalled;

    CompressedLogWriter(LogWriterOptions options) throws IOException {
        this.ring = new Ring(options.ringBytes, options.memory);
        this.room = new Room(ring);
        Backlog backlog = new Backlog(options.backlogBytes);
        this.counters = new Counters(this, ring, backlog,
                options.file == null ? options.rolled.toString() : options.file.toString());
        this.whenFull = options.whenFull;
        this.maxWaitNanos = options.maxWait.toNanos();
        this.fullForUnimportant = ring.capacity() / 5 * 4;
        Problems problems = new Problems(options.onProblem);
        LogFiles files = new LogFiles(options, counters, problems);
        this.disk = new DiskWriter(files, backlog, counters, problems);
        BlockEncoder encoder = options.codec.encoder(options.level);
        try {
            this.compressor = new Compressor(options, ring, room, encoder, backlog, counters, problems);
            openOrLater(files, problems, options.clock.millis());
            this.unregister = start(files, encoder, options.jmx);
        } catch (Throwable e) {
            // whatever it is, no file stays locked and no thread stays
            if (!disk.isAlive()) {
                files.end();
                encoder.close();
            }
            throw e;
        }
    }

    /** With what was started, or with nothing. */
    private Runnable start(LogFiles files, BlockEncoder encoder, boolean jmx) {
        disk.start();
        try {
            compressor.start();
            AtExit.add(this);
            return JmxName.register(counters, jmx);
        } catch (Throwable e) {
            AtExit.remove(this);
            ring.close();
            if (compressor.isAlive()) {
                compressor.wake();
            } else {
                // it never was: there may be no room for one more thread
                compressor.run();
            }
            throw e;
        }
    }

    /**
     * Where a slow disk still holds up the close of a log that went before, as after a new configuration,
     * the disk writer opens the file when it can, and what is logged meanwhile waits in memory.
     */
    private static void openOrLater(LogFiles files, Problems problems, long now) throws IOException {
        try {
            files.open(now);
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
     * Logs a line of text in UTF-8. Half of a surrogate pair, which UTF-8 has nothing for, becomes a
     * question mark; all other characters stay as they are, line feeds and control characters, too.
     *
     * @param line a whole line; a line feed is added where it has none at its end
     * @return whether it was taken; where not, it was dropped and counted
     */
    public boolean write(String line) {
        byte[] bytes;
        try {
            bytes = (line.endsWith("\n") ? line : line + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (OutOfMemoryError e) {
            counters.dropped(Loss.NO_ROOM, 1, line.length());
            return false;
        }
        return write(bytes);
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
            counters.dropped(Loss.NO_ROOM, 1, length);
            return false;
        }
        Ring.Offer offer = ring.offer(bytes, offset, length);
        if (offer == Ring.Offer.FULL && whenFull != WhenFull.DROP
                && (important || whenFull == WhenFull.WAIT)) {
            counters.waited();
            compressor.taken();
            offer = room.offer(bytes, offset, length, maxWaitNanos);
        }
        if (offer == Ring.Offer.TAKEN) {
            compressor.taken();
            if (exiting) {
                awaitAtExit();
            }
            return true;
        }
        if (offer == Ring.Offer.FULL) {
            compressor.taken();
            counters.dropped(Loss.NO_ROOM, 1, length);
        } else {
            counters.late();
        }
        return false;
    }

    /**
     * Has all lines that were taken so far handed to the kernel, and waits for that.
     *
     * @param patience for how long
     * @return whether it was done in time, and none of them was lost
     * @throws InterruptedException where the thread is interrupted meanwhile
     */
    public boolean flush(Duration patience) throws InterruptedException {
        long end = ring.end();
        compressor.flushTo(end);
        return counters.awaitSettled(end, patience.toNanos());
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
     * Writes what was taken, and ends. Waits for the disk for up to 5 s, also where the thread is
     * interrupted, which it stays.
     *
     * <p>What is logged from now on is counted and not written.
     */
    @Override
    public void close() {
        close(EXIT_PATIENCE);
    }

    /**
     * Writes what was taken, and ends. An interrupt of the thread does not shorten the wait, and is kept.
     *
     * @param patience for how long to wait for the disk
     * @return whether all was written or is counted; where not, what is left is tried once more in the
     *     background, for which the end of the process waits, and is counted if that fails
     */
    public boolean close(Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        ring.close();
        compressor.wake();
        room.freed();
        unregister.run();
        if (join(compressor, until) & join(disk, until)) {
            AtExit.remove(this);
            return true;
        }
        if (closedLate.compareAndSet(false, true)) {
            CLOSED_LATE.incrementAndGet();
            disk.abandon(() -> {
                CLOSED_LATE.decrementAndGet();
                AtExit.remove(this);
            });
        }
        return false;
    }

    /** From now on each thread waits until its line is written. */
    void exits() {
        exiting = true;
    }

    /** Waits for what was taken so far, also where the thread is interrupted. */
    boolean settle(long until) {
        long end = ring.end();
        compressor.flushTo(end);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return counters.awaitSettled(end, until - System.nanoTime());
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void awaitAtExit() {
        Thread current = Thread.currentThread();
        // who is told of problems may log, and that is on one of these threads
        if (!exitStalled && current != compressor && current != disk) {
            long until = System.nanoTime() + EXIT_PATIENCE.toNanos();
            if (!settle(until) && System.nanoTime() - until >= 0) {
                exitStalled = true;
            }
        }
    }

    private static boolean join(Thread thread, long until) {
        boolean interrupted = false;
        // at least one look, also where there is no patience
        for (long left = 1; left > 0 && thread.isAlive() && thread != Thread.currentThread();) {
            try {
                thread.join(Math.max(TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()), 1));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left = until - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
