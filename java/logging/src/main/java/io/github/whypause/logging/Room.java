package io.github.whypause.logging;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Where threads wait for room in the ring.
 *
 * <p>They sleep until one is woken, which wakes the next one if there still is room: so as many are awake
 * as there is room for, and the thread that makes room has its CPU to itself.
 *
 * <p>Nobody owns anything here. A lock would stay locked for good, and each thread that logs would wait
 * for it for good, where its owner's stack ends (or its memory, or the thread) before it is unlocked. Here
 * that costs a wakeup, and each thread looks for itself soon after.
 */
final class Room {
    /** For where a wakeup was lost. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Ring ring;
    private final int enough;
    private final Queue<Thread> sleepers = new ConcurrentLinkedQueue<>();

    Room(Ring ring) {
        this.ring = ring;
        this.enough = ring.capacity() / 2;
        // A class that is used for the first time where a stack ends could not be used ever after.
        enlist(Thread.currentThread());
        sleepers.remove(Thread.currentThread());
        wakeNext();
    }

    /**
     * Waits for room for so long at most, and puts a record there. An interrupt does not shorten the
     * wait, and is kept.
     */
    Ring.Offer offer(byte[] bytes, int offset, int length, long nanos) {
        long until = System.nanoTime() + nanos;
        Thread current = Thread.currentThread();
        boolean interrupted = false;
        try {
            while (true) {
                // before it looks, so that it is woken for what is freed after that
                enlist(current);
                Ring.Offer offer = ring.offer(bytes, offset, length);
                long left = until - System.nanoTime();
                boolean sleeps = offer == Ring.Offer.FULL && left > 0;
                if (sleeps) {
                    LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
                    interrupted |= Thread.interrupted();
                }
                sleepers.remove(current);
                if (!sleeps) {
                    return offer;
                }
            }
        } finally {
            freed();
            if (interrupted) {
                current.interrupt();
            }
        }
    }

    private void enlist(Thread current) {
        try {
            sleepers.add(current);
        } catch (OutOfMemoryError e) {
            // nobody wakes it, and it looks soon all the same
        }
    }

    /** There may be room now: wakes one who waits for it. */
    void freed() {
        if (ring.used() <= enough || ring.isClosed()) {
            wakeNext();
        }
    }

    private void wakeNext() {
        Thread next = sleepers.poll();
        if (next != null) {
            LockSupport.unpark(next);
        }
    }
}
