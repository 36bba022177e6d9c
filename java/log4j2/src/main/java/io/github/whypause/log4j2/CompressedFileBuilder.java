package io.github.whypause.log4j2;

import io.github.whypause.logging.WhenFull;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.CronTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.OnStartupTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;

/** The attributes of {@code <CompressedFile>}, and what may be in it. */
public final class CompressedFileBuilder extends AbstractAppender.Builder<CompressedFileBuilder>
        implements org.apache.logging.log4j.core.util.Builder<CompressedFileAppender> {
    @PluginBuilderAttribute
    private String fileName;
    @PluginBuilderAttribute
    private String filePattern;
    @PluginBuilderAttribute
    private String maxFileSize;
    @PluginBuilderAttribute
    private Integer maxHistory;
    @PluginBuilderAttribute
    private Integer maxFiles;
    @PluginBuilderAttribute
    private String totalSizeCap;
    @PluginBuilderAttribute
    private String flushEvery;
    @PluginBuilderAttribute
    private String whenFull;
    @PluginBuilderAttribute
    private String maxWait;
    @PluginBuilderAttribute
    private String importantFrom;
    @PluginBuilderAttribute
    private String ringSize;
    @PluginBuilderAttribute
    private String backlogSize;
    @PluginBuilderAttribute
    private String blockSize;
    @PluginBuilderAttribute
    private Integer compressionLevel;
    /** As in configurations of a RollingFile: files are always continued. */
    @PluginBuilderAttribute
    private boolean append = true;
    /** As in configurations of a RollingFile: see {@link #flushEvery}. */
    @PluginBuilderAttribute
    private boolean immediateFlush;
    /** As in configurations of a RollingFile. */
    @PluginBuilderAttribute
    private boolean bufferedIo;
    /** As in configurations of a RollingFile. */
    @PluginBuilderAttribute
    private int bufferSize;
    @PluginBuilderAttribute
    private String filePermissions;
    @PluginElement("Policy")
    private TriggeringPolicy policy;
    @PluginElement("Strategy")
    private RolloverStrategy strategy;

    CompressedFileBuilder() {}

    /**
     * Opens the file.
     *
     * @return the appender; {@code null} where that is not possible, which Log4j's status logger is told
     */
    @Override
    public CompressedFileAppender build() {
        try {
            Layout<? extends java.io.Serializable> layout = getOrCreateLayout();
            Level important = Level.toLevel(importantFrom == null ? "WARN" : importantFrom, null);
            if (important == null) {
                throw new IllegalArgumentException("importantFrom is a level such as WARN, not `"
                        + importantFrom + "`");
            }
            if (getName() == null) {
                throw new IllegalArgumentException("it needs a name");
            }
            Settings settings = settings();
            WriterManager manager = WriterManager.of(new WriterManager.Wanted(
                    getConfiguration() == null ? null : getConfiguration().getLoggerContext(), settings, layout));
            return new CompressedFileAppender(getName(), getFilter(), layout, isIgnoreExceptions(),
                    getPropertyArray(), manager, important);
        } catch (RuntimeException | LinkageError e) {
            org.apache.logging.log4j.status.StatusLogger.getLogger()
                    .error("Appender `{}` logs nothing: {}", getName(), e.getMessage(), e);
            return null;
        }
    }

    private Settings settings() {
        Settings settings = new Settings(fileName, filePattern);
        settings.maxFileBytes = Settings.size("maxFileSize", maxFileSize);
        settings.maxHistory = maxHistory;
        settings.maxFiles = maxFiles;
        settings.totalBytes = Settings.size("totalSizeCap", totalSizeCap);
        settings.flushEvery = Settings.time("flushEvery", flushEvery);
        settings.whenFull = whenFull == null ? null : WhenFull.of(whenFull);
        settings.maxWait = Settings.time("maxWait", maxWait);
        settings.ringBytes = Settings.size("ringSize", ringSize);
        settings.backlogBytes = Settings.size("backlogSize", backlogSize);
        settings.blockBytes = Settings.size("blockSize", blockSize);
        settings.compressionLevel = compressionLevel;
        settings.permissions = filePermissions == null ? null : PosixFilePermissions.fromString(filePermissions);
        take(policy, settings);
        if (strategy != null) {
            warn("<" + strategy.getClass().getSimpleName() + "> has no effect; see maxHistory, maxFiles and "
                    + "totalSizeCap for what is deleted");
        }
        if (!append) {
            warn("append=\"false\" has no effect: files are always continued");
        }
        return settings;
    }

    /** The policies that mean something here. */
    private void take(TriggeringPolicy one, Settings settings) {
        if (one instanceof CompositeTriggeringPolicy) {
            for (TriggeringPolicy each : ((CompositeTriggeringPolicy) one).getTriggeringPolicies()) {
                take(each, settings);
            }
        } else if (one instanceof SizeBasedTriggeringPolicy) {
            if (settings.maxFileBytes == null) {
                settings.maxFileBytes = ((SizeBasedTriggeringPolicy) one).getMaxFileSize();
            }
        } else if (one instanceof CronTriggeringPolicy) {
            settings.schedule = ((CronTriggeringPolicy) one).getCronExpression();
        } else if (one instanceof OnStartupTriggeringPolicy) {
            settings.rollAtStart = true;
        } else if (one instanceof TimeBasedTriggeringPolicy) {
            if (((TimeBasedTriggeringPolicy) one).getInterval() != 1) {
                warn("the interval of <TimeBasedTriggeringPolicy> has no effect: the finest unit of %d says "
                        + "how often files are rolled");
            }
        } else if (one != null) {
            warn("<" + one.getClass().getSimpleName() + "> has no effect");
        }
    }

    private void warn(String problem) {
        org.apache.logging.log4j.status.StatusLogger.getLogger().warn("Appender `{}`: {}.", getName(), problem);
    }

    /**
     * The file that is written.
     *
     * @param name its end says how it is compressed; {@code .gz} is added where it does not
     * @return this
     */
    public CompressedFileBuilder setFileName(String name) {
        this.fileName = name;
        return this;
    }

    /**
     * Names of rolled files.
     *
     * @param pattern with {@code %d{yyyy-MM-dd}}, whose finest unit says how often files are rolled,
     *     and {@code %i}, which counts the files of one period from 0 on
     * @return this
     */
    public CompressedFileBuilder setFilePattern(String pattern) {
        this.filePattern = pattern;
        return this;
    }

    /**
     * Rolls a file once it is so long on disk, that is, compressed.
     *
     * @param size such as {@code 100 MB}
     * @return this
     */
    public CompressedFileBuilder setMaxFileSize(String size) {
        this.maxFileSize = size;
        return this;
    }

    /**
     * How many periods before the present one are kept.
     *
     * @param periods days, where the pattern has days
     * @return this
     */
    public CompressedFileBuilder setMaxHistory(int periods) {
        this.maxHistory = periods;
        return this;
    }

    /**
     * How many rolled files are kept.
     *
     * @param files from 0 on
     * @return this
     */
    public CompressedFileBuilder setMaxFiles(int files) {
        this.maxFiles = files;
        return this;
    }

    /**
     * How long all rolled files together may be.
     *
     * @param size such as {@code 3 GB}
     * @return this
     */
    public CompressedFileBuilder setTotalSizeCap(String size) {
        this.totalSizeCap = size;
        return this;
    }

    /**
     * When what was logged is handed to the kernel. 1 s by default.
     *
     * @param period such as {@code 500 ms}
     * @return this
     */
    public CompressedFileBuilder setFlushEvery(String period) {
        this.flushEvery = period;
        return this;
    }

    /**
     * What happens to a line when memory is full. {@code drop} by default.
     *
     * @param word {@code drop}, {@code wait} or {@code dropUnimportant}: see {@link WhenFull}
     * @return this
     */
    public CompressedFileBuilder setWhenFull(String word) {
        this.whenFull = word;
        return this;
    }

    /**
     * For how long a thread may wait with {@code wait} and {@code dropUnimportant}. 100 ms by default.
     *
     * @param time such as {@code 1 s}
     * @return this
     */
    public CompressedFileBuilder setMaxWait(String time) {
        this.maxWait = time;
        return this;
    }

    /**
     * From which level on {@code dropUnimportant} waits rather than drops. {@code WARN} by default.
     *
     * @param level a level
     * @return this
     */
    public CompressedFileBuilder setImportantFrom(String level) {
        this.importantFrom = level;
        return this;
    }

    /**
     * Memory between those who log and the thread that compresses. 8 MB by default.
     *
     * @param size such as {@code 16 MB}
     * @return this
     */
    public CompressedFileBuilder setRingSize(String size) {
        this.ringSize = size;
        return this;
    }

    /**
     * Memory for compressed blocks while the disk is slower than the log. 32 MB by default.
     *
     * @param size such as {@code 64 MB}
     * @return this
     */
    public CompressedFileBuilder setBacklogSize(String size) {
        this.backlogSize = size;
        return this;
    }

    /**
     * How much is compressed into one block at most. 1 MB by default.
     *
     * @param size such as {@code 256 KB}
     * @return this
     */
    public CompressedFileBuilder setBlockSize(String size) {
        this.blockSize = size;
        return this;
    }

    /**
     * How hard to compress.
     *
     * @param hard 1 to 9 for gzip, 1 to 22 for zstd
     * @return this
     */
    public CompressedFileBuilder setCompressionLevel(int hard) {
        this.compressionLevel = hard;
        return this;
    }

    /**
     * When files are rolled, as in {@code <Policies>} of a RollingFile.
     *
     * @param policies one of Log4j's policies, or several in a {@code CompositeTriggeringPolicy}
     * @return this
     */
    public CompressedFileBuilder setPolicy(TriggeringPolicy policies) {
        this.policy = policies;
        return this;
    }

    /**
     * Accepted for configurations of a RollingFile, without effect: see {@link #setMaxFiles}.
     *
     * @param ignored a warning says that it has no effect
     * @return this
     */
    public CompressedFileBuilder setStrategy(RolloverStrategy ignored) {
        this.strategy = ignored;
        return this;
    }

    /**
     * Who may read and write new files. By default the process' umask says it.
     *
     * @param all such as {@code rw-r-----}
     * @return this
     */
    public CompressedFileBuilder setFilePermissions(String all) {
        this.filePermissions = all;
        return this;
    }
}
