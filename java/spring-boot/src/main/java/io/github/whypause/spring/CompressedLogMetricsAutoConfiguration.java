package io.github.whypause.spring;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.spi.AppenderAttachable;
import io.github.whypause.logback.CompressedFileAppender;
import io.github.whypause.logging.LogWriterCounters;
import io.github.whypause.micrometer.LogWriterMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The counters of all compressed log files as metrics: see {@link LogWriterMetrics}. */
@AutoConfiguration
@ConditionalOnClass({MeterBinder.class, LoggerContext.class})
public class CompressedLogMetricsAutoConfiguration {
    /** As Spring makes it. */
    public CompressedLogMetricsAutoConfiguration() {}

    /**
     * Binds the logs that are open at that time, which Spring Boot's Actuator does once the registry is
     * there.
     *
     * @return a binder for each registry
     */
    @Bean
    public MeterBinder compressedLogMetrics() {
        return registry -> {
            for (LogWriterCounters counters : open()) {
                new LogWriterMetrics(counters).bindTo(registry);
            }
        };
    }

    private static Set<LogWriterCounters> open() {
        Set<LogWriterCounters> found = Collections.newSetFromMap(new IdentityHashMap<>());
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (factory instanceof LoggerContext) {
            for (Logger logger : ((LoggerContext) factory).getLoggerList()) {
                add(logger, found);
            }
        }
        return found;
    }

    /** Also behind an appender that hands on to others. */
    private static void add(AppenderAttachable<ILoggingEvent> from, Set<LogWriterCounters> found) {
        for (Iterator<Appender<ILoggingEvent>> all = from.iteratorForAppenders(); all.hasNext();) {
            Appender<ILoggingEvent> appender = all.next();
            if (appender instanceof CompressedFileAppender) {
                LogWriterCounters counters = ((CompressedFileAppender<?>) appender).getCounters();
                if (counters != null) {
                    found.add(counters);
                }
            } else if (appender instanceof AppenderAttachable) {
                @SuppressWarnings("unchecked")
                AppenderAttachable<ILoggingEvent> behind = (AppenderAttachable<ILoggingEvent>) appender;
                add(behind, found);
            }
        }
    }
}
