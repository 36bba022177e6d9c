package io.github.whypause.logging;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The thread that takes lines out of the ring and compresses them. */
final class Compressor extends Thread implements Ring.Sink {
    /** What is handed to the encoder at once. */
    private static final int LONGEST_PIECE_BYTES = 64 << 10;
    /** How often it looks for lines while some come, where the ring does not fill up earlier. */
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** It sleeps until it is woken after so long without a line. */
    private static final long WAKEFUL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long FILLING_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
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
    private final int blockBytes;
    private final int wakeAt;
    private final ByteBuffer piece;
    private final AtomicInteger state = new AtomicInteger(AWAKE);
    private volatile long flushNanos;
    private volatile long flushTo;
    private BlockEncoder encoder;
    private long lastLine = System.nanoTime();
    private long knownDropped;
    // The block that is being made.
    private long raw;
    private long lines;
    private long began;
    private long period;
    private long nextPeriod = Long.MIN_VALUE;
    /** Up to where of the ring blocks were made. */
    private long finishedTo;

    Compressor(LogWriterOptions options, Ring ring, BlockEncoder encoder, Backlog backlog,
            Counters counters, Problems problems) {
        super("whypause-log-compress");
        setDaemon(true);
        setContextClassLoader(null);
        this.ring = ring;
        this.codec = options.codec;
        this.level = options.level;
        this.encoder = encoder;
        this.backlog = backlog;
        this.counters = counters;
        this.problems = problems;
        this.periods = options.rolled;
        this.blockBytes = options.blockBytes;
        this.piece = ByteBuffer.allocateDirect(Math.min(LONGEST_PIECE_BYTES, blockBytes));
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

    /** Ends each block at once from now on: the process ends. */
    void hurry() {
        flushNanos = 0;
        wake();
    }

    @Override
    public void run() {
        try {
            while (!ring.isClosed() || ring.head() < ring.end()) {
                try {
                    step();
                } catch (OutOfMemoryError e) {
                    giveUpBlock(e);
                }
            }
            finish();
        } catch (RuntimeException | Error e) {
            // No line is taken any more, and each is counted.
            problems.tell("compress", "it ends, because compressing failed: " + e);
            counters.failed(e.toString());
        } finally {
            ring.close();
            backlog.end();
            encoder.close();
        }
    }

    private void step() {
        boolean some = takePiece();
        long now = System.nanoTime();
        lastLine = some ? now : lastLine;
        if (raw > 0 && isDue(now)) {
            finish();
        }
        if (!some) {
            rest(now);
        }
    }

    /** Whoever took the memory may give it back, so the log goes on behind what was lost. */
    private void giveUpBlock(OutOfMemoryError e) {
        counters.dropped(lines, raw);
        counters.failed(e.toString());
        problems.tell("memory", "lost " + lines + " lines, because memory ran out while they were compressed");
        raw = 0;
        lines = 0;
        finishedTo = ring.head();
        ((Buffer) piece).clear();
        encoder.close();
        encoder = codec.encoder(level);
    }

    /** Takes lines, up to a piece of them. */
    private boolean takePiece() {
        counters.ringPeak = Math.max(counters.ringPeak, ring.used());
        long before = raw;
        long some = 0;
        newPeriod();
        while (raw - before < piece.capacity() && ring.poll(this)) {
            some++;
        }
        if (some == 0) {
            return false;
        }
        if (lines == 0) {
            began = System.nanoTime();
        }
        lines += some;
        counters.lines += some;
        counters.rawBytes += raw - before;
        return true;
    }

    /** What is taken from now on may belong to another file. */
    private void newPeriod() {
        if (periods == null || raw > 0) {
            return;
        }
        long now = System.currentTimeMillis();
        if (now >= nextPeriod || now < period) {
            period = periods.period(now);
            nextPeriod = periods.nextPeriod(now);
        }
    }

    @Override
    public void take(byte[] bytes, int offset, int length) {
        raw += length;
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
        return raw >= blockBytes || now - began >= flushNanos || flushTo > finishedTo && head >= flushTo
                || ring.isClosed() && head == ring.end()
                || periods != null && System.currentTimeMillis() >= nextPeriod;
    }

    private void finish() {
        if (raw == 0) {
            return;
        }
        encode();
        Block block = new Block(encoder.finish(), raw, lines, ring.head(), period);
        raw = 0;
        lines = 0;
        finishedTo = block.end;
        backlog.put(block);
        counters.backlogPeak = Math.max(counters.backlogPeak, backlog.bytes());
        long dropped = counters.getDroppedLines();
        if (dropped > knownDropped) {
            knownDropped = dropped;
            problems.tell("drop", dropped + " lines of `" + counters.getFile() + "` were dropped since it was "
                    + "opened: the disk, or the processor, is slower than the log");
        }
    }

    private void rest(long now) {
        // it would keep this thread from sleeping
        Thread.interrupted();
        boolean deep = raw == 0 && now - lastLine > WAKEFUL_NANOS;
        long nap = NAP_NANOS;
        if (raw > 0) {
            nap = Math.min(nap, Math.max(began + flushNanos - now, 1));
        }
        state.set(deep ? ASLEEP : NAPPING);
        // Who claims a place, or wants something, after this look sees the state.
        if (ring.head() < ring.end()) {
            // somebody has claimed a place and not filled it yet
            LockSupport.parkNanos(this, FILLING_NANOS);
        } else if (!ring.isClosed() && flushTo <= finishedTo) {
            if (deep) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, nap);
            }
        }
        state.set(AWAKE);
    }
}
