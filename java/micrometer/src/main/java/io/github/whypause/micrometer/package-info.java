/**
 * The counters of {@code whypause-logging} as metrics of Micrometer: {@link
 * io.github.whypause.micrometer.LogWriterMetrics}.
 */
package io.github.whypause.micrometer;
