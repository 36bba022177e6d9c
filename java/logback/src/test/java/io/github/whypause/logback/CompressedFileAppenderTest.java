package io.github.whypause.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.github.whypause.logging.LogWriterCounters;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompressedFileAppenderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private String file() {
        return "<file>" + folder + "/app.log</file>";
    }

    private String rolling(String more) {
        return "<rollingPolicy><fileNamePattern>" + folder + "/app-%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>"
                + more + "</rollingPolicy>";
    }

    @Test
    void linesOfTwoThreadsKeepTheirOrder() throws Exception {
        List<String> complaints;
        try (Logs logs = new Logs(file() + rolling("") + Logs.ENCODER)) {
            Thread[] threads = new Thread[2];
            for (int t = 0; t < threads.length; t++) {
                String name = "thread" + t;
                threads[t] = new Thread(() -> {
                    for (int i = 0; i < 5000; i++) {
                        logs.logger().info("{} {}", name, i);
                    }
                });
                threads[t].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            complaints = logs.complaints();
        }
        assertEquals(new ArrayList<>(), complaints);
        List<String> lines = Logs.lines(folder.resolve("app.log.gz"));
        assertEquals(10_000, lines.size());
        for (String name : new String[] {"thread0", "thread1"}) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                expected.add("INFO " + name + " " + i);
            }
            assertEquals(expected, lines.stream().filter(it -> it.contains(name)).collect(Collectors.toList()));
        }
    }

    @Test
    void filesAreRolledBySizeAndDeletedByNumber() throws Exception {
        Random random = new Random(1);
        try (Logs logs = new Logs(file() + rolling("<maxFileSize>1KB</maxFileSize><maxFiles>2</maxFiles>")
                + Logs.ENCODER)) {
            for (int i = 0; i < 5; i++) {
                for (int j = 0; j < 100; j++) {
                    logs.logger().info("block{} {}", i, Long.toHexString(random.nextLong()));
                }
                assertTrue(logs.appender().flush(PATIENCE));
            }
            assertEquals(new ArrayList<>(), logs.complaints());
            assertEquals(4, logs.appender().getCounters().getRolledFiles());
        }
        String day = LocalDate.now().toString();
        assertEquals(Arrays.asList("app-" + day + ".2.log.gz", "app-" + day + ".3.log.gz", "app.log.gz"),
                Logs.names(folder));
        assertTrue(Logs.lines(folder.resolve("app-" + day + ".3.log.gz")).get(99).startsWith("INFO block3"));
        assertTrue(Logs.lines(folder.resolve("app.log.gz")).get(0).startsWith("INFO block4"));
    }

    @Test
    void oldFilesAreDeletedByAgeAndBySize() throws Exception {
        LocalDate today = LocalDate.now();
        for (int age = 1; age <= 5; age++) {
            Files.write(folder.resolve("app-" + today.minusDays(age) + ".0.log.gz"), new byte[1000]);
        }
        new Logs(file() + rolling("<maxHistory>3</maxHistory>") + Logs.ENCODER).close();
        assertEquals(4, Logs.names(folder).size());
        new Logs(file() + rolling("<maxHistory>3</maxHistory><totalSizeCap>2KB</totalSizeCap>") + Logs.ENCODER)
                .close();
        assertEquals(Arrays.asList("app-" + today.minusDays(2) + ".0.log.gz",
                "app-" + today.minusDays(1) + ".0.log.gz", "app.log.gz"), Logs.names(folder));
    }

    @Test
    void withoutFileTheNamesAreThoseOfThePattern() throws Exception {
        try (Logs logs = new Logs("<rollingPolicy><fileNamePattern>" + folder
                + "/%d{yyyy, aux}/app.%d.log</fileNamePattern></rollingPolicy>" + Logs.ENCODER)) {
            logs.logger().info("one");
            assertEquals(new ArrayList<>(), logs.complaints());
        }
        LocalDate today = LocalDate.now();
        assertEquals(Arrays.asList("INFO one"),
                Logs.lines(folder.resolve(today.getYear() + "/app." + today + ".log.gz")));
    }

    @Test
    void aNewConfigurationContinuesTheFile() throws Exception {
        String first = file() + rolling("") + Logs.ENCODER;
        try (Logs logs = new Logs(first)) {
            AtomicBoolean end = new AtomicBoolean();
            Thread other = new Thread(() -> {
                while (!end.get()) {
                    logs.logger().debug("meanwhile");
                }
            });
            other.start();
            for (int i = 0; i < 5; i++) {
                logs.logger().info("before {}", i);
                logs.configure(i % 2 == 0 ? first.replace("%msg", "new %msg") : first);
                logs.logger().info("after {}", i);
            }
            end.set(true);
            other.join();
            // Logback says that nobody took what the other thread logged between the two
            assertEquals(new ArrayList<>(), logs.complaints().stream()
                    .filter(it -> !it.contains("non started") && !it.startsWith("No appenders"))
                    .collect(Collectors.toList()));
        }
        List<String> lines = Logs.lines(folder.resolve("app.log.gz")).stream()
                .filter(it -> it.startsWith("INFO")).collect(Collectors.toList());
        assertEquals(10, lines.size());
        assertEquals("INFO before 0", lines.get(0));
        assertEquals("INFO new after 0", lines.get(1));
        assertEquals("INFO new before 1", lines.get(2));
        assertEquals("INFO after 1", lines.get(3));
    }

    /** Throws for one message. */
    public static final class Throwing extends EncoderBase<ILoggingEvent> {
        @Override
        public byte[] headerBytes() {
            return "header\n".getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] encode(ILoggingEvent event) {
            if (event.getMessage().equals("bad")) {
                throw new IllegalStateException("cannot encode that");
            }
            return (event.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] footerBytes() {
            return "footer\n".getBytes(StandardCharsets.UTF_8);
        }
    }

    @Test
    void anEncoderThatThrowsLosesItsLineOnly() throws Exception {
        List<String> complaints;
        try (Logs logs = new Logs(file() + "<encoder class='" + Throwing.class.getName() + "'/>" + rolling(""))) {
            logs.logger().info("one");
            logs.logger().info("bad");
            logs.logger().info("two");
            complaints = logs.complaints();
        }
        assertEquals(Arrays.asList("header", "one", "two", "footer"), Logs.lines(folder.resolve("app.log.gz")));
        assertEquals(1, complaints.size(), complaints.toString());
    }

    @Test
    void whatIsDroppedIsCountedAlsoInJmx() throws Exception {
        LogWriterCounters counters;
        int logged;
        try (Logs logs = new Logs(file() + rolling("") + "<ringSize>4KB</ringSize>" + Logs.ENCODER)) {
            counters = logs.appender().getCounters();
            logged = Logs.untilDropped(counters, i -> logs.logger().info("a line that fills up the small ring: {}", i));
            assertTrue(logs.appender().flush(PATIENCE));
            ObjectName name = new ObjectName("io.github.whypause.logging:type=CompressedLogWriter,name="
                    + ObjectName.quote(folder + "/app.log.gz"));
            assertEquals(counters.getDroppedLines(),
                    ManagementFactory.getPlatformMBeanServer().getAttribute(name, "DroppedLines"));
        }
        assertTrue(counters.getDroppedLines() > 0);
        assertEquals(logged, counters.getWrittenLines() + counters.getDroppedLines());
        assertEquals(counters.getWrittenLines(), Logs.lines(folder.resolve("app.log.gz")).size());
    }

    @Test
    void importantLinesAreKeptWhereOthersAreDropped() throws Exception {
        LogWriterCounters counters;
        int logged;
        try (Logs logs = new Logs(file() + rolling("") + "<ringSize>4KB</ringSize>"
                + "<whenFull>dropUnimportant</whenFull><maxWait>20 seconds</maxWait>"
                + "<importantFrom>ERROR</importantFrom>" + Logs.ENCODER)) {
            counters = logs.appender().getCounters();
            logged = Logs.untilDropped(counters, i -> {
                logs.logger().warn("unimportant");
                if (i % 100 == 0) {
                    logs.logger().error("important");
                }
            });
        }
        assertTrue(counters.getDroppedLines() > 0);
        assertEquals((logged + 99) / 100, Logs.lines(folder.resolve("app.log.gz")).stream()
                .filter(it -> it.equals("ERROR important")).count());
    }

    @Test
    void whoWaitsLosesNothing() throws Exception {
        try (Logs logs = new Logs(file() + rolling("") + "<ringSize>4KB</ringSize><whenFull>WAIT</whenFull>"
                + "<maxWait>20 seconds</maxWait><flushEvery>10 milliseconds</flushEvery>"
                + "<backlogSize>1MB</backlogSize><blockSize>64KB</blockSize>"
                + "<compressionLevel>1</compressionLevel>" + Logs.ENCODER)) {
            for (int i = 0; i < 10_000; i++) {
                logs.logger().info("line");
            }
            assertEquals(new ArrayList<>(), logs.complaints());
        }
        assertEquals(10_000, Logs.lines(folder.resolve("app.log.gz")).size());
    }

    @Test
    void settingsOfARollingFileAppenderAreAccepted() throws Exception {
        try (Logs logs = new Logs(file() + "<append>true</append><prudent>false</prudent>"
                + "<immediateFlush>false</immediateFlush>" + Logs.ENCODER
                + rolling("<maxFileSize>100MB</maxFileSize><maxHistory>60</maxHistory>"
                        + "<totalSizeCap>20GB</totalSizeCap><cleanHistoryOnStart>true</cleanHistoryOnStart>"))) {
            logs.logger().info("one");
            assertEquals(new ArrayList<>(), logs.complaints());
        }
    }

    @Test
    void theConfigurationInTheReadmeWorks() throws Exception {
        String readme = new String(Files.readAllBytes(java.nio.file.Paths.get("README.md")), StandardCharsets.UTF_8);
        String appender = readme.substring(readme.indexOf("    <file>"), readme.indexOf("  </appender>"));
        try (Logs logs = new Logs(appender.replace("logs/", folder + "/"))) {
            logs.logger().info("one");
            assertEquals(new ArrayList<>(), logs.complaints());
        }
        assertTrue(Logs.lines(folder.resolve("app.log.gz")).get(0).endsWith(" test - one"));
    }

    @Test
    void aWrongConfigurationIsSaidAndTheApplicationGoesOn() throws Exception {
        Path notAFolder = Files.write(folder.resolve("taken"), new byte[1]);
        wrong("<encoder>", file() + rolling(""));
        wrong("<file>", Logs.ENCODER);
        wrong("whenFull is", file() + rolling("") + Logs.ENCODER + "<whenFull>panic</whenFull>");
        wrong("<importantFrom>", file() + rolling("") + Logs.ENCODER + "<importantFrom>X</importantFrom>");
        wrong("ringBytes", file() + rolling("") + Logs.ENCODER + "<ringSize>1</ringSize>");
        wrong("<fileNamePattern>", file() + "<rollingPolicy/>" + Logs.ENCODER);
        wrong("%x", file() + Logs.ENCODER + "<rollingPolicy><fileNamePattern>" + folder
                + "/a%x.gz</fileNamePattern></rollingPolicy>");
        wrong("whypause-logging-zstd", "<file>" + folder + "/app.zst</file>" + Logs.ENCODER);
        wrong("taken", "<file>" + notAFolder + "/app.log</file>" + Logs.ENCODER);
    }

    private void wrong(String said, String configuration) {
        try (Logs logs = new Logs(configuration)) {
            logs.logger().error("nobody reads that");
            assertFalse(logs.appender() != null && logs.appender().isStarted(), configuration);
            assertTrue(logs.complaints().stream().anyMatch(it -> it.contains(said)),
                    said + ": " + logs.complaints());
        }
    }
}
