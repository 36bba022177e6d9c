package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other programs write into the file of a log is never changed. */
class ForeignFileTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    private static void block(CompressedLogWriter log, String line) throws InterruptedException {
        log.write(line);
        assertTrue(log.flush(LONG));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(out)) {
            zipped.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    @Test
    void what_another_program_appends_is_not_written_over() throws Exception {
        Path file = folder.resolve("a.log.gz");
        try (CompressedLogWriter log = LogWriterOptions.file(file).onProblem(problems::add).open()) {
            block(log, "one");
            Files.write(file, gzip("theirs\n"), StandardOpenOption.APPEND);
            block(log, "two");
        }
        Path aside = folder.resolve("a.log.before-1.gz");
        assertEquals(Arrays.asList("one", "theirs"), Logs.zcat(aside));
        assertEquals(Collections.singletonList("two"), Logs.zcat(file));
        assertTrue(problems.get(0).contains("it is now `" + aside + "`"), problems.toString());
    }

    @Test
    void a_file_that_was_cut_in_the_middle_of_a_block_is_mended() throws Exception {
        Path file = folder.resolve("a.log.gz");
        try (CompressedLogWriter log = LogWriterOptions.file(file).onProblem(problems::add).open()) {
            block(log, "one");
            block(log, "two");
            byte[] all = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(all, all.length - 5));
            block(log, "three");
        }
        List<String> read = Logs.zcat(file);
        assertEquals("one", read.get(0));
        assertEquals("three", read.get(read.size() - 1));
    }

    @Test
    void a_name_without_a_dot_has_its_other_contents_put_aside() throws Exception {
        Path file = folder.resolve("log");
        Files.write(file, "something else\n".getBytes(StandardCharsets.UTF_8));
        try (CompressedLogWriter log = LogWriterOptions.file(file).codec(new GzipCodec()).onProblem(problems::add)
                .open()) {
            log.write("ours");
        }
        assertEquals(Arrays.asList("log", "log.before-1"), Logs.names(folder));
        assertEquals("something else\n",
                new String(Files.readAllBytes(folder.resolve("log.before-1")), StandardCharsets.UTF_8));
    }

    @Test
    void a_file_that_cannot_be_locked_is_told_of() throws Exception {
        LogWriterOptions options = LogWriterOptions.file(folder.resolve("a.log.gz")).onProblem(problems::add);
        options.disk = new Disk() {
            @Override
            LogFile open(Path file, Set<PosixFilePermission> permissions) throws IOException {
                return new LogFile(file) {
                    @Override
                    boolean lock() throws IOException {
                        throw new IOException("No locks available");
                    }
                };
            }
        };
        try (CompressedLogWriter log = options.open()) {
            log.write("one");
        }
        assertEquals(Collections.singletonList("`" + folder.resolve("a.log.gz")
                + "` cannot be locked: No locks available; no other process must write to it"), problems);
        assertEquals(Collections.singletonList("one"), Logs.zcat(folder.resolve("a.log.gz")));
    }
}
