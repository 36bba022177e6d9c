package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash has left is mended, and nothing of others is lost. */
class TornLogTest {
    @TempDir
    Path folder;
    private final List<String> problems = new ArrayList<>();

    private CompressedLogWriter open(Path file) throws Exception {
        return LogWriterOptions.file(file).onProblem(problems::add).open();
    }

    /** Three blocks. */
    private byte[] file(List<String> lines) throws Exception {
        Path whole = folder.resolve("whole.gz");
        try (CompressedLogWriter log = open(whole)) {
            for (int block = 0; block < 3; block++) {
                Logs.write(log, lines.subList(block * 20, block * 20 + 20));
                assertTrue(log.flush(Duration.ofSeconds(60)));
            }
        }
        return Files.readAllBytes(whole);
    }

    @Test
    void a_file_that_was_cut_anywhere_is_readable_after_the_next_start() throws Exception {
        List<String> lines = Logs.numbered("line ", 0, 60);
        byte[] whole = file(lines);
        Path file = folder.resolve("cut.gz");
        int before = 0;
        for (int length = 0; length <= whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            try (CompressedLogWriter log = open(file)) {
                log.write("new");
            }
            List<String> read = length % 16 == 0 ? Logs.zcat(file) : LogsRead.gunzip(file);
            assertEquals("new", read.remove(read.size() - 1));
            assertEquals(lines.subList(0, read.size()), read, "cut at " + length);
            assertTrue(read.size() >= before, "cut at " + length + ": " + read.size());
            before = read.size() / 20 * 20;
            Files.delete(file);
        }
        assertEquals(60, before);
        assertEquals(Collections.singletonList("whole.gz"), Logs.names(folder));
    }

    @Test
    void what_is_said_of_a_cut_block_is_its_size_before_it_was_mended() throws Exception {
        byte[] whole = file(Logs.numbered("line ", 0, 60));
        int second = whole[16] & 0xff | (whole[17] & 0xff) << 8;
        Path file = folder.resolve("cut.gz");
        // all but the end of its trailer: mended, it is longer than it was
        Files.write(file, Arrays.copyOf(whole, second - 3));
        open(file).close();
        assertEquals("the last block of `" + file + "` was cut after " + (second - 3)
                + " bytes: the whole lines in it, 150 bytes, were kept", problems.get(0));
    }

    @Test
    void zeros_that_a_machine_without_power_has_left_are_cut_off() throws Exception {
        List<String> lines = Logs.numbered("line ", 0, 60);
        byte[] whole = file(lines);
        Path file = folder.resolve("zeros.gz");
        Files.write(file, Arrays.copyOf(whole, whole.length + 10_000));
        try (CompressedLogWriter log = open(file)) {
            log.write("new");
        }
        lines.add("new");
        assertEquals(lines, Logs.zcat(file));
    }

    @Test
    void a_file_of_others_keeps_what_is_in_it_under_another_name() throws Exception {
        Path file = folder.resolve("a.log.gz");
        byte[] text = "plain text, and long enough for a header\n".getBytes(StandardCharsets.UTF_8);
        for (int i = 1; i <= 2; i++) {
            Files.write(file, text);
            try (CompressedLogWriter log = open(file)) {
                log.write("new");
            }
            assertEquals(Collections.singletonList("new"), Logs.zcat(file));
            assertEquals(text.length, Files.size(folder.resolve("a.log.before-" + i + ".gz")));
        }
        assertTrue(problems.get(0).contains("it is now"), problems.toString());
    }

    @Test
    void damage_in_the_middle_is_not_cut_off() throws Exception {
        byte[] whole = file(Logs.numbered("line ", 0, 60));
        // the header of the second block
        int second = whole[16] & 0xff | (whole[17] & 0xff) << 8;
        whole[second] = 'x';
        Path file = folder.resolve("damaged.gz");
        Files.write(file, whole);
        try (CompressedLogWriter log = open(file)) {
            log.write("new");
        }
        assertEquals(whole.length, Files.size(folder.resolve("damaged.before-1.gz")));
    }
}
