/**
 * Releases file mappings in time, on the thread that asks for it, instead of whenever the garbage
 * collector finds that a buffer is no longer used.
 *
 * <p>{@link io.github.whypause.unmap.MappedFile} owns a mapping and is safe to close at any time.
 * {@link io.github.whypause.unmap.MappedFiles} closes many at once. {@link
 * io.github.whypause.unmap.Unmapper} releases a {@link java.nio.MappedByteBuffer} that exists
 * already, and cannot protect it.
 */
package io.github.whypause.unmap;
