package io.github.whypause.logback;

import ch.qos.logback.core.util.FileSize;

/**
 * How files are rolled: {@code <rollingPolicy>} of a {@link CompressedFileAppender}, with the settings
 * of Logback's {@code SizeAndTimeBasedRollingPolicy}.
 */
public class CompressedRollingPolicy {
    String fileNamePattern;
    FileSize maxFileSize;
    int maxHistory;
    int maxFiles;
    FileSize totalSizeCap;

    /** With no limits and no names yet. */
    public CompressedRollingPolicy() {}

    /**
     * Names of rolled files. Required.
     *
     * @param pattern with {@code %d{yyyy-MM-dd}}, whose finest unit says how often files are rolled,
     *     and {@code %i}, which counts the files of one period from 0 on
     */
    public void setFileNamePattern(String pattern) {
        this.fileNamePattern = pattern;
    }

    /**
     * Rolls a file once it is so long on disk, that is, compressed. Not limited by default.
     *
     * @param size such as {@code 100MB}
     */
    public void setMaxFileSize(FileSize size) {
        this.maxFileSize = size;
    }

    /**
     * How many periods before the present one are kept. Not limited by default, and by 0.
     *
     * @param periods days, where the pattern has days
     */
    public void setMaxHistory(int periods) {
        this.maxHistory = periods;
    }

    /**
     * How many rolled files are kept. Not limited by default, and by 0.
     *
     * @param files a number
     */
    public void setMaxFiles(int files) {
        this.maxFiles = files;
    }

    /**
     * How long all rolled files together may be. Not limited by default, and by 0.
     *
     * @param size such as {@code 3GB}
     */
    public void setTotalSizeCap(FileSize size) {
        this.totalSizeCap = size;
    }

    /**
     * Has no effect: old files are always deleted at the start.
     *
     * @param clean ignored
     */
    public void setCleanHistoryOnStart(boolean clean) {
        // for configurations that were made for Logback's policy
    }
}
