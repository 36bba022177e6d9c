/**
 * Log files that are compressed as they are written, by threads of their own.
 *
 * <p>Start with {@link io.github.whypause.logging.LogWriterOptions#file(java.nio.file.Path)}. What
 * happens to a line: {@link io.github.whypause.logging.CompressedLogWriter#write(byte[], int, int,
 * boolean)} copies it into a ring in memory and returns; one thread compresses what is in the ring
 * into blocks; another one writes the blocks. Only that last thread ever waits for a disk.
 *
 * <p>Each block is a whole member of a gzip file (or a frame of zstd), so {@code zcat}, {@code
 * zgrep} and {@code zless} read the file at any time, also while it is written and after a crash.
 */
package io.github.whypause.logging;
