package io.github.whypause.log4j2;

import io.github.whypause.logging.CompressedLogWriter;
import io.github.whypause.logging.LogWriterOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractManager;
import org.apache.logging.log4j.core.appender.ManagerFactory;

/**
 * The writer of a file, for all appenders that write to it.
 *
 * <p>Log4j makes the appenders of a new configuration before it stops those of the old one. So the
 * writer goes from the one to the other, and where its settings have changed it is replaced here.
 */
final class WriterManager extends AbstractManager {
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);
    private static final String PREFIX = "CompressedFile:";

    private Settings settings;
    private Layout<?> layout;
    /** {@code null} while it is replaced, and where there is none. */
    private volatile CompressedLogWriter writer;

    /** What an appender wants. */
    static final class Wanted {
        final LoggerContext context;
        final Settings settings;
        final Layout<?> layout;

        Wanted(LoggerContext context, Settings settings, Layout<?> layout) {
            this.context = context;
            this.settings = settings;
            this.layout = layout;
        }
    }

    private WriterManager(String name, Wanted wanted) throws IOException {
        super(wanted.context, name);
        this.settings = wanted.settings;
        this.layout = wanted.layout;
        this.writer = open(wanted.settings);
    }

    private CompressedLogWriter open(Settings settings) throws IOException {
        LogWriterOptions options = settings.options(LOGGER::warn);
        byte[] header = layout.getHeader();
        return (header == null ? options : options.header(header)).open();
    }

    /**
     * The manager for the file, which exists already where another appender writes to it.
     *
     * @throws IllegalArgumentException where the settings are wrong
     * @throws IllegalStateException where the file cannot be opened
     */
    static WriterManager of(Wanted wanted) {
        String name = PREFIX + wanted.settings.key();
        ManagerFactory<WriterManager, Wanted> factory = (named, data) -> {
            try {
                return new WriterManager(named, data);
            } catch (IOException e) {
                throw new IllegalStateException(e.toString(), e);
            }
        };
        return getManager(name, factory, wanted);
    }

    /** Writes the first bytes of an array. */
    boolean write(byte[] line, int length, boolean important) {
        CompressedLogWriter now = writer;
        if (now != null && now.write(line, 0, length, important)) {
            return true;
        }
        // Not taken: because there is no room, or because the writer was replaced meanwhile?
        CompressedLogWriter next = now == writer && now != null ? null : replaced();
        return next != null && next != now && next.write(line, 0, length, important);
    }

    /** Waits for a replacement that goes on. */
    private synchronized CompressedLogWriter replaced() {
        return writer;
    }

    CompressedLogWriter writer() {
        return replaced();
    }

    /** A new configuration has an appender for this file. */
    @Override
    public void updateData(Object data) {
        Wanted wanted = (Wanted) data;
        layout = wanted.layout;
        if (wanted.settings.equals(settings) && writer != null) {
            return;
        }
        // throws before anything is closed where they are wrong
        wanted.settings.options(problem -> { });
        replace(wanted.settings);
    }

    private synchronized void replace(Settings by) {
        CompressedLogWriter old = writer;
        writer = null;
        if (old != null) {
            closed(old, STOP_PATIENCE);
        }
        try {
            writer = open(by);
            settings = by;
        } catch (IOException | RuntimeException e) {
            LOGGER.error("`{}` cannot be opened with its new settings, so it keeps the old ones: {}",
                    getName(), e.toString());
            try {
                writer = open(settings);
            } catch (IOException | RuntimeException again) {
                LOGGER.error("`{}` cannot be opened again: {}", getName(), again.toString());
            }
        }
    }

    @Override
    protected boolean releaseSub(long timeout, TimeUnit unit) {
        writeExtra(layout.getFooter());
        CompressedLogWriter last = replaced();
        // Log4j says 0 where nobody has said anything
        return last == null || closed(last, timeout > 0 ? Duration.ofMillis(unit.toMillis(timeout)) : STOP_PATIENCE);
    }

    private boolean closed(CompressedLogWriter last, Duration patience) {
        boolean closed = last.close(patience);
        if (!closed) {
            LOGGER.warn("The disk of `{}` is so slow that what was logged is still being written.", getName());
        }
        return closed;
    }

    private void writeExtra(byte[] bytes) {
        CompressedLogWriter now = writer;
        if (now != null && bytes != null && bytes.length > 0) {
            now.write(bytes);
        }
    }
}
