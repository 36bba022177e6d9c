package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads that wait for room cost the thread that makes it nothing. More lines with {@code -Dlines=…}. */
class WaitingThreadsTest {
    private static final byte[] LINE = "a line of a log that has a usual length, more or less\n"
            .getBytes(StandardCharsets.UTF_8);
    private static final int LINES = Integer.getInteger("lines", 600_000);

    @TempDir
    Path folder;

    /** Times that threads had to wait, and how long it took in nanoseconds. */
    private long[] run(int threads) throws Exception {
        Path file = folder.resolve(threads + ".gz");
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        long start;
        long waits;
        try (CompressedLogWriter log = LogWriterOptions.file(file).whenFull(WhenFull.WAIT).ringBytes(1 << 20)
                .maxWait(Duration.ofSeconds(60)).open()) {
            for (int i = 0; i < threads; i++) {
                all.add(new Thread(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    for (int line = 0; line < LINES / threads; line++) {
                        log.write(LINE, 0, LINE.length, true);
                    }
                }));
                all.get(i).start();
            }
            start = System.nanoTime();
            go.countDown();
            for (Thread thread : all) {
                thread.join();
            }
            log.flush(Duration.ofSeconds(60));
            assertEquals(0, log.counters().getDroppedLines());
            assertEquals(LINES, log.counters().getWrittenLines());
            waits = log.counters().getWaits();
        }
        long nanos = System.nanoTime() - start;
        System.out.println(threads + " threads: " + nanos / 1_000_000 + " ms, " + waits + " waits");
        Files.delete(file);
        return new long[] {waits, nanos};
    }

    @Test
    void two_hundred_threads_that_wait_do_not_starve_the_thread_that_makes_room() throws Exception {
        run(1);
        long one = Long.MAX_VALUE;
        long many = Long.MAX_VALUE;
        long waits = 0;
        for (int i = 0; i < 3; i++) {
            one = Math.min(one, run(1)[1]);
            long[] ran = run(200);
            many = Math.min(many, ran[1]);
            waits += ran[0];
        }
        System.out.printf("200 threads take %.2f times as long as one%n", (double) many / one);
        assertTrue(waits > 0, "nobody waited");
        // Polling each 50 us, a line was refused a dozen times before there was room for it. The time is
        // printed and not judged: other programs run beside.
        assertTrue(waits < 3 * LINES / 2, waits + " waits for " + 3 * LINES + " lines");
    }
}
