/**
 * {@code whypause-logging} as an appender of Log4j 2: {@link
 * io.github.whypause.log4j2.CompressedFileAppender}.
 */
package io.github.whypause.log4j2;
