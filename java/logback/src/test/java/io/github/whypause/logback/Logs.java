package io.github.whypause.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
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
import org.slf4j.MDC;
import org.slf4j.spi.MDCAdapter;

/** Logback with a configuration, and the files that it wrote. */
final class Logs implements AutoCloseable {
    static final String ENCODER = "<encoder><pattern>%level %msg%n</pattern></encoder>";
    final LoggerContext context = context();

    /** One of its own, with what SLF4J gives to that of an application. */
    private static LoggerContext context() {
        LoggerContext made = new LoggerContext();
        try {
            LoggerContext.class.getMethod("setMDCAdapter", MDCAdapter.class).invoke(made, MDC.getMDCAdapter());
        } catch (NoSuchMethodException e) {
            // before Logback 1.4.8 it finds it by itself
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        return made;
    }

    Logs(String appender) {
        configure(appender);
    }

    /** As Logback does it when a configuration has changed. */
    void configure(String appender) {
        context.reset();
        JoranConfigurator joran = new JoranConfigurator();
        joran.setContext(context);
        String xml = "<configuration><appender name='FILE' "
                + "class='io.github.whypause.logback.CompressedFileAppender'>" + appender
                + "</appender><root level='DEBUG'><appender-ref ref='FILE'/></root></configuration>";
        try {
            joran.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
        } catch (JoranException e) {
            throw new AssertionError(e);
        }
    }

    org.slf4j.Logger logger() {
        return context.getLogger("test");
    }

    @SuppressWarnings("unchecked")
    CompressedFileAppender<ch.qos.logback.classic.spi.ILoggingEvent> appender() {
        return (CompressedFileAppender<ch.qos.logback.classic.spi.ILoggingEvent>)
                context.getLogger("ROOT").getAppender("FILE");
    }

    /** Warnings and errors. */
    List<String> complaints() {
        return context.getStatusManager().getCopyOfStatusList().stream()
                .filter(it -> it.getEffectiveLevel() >= Status.WARN)
                .map(Status::getMessage).collect(Collectors.toList());
    }

    @Override
    public void close() {
        context.stop();
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
