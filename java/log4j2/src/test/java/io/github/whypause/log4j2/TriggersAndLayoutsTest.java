package io.github.whypause.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users of a RollingFile have: when files begin, what they begin with, and layouts for machines. */
class TriggersAndLayoutsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private String files() {
        return " fileName='" + folder + "/app.log' filePattern='" + folder + "/app-%03i.log.gz' ";
    }

    private static void line(Logs logs, String line) throws Exception {
        logs.logger().info(line);
        assertTrue(logs.appender().flush(PATIENCE));
    }

    @Test
    void eachRolledFileBeginsWithTheHeaderOfTheLayout() throws Exception {
        try (Logs logs = new Logs(files() + "maxFileSize='1 B'", "<PatternLayout pattern='%msg%n' header='a&#10;'/>")) {
            line(logs, "one");
            line(logs, "two");
        }
        assertEquals(Arrays.asList("app-000.log.gz", "app.log.gz"), Logs.names(folder));
        assertEquals(Arrays.asList("a", "one"), Logs.lines(folder.resolve("app-000.log.gz")));
        assertEquals(Arrays.asList("a", "two"), Logs.lines(folder.resolve("app.log.gz")));
    }

    @Test
    void theStartupPolicyBeginsAFileAtEachStart() throws Exception {
        for (int run = 0; run < 2; run++) {
            try (Logs logs = new Logs(files(), "<Policies><OnStartupTriggeringPolicy/></Policies>" + Logs.LAYOUT)) {
                line(logs, "run " + run);
                assertEquals(Collections.emptyList(), logs.complaints());
            }
        }
        assertEquals(Collections.singletonList("INFO run 0"), Logs.lines(folder.resolve("app-000.log.gz")));
        assertEquals(Collections.singletonList("INFO run 1"), Logs.lines(folder.resolve("app.log.gz")));
    }

    @Test
    void theCronPolicyBeginsAFileWhenItSays() throws Exception {
        try (Logs logs = new Logs(files(),
                "<Policies><CronTriggeringPolicy schedule='0/1 * * * * ?'/></Policies>" + Logs.LAYOUT)) {
            line(logs, "one");
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (logs.appender().getCounters().getRolledFiles() == 0 && System.nanoTime() - until < 0) {
                TimeUnit.MILLISECONDS.sleep(200);
                line(logs, "more");
            }
        }
        List<String> names = Logs.names(folder);
        assertTrue(names.size() >= 2, names.toString());
    }

    @Test
    void newFilesHaveTheirPermissions() throws Exception {
        try (Logs logs = new Logs(files() + "filePermissions='rw-r-----'", Logs.LAYOUT)) {
            line(logs, "one");
        }
        assertEquals("rw-r-----",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("app.log.gz"))));
    }

    /** `setPattern`, which newer versions want, is not in the oldest. */
    @SuppressWarnings("deprecation")
    private static PatternLayout layout() {
        return PatternLayout.newBuilder().withPattern("%msg%n").build();
    }

    @Test
    void eachAttributeHasASetter() throws Exception {
        CompressedFileAppender appender = CompressedFileAppender.newBuilder().setName("FILE")
                .setLayout(layout())
                .setFileName(folder + "/app.log.gz").setFilePattern(folder + "/app-%i.log.gz")
                .setMaxFileSize("1 MB").setMaxHistory(3).setMaxFiles(5).setTotalSizeCap("10 MB")
                .setFlushEvery("50 ms").setWhenFull("wait").setMaxWait("1 s").setImportantFrom("ERROR")
                .setRingSize("64 KB").setBacklogSize("1 MB").setBlockSize("16 KB").setCompressionLevel(6)
                .setFilePermissions("rw-------").build();
        assertNotNull(appender);
        assertEquals(64 << 10, appender.getCounters().getRingBytes());
        assertTrue(appender.stop(10, TimeUnit.SECONDS));
    }

    @Test
    void aLineOfTheElasticCommonSchemaIsOneLineOfTheFile() throws Exception {
        try {
            Class.forName("org.apache.logging.log4j.layout.template.json.JsonTemplateLayout");
        } catch (ClassNotFoundException e) {
            System.out.println("SKIPPED: log4j-layout-template-json is not on the class path");
            return;
        }
        try (Logs logs = new Logs(files(), "<JsonTemplateLayout eventTemplateUri='classpath:EcsLayout.json'/>")) {
            line(logs, "a \"quoted\" line\nwith a line feed");
            assertEquals(Collections.emptyList(), logs.complaints());
        }
        List<String> lines = Logs.lines(folder.resolve("app.log.gz"));
        assertEquals(1, lines.size());
        assertTrue(lines.get(0).startsWith("{\"@timestamp\":\""), lines.get(0));
        assertTrue(lines.get(0).contains("\"message\":\"a \\\"quoted\\\" line\\nwith a line feed\""), lines.get(0));
        assertTrue(lines.get(0).endsWith("}"), lines.get(0));
    }
}
