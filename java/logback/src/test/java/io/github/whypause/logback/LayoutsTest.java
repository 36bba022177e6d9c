package io.github.whypause.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Headers, and lines for machines. */
class LayoutsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String JSON = "ch.qos.logback.classic.encoder.JsonEncoder";

    @TempDir
    Path folder;

    private String files() {
        return "<file>" + folder + "/app.log.gz</file><rollingPolicy><fileNamePattern>" + folder
                + "/app-%03i.log.gz</fileNamePattern><maxFileSize>1</maxFileSize></rollingPolicy>";
    }

    private static void line(Logs logs, String line) throws Exception {
        logs.logger().info(line);
        assertTrue(logs.appender().flush(PATIENCE));
    }

    /** As encoders of CSV files have it. */
    public static final class Titled extends ch.qos.logback.classic.encoder.PatternLayoutEncoder {
        @Override
        public byte[] headerBytes() {
            return "level,message\n".getBytes(StandardCharsets.UTF_8);
        }
    }

    @Test
    void eachRolledFileBeginsWithTheHeaderOfTheEncoder() throws Exception {
        try (Logs logs = new Logs(files() + "<encoder class='" + Titled.class.getName()
                + "'><pattern>%level,%msg%n</pattern></encoder>")) {
            line(logs, "one");
            line(logs, "two");
        }
        assertEquals(Arrays.asList("app-000.log.gz", "app.log.gz"), Logs.names(folder));
        assertEquals(Arrays.asList("level,message", "INFO,one"), Logs.lines(folder.resolve("app-000.log.gz")));
        assertEquals(Arrays.asList("level,message", "INFO,two"), Logs.lines(folder.resolve("app.log.gz")));
    }

    @Test
    void aLineOfJsonIsOneLineOfTheFile() throws Exception {
        try {
            Class.forName(JSON);
        } catch (ClassNotFoundException e) {
            System.out.println("SKIPPED: this Logback has no JsonEncoder, which came with 1.5");
            return;
        }
        try (Logs logs = new Logs(files() + "<encoder class='" + JSON + "'/>")) {
            line(logs, "a \"quoted\" line\nwith a line feed");
            assertEquals(Collections.emptyList(), logs.complaints());
        }
        List<String> lines = Logs.lines(folder.resolve("app.log.gz"));
        assertEquals(1, lines.size());
        assertTrue(lines.get(0).startsWith("{"), lines.get(0));
        assertTrue(lines.get(0).contains("a \\\"quoted\\\" line\\nwith a line feed"), lines.get(0));
    }
}
