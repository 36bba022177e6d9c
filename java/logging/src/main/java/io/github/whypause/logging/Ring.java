package io.github.whypause.logging;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Bytes on their way from many threads to one, in a fixed piece of memory and without locks.
 *
 * <p>A thread claims its place with one compare-and-set, copies its record there, and then publishes
 * its length; the consumer takes the records in the order of their places. A thread that is stopped
 * between claim and publication holds up the consumer, never another producer.
 *
 * <p>What is thrown on the way costs one record and never the ring: a producer that cannot fill its
 * place marks it as torn, and the consumer is behind a record also where the sink did not take it.
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

    /** In {@link #torn}: a place that was claimed and is not filled. */
    private static final byte TORN = 1;
    private static final byte TORN_LARGE = 2;

    private final Memory memory;
    private final byte[] bytes;
    private final AtomicIntegerArray lengths;
    /** A mark for each length; the length of what is torn is in its own place in {@link #bytes}. */
    private final byte[] torn;
    /** Set behind the first mark; the consumer looks for none before. */
    private volatile boolean isTorn;
    /** Where the next record goes; only grows. */
    private final AtomicLong claimed = new PaddedLong();
    /** Up to where the consumer has taken records; only grows. */
    private final AtomicLong released = new PaddedLong();
    /** Records too long for the ring, the newest first. */
    private final AtomicReference<Large> large = new AtomicReference<>();
    private final AtomicLong largeBytes = new AtomicLong();
    // All of these are the consumer's own.
    /** A copy of {@link #released}. */
    private long head;
    /** What it has found in {@link #large} and not come to yet. */
    private Large found;
    private long records;
    private long recordBytes;
    private long tornRecords;
    private long tornBytes;
    private int lastBytes;
    private int lastGrains;

    /** A record that is not in the ring, only its place is. */
    private static final class Large {
        final byte[] bytes;
        long at;
        Large next;

        Large(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    /** An atomic number that has a cache line of its own: producers and consumer write in turns. */
    private static final class PaddedLong extends AtomicLong {
        private static final long serialVersionUID = 1;
        @SuppressWarnings("unused")
        transient long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14;
    }

    /** Room for the next power of two of bytes. */
    Ring(int wantedBytes, Memory memory) {
        this.memory = memory;
        int capacity = Integer.highestOneBit(Math.max(wantedBytes, 2 * GRAIN) - 1) << 1;
        this.bytes = new byte[capacity];
        this.lengths = new AtomicIntegerArray(capacity / GRAIN);
        this.torn = new byte[capacity / GRAIN];
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
        // Up to the try there is no call: at the end of a stack it would throw, and leave a place that is
        // never filled, behind which all others wait.
        int index = (int) at & bytes.length - 1;
        int slot = index / GRAIN;
        try {
            int first = Math.min(length, bytes.length - index);
            System.arraycopy(from, offset, bytes, index, first);
            System.arraycopy(from, offset + first, bytes, 0, length - first);
            lengths.lazySet(slot, length);
        } catch (Throwable e) {
            // A stack that is at its end has no room for a call, so there is none here. A place begins at
            // a multiple of GRAIN, so these four bytes are its own.
            bytes[index] = (byte) (length >>> 24);
            bytes[index + 1] = (byte) (length >>> 16);
            bytes[index + 2] = (byte) (length >>> 8);
            bytes[index + 3] = (byte) length;
            torn[slot] = TORN;
            isTorn = true;
            throw e;
        }
        return Offer.TAKEN;
    }

    /** Such records together take no more than the ring does. Where there is no memory, there is no room. */
    private Offer offerLarge(byte[] from, int offset, int length) {
        if (largeBytes.addAndGet(length) > Math.max(bytes.length, length)) {
            largeBytes.addAndGet(-length);
            return Offer.FULL;
        }
        // nothing is allocated once a place is claimed
        Large record;
        long at;
        try {
            record = copy(from, offset, length);
            at = record == null ? -1 : claim(GRAIN);
        } catch (Throwable e) {
            largeBytes.addAndGet(-length);
            throw e;
        }
        if (at < 0) {
            largeBytes.addAndGet(-length);
            return at == CLOSED ? Offer.CLOSED : Offer.FULL;
        }
        // no call up to the try, as above
        int index = (int) at & bytes.length - 1;
        int slot = index / GRAIN;
        try {
            record.at = at;
            do {
                record.next = large.get();
            } while (!large.compareAndSet(record.next, record));
            lengths.lazySet(slot, IS_LARGE);
        } catch (Throwable e) {
            // as above
            bytes[index] = (byte) (length >>> 24);
            bytes[index + 1] = (byte) (length >>> 16);
            bytes[index + 2] = (byte) (length >>> 8);
            bytes[index + 3] = (byte) length;
            torn[slot] = TORN_LARGE;
            isTorn = true;
            throw e;
        }
        return Offer.TAKEN;
    }

    private Large copy(byte[] from, int offset, int length) {
        try {
            return new Large(memory.copy(from, offset, length));
        } catch (OutOfMemoryError e) {
            return null;
        }
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

    /**
     * Hands the next record to the sink, or goes by one that is torn. Also where the sink throws, the
     * record was taken out. Only for the consumer.
     */
    boolean poll(Sink sink) {
        int index = (int) head & bytes.length - 1;
        int slot = index / GRAIN;
        int length = lengths.get(slot);
        if (length == 0) {
            return isTorn && skipTorn(index, slot);
        }
        lastBytes = length;
        lastGrains = GRAIN;
        try {
            if (length == IS_LARGE) {
                Large record = takeLarge();
                lastBytes = record.bytes.length;
                sink.take(record.bytes, 0, record.bytes.length);
            } else {
                lastGrains = grains(length);
                int first = Math.min(length, bytes.length - index);
                sink.take(bytes, index, first);
                if (first < length) {
                    sink.take(bytes, 0, length - first);
                }
            }
        } finally {
            records++;
            recordBytes += lastBytes;
            if (length == IS_LARGE) {
                largeBytes.addAndGet(-lastBytes);
            }
            lengths.lazySet(slot, 0);
            head += lastGrains;
            released.lazySet(head);
        }
        return true;
    }

    /** Goes by the record at the head where its producer could not fill its place. */
    private boolean skipTorn(int index, int slot) {
        byte mark = torn[slot];
        if (mark == 0) {
            return false;
        }
        int length = (bytes[index] & 0xff) << 24 | (bytes[index + 1] & 0xff) << 16
                | (bytes[index + 2] & 0xff) << 8 | bytes[index + 3] & 0xff;
        torn[slot] = 0;
        if (mark == TORN_LARGE) {
            takeLarge();
            largeBytes.addAndGet(-length);
        }
        tornRecords++;
        tornBytes += length;
        head += mark == TORN_LARGE ? GRAIN : grains(length);
        released.lazySet(head);
        return true;
    }

    /** The one whose place is at the head; {@code null} where a torn one never came here. */
    private Large takeLarge() {
        for (Large one = large.getAndSet(null); one != null;) {
            Large next = one.next;
            one.next = found;
            found = one;
            one = next;
        }
        Large before = null;
        for (Large one = found; one != null; one = one.next) {
            if (one.at == head) {
                if (before == null) {
                    found = one.next;
                } else {
                    before.next = one.next;
                }
                return one;
            }
            before = one;
        }
        return null;
    }

    /** Records that were taken out so far, without the torn ones. Only for the consumer. */
    long records() {
        return records;
    }

    /** Their bytes. */
    long recordBytes() {
        return recordBytes;
    }

    /** Records that never came, because something was thrown at their producer. Only for the consumer. */
    long tornRecords() {
        return tornRecords;
    }

    /** Their bytes. */
    long tornBytes() {
        return tornBytes;
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

    private static int grains(int length) {
        return length + GRAIN - 1 & -GRAIN;
    }
}
