package io.github.whypause.spring;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Has Logback configured as Spring Boot does it by itself, but for the appender of the log file.
 *
 * <p>Only where the application asked for a log file ({@code logging.file.name}, {@code
 * logging.file.path}) and has no configuration of Logback of its own, which always stays. Spring Boot
 * makes it, before its own listener for logging, once all properties are known.
 */
public final class CompressedLogListener
        implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    /** {@code false} leaves the log file to Spring Boot. */
    static final String ENABLED = "whypause.logging.enabled";
    private static final String CONFIG = "logging.config";
    private static final String FOLDER = "io/github/whypause/spring/";
    private static final String LOGBACK = "ch.qos.logback.classic.LoggerContext";
    /** What Logback and Spring Boot look for by themselves. */
    private static final List<String> OWN = List.of("logback-test.groovy", "logback-test.xml", "logback.groovy",
            "logback.xml", "logback-test-spring.groovy", "logback-test-spring.xml", "logback-spring.groovy",
            "logback-spring.xml");

    /** As Spring Boot makes it. */
    public CompressedLogListener() {}

    /** After the files with properties are read, before the logging is configured. */
    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER - 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        ClassLoader loader = event.getSpringApplication().getClassLoader();
        boolean hasFile = environment.containsProperty("logging.file.name")
                || environment.containsProperty("logging.file.path");
        if (!hasFile || environment.containsProperty(CONFIG)
                || !environment.getProperty(ENABLED, Boolean.class, true)
                || !ClassUtils.isPresent(LOGBACK, loader)
                || OWN.stream().anyMatch(it -> loader.getResource(it) != null)) {
            return;
        }
        Map<String, Object> chosen = new HashMap<>();
        chosen.put(CONFIG, "classpath:" + FOLDER + "logback.xml");
        chosen.put("whypause.logging.file-encoder", encoder(environment, "file"));
        chosen.put("whypause.logging.console", "structured".equals(encoder(environment, "console"))
                ? "structured-console-appender" : "console-appender");
        environment.getPropertySources().addLast(new MapPropertySource("whypause", chosen));
    }

    /** Lines by a pattern, or of JSON ({@code logging.structured.format.file=ecs}). */
    private static String encoder(ConfigurableEnvironment environment, String of) {
        String format = environment.getProperty("logging.structured.format." + of, "");
        return format.isEmpty() ? "pattern" : "structured";
    }
}
