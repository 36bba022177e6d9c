package io.github.whypause.unmap;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * For all threads: an access says in a table what it uses, and closing waits until
 * no entry of the table names what is closed.
 *
 * <p>Both sides write first and read then (the entry and whether it is open), so that one of them sees
 * the other. The table is one for all mappings, as in the BRAVO lock of Dice and Kogan: an access
 * writes to a cache line that its thread usually has for itself, and a mapping costs no table.
 * Entries are numbers, for which the collector has no barrier.
 */
final class GuardedLifetime extends Lifetime {
    /** Longs apart, so that no two entries share a cache line, nor the one that is fetched with it. */
    private static final int SPACING = 16;
    private static final int ENTRIES = entries(Runtime.getRuntime().availableProcessors());
    private static final AtomicLongArray TABLE = new AtomicLongArray((ENTRIES + 1) * SPACING);
    private static final int PROBES = 4;
    /** An entry: the low half is a thread or 0, the high one a lifetime. */
    private static final long THREAD = 0xffffffffL;
    /** The ticket of an access that found no free entry. */
    private static final int UNLISTED = -1;
    private static final AtomicLong IDS = new AtomicLong();

    private static final int SPINS = 100;
    private static final long NAP_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    /** Never 0. Should two have the same, closing waits for both; that is all. */
    private final long id = IDS.incrementAndGet() & 0xffffffffL | 1L << 31;
    private final AtomicInteger unlisted = new AtomicInteger();

    GuardedLifetime(Memory memory) {
        super(memory);
    }

    /** More than threads that can run, as a thread may lose its CPU during an access. */
    private static int entries(int processors) {
        return Integer.highestOneBit(Math.min(256, Math.max(4, processors))) * 8;
    }

    @Override
    int enter() {
        Thread current = Thread.currentThread();
        long thread = current.getId();
        long mine = id << 32 | number(current);
        try {
            for (int probe = 0; probe < PROBES; probe++) {
                int at = place(thread, probe);
                boolean entered = TABLE.compareAndSet(at, 0, mine);
                if (!entered && isOf(TABLE.get(at), current)) {
                    // This thread left it behind, see `forget`; accesses are not nested.
                    TABLE.set(at, mine);
                    entered = true;
                }
                if (entered) {
                    if (!isOpen()) {
                        TABLE.lazySet(at, 0);
                        throw closed();
                    }
                    return at;
                }
            }
        } catch (InternalError e) {
            forget();
            throw e;
        }
        unlisted.incrementAndGet();
        if (!isOpen()) {
            unlisted.decrementAndGet();
            throw closed();
        }
        return UNLISTED;
    }

    @Override
    void exit(int ticket) {
        if (ticket == UNLISTED) {
            unlisted.decrementAndGet();
            return;
        }
        try {
            // a release: loads and stores of the access come before it
            TABLE.lazySet(ticket, 0);
        } catch (InternalError e) {
            forget();
            throw e;
        }
    }

    private static int place(long thread, int probe) {
        return ((int) (thread + probe) & (ENTRIES - 1)) * SPACING + SPACING;
    }

    /**
     * Removes what this thread has in the table. The error of an access beyond the end of a file
     * (see {@link Faults}) may come between an entry and its removal.
     */
    private static void forget() {
        Thread current = Thread.currentThread();
        for (int probe = 0; probe < PROBES; probe++) {
            int at = place(current.getId(), probe);
            long found = TABLE.get(at);
            if (isOf(found, current)) {
                TABLE.compareAndSet(at, found, 0);
            }
        }
    }

    private static boolean isOf(long entry, Thread thread) {
        long number = number(thread);
        return number != 0 && (entry & THREAD) == number;
    }

    /** 0 for a thread of a class of its own, which may give any id, also another thread's. */
    private static long number(Thread thread) {
        return thread.getClass() == Thread.class ? thread.getId() & THREAD : 0;
    }

    @Override
    void awaitUse() {
        forget();
        long begun = System.nanoTime();
        for (int spin = 0; isUsed(); spin++) {
            if (spin < SPINS) {
                Thread.yield();
            } else if (System.nanoTime() - begun < PATIENCE_NS) {
                LockSupport.parkNanos(NAP_NS);
            } else {
                throw new IllegalStateException("an access is still under way after 10 s;"
                        + " the mapping is closed, and closing it again releases its memory");
            }
        }
    }

    private boolean isUsed() {
        for (int at = SPACING; at < TABLE.length(); at += SPACING) {
            if (TABLE.get(at) >>> 32 == id) {
                return true;
            }
        }
        return unlisted.get() != 0;
    }
}
