package io.github.whypause.logging;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes on their way from many threads to one, in a fixed piece of memory and without locks.
 *
 * <p>A thread claims its place with one compare-and-set, copies its record there, and then publishes
 * its length; the consumer takes the records in the order of their places. A thread that is stopped
 * between claim and publication holds up the consumer, never another producer.
 */
final class Ring {
    /** What {@link #offer} answers. */
    enum Offer { TAKEN, FULL, CLOSED }

    /** Takes the pieces of one record. */
    interface Sink {
        void take(byte[] bytes, int offset, int length);
    }

    /** Records begin at multiples of this, so there is one length for so many bytes. */
    private static final int GRAIN = 32;
    /** In place of a length: the record is in {@link #large}. */
    private static final int IS_LARGE = -1;
    /** The sign of {@link #claimed}: nothing is taken any more. */
    private static final long CLOSED = Long.MIN_VALUE;

    private final byte[] bytes;
    private final AtomicIntegerArray lengths;
    /** Where the next record goes; only grows. */
    private final AtomicLong claimed = new PaddedLong();
    /** Up to where the consumer has taken records; only grows. */
    private final AtomicLong released = new PaddedLong();
    /** Records too long for the ring, by their place in it. */
    private final ConcurrentHashMap<Long, byte[]> large = new ConcurrentHashMap<>();
    private final AtomicLong largeBytes = new AtomicLong();
    /** The consumer's own copy of {@link #released}. */
    private long head;

    /** An atomic number that has a cache line of its own: producers and consumer write in turns. */
    private static final class PaddedLong extends AtomicLong {
        private static final long serialVersionUID = 1;
        @SuppressWarnings("unused")
        transient long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14;
    }

    /** Room for the next power of two of bytes. */
    Ring(int wantedBytes) {
        int capacity = Integer.highestOneBit(Math.max(wantedBytes, 2 * GRAIN) - 1) << 1;
        this.bytes = new byte[capacity];
        this.lengths = new AtomicIntegerArray(capacity / GRAIN);
    }

    int capacity() {
        return bytes.length;
    }

    /** Bytes that are claimed and not yet released. */
    int used() {
        // read one after the other: what is released meanwhile must not make it negative
        return (int) Math.max(0, (claimed.get() & ~CLOSED) - released.get());
    }

    /** Takes a copy of a record of at least one byte. Never waits. */
    Offer offer(byte[] from, int offset, int length) {
        if (length > bytes.length / 4) {
            return offerLarge(from, offset, length);
        }
        long at = claim(grains(length));
        if (at < 0) {
            return at == CLOSED ? Offer.CLOSED : Offer.FULL;
        }
        int index = index(at);
        int first = Math.min(length, bytes.length - index);
        System.arraycopy(from, offset, bytes, index, first);
        System.arraycopy(from, offset + first, bytes, 0, length - first);
        lengths.lazySet(index / GRAIN, length);
        return Offer.TAKEN;
    }

    /** Such records together take no more than the ring does. */
    private Offer offerLarge(byte[] from, int offset, int length) {
        if (largeBytes.addAndGet(length) > Math.max(bytes.length, length)) {
            largeBytes.addAndGet(-length);
            return Offer.FULL;
        }
        long at = claim(GRAIN);
        if (at < 0) {
            largeBytes.addAndGet(-length);
            return at == CLOSED ? Offer.CLOSED : Offer.FULL;
        }
        large.put(at, java.util.Arrays.copyOfRange(from, offset, offset + length));
        lengths.lazySet(index(at) / GRAIN, IS_LARGE);
        return Offer.TAKEN;
    }

    /** The place; {@link #CLOSED}, or -1 where there is no room. */
    private long claim(int wanted) {
        while (true) {
            long at = claimed.get();
            if (at < 0) {
                return CLOSED;
            }
            if (at + wanted - released.get() > bytes.length) {
                return -1;
            }
            if (claimed.compareAndSet(at, at + wanted)) {
                return at;
            }
        }
    }

    /** Hands the next record to the sink. Only for the consumer. */
    boolean poll(Sink sink) {
        int index = index(head);
        int length = lengths.get(index / GRAIN);
        if (length == 0) {
            return false;
        }
        lengths.lazySet(index / GRAIN, 0);
        if (length == IS_LARGE) {
            byte[] record = large.remove(head);
            sink.take(record, 0, record.length);
            largeBytes.addAndGet(-record.length);
            head += GRAIN;
        } else {
            int first = Math.min(length, bytes.length - index);
            sink.take(bytes, index, first);
            if (first < length) {
                sink.take(bytes, 0, length - first);
            }
            head += grains(length);
        }
        released.lazySet(head);
        return true;
    }

    /** Up to where places were claimed: what is before it will come. */
    long end() {
        return claimed.get() & ~CLOSED;
    }

    /** Up to where records were taken out. Only for the consumer. */
    long head() {
        return head;
    }

    /** Takes nothing any more. What was taken before will come. */
    void close() {
        long at = claimed.get();
        while (at >= 0 && !claimed.compareAndSet(at, at | CLOSED)) {
            at = claimed.get();
        }
    }

    boolean isClosed() {
        return claimed.get() < 0;
    }

    private int index(long at) {
        return (int) at & bytes.length - 1;
    }

    private static int grains(int length) {
        return length + GRAIN - 1 & -GRAIN;
    }
}
