/**
 * {@code whypause-logging} as an appender of Logback: {@link
 * io.github.whypause.logback.CompressedFileAppender}.
 */
package io.github.whypause.logback;
