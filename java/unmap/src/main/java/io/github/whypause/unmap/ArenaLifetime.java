package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/** JDK 22 and newer: the JVM itself guards each access against a close. */
final class ArenaLifetime extends Lifetime {
    private final Object arena;
    /** Null where all threads may use it. */
    private final Thread owner;
    /** The arena knows as well; this one fails with our words, and before arguments are checked. */
    private volatile boolean closed;

    ArenaLifetime(Object arena, Thread owner) {
        this.arena = arena;
        this.owner = owner;
    }

    @Override
    int enter() {
        checkThread();
        if (closed) {
            throw closed();
        }
        return 0;
    }

    @Override
    void exit(int ticket) {}

    @Override
    boolean isOpen() {
        return !closed;
    }

    private void checkThread() {
        if (owner != null && owner != Thread.currentThread()) {
            throw otherThread(owner);
        }
    }

    @Override
    synchronized Pieces map(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException {
        enter();
        Object segment = Foreign.map(channel, mode, offset, length, arena);
        ByteBuffer[] pieces = new ByteBuffer[Pieces.count(length)];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = Foreign.buffer(segment, Pieces.start(i), Pieces.length(i, length));
        }
        return new Pieces(pieces);
    }

    @Override
    synchronized void close() {
        checkThread();
        InternalError pending = Faults.take();
        if (!closed) {
            closed = true;
            Foreign.close(arena);
        }
        Faults.rethrow(pending);
    }
}
