package io.github.whypause.unmap;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * Shared mappings that are released together: those of one log segment, or of one index.
 *
 * <p>On JDK 22 and newer closing a shared mapping stops every thread for a moment, one after the
 * other (a handshake), so that none is in the middle of an access. A group does it once, however
 * many files it has. Before JDK 22 there are no handshakes, and closing a group is as cheap as
 * closing its files.
 *
 * <p>A file's own {@link MappedFile#close()} ends its use at once, but its memory stays mapped
 * until the group is closed. A group that is never closed keeps its memory: on JDK 22 and newer for
 * good, before until the collector finds that it is unused.
 *
 * <p>All methods are safe to call from any thread, at the same time.
 */
public final class MappedFiles implements AutoCloseable {
    private final Lifetime lifetime = Lifetime.shared();

    /**
     * An empty group.
     *
     * @throws UnsupportedOperationException if this Java runtime has no way to release a mapping
     *     (JDK 8 to 21 without the module {@code jdk.unsupported})
     */
    public MappedFiles() {}

    /**
     * Maps a whole file into this group; see {@link MappedFile#open(Path, MapMode)}.
     *
     * @param path an existing file
     * @param mode what the mapping is for
     * @return the mapping, for all threads
     * @throws IOException if the file cannot be opened or mapped
     * @throws IllegalStateException if this group is closed
     */
    public MappedFile open(Path path, MapMode mode) throws IOException {
        return lifetime.open(path, mode, 0, Lifetime.WHOLE, false);
    }

    /**
     * Maps a part of a file into this group; see {@link MappedFile#open(Path, MapMode, long, long)}.
     *
     * @param path an existing file
     * @param mode what the mapping is for
     * @param offset bytes before the mapping
     * @param length bytes of the mapping
     * @return the mapping, for all threads
     * @throws IOException if the file cannot be opened or mapped
     * @throws IllegalStateException if this group is closed
     */
    public MappedFile open(Path path, MapMode mode, long offset, long length) throws IOException {
        return lifetime.open(path, mode, offset, length, false);
    }

    /**
     * Maps a part of an open file into this group; see {@link MappedFile#map}.
     *
     * @param channel may be closed afterwards
     * @param mode what the mapping is for
     * @param offset bytes before the mapping
     * @param length bytes of the mapping
     * @return the mapping, for all threads
     * @throws IOException if the file cannot be mapped
     * @throws IllegalStateException if this group is closed
     */
    public MappedFile map(FileChannel channel, MapMode mode, long offset, long length)
            throws IOException {
        return lifetime.map(channel, mode, offset, length, false);
    }

    /**
     * Releases all mappings of this group, on this thread. Each access to one of its files from
     * then on throws an {@link IllegalStateException}. A second time does nothing.
     *
     * @throws IllegalStateException if an access is still under way after ten seconds, as on a disk
     *     that does not respond; nothing can use the group then, and closing it again releases its
     *     memory
     */
    @Override
    public void close() {
        lifetime.close();
    }
}
