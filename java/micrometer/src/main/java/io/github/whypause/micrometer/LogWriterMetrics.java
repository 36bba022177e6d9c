package io.github.whypause.micrometer;

import io.github.whypause.logging.LogWriterCounters;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The counters of one log, with its file as the tag {@code file}.
 *
 * <pre>{@code
 * new LogWriterMetrics(log.counters()).bindTo(registry);
 * }</pre>
 *
 * <p>{@code whypause.log.dropped} has a tag {@code reason}: {@code full} (no room in memory), {@code
 * failed} (something failed while a line was compressed), {@code closed} (the log was closed and the
 * disk did not take it) and {@code late} (logged after the close). Lines that were written and those
 * that were dropped together are all that were logged.
 */
public final class LogWriterMetrics implements MeterBinder {
    private static final String PREFIX = "whypause.log.";
    private static final String LINES = "lines";

    private final LogWriterCounters counters;
    private final Tags tags;

    /**
     * For one log.
     *
     * @param counters those of the log, or of its appender
     */
    public LogWriterMetrics(LogWriterCounters counters) {
        this.counters = Objects.requireNonNull(counters, "counters");
        this.tags = Tags.of("file", counters.getFile());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        count(registry, "written", LINES, "Lines that the kernel has taken", tags,
                LogWriterCounters::getWrittenLines);
        dropped(registry, "full", LogWriterCounters::getDroppedFullLines);
        dropped(registry, "failed", LogWriterCounters::getDroppedFailedLines);
        dropped(registry, "closed", LogWriterCounters::getDroppedClosedLines);
        dropped(registry, "late", LogWriterCounters::getLateLines);
        count(registry, "waits", null, "Times that a thread had to wait for room", tags,
                LogWriterCounters::getWaits);
        count(registry, "written.size", BaseUnits.BYTES, "Bytes that the kernel has taken, compressed", tags,
                LogWriterCounters::getWrittenBytes);
        count(registry, "errors", null, "Writes and blocks that failed", tags, LogWriterCounters::getWriteErrors);
        gauge(registry, "ring.used", "What is used of the ring", LogWriterCounters::getRingUsedBytes);
        gauge(registry, "ring.size", "The size of the ring", LogWriterCounters::getRingBytes);
        gauge(registry, "backlog.used", "Compressed blocks that wait for the disk",
                LogWriterCounters::getBacklogBytes);
        TimeGauge.builder(PREFIX + "write.longest", counters, TimeUnit.MICROSECONDS,
                LogWriterCounters::getLongestWriteMicros)
                .description("The longest that one write to the disk took").tags(tags).register(registry);
    }

    private void dropped(MeterRegistry registry, String reason, ToDoubleFunction<LogWriterCounters> value) {
        count(registry, "dropped", LINES, "Lines that were logged and are not written", tags.and("reason", reason),
                value);
    }

    private void count(MeterRegistry registry, String name, String unit, String what, Tags of,
            ToDoubleFunction<LogWriterCounters> value) {
        FunctionCounter.builder(PREFIX + name, counters, value).description(what).baseUnit(unit).tags(of)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String what, ToDoubleFunction<LogWriterCounters> value) {
        Gauge.builder(PREFIX + name, counters, value).description(what).baseUnit(BaseUnits.BYTES).tags(tags)
                .register(registry);
    }
}
