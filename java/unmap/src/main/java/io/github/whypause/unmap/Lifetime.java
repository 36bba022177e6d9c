package io.github.whypause.unmap;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/** The memory of one or several mappings, from the first to their one release. */
abstract class Lifetime {
    /** Instead of a length. */
    static final long WHOLE = Long.MIN_VALUE;

    private final Memory memory;
    /**
     * Its use has ended. An arena knows as well; this fails with our words, and before arguments
     * are checked.
     */
    private volatile boolean closed;
    /** Of the memory; closing ends its use before. */
    private boolean released;

    Lifetime(Memory memory) {
        this.memory = memory;
    }

    /** For the thread that calls, which alone may use and close it. */
    static Lifetime confined() {
        return new OwnedLifetime(Memory.confined());
    }

    /** For all threads. */
    static Lifetime shared() {
        return SharedArenas.AreSafe.HERE
                ? new ArenaLifetime(new ArenaMemory(Foreign.sharedArena()))
                : new GuardedLifetime(Memory.shared());
    }

    /**
     * Begins an access. The memory stays mapped until {@link #exit}, or, with an arena, the
     * access itself finds out.
     *
     * @return what exit needs
     * @throws IllegalStateException if it is closed, or not for this thread
     */
    abstract int enter();

    /** Ends an access. */
    abstract void exit(int ticket);

    final boolean isOpen() {
        return !closed;
    }

    /** Throws what {@link #enter} throws. */
    final void checkOpen() {
        checkThread();
        if (closed) {
            throw closed();
        }
    }

    /** Throws if it is not for this thread. */
    void checkThread() {}

    /**
     * Ends all use and releases the memory, on this thread. If that throws, the use has ended all
     * the same, and the next call tries the release again; otherwise it does nothing.
     */
    final void close() {
        checkThread();
        InternalError pending = Faults.take();
        closed = true;
        try {
            awaitUse();
            release();
        } catch (RuntimeException | Error e) {
            if (pending != null) {
                e.addSuppressed(pending);
            }
            throw e;
        }
        Faults.rethrow(pending);
    }

    /** Waits for accesses that began before it was closed. */
    void awaitUse() {}

    private synchronized void release() {
        if (!released) {
            memory.release();
            released = true;
        }
    }

    private synchronized Pieces map(
            FileChannel channel, MapMode mode, long offset, long length) throws IOException {
        checkOpen();
        return memory.map(channel, mode, offset, length);
    }

    /** See {@link MappedFile#open(Path, MapMode, long, long)}. */
    final MappedFile open(Path path, MapMode mode, long offset, long length, boolean alone)
            throws IOException {
        OpenOption[] options = mode == MapMode.READ_ONLY
                ? new OpenOption[] {StandardOpenOption.READ}
                : new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE};
        try (FileChannel channel = FileChannel.open(path, options)) {
            return map(channel, mode, offset, length == WHOLE ? channel.size() : length, alone);
        }
    }

    /**
     * See {@link MappedFile#map}. If it fails, nothing is left of the mapping, or it goes with the
     * others of its group.
     */
    final MappedFile map(
            FileChannel channel, MapMode mode, long offset, long length, boolean alone)
            throws IOException {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException("an offset of " + offset + ", a length of "
                    + length);
        }
        long there = channel.size();
        if (mode != MapMode.READ_WRITE && length > there - offset) {
            throw new EOFException("the file has " + there + " bytes, fewer than " + offset
                    + " + " + length);
        }
        try {
            return new MappedFile(map(channel, mode, offset, length), length, this,
                    alone ? null : new AtomicBoolean(), false);
        } catch (Throwable e) {
            if (alone) {
                abandon(e);
            }
            throw e;
        }
    }

    /** An arena keeps what was mapped into it, also where its user never saw it. */
    private void abandon(Throwable failed) {
        try {
            close();
        } catch (RuntimeException | Error e) {
            failed.addSuppressed(e);
        }
    }

    static IllegalStateException closed() {
        return new IllegalStateException("the mapping is closed");
    }

    static IllegalStateException otherThread(Thread owner) {
        return new IllegalStateException("the mapping is confined to the thread `"
                + owner.getName() + "` and was used by `" + Thread.currentThread().getName()
                + "`");
    }
}
