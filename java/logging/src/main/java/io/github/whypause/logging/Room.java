package io.github.whypause.logging;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where threads wait for room in the ring.
 *
 * <p>They sleep until one is woken, which wakes the next one if there still is room: so as many are awake
 * as there is room for, and the thread that makes room has its CPU to itself. A lock of
 * {@code java.util.concurrent}, as a monitor would pin virtual threads to their carriers.
 */
final class Room {
    /** For where a signal came just before its waiter slept. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Ring ring;
    private final int enough;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private volatile int waiting;

    Room(Ring ring) {
        this.ring = ring;
        this.enough = ring.capacity() / 2;
    }

    /**
     * Waits for room for so long at most, and puts a record there. An interrupt does not shorten the
     * wait, and is kept.
     */
    Ring.Offer offer(byte[] bytes, int offset, int length, long nanos) {
        long until = System.nanoTime() + nanos;
        boolean interrupted = false;
        lock.lock();
        try {
            waiting++;
            while (true) {
                Ring.Offer offer = ring.offer(bytes, offset, length);
                long left = until - System.nanoTime();
                if (offer != Ring.Offer.FULL || left <= 0) {
                    return offer;
                }
                try {
                    more.awaitNanos(Math.min(left, LOOK_NANOS));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            waiting--;
            if (hasWaiting()) {
                more.signal();
            }
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** There may be room now: wakes one who waits for it. Only for the thread that makes room. */
    void freed() {
        // who has the lock looks itself when it leaves
        if (hasWaiting() && lock.tryLock()) {
            try {
                more.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean hasWaiting() {
        return waiting > 0 && (ring.used() <= enough || ring.isClosed());
    }
}
