package io.github.whypause.log4j2;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
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
        } catch (RuntimeException e) {
            org.apache.logging.log4j.status.StatusLogger.getLogger()
                    .error("Appender `{}` logs nothing: {}", getName(), e.getMessage());
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
        settings.whenFull = Settings.whenFull(whenFull);
        settings.maxWait = Settings.time("maxWait", maxWait);
        settings.ringBytes = Settings.size("ringSize", ringSize);
        settings.backlogBytes = Settings.size("backlogSize", backlogSize);
        settings.blockBytes = Settings.size("blockSize", blockSize);
        settings.compressionLevel = compressionLevel;
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
}
