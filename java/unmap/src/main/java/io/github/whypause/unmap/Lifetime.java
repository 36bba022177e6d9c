package io.github.whypause.unmap;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The memory of one or several mappings, from the first to their one release. */
abstract class Lifetime {
    /** Instead of a length. */
    static final long WHOLE = Long.MIN_VALUE;

    /** For the thread that calls, which alone may use and close it. */
    static Lifetime confined() {
        return Foreign.isThere()
                ? new ArenaLifetime(Foreign.confinedArena(), Thread.currentThread())
                : new OwnedLifetime();
    }

    /** For all threads. */
    static Lifetime shared() {
        return Foreign.isThere()
                ? new ArenaLifetime(Foreign.sharedArena(), null)
                : new GuardedLifetime();
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

    abstract boolean isOpen();

    /** Maps a part of a file; nothing is left of it where that fails. */
    abstract Pieces map(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException;

    /** Releases all of it, on this thread. A second time does nothing. */
    abstract void close();

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

    /** See {@link MappedFile#map}. If it fails, a lifetime without mappings needs no close. */
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
        return new MappedFile(map(channel, mode, offset, length), length, this, alone);
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
