package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is logged is in the file. */
class WrittenLogTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private LogWriterOptions options() {
        return LogWriterOptions.file(folder.resolve("a.log.gz"));
    }

    @Test
    void lines_are_read_by_zcat_while_the_log_is_open() throws Exception {
        List<String> lines = Logs.numbered("line ", 0, 10_000);
        try (CompressedLogWriter log = options().open()) {
            Logs.write(log, lines.subList(0, 5_000));
            assertTrue(log.flush(LONG));
            assertEquals(lines.subList(0, 5_000), Logs.zcat(folder.resolve("a.log.gz")));
            Logs.write(log, lines.subList(5_000, 10_000));
        }
        assertEquals(lines, Logs.zcat(folder.resolve("a.log.gz")));
    }

    @Test
    void the_period_of_flushes_is_kept() throws Exception {
        try (CompressedLogWriter log = options().flushEvery(Duration.ofMillis(50)).open()) {
            log.write("one");
            Logs.await("the line is there", () -> log.counters().getWrittenLines() == 1);
            assertEquals(Collections.singletonList("one"), Logs.zcat(folder.resolve("a.log.gz")));
        }
    }

    @Test
    void a_log_that_slept_wakes_for_a_line() throws Exception {
        try (CompressedLogWriter log = options().flushEvery(Duration.ofMillis(10)).open()) {
            // longer than it stays awake without lines
            Thread.sleep(2300);
            log.write("one");
            Logs.await("the line is there", () -> log.counters().getWrittenLines() == 1);
        }
    }

    @Test
    void lines_of_each_thread_are_all_there_and_in_order() throws Exception {
        int each = 20_000;
        List<Thread> threads = new ArrayList<>();
        try (CompressedLogWriter log = options().whenFull(WhenFull.WAIT).maxWait(LONG).ringBytes(64 << 10).open()) {
            for (int t = 0; t < 4; t++) {
                String name = t + " ";
                threads.add(new Thread(() -> Logs.write(log, Logs.numbered(name, 0, each))));
                threads.get(t).start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        List<String> all = Logs.zcat(folder.resolve("a.log.gz"));
        assertEquals(4 * each, all.size());
        for (int t = 0; t < 4; t++) {
            String name = t + " ";
            List<String> its = new ArrayList<>(all);
            its.removeIf(line -> !line.startsWith(name));
            assertEquals(Logs.numbered(name, 0, each), its);
        }
    }

    @Test
    void long_lines_and_other_alphabets_stay_whole() throws Exception {
        StringBuilder longLine = new StringBuilder();
        Random random = new Random(1);
        for (int i = 0; i < 3_000_000; i++) {
            longLine.append((char) ('a' + random.nextInt(26)));
        }
        try (CompressedLogWriter log = options().ringBytes(1 << 20).open()) {
            log.write("vorher äöü 日本語 🙂");
            assertTrue(log.write(longLine.toString()));
            log.write("after\n");
            log.write(new byte[0]);
        }
        List<String> lines = Logs.zcat(folder.resolve("a.log.gz"));
        assertEquals(3, lines.size());
        assertEquals("vorher äöü 日本語 🙂", lines.get(0));
        assertEquals(longLine.toString(), lines.get(1));
        assertEquals("after", lines.get(2));
    }

    @Test
    void every_level_is_read_back() throws Exception {
        List<String> lines = Logs.numbered("GET /index.html 200 ", 0, 20_000);
        List<Long> sizes = new ArrayList<>();
        for (int level : new int[] {1, 6, 9}) {
            Path file = folder.resolve(level + ".gz");
            try (CompressedLogWriter log = LogWriterOptions.file(file).level(level).open()) {
                Logs.write(log, lines);
            }
            assertEquals(lines, Logs.zcat(file));
            sizes.add(Files.size(file));
        }
        assertTrue(sizes.get(0) > sizes.get(2), sizes.toString());
    }

    @Test
    void a_log_goes_on_behind_what_is_there() throws Exception {
        for (int run = 0; run < 3; run++) {
            try (CompressedLogWriter log = options().open()) {
                log.write("run " + run);
            }
        }
        assertEquals(Logs.numbered("run ", 0, 3), Logs.zcat(folder.resolve("a.log.gz")));
    }

    @Test
    void a_closed_log_counts_what_comes_late() throws Exception {
        CompressedLogWriter log = options().open();
        log.write("one");
        assertTrue(log.close(LONG));
        assertFalse(log.write("two"));
        log.close();
        assertEquals(1, log.counters().getLateLines());
        assertEquals(Collections.singletonList("one"), Logs.zcat(folder.resolve("a.log.gz")));
    }

    @Test
    void counters_are_true_and_in_jmx_until_the_log_is_closed() throws Exception {
        Path file = folder.resolve("a.log.gz");
        ObjectName name = new ObjectName("io.github.whypause.logging:type=CompressedLogWriter,name="
                + ObjectName.quote(file.toString()));
        try (CompressedLogWriter log = options().open()) {
            Logs.write(log, Logs.numbered("", 1000, 2000));
            log.flush(LONG);
            LogWriterCounters counters = log.counters();
            assertEquals(1000, counters.getLines());
            assertEquals(5000, counters.getRawBytes());
            assertEquals(1000, counters.getWrittenLines());
            assertEquals(Files.size(file), counters.getWrittenBytes());
            assertEquals(0, counters.getDroppedLines());
            assertEquals(0, counters.getRingUsedBytes());
            assertEquals(8 << 20, counters.getRingBytes());
            assertTrue(counters.getLongestWriteMicros() <= counters.getWriteMicros());
            assertEquals(1000L, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "WrittenLines"));
        }
        assertFalse(ManagementFactory.getPlatformMBeanServer().isRegistered(name));
    }

    @Test
    void logging_a_line_makes_no_garbage() throws Exception {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] line = "a line of a log\n".getBytes(StandardCharsets.UTF_8);
        try (CompressedLogWriter log = options().open()) {
            log.write(line);
            long id = Thread.currentThread().getId();
            threads.getThreadAllocatedBytes(id);
            long before = threads.getThreadAllocatedBytes(id);
            for (int i = 0; i < 10_000; i++) {
                log.write(line, 0, line.length, true);
            }
            long made = threads.getThreadAllocatedBytes(id) - before;
            assertTrue(made < 10_000, "10,000 lines made " + made + " bytes");
        }
    }

    @Test
    void what_goes_wrong_at_the_start_is_said_in_one_line() throws Exception {
        String name = folder + "/a.log";
        assertEquals("file name `" + name + "` must say how to compress, with one of .gz",
                assertThrows(IllegalArgumentException.class,
                        () -> LogWriterOptions.file(folder.resolve("a.log")).open()).getMessage());
        assertTrue(assertThrows(IllegalArgumentException.class,
                () -> LogWriterOptions.file(folder.resolve("a.zst")).open())
                .getMessage().endsWith(".zst needs whypause-logging-zstd"));
        assertThrows(IllegalArgumentException.class, () -> options().maxFileBytes(10).open());
        assertThrows(IllegalArgumentException.class, () -> options().rollTo("a-%i.log").open());
        assertThrows(IllegalArgumentException.class, () -> LogWriterOptions.pattern("a.gz").open());
        assertThrows(IllegalArgumentException.class, () -> options().level(10).open());
        assertThrows(IllegalArgumentException.class, () -> options().ringBytes((4 << 10) - 1));
        assertThrows(IllegalArgumentException.class, () -> options().blockBytes((64 << 20) + 1));
        assertThrows(IllegalArgumentException.class, () -> options().flushEvery(Duration.ZERO));
        Path taken = Files.createFile(folder.resolve("taken"));
        assertThrows(IOException.class, () -> LogWriterOptions.file(taken.resolve("a.gz")).open());
        try (CompressedLogWriter log = options().open()) {
            assertTrue(assertThrows(IOException.class, () -> options().open()).getMessage()
                    .endsWith("it is being written by another process, or another appender of this one"));
            assertThrows(IndexOutOfBoundsException.class, () -> log.write(new byte[4], 2, 3, true));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> log.write(new byte[4], 2, Integer.MAX_VALUE, true));
        }
    }
}
