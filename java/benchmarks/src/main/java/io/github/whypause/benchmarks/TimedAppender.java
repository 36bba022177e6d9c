package io.github.whypause.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.AppenderRef;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginConfiguration;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;

/**
 * Passes events on to another appender, and measures for how long the threads that log are in it: while
 * they format, wait for each other, and wait for a disk.
 */
@Plugin(name = "Timed", category = Core.CATEGORY_NAME, elementType = Appender.ELEMENT_TYPE)
public final class TimedAppender extends AbstractAppender {
    private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Configuration configuration;
    private final String ref;
    private final Path report;
    private final Path toggle;
    private final LongAdder events = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder blocked = new LongAdder();
    private final LongAdder blockedNanos = new LongAdder();
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);
    private volatile boolean on;
    private volatile Appender to;

    private TimedAppender(String name, Configuration configuration, String ref, Path report, Path toggle) {
        super(name, null, null, true, Property.EMPTY_ARRAY);
        this.configuration = configuration;
        this.ref = ref;
        this.report = report;
        this.toggle = toggle;
    }

    /**
     * For Log4j.
     *
     * @param name its name
     * @param report a file that is written when the other one goes away
     * @param toggle it measures while that file exists
     * @param ref the other appender
     * @param configuration where that is found
     * @return the appender
     */
    @PluginFactory
    public static TimedAppender create(@PluginAttribute("name") String name,
            @PluginAttribute("report") String report, @PluginAttribute("switch") String toggle,
            @PluginElement("AppenderRef") AppenderRef ref, @PluginConfiguration Configuration configuration) {
        return new TimedAppender(name, configuration, ref.getRef(), Paths.get(report), Paths.get(toggle));
    }

    @Override
    public void start() {
        to = configuration.getAppender(ref);
        Thread watch = new Thread(this::watch, "timed-appender");
        watch.setDaemon(true);
        watch.start();
        super.start();
    }

    private void watch() {
        try {
            while (!isStopped()) {
                boolean wanted = Files.exists(toggle);
                boolean ends = on && !wanted;
                on = wanted;
                if (ends) {
                    report();
                }
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void append(LogEvent event) {
        if (!on) {
            to.append(event);
            return;
        }
        long begin = System.nanoTime();
        to.append(event);
        long took = System.nanoTime() - begin;
        events.increment();
        nanos.add(took);
        longest.accumulate(took);
        if (took >= BLOCKED_NANOS) {
            blocked.increment();
            blockedNanos.add(took);
        }
    }

    /** Writes what was measured: events, all time, calls of 5 ms and more, their time, the longest, drops. */
    private void report() {
        String line = String.format(Locale.ROOT, "%d %.1f %d %.1f %.1f %d%n", events.sum(), nanos.sum() / 1e6,
                blocked.sum(), blockedNanos.sum() / 1e6, longest.get() / 1e6, dropped());
        try {
            Files.write(report, line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOGGER.error("cannot write {}", report, e);
        }
    }

    /** Lines that our writers, where there are some, have dropped. */
    private static long dropped() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        long lines = 0;
        try {
            for (ObjectName name : server.queryNames(new ObjectName("io.github.whypause.logging:*"), null)) {
                lines += (Long) server.getAttribute(name, "DroppedLines");
            }
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
        return lines;
    }
}
