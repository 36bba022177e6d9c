package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that takes nothing costs lines, which are counted, and nothing else. */
class FullDiskTest {
    @TempDir
    Path folder;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void remove_the_link_to_the_device() throws Exception {
        Files.deleteIfExists(folder.resolve("a.log.gz"));
    }

    /** {@code /dev/full} answers each write as a full disk does. */
    private LogWriterOptions onFullDisk() throws Exception {
        Path file = Files.createSymbolicLink(folder.resolve("a.log.gz"), Paths.get("/dev/full"));
        return LogWriterOptions.file(file).flushEvery(Duration.ofMillis(5)).ringBytes(16 << 10)
                .blockBytes(4 << 10).backlogBytes(4 << 10).onProblem(problems::add);
    }

    /** Does not compress. */
    private static List<String> noise(int lines) {
        Random random = new Random(1);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            all.add(i + " " + Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong()));
        }
        return all;
    }

    private long told(String words) {
        return problems.stream().filter(problem -> problem.contains(words)).count();
    }

    private static int offer(CompressedLogWriter log, List<String> lines) {
        int taken = 0;
        for (String line : lines) {
            taken += log.write(line) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void lines_are_dropped_and_counted_and_the_rest_is_written_when_there_is_space() throws Exception {
        List<String> lines = noise(3000);
        int taken;
        try (CompressedLogWriter log = onFullDisk().open()) {
            taken = offer(log, lines);
            assertTrue(taken < 3000 && taken > 100, taken + " taken");
            assertEquals(3000 - taken, log.counters().getDroppedLines());
            Logs.await("a failure", () -> log.counters().getWriteErrors() > 0);
            assertTrue(log.counters().getLastError().contains("No space left on device"),
                    log.counters().getLastError());
            // there is space again: the name leads to another file
            Files.delete(folder.resolve("a.log.gz"));
            Logs.await("all written", () -> log.counters().getWrittenLines() == log.counters().getLines()
                    && log.counters().getRingUsedBytes() == 0);
            assertTrue(log.write("last"));
        }
        List<String> read = Logs.zcat(folder.resolve("a.log.gz"));
        assertEquals("last", read.remove(read.size() - 1));
        assertEquals(taken, read.size());
        List<String> expected = new ArrayList<>(lines);
        expected.retainAll(read);
        assertEquals(expected, read);
        assertEquals(1, told("No space left on device; what is logged waits in memory"), problems.toString());
        assertEquals(1, told("were dropped since it was opened: the disk"), problems.toString());
        assertEquals(1, told("writes to `"), problems.toString());
        assertEquals(3, problems.size(), problems.toString());
    }

    @Test
    void a_log_that_may_wait_waits_so_long_and_no_longer() throws Exception {
        try (CompressedLogWriter log = onFullDisk().whenFull(WhenFull.WAIT)
                .maxWait(Duration.ofMillis(30)).open()) {
            // more than all memory takes
            List<String> lines = noise(20_000);
            int refused = 0;
            long longest = 0;
            for (String line : lines) {
                long start = System.nanoTime();
                if (!log.write(line) && ++refused == 3) {
                    break;
                }
                longest = Math.max(longest, System.nanoTime() - start);
            }
            assertEquals(3, refused);
            assertTrue(longest >= TimeUnit.MILLISECONDS.toNanos(30), longest + " ns");
            assertTrue(log.counters().getWaits() >= 3);
            // a thread that is interrupted waits as long as others, and stays interrupted
            Thread.currentThread().interrupt();
            long start = System.nanoTime();
            assertFalse(log.write(lines.get(0)));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(30));
            assertTrue(Thread.interrupted());
            LogWriterCounters counters = log.counters();
            assertFalse(log.close(Duration.ofMillis(50)));
            // each line that was taken is counted when the log gives up
            Logs.await("an end", () -> counters.getDroppedLines() - 4 == counters.getLines());
        }
    }

    @Test
    void unimportant_lines_go_first() throws Exception {
        try (CompressedLogWriter log = onFullDisk().whenFull(WhenFull.DROP_UNIMPORTANT)
                .maxWait(Duration.ZERO).open()) {
            byte[] line = "0123456789012345678901234567890123456789\n".getBytes(StandardCharsets.UTF_8);
            Random random = new Random(1);
            int taken = 0;
            while (log.write(noisy(line, random), 0, line.length, false)) {
                taken++;
            }
            Logs.await("the threads have taken what they can", () -> !changes(log));
            while (log.write(noisy(line, random), 0, line.length, false)) {
                taken++;
            }
            int used = log.counters().getRingUsedBytes();
            assertTrue(used > (16 << 10) / 5 * 4 && used < 16 << 10, used + " used");
            assertTrue(log.write(noisy(line, random), 0, line.length, true));
            assertFalse(log.close(Duration.ofMillis(20)));
            assertTrue(taken > 0);
            Logs.await("an end", () -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("whypause-log-")));
        }
    }

    private static byte[] noisy(byte[] line, Random random) {
        for (int i = 0; i < line.length - 1; i++) {
            line[i] = (byte) (' ' + random.nextInt(90));
        }
        return line;
    }

    private static boolean changes(CompressedLogWriter log) throws InterruptedException {
        int used = log.counters().getRingUsedBytes();
        Thread.sleep(100);
        return used != log.counters().getRingUsedBytes();
    }

    /** A file system of 256 KiB, in a mount namespace that ends with the test. */
    @Test
    void a_file_system_that_was_full_has_only_whole_blocks_when_it_has_space() throws Exception {
        if (!Logs.isRoot() || Logs.run("unshare", "-m", "true").status != 0) {
            System.out.println("SKIPPED: a file system of its own needs root and unshare");
            return;
        }
        String java = String.join(" ", quoted(Logs.java(FullDisk.class, folder.toString())));
        Logs.Ran ran = Logs.run("unshare", "-m", "sh", "-c",
                "mount -t tmpfs -o size=256k none '" + folder + "' && exec " + java + " 2>&1");
        assertEquals("ok\n", new String(ran.out, StandardCharsets.UTF_8));
        assertEquals(0, ran.status);
    }

    private static List<String> quoted(List<String> words) {
        List<String> all = new ArrayList<>();
        for (String word : words) {
            all.add("'" + word.replace("'", "'\\''") + "'");
        }
        return all;
    }

    /** Fills the file system, makes room, and reads what was logged. */
    public static final class FullDisk {
        private FullDisk() {}

        /**
         * Says {@code ok}.
         *
         * @param arguments the folder
         */
        public static void main(String[] arguments) throws Exception {
            Path folder = Paths.get(arguments[0]);
            Path ballast = Files.write(folder.resolve("ballast"), new byte[220 << 10]);
            Path file = folder.resolve("a.log.gz");
            List<String> lines = noise(20_000);
            int taken = 0;
            try (CompressedLogWriter log = LogWriterOptions.file(file).flushEvery(Duration.ofMillis(5))
                    .blockBytes(8 << 10).backlogBytes(1 << 20).onProblem(problem -> { }).open()) {
                for (int i = 0; i < 3000; i++) {
                    taken += log.write(lines.get(i)) ? 1 : 0;
                }
                Logs.await("the disk is full", () -> log.counters().getWriteErrors() > 1);
                // what is there is whole, and there is more in memory
                int whole = Logs.zcat(file).size();
                if (whole == 0 || whole >= taken || whole != log.counters().getWrittenLines()) {
                    throw new AssertionError(whole + " of " + taken + " lines on the full disk");
                }
                Files.delete(ballast);
            }
            List<String> read = Logs.zcat(file);
            if (!read.equals(lines.subList(0, 3000)) || taken != 3000) {
                throw new AssertionError(read.size() + " lines of " + taken);
            }
            System.out.println("ok");
        }
    }
}
