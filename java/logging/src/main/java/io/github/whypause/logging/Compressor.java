package io.github.whypause.logging;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/**
 * The thread that takes lines out of the ring and compresses them.
 *
 * <p>All it does is a step of {@link #run}, which is guarded as a whole: whatever is thrown in it, the
 * lines that were taken out of the ring and are in no block yet are counted as lost, and the next step
 * goes on behind them with a new encoder. To count allocates nothing, and what may fail again (to close
 * the encoder, to tell of it) is a part of the next step.
 */
final class Compressor extends Thread implements Ring.Sink {
    /** What is handed to the encoder at once. */
    private static final int LONGEST_PIECE_BYTES = 64 << 10;
    /** How often it looks for lines while some come, where the ring does not fill up earlier. */
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** It sleeps until it is woken after so long without a line. */
    private static final long WAKEFUL_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** So long at most: where its stack ends, who logs a line may have meant to wake it and have not. */
    private static final long SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FILLING_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    /** How long it waits after a failure: from this on, twice as long after each that follows. */
    private static final long RETRY_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final int MOST_DOUBLINGS = 12;
    private static final Ring.Sink NOWHERE = (bytes, offset, length) -> { };
    private static final int AWAKE = 0;
    /** Sleeps for a moment; who finds a quarter of the ring used wakes it. */
    private static final int NAPPING = 1;
    /** Sleeps; who logs a line wakes it. */
    private static final int ASLEEP = 2;

    private final Ring ring;
    private final Codec codec;
    private final int level;
    private final Backlog backlog;
    private final Counters counters;
    private final Problems problems;
    private final NamePattern periods;
    private final LongUnaryOperator nextRoll;
    private final Memory memory;
    private final Clock clock;
    private final Room room;
    private final int blockBytes;
    private final int wakeAt;
    private final ByteBuffer piece;
    private final AtomicInteger state = new AtomicInteger(AWAKE);
    private final long flushNanos;
    private volatile long flushTo;
    /** {@code null} where the last one has failed. */
    private BlockEncoder encoder;
    private long lastLine = System.nanoTime();
    private long knownDropped;
    // The block that is being made: all that the ring gave since it had given so much.
    private long fromRecords;
    private long fromBytes;
    private long began;
    private long period;
    private long nextPeriod = Long.MIN_VALUE;
    /** Up to where of the ring blocks were made, or lost and said to be. */
    private long finishedTo;
    // What failed, and is to be done about it in the next step.
    private BlockEncoder broken;
    private Throwable fault;
    private long untold;
    private boolean pauses;
    /** Since the last block. */
    private int failures;
    private long knownTorn;
    private long knownTornBytes;

    Compressor(LogWriterOptions options, Ring ring, Room room, BlockEncoder encoder, Backlog backlog,
            Counters counters, Problems problems) {
        super("whypause-log-compress");
        setDaemon(true);
        setContextClassLoader(null);
        this.ring = ring;
        this.room = room;
        this.memory = options.memory;
        this.clock = options.clock;
        this.codec = options.codec;
        this.level = options.level;
        this.encoder = encoder;
        this.backlog = backlog;
        this.counters = counters;
        this.problems = problems;
        this.periods = options.rolled;
        this.nextRoll = options.nextRoll;
        this.blockBytes = options.blockBytes;
        this.piece = memory.direct(Math.min(LONGEST_PIECE_BYTES, blockBytes));
        this.flushNanos = options.flushEvery.toNanos();
        this.wakeAt = ring.capacity() / 4;
    }

    /** A line was put into the ring: wakes this thread where it must not sleep longer. */
    void taken() {
        int now = state.get();
        if (now == ASLEEP || now == NAPPING && ring.used() > wakeAt) {
            wake();
        }
    }

    void wake() {
        if (state.getAndSet(AWAKE) != AWAKE) {
            LockSupport.unpark(this);
        }
    }

    /** Ends a block as soon as all up to there is in it. */
    void flushTo(long end) {
        synchronized (this) {
            flushTo = Math.max(flushTo, end);
        }
        wake();
    }

    @Override
    public void run() {
        while (!isDone()) {
            try {
                step();
            } catch (Throwable e) {
                try {
                    lose(e);
                } catch (Throwable again) {
                    // the next step counts what was not counted
                    fault = e;
                }
            }
        }
        settle();
        backlog.end();
        try {
            tellLost();
            close(encoder);
            close(broken);
        } catch (Throwable e) {
            counters.failed(e);
        }
    }

    private boolean isDone() {
        return ring.isClosed() && ring.head() == ring.end() && raw() == 0;
    }

    private void step() {
        if (fault != null) {
            recover();
        }
        boolean some = takePiece();
        countTorn();
        room.freed();
        long now = System.nanoTime();
        lastLine = some ? now : lastLine;
        if (raw() > 0 && isDue(now)) {
            finish();
        }
        settle();
        if (!some) {
            rest(now);
        }
    }

    /** Counts what was at hand when something was thrown. Nothing in here is known to fail. */
    private void lose(Throwable e) {
        fault = e;
        pauses = true;
        failures++;
        if (encoder != null) {
            broken = encoder;
            encoder = null;
        }
        discard(Loss.FAILED);
        if (backlog.isAbandoned()) {
            // nobody waits for what is left, and it may go on to fail
            while (ring.poll(NOWHERE)) {
                // the next one
            }
            discard(Loss.CLOSED);
        }
        counters.failed(e);
    }

    /** Counts what was taken out of the ring and is in no block, as lost. */
    private void discard(Loss why) {
        long lines = lines();
        counters.dropped(why, lines, raw());
        fromRecords = ring.records();
        fromBytes = ring.recordBytes();
        untold += why == Loss.FAILED ? lines : 0;
    }

    /** Whoever took the memory may give it back, and a codec that failed once may be new. */
    private void recover() {
        if (encoder == null) {
            // only where that has failed
            discard(Loss.FAILED);
        }
        if (pauses) {
            pauses = false;
            backlog.pause(RETRY_NANOS << Math.min(failures, MOST_DOUBLINGS));
        }
        ((Buffer) piece).clear();
        BlockEncoder old = broken;
        broken = null;
        close(old);
        if (encoder == null) {
            encoder = codec.encoder(level);
        }
        tellLost();
        fault = null;
    }

    private void tellLost() {
        if (untold > 0) {
            problems.tell("lost", "lost " + untold + " lines of `" + counters.getFile() + "`, because "
                    + (fault instanceof OutOfMemoryError ? "memory ran out while they were compressed"
                            : "compressing them failed: " + fault));
            untold = 0;
        }
    }

    private static void close(BlockEncoder encoder) {
        if (encoder != null) {
            encoder.close();
        }
    }

    /** Bytes and lines of the block that is being made. */
    private long raw() {
        return ring.recordBytes() - fromBytes;
    }

    private long lines() {
        return ring.records() - fromRecords;
    }

    /** Before a block says that all up to its end is settled. */
    private void countTorn() {
        long torn = ring.tornRecords();
        if (torn > knownTorn) {
            counters.dropped(Loss.FAILED, torn - knownTorn, ring.tornBytes() - knownTornBytes);
            knownTorn = torn;
            knownTornBytes = ring.tornBytes();
        }
    }

    /** Says what of the ring will not come, so that nobody waits for it. */
    private void settle() {
        countTorn();
        if (raw() == 0 && finishedTo < ring.head()) {
            finishedTo = ring.head();
            if (backlog.passed(finishedTo)) {
                counters.settled(finishedTo);
            }
        }
    }

    /** Takes lines, up to a piece of them. */
    private boolean takePiece() {
        counters.ringPeak = Math.max(counters.ringPeak, ring.used());
        newPeriod();
        if (raw() == 0) {
            began = System.nanoTime();
        }
        long before = ring.recordBytes();
        boolean some = false;
        while (ring.recordBytes() - before < piece.capacity() && ring.poll(this)) {
            some = true;
        }
        counters.lines = ring.records();
        counters.rawBytes = ring.recordBytes();
        return some;
    }

    /** What is taken from now on may belong to another file. */
    private void newPeriod() {
        if (periods == null || raw() > 0) {
            return;
        }
        long now = clock.millis();
        if (now >= nextPeriod || now < period) {
            long begin = periods.period(now);
            // the time of a schedule that has come is the begin of a period, too
            period = nextRoll != null && now >= nextPeriod ? Math.max(begin, nextPeriod) : begin;
            nextPeriod = periods.nextPeriod(now);
            if (nextRoll != null) {
                nextPeriod = Math.min(nextPeriod, Math.max(nextRoll.applyAsLong(now), now + 1));
            }
        }
    }

    @Override
    public void take(byte[] bytes, int offset, int length) {
        while (length > 0) {
            int part = Math.min(length, piece.remaining());
            piece.put(bytes, offset, part);
            offset += part;
            length -= part;
            if (!piece.hasRemaining()) {
                encode();
            }
        }
    }

    private void encode() {
        ((Buffer) piece).flip();
        encoder.write(piece);
        ((Buffer) piece).clear();
    }

    private boolean isDue(long now) {
        long head = ring.head();
        return raw() >= blockBytes || now - began >= flushNanos || flushTo > finishedTo && head >= flushTo
                || ring.isClosed() && head == ring.end()
                || periods != null && clock.millis() >= nextPeriod;
    }

    private void finish() {
        encode();
        byte[] bytes = encoder.finish();
        backlog.put(memory.block(bytes, raw(), lines(), ring.head(), period));
        // from here on it is the disk's
        fromRecords = ring.records();
        fromBytes = ring.recordBytes();
        finishedTo = ring.head();
        failures = 0;
        counters.backlogPeak = Math.max(counters.backlogPeak, backlog.bytes());
        long dropped = counters.dropped(Loss.NO_ROOM);
        if (dropped > knownDropped) {
            problems.tell("drop", dropped + " lines of `" + counters.getFile() + "` were dropped since it was "
                    + "opened: the disk, or the processor, is slower than the log");
            knownDropped = dropped;
        }
    }

    private void rest(long now) {
        // it would keep this thread from sleeping
        Thread.interrupted();
        boolean deep = raw() == 0 && now - lastLine > WAKEFUL_NANOS;
        long nap = NAP_NANOS;
        if (raw() > 0) {
            nap = Math.min(nap, Math.max(began + flushNanos - now, 1));
        }
        state.set(deep ? ASLEEP : NAPPING);
        room.freed();
        // Who claims a place, or wants something, after this look sees the state.
        if (ring.head() < ring.end()) {
            // somebody has claimed a place and not filled it yet
            LockSupport.parkNanos(this, FILLING_NANOS);
        } else if (!ring.isClosed() && flushTo <= finishedTo) {
            LockSupport.parkNanos(this, deep ? SLEEP_NANOS : nap);
        }
        state.set(AWAKE);
    }
}
