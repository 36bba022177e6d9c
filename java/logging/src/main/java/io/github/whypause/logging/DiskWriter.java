package io.github.whypause.logging;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The only thread that waits for the disk. */
final class DiskWriter extends Thread {
    /** How often it looks whether the file was moved by others. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long it waits after a failure before it tries again. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String KIND = "write";

    private final LogFiles files;
    private final Backlog backlog;
    private final Counters counters;
    private final Problems problems;
    private final AtomicReference<Runnable> atEnd = new AtomicReference<>();
    private volatile boolean reopen;
    private volatile boolean ended;

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
        try {
            long looked = System.nanoTime();
            while (!backlog.isDone()) {
                Block block = backlog.first(LOOK_NANOS);
                long now = System.nanoTime();
                if (reopen || now - looked > LOOK_NANOS) {
                    looked = now;
                    look();
                }
                if (block == null) {
                    continue;
                }
                if (write(block)) {
                    backlog.removeFirst();
                } else if (backlog.isAbandoned()) {
                    backlog.removeFirst();
                    counters.dropped(block.lines, block.rawBytes);
                }
            }
        } catch (RuntimeException | Error e) {
            problems.tell("end", "it ends, because of " + e);
            counters.failed(e.toString());
        } finally {
            files.end();
            ended = true;
            runAtEnd();
        }
    }

    /** Follows a file that was moved by others. */
    private void look() {
        boolean asked = reopen;
        reopen = false;
        try {
            files.follow(asked);
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
    }

    /** Whether it is written; where not, it is to be tried again. */
    private boolean write(Block block) {
        long start = System.nanoTime();
        try {
            files.append(block.bytes, block.period);
            counters.written(block, System.nanoTime() - start);
            if (problems.over(KIND)) {
                problems.tell("again", "writes to `" + counters.getFile() + "` again; "
                        + counters.getDroppedLines() + " lines were dropped since it was opened");
            }
            return true;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            counters.took(System.nanoTime() - start);
            failed(e);
            backlog.pause(RETRY_NANOS);
            return false;
        }
    }

    private void failed(Throwable e) {
        counters.failed(e.toString());
        problems.tell(KIND, "cannot write `" + counters.getFile() + "`: " + LogFiles.reason(e)
                + "; what is logged waits in memory, and is dropped and counted where that is full");
    }
}
