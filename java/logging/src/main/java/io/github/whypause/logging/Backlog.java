package io.github.whypause.logging;

import java.util.concurrent.TimeUnit;

/**
 * Blocks that wait for the disk: a bounded queue between the two threads of a writer.
 *
 * <p>These threads belong to nobody else, so an interrupt is somebody's mistake (a container that
 * interrupts all threads that it finds, for one) and does not end a wait. Nothing is allocated here, so
 * that a block is never in between where memory runs out.
 */
final class Backlog {
    private final long limit;
    private Block first;
    private Block last;
    private long bytes;
    private boolean ended;
    /** Nobody waits for what is here any more. */
    private boolean abandoned;
    /** Set to have the writing thread look around. */
    private boolean woken;

    /** Holds up to so many compressed bytes, and one block at least. */
    Backlog(long limit) {
        this.limit = limit;
    }

    /** Waits for room, unless the log is abandoned. Only for the compressing thread. */
    synchronized void put(Block block) {
        while (first != null && bytes + block.bytes.length > limit && !abandoned) {
            await(Long.MAX_VALUE);
        }
        if (first == null) {
            first = block;
        } else {
            last.next = block;
        }
        last = block;
        bytes += block.bytes.length;
        notifyAll();
    }

    /**
     * Behind the last block, up to there, comes nothing to write.
     *
     * @return whether no block is here that could say so when it is written
     */
    synchronized boolean passed(long end) {
        if (first == null) {
            return true;
        }
        last.end = end;
        return false;
    }

    /** No more will come. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The first block, which stays there; {@code null} where none came in time. */
    synchronized Block first(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; first == null && !ended && !woken && left > 0;) {
            await(left);
            left = until - System.nanoTime();
        }
        woken = false;
        return first;
    }

    /** Has the writing thread look around. */
    synchronized void wake() {
        woken = true;
        notifyAll();
    }

    /** What cannot be written at the next try is not tried again. */
    synchronized void abandon() {
        abandoned = true;
        notifyAll();
    }

    synchronized boolean isAbandoned() {
        return abandoned;
    }

    /** Waits, and no longer once the log is abandoned. */
    synchronized void pause(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !abandoned; left = until - System.nanoTime()) {
            await(left);
        }
    }

    synchronized void removeFirst() {
        bytes -= first.bytes.length;
        first = first.next;
        notifyAll();
    }

    /** Whether the last block was taken and no more will come. */
    synchronized boolean isDone() {
        return ended && first == null;
    }

    synchronized long bytes() {
        return bytes;
    }

    private void await(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        } catch (InterruptedException e) {
            // as said above
        }
    }
}
