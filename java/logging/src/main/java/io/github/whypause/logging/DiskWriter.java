package io.github.whypause.logging;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The only thread that waits for the disk.
 *
 * <p>As in the {@link Compressor}, a step is guarded as a whole: whatever is thrown in it, the block stays
 * the first one and is tried again, until nobody waits for it any more.
 */
final class DiskWriter extends Thread {
    /** How often it looks whether the file was moved by others. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long it waits before it tries again: twice this, and twice as long after each failure that follows. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final int MOST_DOUBLINGS = 7;
    private static final String KIND = "write";

    private final LogFiles files;
    private final Backlog backlog;
    private final Counters counters;
    private final Problems problems;
    private final AtomicReference<Runnable> atEnd = new AtomicReference<>();
    private volatile boolean reopen;
    private volatile boolean ended;
    private long looked = System.nanoTime();
    /** The block that is being written. */
    private Block trying;
    // What failed, and is to be done about it in the next step.
    private Throwable fault;
    private boolean pauses;
    /** Since the last block. */
    private int failures;

    DiskWriter(LogFiles files, Backlog backlog, Counters counters, Problems problems) {
        super("whypause-log-write");
        setDaemon(true);
        setContextClassLoader(null);
        this.files = files;
        this.backlog = backlog;
        this.counters = counters;
        this.problems = problems;
    }

    void reopen() {
        reopen = true;
        backlog.wake();
    }

    /** Writes what it can, and ends; then, or where it has ended already, something else is done once. */
    void abandon(Runnable then) {
        backlog.abandon();
        atEnd.set(then);
        if (ended) {
            runAtEnd();
        }
    }

    private void runAtEnd() {
        Runnable then = atEnd.getAndSet(null);
        if (then != null) {
            then.run();
        }
    }

    @Override
    public void run() {
        while (!backlog.isDone()) {
            try {
                step();
            } catch (Throwable e) {
                try {
                    failed(e);
                } catch (Throwable again) {
                    fault = e;
                }
            }
        }
        try {
            files.end();
        } catch (Throwable e) {
            counters.failed(e);
        } finally {
            ended = true;
            runAtEnd();
        }
    }

    private void step() throws IOException {
        if (fault != null) {
            recover();
        }
        Block block = backlog.first(LOOK_NANOS);
        long now = System.nanoTime();
        if (reopen || now - looked > LOOK_NANOS) {
            looked = now;
            boolean asked = reopen;
            reopen = false;
            files.follow(asked);
        }
        if (block == null) {
            return;
        }
        trying = block;
        long start = System.nanoTime();
        try {
            files.append(block.bytes, block.period);
        } finally {
            counters.took(System.nanoTime() - start);
        }
        // Written. Nothing that may fail is between this and the count.
        trying = null;
        failures = 0;
        backlog.removeFirst();
        counters.written(block);
        if (problems.over(KIND)) {
            problems.tell("again", "writes to `" + counters.getFile() + "` again; "
                    + counters.getDroppedLines() + " lines were dropped since it was opened");
        }
    }

    /** Where nobody waits any more, the block is counted as lost. Nothing in here is known to fail. */
    private void failed(Throwable e) {
        Block block = trying;
        trying = null;
        fault = e;
        pauses = block != null;
        failures++;
        if (block != null && backlog.isAbandoned()) {
            backlog.removeFirst();
            counters.dropped(Loss.CLOSED, block.lines, block.rawBytes);
            counters.settled(block.end);
        }
        counters.failed(e);
    }

    private void recover() {
        problems.tell(KIND, "cannot write `" + counters.getFile() + "`: " + LogFiles.reason(fault)
                + "; what is logged waits in memory, and is dropped and counted where that is full");
        boolean again = pauses;
        fault = null;
        pauses = false;
        if (again) {
            backlog.pause(RETRY_NANOS << Math.min(failures, MOST_DOUBLINGS));
        }
    }
}
