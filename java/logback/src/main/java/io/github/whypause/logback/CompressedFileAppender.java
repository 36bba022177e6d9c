package io.github.whypause.logback;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.github.whypause.logging.CompressedLogWriter;
import io.github.whypause.logging.LogNames;
import io.github.whypause.logging.LogWriterCounters;
import io.github.whypause.logging.LogWriterOptions;
import io.github.whypause.logging.WhenFull;
import java.io.IOException;
import java.nio.file.Paths;

/**
 * An appender for {@code logback.xml} that never has a thread wait for a disk: it is configured as a
 * {@code RollingFileAppender} and writes compressed files.
 *
 * <p>A line is formatted by the thread that logs it, and copied into memory without a lock. Threads
 * of the writer compress it and write it. What went wrong is in Logback's status list, counters are in
 * JMX: see {@link LogWriterCounters}.
 *
 * @param <E> what is logged: {@link ILoggingEvent}, or events of an access log
 */
public class CompressedFileAppender<E> extends UnsynchronizedAppenderBase<E> {
    private static final java.time.Duration STOP_PATIENCE = java.time.Duration.ofSeconds(5);

    private Encoder<E> encoder;
    private String file;
    private CompressedRollingPolicy rollingPolicy;
    private Duration flushEvery;
    private String whenFull;
    private Duration maxWait;
    private String importantFrom;
    private FileSize ringSize;
    private FileSize backlogSize;
    private FileSize blockSize;
    private Integer compressionLevel;

    private int importantFromInt = Level.WARN_INT;
    private volatile CompressedLogWriter writer;

    /** As Logback makes it; its settings follow. */
    public CompressedFileAppender() {}

    @Override
    public void start() {
        if (isStarted()) {
            return;
        }
        if (encoder == null) {
            addError("No <encoder> was set for the appender named \"" + getName() + "\".");
            return;
        }
        try {
            writer = options().open();
        } catch (IOException | RuntimeException | LinkageError e) {
            addError("Appender \"" + getName() + "\" logs nothing: " + reason(e), e);
            return;
        }
        super.start();
    }

    /** Writes what was logged, and ends. Waits for the disk for up to 5 s. */
    @Override
    public void stop() {
        if (!isStarted()) {
            return;
        }
        super.stop();
        writeExtra(encoder.footerBytes());
        if (!writer.close(STOP_PATIENCE)) {
            addWarn("The disk of `" + writer.counters().getFile() + "` is so slow that "
                    + "what was logged is still being written.");
        }
    }

    @Override
    protected void append(E event) {
        byte[] line = encoder.encode(event);
        if (line != null) {
            writer.write(line, 0, line.length, isImportant(event));
        }
    }

    private boolean isImportant(E event) {
        return !(event instanceof ILoggingEvent)
                || ((ILoggingEvent) event).getLevel().levelInt >= importantFromInt;
    }

    private void writeExtra(byte[] bytes) {
        if (bytes != null && bytes.length > 0) {
            writer.write(bytes);
        }
    }

    /**
     * Has all that was logged so far handed to the kernel, and waits for that.
     *
     * @param patience for how long
     * @return whether it was done in time
     * @throws InterruptedException where the thread is interrupted meanwhile
     */
    public boolean flush(java.time.Duration patience) throws InterruptedException {
        CompressedLogWriter open = writer;
        return open != null && open.flush(patience);
    }

    /**
     * What was done so far.
     *
     * @return the counters; {@code null} before the start
     */
    public LogWriterCounters getCounters() {
        CompressedLogWriter open = writer;
        return open == null ? null : open.counters();
    }

    private LogWriterOptions options() {
        String pattern = rollingPolicy == null ? null : rollingPolicy.fileNamePattern;
        LogNames names = new LogNames(file, pattern);
        if (file == null && pattern == null) {
            throw new IllegalArgumentException("it needs <file>, or <fileNamePattern> in its <rollingPolicy>");
        }
        if (rollingPolicy != null && pattern == null) {
            throw new IllegalArgumentException("its <rollingPolicy> needs <fileNamePattern>");
        }
        if (file != null && !file.equals(names.file())) {
            addInfo("The file is compressed, too, so its name is `" + names.file() + "`.");
        }
        LogWriterOptions options = file == null ? LogWriterOptions.pattern(names.pattern())
                : LogWriterOptions.file(Paths.get(names.file()));
        options.onProblem(this::addWarn);
        if (rollingPolicy == null) {
            addWarn("There is no <rollingPolicy>, so `" + names.file() + "` is never rolled. "
                    + "Where there is one: it must not name a class of Logback.");
        } else {
            options.rollTo(names.pattern());
            roll(options);
        }
        tune(options);
        byte[] header = encoder.headerBytes();
        if (header != null) {
            options.header(header);
        }
        return options;
    }

    private void roll(LogWriterOptions options) {
        CompressedRollingPolicy policy = rollingPolicy;
        // as in Logback's policies, 0 is no limit
        if (policy.maxFileSize != null && policy.maxFileSize.getSize() != 0) {
            options.maxFileBytes(policy.maxFileSize.getSize());
        }
        if (policy.maxHistory != 0) {
            options.maxHistory(policy.maxHistory);
        }
        if (policy.maxFiles != 0) {
            options.maxFiles(policy.maxFiles);
        }
        if (policy.totalSizeCap != null && policy.totalSizeCap.getSize() != 0) {
            options.maxTotalBytes(policy.totalSizeCap.getSize());
        }
    }

    private void tune(LogWriterOptions options) {
        if (flushEvery != null) {
            options.flushEvery(java.time.Duration.ofMillis(flushEvery.getMilliseconds()));
        }
        if (whenFull != null) {
            options.whenFull(WhenFull.of(whenFull));
        }
        if (maxWait != null) {
            options.maxWait(java.time.Duration.ofMillis(maxWait.getMilliseconds()));
        }
        if (importantFrom != null) {
            Level level = Level.toLevel(importantFrom, null);
            if (level == null) {
                throw new IllegalArgumentException("<importantFrom> is a level such as WARN, not `"
                        + importantFrom + "`");
            }
            importantFromInt = level.levelInt;
        }
        if (ringSize != null) {
            options.ringBytes((int) Math.min(ringSize.getSize(), Integer.MAX_VALUE));
        }
        if (backlogSize != null) {
            options.backlogBytes(backlogSize.getSize());
        }
        if (blockSize != null) {
            options.blockBytes((int) Math.min(blockSize.getSize(), Integer.MAX_VALUE));
        }
        if (compressionLevel != null) {
            options.level(compressionLevel);
        }
    }

    private static String reason(Throwable e) {
        return e instanceof IllegalArgumentException && e.getMessage() != null ? e.getMessage() : e.toString();
    }

    /**
     * What makes bytes of an event. Each file begins with its header; its footer is written at the stop,
     * not into each rolled file.
     *
     * @param encoder by default a {@code PatternLayoutEncoder}
     */
    public void setEncoder(Encoder<E> encoder) {
        this.encoder = encoder;
    }

    /**
     * The file that is written.
     *
     * @param file its end says how it is compressed; {@code .gz} is added where it does not
     */
    public void setFile(String file) {
        this.file = file == null ? null : file.trim();
    }

    /**
     * How files are rolled.
     *
     * @param policy without {@code class} in the configuration, as there is one such class only
     */
    public void setRollingPolicy(CompressedRollingPolicy policy) {
        this.rollingPolicy = policy;
    }

    /**
     * When what was logged is handed to the kernel. 1 second by default.
     *
     * @param period see {@link LogWriterOptions#flushEvery}
     */
    public void setFlushEvery(Duration period) {
        this.flushEvery = period;
    }

    /**
     * What happens to a line when memory is full, because the disk is too slow. {@code drop} by default.
     *
     * @param policy {@code drop}, {@code wait} or {@code dropUnimportant}: see {@link WhenFull}
     */
    public void setWhenFull(String policy) {
        this.whenFull = policy;
    }

    /**
     * For how long a thread may wait with {@code wait} and {@code dropUnimportant}. 100 ms by default.
     *
     * @param time from 0 on
     */
    public void setMaxWait(Duration time) {
        this.maxWait = time;
    }

    /**
     * From which level on {@code dropUnimportant} waits rather than drops. {@code WARN} by default.
     *
     * @param level a level
     */
    public void setImportantFrom(String level) {
        this.importantFrom = level;
    }

    /**
     * Memory between those who log and the thread that compresses. 8 MB by default.
     *
     * @param size see {@link LogWriterOptions#ringBytes}
     */
    public void setRingSize(FileSize size) {
        this.ringSize = size;
    }

    /**
     * Memory for compressed blocks while the disk is slower than the log. 32 MB by default.
     *
     * @param size see {@link LogWriterOptions#backlogBytes}
     */
    public void setBacklogSize(FileSize size) {
        this.backlogSize = size;
    }

    /**
     * How much is compressed into one block at most. 1 MB by default.
     *
     * @param size see {@link LogWriterOptions#blockBytes}
     */
    public void setBlockSize(FileSize size) {
        this.blockSize = size;
    }

    /**
     * How hard to compress.
     *
     * @param level see {@link LogWriterOptions#level(int)}
     */
    public void setCompressionLevel(int level) {
        this.compressionLevel = level;
    }

    /**
     * Accepted for configurations of a {@code RollingFileAppender}: files are always continued.
     *
     * @param append {@code false} is not possible
     */
    public void setAppend(boolean append) {
        if (!append) {
            addWarn("<append>false</append> has no effect: files are always continued.");
        }
    }

    /**
     * Accepted for configurations of a {@code RollingFileAppender}, without effect: see {@link
     * #setFlushEvery}.
     *
     * @param immediately ignored
     */
    public void setImmediateFlush(boolean immediately) {
        if (immediately) {
            addInfo("<immediateFlush> has no effect: see <flushEvery>.");
        }
    }

    /**
     * Accepted for configurations of a {@code RollingFileAppender}.
     *
     * @param prudent {@code true} is not possible: only one process may write to a file
     */
    public void setPrudent(boolean prudent) {
        if (prudent) {
            addWarn("<prudent> has no effect: only one process may write to a file.");
        }
    }
}
