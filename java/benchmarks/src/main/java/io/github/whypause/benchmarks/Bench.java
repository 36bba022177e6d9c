package io.github.whypause.benchmarks;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What is compared: each of them logs to files below a folder, and compresses them.
 *
 * <p>All lines are six files of 10100 KB, so that nearly nothing stays in the present file, which the
 * frameworks do not compress.
 */
public enum Bench {
    /** Logback's own, asynchronous, best settings. */
    LOGBACK_OWN {
        @Override
        Log open(Path folder) {
            return new LogbackLog(folder, "<appender name='F' class='ch.qos.logback.core.rolling.RollingFileAppender'>"
                    + "<file>" + folder + "/app.log</file><immediateFlush>false</immediateFlush>"
                    + "<rollingPolicy class='ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy'>"
                    + "<fileNamePattern>" + folder + "/app-%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>"
                    + "<maxFileSize>10100KB</maxFileSize></rollingPolicy>"
                    + ENCODER + "</appender>"
                    + "<appender name='A' class='ch.qos.logback.classic.AsyncAppender'>"
                    + "<queueSize>65536</queueSize><discardingThreshold>0</discardingThreshold>"
                    + "<neverBlock>false</neverBlock><maxFlushTime>60000</maxFlushTime>"
                    + "<appender-ref ref='F'/></appender>", "A");
        }
    },
    /** Ours, gzip. */
    LOGBACK_GZIP {
        @Override
        Log open(Path folder) {
            return oursInLogback(folder, "gz");
        }
    },
    /** Ours, zstd. */
    LOGBACK_ZSTD {
        @Override
        Log open(Path folder) {
            return oursInLogback(folder, "zst");
        }
    },
    /** Log4j's own behind its AsyncAppender. */
    LOG4J_OWN {
        @Override
        Log open(Path folder) {
            return new Log4jLog(rollingFile(folder) + "<Async name='A' bufferSize='65536' blocking='true' "
                    + "shutdownTimeout='60000'><AppenderRef ref='F'/></Async>", "Root", "A");
        }
    },
    /** Log4j's own with asynchronous loggers. */
    LOG4J_OWN_LOGGERS {
        @Override
        Log open(Path folder) {
            return new Log4jLog(rollingFile(folder), "AsyncRoot", "F");
        }
    },
    /** Ours, gzip. */
    LOG4J_GZIP {
        @Override
        Log open(Path folder) {
            return oursInLog4j(folder, "gz");
        }
    },
    /** Ours, zstd. */
    LOG4J_ZSTD {
        @Override
        Log open(Path folder) {
            return oursInLog4j(folder, "zst");
        }
    };

    private static final String ENCODER = "<encoder><pattern>%msg%n</pattern></encoder>";

    /** A log that is open. */
    interface Log extends AutoCloseable {
        Consumer<String> logger();

        /** Returns when all is written and compressed. */
        @Override
        void close();
    }

    abstract Log open(Path folder);

    private static Log oursInLogback(Path folder, String extension) {
        return new LogbackLog(folder, "<appender name='F' class='io.github.whypause.logback.CompressedFileAppender'>"
                + "<file>" + folder + "/app.log." + extension + "</file>"
                + "<rollingPolicy><fileNamePattern>" + folder + "/app-%d{yyyy-MM-dd}.%i.log." + extension
                + "</fileNamePattern><maxFileSize>2MB</maxFileSize></rollingPolicy>"
                + "<whenFull>wait</whenFull><maxWait>60 seconds</maxWait>" + ENCODER + "</appender>", "F");
    }

    private static Log oursInLog4j(Path folder, String extension) {
        return new Log4jLog("<CompressedFile name='F' fileName='" + folder + "/app.log." + extension
                + "' filePattern='" + folder + "/app-%d{yyyy-MM-dd}-%i.log." + extension + "' maxFileSize='2 MB' "
                + "whenFull='wait' maxWait='60 s'><PatternLayout pattern='%msg%n'/></CompressedFile>", "Root", "F");
    }

    private static String rollingFile(Path folder) {
        return "<RollingFile name='F' fileName='" + folder + "/app.log' immediateFlush='false' filePattern='"
                + folder + "/app-%d{yyyy-MM-dd}-%i.log.gz'><PatternLayout pattern='%msg%n'/>"
                + "<Policies><SizeBasedTriggeringPolicy size='10100 KB'/></Policies>"
                + "<DefaultRolloverStrategy fileIndex='nomax'/></RollingFile>";
    }
}
