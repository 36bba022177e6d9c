package io.github.whypause.logging;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Blocks that wait for the disk: a bounded queue between the two threads of a writer.
 *
 * <p>These threads belong to nobody else, so an interrupt is somebody's mistake (a container that
 * interrupts all threads that it finds, for one) and does not end a wait.
 */
final class Backlog {
    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final long limit;
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
        while (!blocks.isEmpty() && bytes + block.bytes.length > limit && !abandoned) {
            await(Long.MAX_VALUE);
        }
        blocks.addLast(block);
        bytes += block.bytes.length;
        notifyAll();
    }

    /** No more will come. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The first block, which stays there; {@code null} where none came in time. */
    synchronized Block first(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; blocks.isEmpty() && !ended && !woken && left > 0;) {
            await(left);
            left = until - System.nanoTime();
        }
        woken = false;
        return blocks.peekFirst();
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
        bytes -= blocks.removeFirst().bytes.length;
        notifyAll();
    }

    /** Whether the last block was taken and no more will come. */
    synchronized boolean isDone() {
        return ended && blocks.isEmpty();
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
