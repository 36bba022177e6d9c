package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * What maps parts of files and releases them all at once: the way this JDK has. The {@link Lifetime}
 * that owns it sees to it that one thread at a time is in it.
 */
abstract class Memory {
    /** For the thread that calls, in which alone it is used and released. */
    static Memory confined() {
        return Foreign.isThere() ? new ArenaMemory(Foreign.confinedArena()) : new CleanedMemory();
    }

    /** For all threads. */
    static Memory shared() {
        return Foreign.isThere() ? new ArenaMemory(Foreign.sharedArena()) : new CleanedMemory();
    }

    /** Maps a part of a file. */
    abstract Pieces map(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException;

    /** Releases all of it. If that throws, it may be called again, for what is left. */
    abstract void release();
}
