package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others do to the threads of a log, and what happens around them. */
class DisturbedLogTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path folder;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    private static List<Thread> threads() {
        List<Thread> all = new ArrayList<>(Thread.getAllStackTraces().keySet());
        all.removeIf(thread -> !thread.getName().startsWith("whypause-log-"));
        return all;
    }

    @Test
    void threads_that_are_interrupted_go_on_and_do_not_spin() throws Exception {
        List<String> lines = Logs.numbered("line ", 0, 3000);
        Path file = folder.resolve("a.log.gz");
        try (CompressedLogWriter log = LogWriterOptions.file(file).flushEvery(Duration.ofMillis(2))
                .onProblem(problems::add).open()) {
            for (String line : lines) {
                log.write(line);
                if (line.endsWith("7")) {
                    threads().forEach(Thread::interrupt);
                    Thread.sleep(1);
                }
            }
            assertTrue(log.flush(LONG));
            threads().forEach(Thread::interrupt);
            long before = cpuNanos();
            Thread.sleep(500);
            long used = cpuNanos() - before;
            assertTrue(used < TimeUnit.MILLISECONDS.toNanos(200), used + " ns of CPU time while nothing was logged");
        }
        List<String> read = Logs.zcat(file);
        assertEquals(lines.size(), read.size());
        assertEquals(lines, read);
    }

    private static long cpuNanos() {
        long sum = 0;
        for (Thread thread : threads()) {
            sum += java.lang.management.ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
        }
        return sum;
    }

    @Test
    void a_log_that_is_not_written_to_costs_nothing() throws Exception {
        try (CompressedLogWriter log = LogWriterOptions.file(folder.resolve("a.log.gz")).open()) {
            log.write("one");
            Thread compressor = threads().stream()
                    .filter(thread -> thread.getName().equals("whypause-log-compress")).findFirst().get();
            long id = compressor.getId();
            java.lang.management.ThreadMXBean mx = java.lang.management.ManagementFactory.getThreadMXBean();
            // It falls asleep at some time; one that looks again and again never waits as rarely.
            Logs.await("it sleeps", () -> {
                long before = mx.getThreadInfo(id).getWaitedCount();
                Thread.sleep(300);
                return before == mx.getThreadInfo(id).getWaitedCount();
            });
        }
    }

    @Test
    void where_memory_runs_out_the_log_goes_on_and_counts_what_is_lost() throws Exception {
        Path file = folder.resolve("a.log.gz");
        AtomicInteger blocks = new AtomicInteger();
        Codec failsOnce = new WrappedGzip(() -> {
            if (blocks.incrementAndGet() == 2) {
                throw new OutOfMemoryError("Java heap space");
            }
        });
        try (CompressedLogWriter log = LogWriterOptions.file(file).codec(failsOnce)
                .onProblem(problems::add).open()) {
            log.write("first");
            assertTrue(log.flush(LONG));
            log.write("lost");
            Logs.await("it is lost", () -> log.counters().getDroppedLines() == 1);
            log.write("last");
        }
        List<String> expected = new ArrayList<>();
        expected.add("first");
        expected.add("last");
        assertEquals(expected, Logs.zcat(file));
        assertTrue(problems.get(0).startsWith("lost 1 lines of `" + file + "`, because memory ran out"), problems.toString());
    }
}
