package io.github.whypause.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.whypause.logging.LogWriterCounters;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;

/** Log4j with a configuration, and the files that it wrote. */
final class Logs implements AutoCloseable {
    static final String LAYOUT = "<PatternLayout pattern='%level %msg%n'/>";
    final LoggerContext context = new LoggerContext("test");
    private final List<String> complaints = new ArrayList<>();
    private final StatusListener listener = new StatusListener() {
        @Override
        public void log(StatusData data) {
            synchronized (complaints) {
                complaints.add(data.getMessage().getFormattedMessage());
            }
        }

        @Override
        public Level getStatusLevel() {
            return Level.WARN;
        }

        @Override
        public void close() {}
    };

    Logs(String attributes, String elements) {
        StatusLogger.getLogger().registerListener(listener);
        context.start(configuration(attributes, elements));
    }

    /** As Log4j does it when a configuration has changed. */
    void configure(String attributes, String elements) {
        context.setConfiguration(configuration(attributes, elements));
    }

    private Configuration configuration(String attributes, String elements) {
        String xml = "<Configuration status='OFF'><Appenders><CompressedFile name='FILE' " + attributes + ">"
                + elements + "</CompressedFile></Appenders><Loggers><Root level='debug'>"
                + "<AppenderRef ref='FILE'/></Root></Loggers></Configuration>";
        try {
            ConfigurationSource source = new ConfigurationSource(
                    new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
            return new org.apache.logging.log4j.core.config.xml.XmlConfiguration(context, source);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    Logger logger() {
        return context.getLogger("test");
    }

    CompressedFileAppender appender() {
        return context.getConfiguration().getAppender("FILE");
    }

    /** Warnings and errors. */
    List<String> complaints() {
        synchronized (complaints) {
            return new ArrayList<>(complaints);
        }
    }

    @Override
    public void close() {
        context.stop();
        StatusLogger.getLogger().removeListener(listener);
    }

    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(it -> it.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    /** The lines of a file, as java.util.zip and the program zcat read it. */
    static List<String> lines(Path file) throws IOException {
        String text;
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            text = text(in);
        }
        Process zcat = null;
        try {
            zcat = new ProcessBuilder("zcat", file.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (IOException e) {
            System.out.println("SKIPPED: no program zcat: " + e.getMessage());
        }
        if (zcat != null) {
            assertEquals(text, text(zcat.getInputStream()));
        }
        return text.isEmpty() ? new ArrayList<>() : Arrays.asList(text.split("\n"));
    }

    private static String text(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
            all.write(piece, 0, length);
        }
        return new String(all.toByteArray(), StandardCharsets.UTF_8);
    }

    /**
     * Logs lines until some found no room, and at least 20,000: a writer may keep up for long with a
     * thread that gets less CPU. Ends after a minute whatever was dropped.
     *
     * @return how often {@code line} was called
     */
    static int untilDropped(LogWriterCounters counters, IntConsumer line) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        int logged = 0;
        while (logged < 20_000 || counters.getDroppedLines() == 0 && System.nanoTime() < end) {
            line.accept(logged++);
        }
        return logged;
    }
}
