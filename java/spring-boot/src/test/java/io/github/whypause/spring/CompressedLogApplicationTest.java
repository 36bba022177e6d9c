package io.github.whypause.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.github.whypause.logback.CompressedFileAppender;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** The application of the README, started with other properties each time. */
class CompressedLogApplicationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private ConfigurableApplicationContext running;

    private void start(String... properties) {
        SpringApplication application = new SpringApplication(ExampleApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        running = application.run(properties);
    }

    private String file() {
        return "--logging.file.name=" + folder.resolve("app.log");
    }

    private static CompressedFileAppender<?> appender() {
        Logger root = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger("ROOT");
        return root.getAppender("FILE") instanceof CompressedFileAppender<?> found ? found : null;
    }

    /** Of the file that is being written, or was. */
    private List<String> lines() throws Exception {
        assertTrue(appender().flush(PATIENCE));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(folder.resolve("app.log.gz"))), StandardCharsets.UTF_8))) {
            return in.lines().toList();
        }
    }

    private List<String> names() throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(it -> it.getFileName().toString()).sorted().toList();
        }
    }

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
        // Spring Boot tells Logback by properties of the JVM, of which there is one for all tests
        System.getProperties().keySet()
                .removeIf(it -> it.toString().matches("(LOGBACK|LOG|FILE_LOG|CONSOLE_LOG)_.*"));
    }

    @Test
    void theLogFileIsCompressedAndItsCountersAreMetrics() throws Exception {
        start(file());
        List<String> lines = lines();
        assertTrue(lines.stream().anyMatch(it -> it.endsWith("an order of 7 pieces")), lines.toString());
        // as Spring Boot writes them
        assertTrue(lines.stream().allMatch(it -> it.matches("\\d{4}-\\d\\d-\\d\\dT.* INFO .*")), lines.toString());
        assertEquals(List.of("app.log.gz"), names());
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        running.getBean(MeterBinder.class).bindTo(registry);
        assertEquals(lines.size(), registry.get("whypause.log.written").functionCounter().count());
    }

    @Test
    void linesOfEcsAreWhatWasAskedFor() throws Exception {
        start(file(), "--logging.structured.format.file=ecs");
        String line = lines().stream().filter(it -> it.contains("an order of 7 pieces")).findFirst().orElseThrow();
        assertTrue(line.startsWith("{\"@timestamp\":\""), line);
        assertTrue(line.contains("\"ecs\":{\"version\":"), line);
    }

    @Test
    void settingsOfSpringBootAndOfTheStarterAreFollowed() throws Exception {
        start(file(), "--logging.logback.rollingpolicy.max-file-size=1", "--whypause.logging.when-full=wait",
                "--logging.logback.rollingpolicy.file-name-pattern=" + folder.resolve("old-%i.log.gz"));
        for (int i = 0; i < 3; i++) {
            LoggerFactory.getLogger("a").info("line {}", i);
            assertTrue(appender().flush(PATIENCE));
        }
        assertTrue(names().contains("old-0.log.gz"), names().toString());
    }

    @Test
    void whoHasAConfigurationOrWantsNoneKeepsIt() throws Exception {
        start(file(), "--whypause.logging.enabled=false");
        assertEquals(null, appender());
        assertEquals(List.of("app.log"), names());
        running.close();
        start(file(), "--logging.config=classpath:own.xml");
        assertEquals(null, appender());
    }

    @Test
    void withoutALogFileNothingChanges() throws Exception {
        start();
        assertEquals(null, appender());
        assertFalse(running.getEnvironment().containsProperty("logging.config"));
    }
}
