package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a codec throws costs the block that it was at, which is counted, and nothing else. */
class FailedCodecTest {
    private static final int LINES = 200_000;

    @TempDir
    Path folder;
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());

    /** In the middle of a block: the ring is at a record that was handed over in part. */
    private void check(Supplier<Throwable> fault) throws Exception {
        Path file = folder.resolve("a.log.gz");
        AtomicBoolean failed = new AtomicBoolean();
        Codec codec = new WrappedGzip(call -> {
            if (call.equals(WrappedGzip.WRITE) && failed.compareAndSet(false, true)) {
                Thrown.sneaky(fault.get());
            }
        });
        LogWriterCounters counters;
        int logged = 0;
        boolean taken = true;
        try (CompressedLogWriter log = LogWriterOptions.file(file).codec(codec).ringBytes(1 << 20)
                .whenFull(WhenFull.WAIT).maxWait(Duration.ofSeconds(20)).onProblem(problems::add).open()) {
            counters = log.counters();
            for (; taken && logged < LINES; logged++) {
                taken = log.write("line " + logged);
            }
            log.write("after");
        }
        System.out.println(fault.get() + ": of " + (logged + 1) + " lines "
                + counters.getWrittenLines() + " written, " + counters.getDroppedLines() + " dropped, "
                + counters.getLateLines() + " late");
        List<String> read = Logs.zcat(file);
        assertEquals("after", read.get(read.size() - 1));
        assertEquals(read.size(), counters.getWrittenLines());
        assertEquals(logged + 1, counters.getWrittenLines() + counters.getDroppedLines() + counters.getLateLines());
        assertTrue(taken);
        assertTrue(counters.getDroppedLines() > 0);
        assertTrue(problems.get(0).contains("lost " + counters.getDroppedLines() + " lines"), problems.toString());
    }

    @Test
    void memory_that_runs_out_in_the_middle_of_a_record_does_not_stop_the_log() throws Exception {
        check(() -> new OutOfMemoryError("Java heap space"));
    }

    @Test
    void one_exception_of_a_codec_does_not_end_the_log() throws Exception {
        check(() -> new IllegalStateException("native memory"));
    }
}
