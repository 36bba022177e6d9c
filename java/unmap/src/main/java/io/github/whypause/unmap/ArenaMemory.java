package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/** JDK 22 and newer: an arena. What is mapped into it stays until all of it is released. */
final class ArenaMemory extends Memory {
    private final Object arena;

    ArenaMemory(Object arena) {
        this.arena = arena;
    }

    @Override
    Pieces map(FileChannel channel, MapMode mode, long offset, long length) throws IOException {
        Object segment = Foreign.map(channel, mode, offset, length, arena);
        ByteBuffer[] pieces = new ByteBuffer[Pieces.count(length)];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = Foreign.buffer(segment, Pieces.start(i), Pieces.length(i, length));
        }
        return new Pieces(pieces, offset);
    }

    @Override
    void release() {
        Foreign.close(arena);
    }
}
