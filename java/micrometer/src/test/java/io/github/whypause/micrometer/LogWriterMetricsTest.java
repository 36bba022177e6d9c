package io.github.whypause.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.whypause.logging.CompressedLogWriter;
import io.github.whypause.logging.LogWriterOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogWriterMetricsTest {
    @TempDir
    Path folder;

    @Test
    void each_line_is_in_a_metric() throws Exception {
        Path file = folder.resolve("a.log.gz");
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        CompressedLogWriter log = LogWriterOptions.file(file).open();
        new LogWriterMetrics(log.counters()).bindTo(registry);
        for (int i = 0; i < 10; i++) {
            log.write("line " + i);
        }
        assertTrue(log.flush(Duration.ofSeconds(60)));
        assertEquals(10, registry.get("whypause.log.written").tag("file", file.toString()).functionCounter().count());
        assertEquals(Files.size(file), registry.get("whypause.log.written.size").functionCounter().count());
        assertEquals(8 << 20, registry.get("whypause.log.ring.size").gauge().value());
        log.close();
        log.write("late");
        assertEquals(1, registry.get("whypause.log.dropped").tag("reason", "late").functionCounter().count());
        for (String reason : new String[] {"full", "failed", "closed"}) {
            assertEquals(0, registry.get("whypause.log.dropped").tag("reason", reason).functionCounter().count());
        }
    }
}
