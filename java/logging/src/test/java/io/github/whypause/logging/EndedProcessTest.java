package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that end, and processes that are killed. More kills with {@code -Dkills=100}. */
class EndedProcessTest {
    private static final int THREADS = 3;

    @TempDir
    Path folder;
    @TempDir
    Path outside;

    private List<String> command(long bytes, long lines, long first) {
        return Logs.java(NumberedLog.class, folder.resolve("a.log.gz").toString(),
                folder + "/a-%i.log.gz", Long.toString(bytes), Integer.toString(THREADS),
                Long.toString(lines), Long.toString(first));
    }

    private List<Path> files() throws Exception {
        List<Path> rolled = new ArrayList<>();
        for (int i = 0; Files.exists(folder.resolve("a-" + i + ".log.gz")); i++) {
            rolled.add(folder.resolve("a-" + i + ".log.gz"));
        }
        rolled.add(folder.resolve("a.log.gz"));
        assertEquals(rolled.size(), Logs.names(folder).size(), Logs.names(folder).toString());
        return rolled;
    }

    @Test
    void a_process_that_ends_without_closing_its_log_loses_nothing() throws Exception {
        Process process = new ProcessBuilder(command(Long.MAX_VALUE, 5000, 0)).redirectErrorStream(true).start();
        Logs.readAll(process.getInputStream());
        assertEquals(0, process.waitFor());
        assertEquals(THREADS * 5000, Logs.zcat(folder.resolve("a.log.gz")).size());
    }

    @Test
    void no_other_process_writes_to_the_file_of_a_log_also_after_somebody_here_tried() throws Exception {
        Path file = folder.resolve("a.log.gz");
        try (CompressedLogWriter log = LogWriterOptions.file(file).open()) {
            log.write("ours");
            assertThrows(IOException.class, () -> LogWriterOptions.file(file).open());
            Process other = new ProcessBuilder(command(Long.MAX_VALUE, 10, 0)).redirectErrorStream(true).start();
            String said = new String(Logs.readAll(other.getInputStream()), StandardCharsets.UTF_8);
            assertEquals(1, other.waitFor(), said);
            assertTrue(said.contains("it is being written by another process"), said);
        }
        assertEquals(Collections.singletonList("ours"), Logs.zcat(file));
    }

    /**
     * Each start goes on in the same files. Every line of each thread must be there in order, and
     * once, up to a kill; the lines that were in memory are missing behind it; none is torn, and what the
     * process knew to be written is there.
     */
    @Test
    void killed_at_any_time_each_file_is_readable_and_no_line_is_torn_or_doubled() throws Exception {
        int kills = Integer.getInteger("kills", 4);
        Random random = new Random();
        long written = 0;
        for (int kill = 0; kill < kills; kill++) {
            written += killAfter(random.nextInt(400), command(60_000, 1L << 40, kill * 1_000_000_000L));
            // with plain tools, before anything was mended
            Logs.Ran plain = Logs.run("zcat", folder.resolve("a.log.gz").toString());
            assertTrue(plain.status <= 1, "zcat ends with " + plain.status);
        }
        // the last cut is mended by the next start
        LogWriterOptions.file(folder.resolve("a.log.gz")).onProblem(problem -> { }).open().close();
        long[] next = new long[THREADS];
        long read = 0;
        for (Path file : files()) {
            for (String line : LogsRead.gunzip(file)) {
                String[] words = line.split(" ");
                int thread = Integer.parseInt(words[1]);
                long number = Long.parseLong(words[7]);
                assertEquals("thread " + thread + " says that this is line " + number, line);
                boolean follows = number == next[thread];
                boolean begins = number % 1_000_000_000L == 0 && number > next[thread];
                assertTrue(follows || begins, file + ": " + line + " instead of " + next[thread]);
                next[thread] = number + 1;
                read++;
            }
        }
        assertTrue(read >= written, "read " + read + " of " + written + " that were written");
        System.out.println(kills + " kills: " + written + " lines known to be written, " + read + " read, in "
                + files().size() + " files");
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    /**
     * How many lines it knew to be written. What it says goes to a file: the JDK reads the pipe of a
     * process that ends from a second thread.
     */
    private long killAfter(int millis, List<String> command) throws Exception {
        Path said = outside.resolve("said");
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(said.toFile()).start();
        try {
            Logs.await("begun", () -> !process.isAlive() || text(said).contains("begun\n"));
            Thread.sleep(millis);
        } finally {
            // SIGKILL
            process.destroyForcibly().waitFor();
        }
        String[] lines = text(said).split("\n", -1);
        long written = -1;
        // the last one may be cut
        for (String line : Arrays.asList(lines).subList(0, lines.length - 1)) {
            if (line.equals("begun")) {
                written = 0;
            } else if (line.matches("\\d+")) {
                written = Math.max(written, Long.parseLong(line));
            } else {
                assertTrue(line.contains("` was cut after "), line);
            }
        }
        assertTrue(written >= 0, String.join("\n", lines));
        return written;
    }
}
