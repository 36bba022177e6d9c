package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log whose close is held up, and one that comes after it. */
class ClosedLateTest {
    @TempDir
    Path folder;

    /** No block is ended before it may. */
    private static Codec heldUp(CountDownLatch go) {
        return new WrappedGzip(() -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void the_next_log_of_the_file_waits_for_it_in_memory() throws Exception {
        Path file = folder.resolve("a.log.gz");
        CountDownLatch go = new CountDownLatch(1);
        Codec codec = heldUp(go);
        CompressedLogWriter first = LogWriterOptions.file(file).codec(codec).open();
        first.write("first");
        assertThrows(IOException.class, () -> LogWriterOptions.file(file).open(), "while it is open");
        assertFalse(first.close(Duration.ofMillis(10)));
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        try (CompressedLogWriter second = LogWriterOptions.file(file).onProblem(problems::add)
                .flushEvery(Duration.ofMillis(10)).open()) {
            second.write("second");
            go.countDown();
            Logs.await("the line is there", () -> second.counters().getWrittenLines() == 1);
            second.write("third");
        }
        assertEquals(Arrays.asList("first", "second", "third"), Logs.zcat(file));
        assertEquals("`" + file + "` is still being closed, and is opened after that", problems.get(0));
        try (CompressedLogWriter third = LogWriterOptions.file(file).open()) {
            assertThrows(IOException.class, () -> LogWriterOptions.file(file).open(), "nothing is closed late now");
            third.write("fourth");
        }
    }

    @Test
    void a_second_close_meanwhile_counts_no_second_time() throws Exception {
        Path file = folder.resolve("a.log.gz");
        CountDownLatch go = new CountDownLatch(1);
        Codec codec = heldUp(go);
        CompressedLogWriter log = LogWriterOptions.file(file).codec(codec).open();
        log.write("first");
        assertFalse(log.close(Duration.ofMillis(10)));
        assertFalse(log.close(Duration.ofMillis(10)));
        go.countDown();
        assertTrue(log.close(Duration.ofSeconds(60)));
        try (CompressedLogWriter next = LogWriterOptions.file(file).open()) {
            assertThrows(IOException.class, () -> LogWriterOptions.file(file).open(), "nothing is closed late now");
            next.write("second");
        }
        assertEquals(Arrays.asList("first", "second"), Logs.zcat(file));
    }
}
