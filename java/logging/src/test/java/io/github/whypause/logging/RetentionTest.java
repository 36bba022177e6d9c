package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is deleted, and when files are rolled, where clocks and file systems are not as they should be. */
class RetentionTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Instant DAY = Instant.parse("2026-03-05T12:00:00Z");

    @TempDir
    Path folder;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());
    private volatile Instant now = DAY;
    private volatile long nanos;

    private LogWriterOptions options() {
        LogWriterOptions options = LogWriterOptions.file(folder.resolve("a.log.gz")).onProblem(problems::add)
                .rollTo(folder + "/a-%d{yyyy-MM-dd, UTC}.%i.log.gz").maxHistory(3);
        options.clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now;
            }
        };
        options.nanos = () -> nanos;
        return options;
    }

    private void passed(Duration time) {
        now = now.plus(time);
        nanos += time.toNanos();
    }

    private Path old(String day) throws IOException {
        return Files.createFile(folder.resolve("a-" + day + ".0.log.gz"));
    }

    private static void block(CompressedLogWriter log, String line) throws InterruptedException {
        log.write(line);
        assertTrue(log.flush(LONG));
    }

    @Test
    void a_clock_that_jumps_ahead_deletes_no_history() throws Exception {
        old("2026-03-02");
        old("2026-03-03");
        old("2026-03-04");
        try (CompressedLogWriter log = options().open()) {
            block(log, "one");
            now = now.plus(Duration.ofDays(365));
            block(log, "two");
            assertEquals(0, log.counters().getDeletedFiles());
            assertTrue(problems.get(0).startsWith("the clock is ahead by "), problems.toString());
            // it is followed all the same, in time
            passed(Duration.ofDays(1));
            block(log, "three");
            assertEquals(2, log.counters().getDeletedFiles(), Logs.names(folder).toString());
        }
    }

    @Test
    void a_clock_that_goes_right_deletes_what_is_too_old() throws Exception {
        old("2026-03-02");
        old("2026-03-03");
        try (CompressedLogWriter log = options().open()) {
            block(log, "one");
            passed(Duration.ofDays(1));
            block(log, "two");
            assertEquals(1, log.counters().getDeletedFiles());
        }
        assertEquals(Arrays.asList("a-2026-03-03.0.log.gz", "a-2026-03-05.0.log.gz", "a.log.gz"),
                Logs.names(folder));
        assertEquals(Collections.emptyList(), problems);
    }

    @Test
    void a_clock_that_was_ahead_is_followed_back_and_files_are_rolled_again() throws Exception {
        now = DAY.plus(Duration.ofDays(1000));
        try (CompressedLogWriter log = options().open()) {
            block(log, "ahead");
            now = DAY;
            block(log, "today");
            passed(Duration.ofDays(1));
            block(log, "tomorrow");
        }
        assertEquals(Arrays.asList("a-2026-03-05.0.log.gz", "a-2028-11-29.0.log.gz", "a.log.gz"),
                Logs.names(folder));
        assertEquals(Collections.singletonList("today"), Logs.zcat(folder.resolve("a-2026-03-05.0.log.gz")));
    }

    @Test
    void a_file_that_cannot_be_deleted_keeps_no_older_one() throws Exception {
        Path stays = old("2026-01-03");
        old("2026-01-02");
        old("2026-01-01");
        LogWriterOptions options = options();
        options.disk = new Disk() {
            @Override
            void delete(Path file) throws IOException {
                if (file.equals(stays)) {
                    throw new IOException("Operation not permitted");
                }
                super.delete(file);
            }
        };
        options.open().close();
        assertEquals(Arrays.asList("a-2026-01-03.0.log.gz", "a.log.gz"), Logs.names(folder));
        assertTrue(problems.get(0).endsWith("Operation not permitted"), problems.toString());
    }

    @Test
    void each_file_begins_with_the_header() throws Exception {
        LogWriterOptions options = options().maxFileBytes(1).header("# time level\n".getBytes("UTF-8"));
        try (CompressedLogWriter log = options.open()) {
            block(log, "one");
            block(log, "two");
            assertEquals(2, log.counters().getWrittenLines());
        }
        assertEquals(Arrays.asList("# time level", "one"), Logs.zcat(folder.resolve("a-2026-03-05.0.log.gz")));
        assertEquals(Arrays.asList("# time level", "two"), Logs.zcat(folder.resolve("a.log.gz")));
    }

    @Test
    void each_start_begins_a_file_where_that_is_wished() throws Exception {
        for (int run = 0; run < 3; run++) {
            try (CompressedLogWriter log = options().rollAtStart(true).open()) {
                block(log, "run " + run);
            }
            Files.setLastModifiedTime(folder.resolve("a.log.gz"), FileTime.from(DAY));
        }
        assertEquals(Arrays.asList("a-2026-03-05.0.log.gz", "a-2026-03-05.1.log.gz", "a.log.gz"),
                Logs.names(folder));
        assertEquals(Collections.singletonList("run 2"), Logs.zcat(folder.resolve("a.log.gz")));
    }

    @Test
    void a_schedule_begins_files_within_a_day() throws Exception {
        long hour = Duration.ofHours(1).toMillis();
        try (CompressedLogWriter log = options().rollAt(time -> time - time % hour + hour).open()) {
            block(log, "noon");
            passed(Duration.ofMinutes(30));
            block(log, "half past");
            passed(Duration.ofMinutes(30));
            block(log, "one");
            passed(Duration.ofMinutes(60));
            block(log, "two");
        }
        assertEquals(Arrays.asList("noon", "half past"), Logs.zcat(folder.resolve("a-2026-03-05.0.log.gz")));
        assertEquals(Collections.singletonList("one"), Logs.zcat(folder.resolve("a-2026-03-05.1.log.gz")));
        assertEquals(Collections.singletonList("two"), Logs.zcat(folder.resolve("a.log.gz")));
    }

    @Test
    void new_files_have_the_permissions_that_were_asked_for() throws Exception {
        LogWriterOptions options = options().maxFileBytes(1)
                .permissions(java.nio.file.attribute.PosixFilePermissions.fromString("rw-r-----"));
        try (CompressedLogWriter log = options.open()) {
            block(log, "one");
            block(log, "two");
        }
        for (String name : Logs.names(folder)) {
            assertEquals("rw-r-----", java.nio.file.attribute.PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(folder.resolve(name))), name);
        }
    }
}
