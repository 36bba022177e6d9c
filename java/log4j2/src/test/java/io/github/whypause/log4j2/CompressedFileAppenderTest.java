package io.github.whypause.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.whypause.logging.LogWriterCounters;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompressedFileAppenderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private String files() {
        return " fileName='" + folder + "/app.log' filePattern='" + folder + "/app-%d{MM-dd-yyyy}-%i.log.gz' ";
    }

    private Path file() {
        return folder.resolve("app.log.gz");
    }

    @Test
    void linesOfTwoThreadsKeepTheirOrder() throws Exception {
        List<String> complaints;
        try (Logs logs = new Logs(files(), Logs.LAYOUT)) {
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
        List<String> lines = Logs.lines(file());
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
    void longLinesAndOtherLettersArrive() throws Exception {
        StringBuilder text = new StringBuilder("\u00e4\u20ac\ud83d\ude00");
        Random random = new Random(1);
        List<String> expected = new ArrayList<>();
        try (Logs logs = new Logs(files(), Logs.LAYOUT)) {
            for (int length : new int[] {10, 4000, 4095, 4096, 5000, 20_000, 1_000_000, 10}) {
                while (text.length() < length) {
                    text.append(Long.toHexString(random.nextLong())).append('\u00fc');
                }
                logs.logger().warn(text.toString());
                expected.add("WARN " + text);
            }
        }
        assertEquals(expected, Logs.lines(file()));
    }

    @Test
    void filesAreRolledBySizeAndDeletedByNumber() throws Exception {
        Random random = new Random(1);
        try (Logs logs = new Logs(files() + "maxFiles='2'", "<Policies><TimeBasedTriggeringPolicy/>"
                + "<SizeBasedTriggeringPolicy size='1 KB'/></Policies>" + Logs.LAYOUT)) {
            for (int i = 0; i < 5; i++) {
                for (int j = 0; j < 100; j++) {
                    logs.logger().info("block{} {}", i, Long.toHexString(random.nextLong()));
                }
                assertTrue(logs.appender().flush(PATIENCE));
            }
            assertEquals(new ArrayList<>(), logs.complaints());
            assertEquals(4, logs.appender().getCounters().getRolledFiles());
        }
        String day = LocalDate.now().format(DateTimeFormatter.ofPattern("MM-dd-yyyy"));
        assertEquals(Arrays.asList("app-" + day + "-2.log.gz", "app-" + day + "-3.log.gz", "app.log.gz"),
                Logs.names(folder));
        assertTrue(Logs.lines(folder.resolve("app-" + day + "-3.log.gz")).get(99).startsWith("INFO block3"));
    }

    @Test
    void oldFilesAreDeletedByAgeAndBySize() throws Exception {
        DateTimeFormatter format = DateTimeFormatter.ofPattern("MM-dd-yyyy");
        LocalDate today = LocalDate.now();
        for (int age = 1; age <= 5; age++) {
            Files.write(folder.resolve("app-" + today.minusDays(age).format(format) + "-0.log.gz"), new byte[1000]);
        }
        new Logs(files() + "maxHistory='3'", Logs.LAYOUT).close();
        assertEquals(4, Logs.names(folder).size());
        new Logs(files() + "maxHistory='3' totalSizeCap='2 KB'", Logs.LAYOUT).close();
        assertEquals(3, Logs.names(folder).size());
    }

    @Test
    void patternsAsLog4jHasThem() throws Exception {
        try (Logs logs = new Logs("filePattern='" + folder + "/$${date:yyyy}/app-%d{yyyy-MM-dd}{UTC}.log'",
                Logs.LAYOUT)) {
            logs.logger().info("one");
            assertEquals(new ArrayList<>(), logs.complaints());
        }
        LocalDate today = LocalDate.now(java.time.ZoneOffset.UTC);
        assertEquals(Arrays.asList("INFO one"),
                Logs.lines(folder.resolve(today.getYear() + "/app-" + today + ".log.gz")));
    }

    @Test
    void aNewConfigurationOfTheSameFileLosesNothing() throws Exception {
        AtomicInteger others = new AtomicInteger();
        try (Logs logs = new Logs(files(), Logs.LAYOUT)) {
            CompressedFileAppender first = logs.appender();
            AtomicBoolean end = new AtomicBoolean();
            Thread other = new Thread(() -> {
                while (!end.get()) {
                    logs.logger().debug("meanwhile {}", others.getAndIncrement());
                    java.util.concurrent.locks.LockSupport.parkNanos(20_000);
                }
            });
            other.start();
            logs.logger().info("one");
            logs.configure(files(), Logs.LAYOUT.replace("%msg", "new %msg"));
            assertTrue(first.isStopped());
            assertSame(first.getCounters(), logs.appender().getCounters(), "one writer for both");
            logs.logger().info("two");
            for (int i = 0; i < 10; i++) {
                logs.configure(files() + (i % 2 == 0 ? "flushEvery='100 ms'" : "flushEvery='2 s'"), Logs.LAYOUT);
                logs.logger().info("again {}", i);
            }
            end.set(true);
            other.join();
            assertEquals(new ArrayList<>(), logs.complaints());
        }
        List<String> lines = Logs.lines(file());
        assertEquals(12, lines.stream().filter(it -> it.startsWith("INFO")).count());
        assertEquals("INFO one", lines.stream().filter(it -> it.startsWith("INFO")).findFirst().get());
        assertTrue(lines.contains("INFO new two"));
        assertEquals(others.get(), lines.stream().filter(it -> it.contains("meanwhile")).count());
    }

    @Test
    void wrongNewSettingsLeaveTheOldAppenderAlone() throws Exception {
        try (Logs logs = new Logs(files(), Logs.LAYOUT)) {
            CompressedFileAppender old = logs.appender();
            logs.logger().info("one");
            logs.configure(files() + "compressionLevel='77'", Logs.LAYOUT);
            logs.logger().info("two");
            assertTrue(logs.complaints().stream().anyMatch(it -> it.contains("77")), logs.complaints().toString());
            assertEquals(0, old.getCounters().getLateLines());
        }
        assertEquals(Arrays.asList("INFO one", "INFO two"), Logs.lines(file()));
    }

    @Test
    void theHeaderAndTheFooterOfALayoutAreWritten() throws Exception {
        try (Logs logs = new Logs(files(), "<PatternLayout pattern='%msg%n' header='a&#10;' footer='z&#10;'/>")) {
            logs.logger().info("one");
        }
        assertEquals(Arrays.asList("a", "one", "z"), Logs.lines(file()));
    }

    @Test
    void aMessageThatThrowsLosesItsLineOnly() throws Exception {
        Message bad = new SimpleMessage("bad") {
            private static final long serialVersionUID = 1;

            @Override
            public void formatTo(StringBuilder buffer) {
                throw new IllegalStateException("cannot be formatted");
            }

            @Override
            public String getFormattedMessage() {
                throw new IllegalStateException("cannot be formatted");
            }
        };
        try (Logs logs = new Logs(files(), Logs.LAYOUT)) {
            logs.logger().info("one");
            logs.logger().info(bad);
            logs.logger().info("two");
        }
        assertEquals(Arrays.asList("INFO one", "INFO two"), Logs.lines(file()));
    }

    @Test
    void filtersAreAsked() throws Exception {
        try (Logs logs = new Logs(files(), "<ThresholdFilter level='warn'/>" + Logs.LAYOUT)) {
            logs.logger().info("one");
            logs.logger().warn("two");
        }
        assertEquals(Arrays.asList("WARN two"), Logs.lines(file()));
    }

    @Test
    void whatIsDroppedIsCountedAlsoInJmx() throws Exception {
        LogWriterCounters counters;
        int logged;
        try (Logs logs = new Logs(files() + "ringSize='4 KB'", Logs.LAYOUT)) {
            counters = logs.appender().getCounters();
            logged = Logs.untilDropped(counters, i -> logs.logger().info("a line that fills up the small ring: {}", i));
            assertTrue(logs.appender().flush(PATIENCE));
            ObjectName name = new ObjectName("io.github.whypause.logging:type=CompressedLogWriter,name="
                    + ObjectName.quote(file().toString()));
            assertEquals(counters.getDroppedLines(),
                    ManagementFactory.getPlatformMBeanServer().getAttribute(name, "DroppedLines"));
        }
        assertTrue(counters.getDroppedLines() > 0);
        assertEquals(logged, counters.getWrittenLines() + counters.getDroppedLines());
        assertEquals(counters.getWrittenLines(), Logs.lines(file()).size());
    }

    @Test
    void importantLinesAreKeptWhereOthersAreDropped() throws Exception {
        LogWriterCounters counters;
        int logged;
        try (Logs logs = new Logs(files() + "ringSize='4 KB' whenFull='dropUnimportant' maxWait='20 s' "
                + "importantFrom='ERROR'", Logs.LAYOUT)) {
            counters = logs.appender().getCounters();
            logged = Logs.untilDropped(counters, i -> {
                logs.logger().warn("unimportant");
                if (i % 100 == 0) {
                    logs.logger().error("important");
                }
            });
        }
        assertTrue(counters.getDroppedLines() > 0);
        assertEquals((logged + 99) / 100, Logs.lines(file()).stream().filter(it -> it.equals("ERROR important")).count());
    }

    @Test
    void theStopOfTheContextWritesAll() throws Exception {
        Logs logs = new Logs(files() + "flushEvery='1 min'", Logs.LAYOUT);
        logs.logger().info("one");
        assertTrue(logs.context.stop(60, TimeUnit.SECONDS));
        assertEquals(Arrays.asList("INFO one"), Logs.lines(file()));
        logs.close();
    }

    @Test
    void theConfigurationInTheReadmeWorks() throws Exception {
        String readme = new String(Files.readAllBytes(java.nio.file.Paths.get("README.md")),
                java.nio.charset.StandardCharsets.UTF_8);
        String appender = readme.substring(readme.indexOf("fileName="), readme.indexOf("</CompressedFile>"));
        String attributes = appender.substring(0, appender.indexOf('>')).replace("logs/", folder + "/");
        try (Logs logs = new Logs(attributes, appender.substring(appender.indexOf('>') + 1))) {
            logs.logger().info("one");
            assertEquals(new ArrayList<>(), logs.complaints());
        }
        assertTrue(Logs.lines(file()).get(0).endsWith(" test - one"));
    }

    @Test
    void aWrongConfigurationIsSaidAndTheApplicationGoesOn() throws Exception {
        Path notAFolder = Files.write(folder.resolve("taken"), new byte[1]);
        wrong("fileName", "");
        wrong("whenFull", files() + "whenFull='panic'");
        wrong("importantFrom", files() + "importantFrom='X'");
        wrong("flushEvery", files() + "flushEvery='1 fortnight'");
        wrong("maxFileSize", files() + "maxFileSize='big'");
        wrong("ringBytes", files() + "ringSize='1'");
        wrong("%x", "fileName='" + folder + "/a.gz' filePattern='" + folder + "/a%x.gz'");
        wrong("whypause-logging-zstd", "fileName='" + folder + "/app.zst'");
        wrong("taken", "fileName='" + notAFolder + "/app.log'");
    }

    private void wrong(String said, String attributes) {
        try (Logs logs = new Logs(attributes, Logs.LAYOUT)) {
            logs.logger().error("nobody reads that");
            assertNull(logs.appender(), attributes);
            assertTrue(logs.complaints().stream().anyMatch(it -> it.contains(said)),
                    said + ": " + logs.complaints());
        }
    }
}
