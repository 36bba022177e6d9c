package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are rolled, followed and deleted as they should. */
class RolledLogTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    private LogWriterOptions options() {
        return LogWriterOptions.file(folder.resolve("a.log.gz")).onProblem(problems::add);
    }

    private String pattern(String name) {
        return folder + "/" + name;
    }

    /** Writes a line into a block of its own. */
    private static void block(CompressedLogWriter log, String line) throws InterruptedException {
        log.write(line);
        assertTrue(log.flush(LONG));
    }

    @Test
    void a_full_file_is_rolled_and_the_oldest_go() throws Exception {
        LogWriterOptions options = options().rollTo(pattern("a-%i.log.gz")).maxFileBytes(1).maxFiles(2);
        try (CompressedLogWriter log = options.open()) {
            for (int i = 0; i < 5; i++) {
                block(log, "line " + i);
            }
            assertEquals(4, log.counters().getRolledFiles());
            assertEquals(2, log.counters().getDeletedFiles());
        }
        assertEquals(Arrays.asList("a-2.log.gz", "a-3.log.gz", "a.log.gz"), Logs.names(folder));
        assertEquals(Collections.singletonList("line 2"), Logs.zcat(folder.resolve("a-2.log.gz")));
        assertEquals(Collections.singletonList("line 4"), Logs.zcat(folder.resolve("a.log.gz")));
        assertEquals(Collections.emptyList(), problems);
    }

    @Test
    void numbers_go_on_after_a_restart() throws Exception {
        for (int run = 0; run < 2; run++) {
            try (CompressedLogWriter log = options().rollTo(pattern("a-%i.log.gz")).maxFileBytes(1).open()) {
                block(log, "run " + run);
            }
        }
        assertEquals(Arrays.asList("a-0.log.gz", "a.log.gz"), Logs.names(folder));
        assertEquals(Collections.singletonList("run 0"), Logs.zcat(folder.resolve("a-0.log.gz")));
    }

    @Test
    void each_second_has_its_file_and_no_line_is_lost_between() throws Exception {
        List<String> lines = Logs.numbered("", 0, 60);
        LogWriterOptions options = options().rollTo(pattern("a-%d{yyyy-MM-dd_HH-mm-ss}.log.gz"));
        try (CompressedLogWriter log = options.open()) {
            for (String line : lines) {
                log.write(line);
                Thread.sleep(40);
            }
        }
        List<String> read = new ArrayList<>();
        List<String> names = Logs.names(folder);
        assertTrue(names.size() >= 3, names.toString());
        for (String name : names) {
            read.addAll(Logs.zcat(folder.resolve(name)));
        }
        assertEquals(lines, read);
    }

    @Test
    void a_period_without_lines_has_no_file() throws Exception {
        String pattern = pattern("a-%d{yyyy-MM-dd_HH-mm-ss}.log.gz");
        LogWriterOptions[] both = {options().rollTo(pattern), LogWriterOptions.pattern(pattern)};
        for (LogWriterOptions options : both) {
            try (CompressedLogWriter log = options.open()) {
                // into another second than that of the start
                Thread.sleep(1100);
                log.write("one");
            }
            assertEquals(1, Logs.names(folder).size(), Logs.names(folder).toString());
            Path only = folder.resolve(Logs.names(folder).get(0));
            assertEquals(Collections.singletonList("one"), Logs.zcat(only));
            Files.delete(only);
        }
    }

    @Test
    void a_log_without_a_fixed_name_is_written_to_the_names_of_its_pattern() throws Exception {
        LogWriterOptions options = LogWriterOptions.pattern(pattern("%d{yyyy-MM}/a-%i.log.gz")).maxFileBytes(1);
        try (CompressedLogWriter log = options.open()) {
            block(log, "one");
            block(log, "two");
        }
        List<String> months = Logs.names(folder);
        assertEquals(1, months.size());
        assertEquals(Arrays.asList("a-0.log.gz", "a-1.log.gz"), Logs.names(folder.resolve(months.get(0))));
    }

    @Test
    void what_was_logged_on_another_day_is_rolled_at_the_start() throws Exception {
        Path file = folder.resolve("a.log.gz");
        String pattern = pattern("a-%d{yyyy-MM-dd, UTC}.log.gz");
        try (CompressedLogWriter log = options().rollTo(pattern).open()) {
            log.write("old");
        }
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-02-03T04:05:06Z")));
        try (CompressedLogWriter log = options().rollTo(pattern).open()) {
            log.write("new");
        }
        assertEquals(Collections.singletonList("old"), Logs.zcat(folder.resolve("a-2020-02-03.log.gz")));
        assertEquals(Collections.singletonList("new"), Logs.zcat(file));
    }

    @Test
    void only_own_files_that_are_too_old_are_deleted() throws Exception {
        String day = "a-%d{yyyy-MM-dd, UTC}.log.gz";
        NamePattern names = new NamePattern(pattern(day));
        long now = System.currentTimeMillis();
        Path kept = Files.createFile(names.name(names.earlier(now, 2), 0));
        Path old = Files.createFile(names.name(names.earlier(now, 3), 0));
        Path other = Files.createFile(folder.resolve("b-2001-01-01.log.gz"));
        Path target = Files.createFile(folder.resolve("target"));
        Path link = Files.createSymbolicLink(names.name(names.earlier(now, 9), 0), target);
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Path deep = Files.createFile(inner.resolve("a-2001-01-01.log.gz"));
        options().rollTo(pattern(day)).maxHistory(2).open().close();
        assertTrue(Files.exists(kept) && Files.exists(other) && Files.exists(target)
                && Files.isSymbolicLink(link) && Files.exists(deep));
        assertTrue(Files.notExists(old));
    }

    @Test
    void all_rolled_files_together_are_limited() throws Exception {
        LogWriterOptions options = options().rollTo(pattern("a-%i.log.gz")).maxFileBytes(1)
                .maxTotalBytes(100);
        try (CompressedLogWriter log = options.open()) {
            for (int i = 0; i < 6; i++) {
                block(log, "0123456789");
            }
        }
        // a block of ten digits has 41 bytes
        assertEquals(Arrays.asList("a-3.log.gz", "a-4.log.gz", "a.log.gz"), Logs.names(folder));
    }

    @Test
    void a_file_that_was_moved_or_deleted_is_made_anew() throws Exception {
        Path file = folder.resolve("a.log.gz");
        try (CompressedLogWriter log = options().open()) {
            block(log, "one");
            Files.move(file, folder.resolve("moved.gz"));
            log.reopen();
            Logs.await("another file", () -> Files.exists(file));
            block(log, "two");
            Files.delete(file);
            // nobody says so
            Logs.await("another file", () -> Files.exists(file));
            block(log, "three");
        }
        assertEquals(Collections.singletonList("one"), Logs.zcat(folder.resolve("moved.gz")));
        assertEquals(Collections.singletonList("three"), Logs.zcat(file));
    }

    @Test
    void a_file_that_was_cut_by_others_has_no_hole() throws Exception {
        Path file = folder.resolve("a.log.gz");
        try (CompressedLogWriter log = options().open()) {
            block(log, "one");
            // as `logrotate` does with `copytruncate`
            Files.copy(file, folder.resolve("copy.gz"));
            Files.write(file, new byte[0]);
            block(log, "two");
        }
        assertEquals(Collections.singletonList("one"), Logs.zcat(folder.resolve("copy.gz")));
        assertEquals(Collections.singletonList("two"), Logs.zcat(file));
    }

    @Test
    void where_a_file_cannot_be_rolled_it_goes_on_and_says_so() throws Exception {
        Path taken = Files.createFile(folder.resolve("taken"));
        LogWriterOptions options = options().rollTo(taken + "/a-%i.log.gz").maxFileBytes(1);
        try (CompressedLogWriter log = options.open()) {
            block(log, "one");
            block(log, "two");
        }
        assertEquals(Arrays.asList("one", "two"), Logs.zcat(folder.resolve("a.log.gz")));
        assertEquals(1, problems.size(), problems.toString());
        assertTrue(problems.get(0).startsWith("cannot roll `"), problems.get(0));
    }
}
