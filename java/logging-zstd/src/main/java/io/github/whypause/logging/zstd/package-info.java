/**
 * zstd for {@code whypause-logging}: with this jar beside it, log files may end with {@code .zst}.
 *
 * <p>{@code zstdcat}, {@code zstdgrep} and {@code zstdless} read them at any time.
 */
package io.github.whypause.logging.zstd;
