package io.github.whypause.log4j2;

import io.github.whypause.logging.CompressedLogWriter;
import io.github.whypause.logging.LogWriterCounters;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderFactory;
import org.apache.logging.log4j.core.util.Constants;

/**
 * {@code <CompressedFile>}: an appender that never has a thread wait for a disk. It is configured as a
 * {@code <RollingFile>} and writes compressed files.
 *
 * <p>A line is formatted by the thread that logs it, and copied into memory without a lock, and
 * without garbage where Log4j's layouts make none. Threads of the writer compress it and write it.
 * What went wrong is told to Log4j's status logger, counters are in JMX: see {@link
 * LogWriterCounters}.
 */
@Plugin(name = CompressedFileAppender.PLUGIN_NAME, category = Core.CATEGORY_NAME,
        elementType = Appender.ELEMENT_TYPE, printObject = true)
public final class CompressedFileAppender extends AbstractAppender {
    /** The name of the element in a configuration. */
    public static final String PLUGIN_NAME = "CompressedFile";

    /** As in Log4j, there are none where threads must not keep such state: on a web server. */
    private final ThreadLocal<LineBuffer> buffers =
            Constants.ENABLE_THREADLOCALS ? ThreadLocal.withInitial(LineBuffer::new) : null;
    private final WriterManager manager;
    private final int importantFrom;

    CompressedFileAppender(String name, Filter filter, Layout<? extends Serializable> layout,
            boolean ignoreExceptions, Property[] properties, WriterManager manager, Level importantFrom) {
        super(name, filter, layout, ignoreExceptions, properties);
        this.manager = manager;
        this.importantFrom = importantFrom.intLevel();
    }

    /**
     * For Log4j, and for configuration in a program.
     *
     * @return a builder whose settings are the attributes of the element
     */
    @PluginBuilderFactory
    public static CompressedFileBuilder newBuilder() {
        return new CompressedFileBuilder();
    }

    @Override
    public void append(LogEvent event) {
        boolean important = event.getLevel().intLevel() <= importantFrom;
        LineBuffer line = buffers == null ? null : buffers.get();
        if (line == null || line.isBusy) {
            byte[] bytes = getLayout().toByteArray(event);
            manager.write(bytes, bytes.length, important);
            return;
        }
        line.begin();
        try {
            getLayout().encode(event, line);
            manager.write(line.array(), line.length(), important);
        } finally {
            line.end();
        }
    }

    /**
     * Has all that was logged so far handed to the kernel, and waits for that.
     *
     * @param patience for how long
     * @return whether it was done in time
     * @throws InterruptedException where the thread is interrupted meanwhile
     */
    public boolean flush(Duration patience) throws InterruptedException {
        CompressedLogWriter writer = manager.writer();
        return writer != null && writer.flush(patience);
    }

    /**
     * What was done so far.
     *
     * @return the counters; {@code null} where the file could not be opened again after its settings
     *     were changed
     */
    public LogWriterCounters getCounters() {
        CompressedLogWriter writer = manager.writer();
        return writer == null ? null : writer.counters();
    }

    /** Writes what was logged, and ends. Waits for the disk for the time given, or for 5 s. */
    @Override
    public boolean stop(long timeout, TimeUnit unit) {
        setStopping();
        boolean stopped = super.stop(timeout, unit, false);
        stopped &= manager.stop(timeout, unit);
        setStopped();
        return stopped;
    }
}
