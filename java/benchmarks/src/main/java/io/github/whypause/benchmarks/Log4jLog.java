package io.github.whypause.benchmarks;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;

/** Log4j with a configuration. */
final class Log4jLog implements Bench.Log {
    private final LoggerContext context = new LoggerContext("bench");

    Log4jLog(String appenders, String rootElement, String root) {
        String xml = "<Configuration status='WARN'><Appenders>" + appenders + "</Appenders><Loggers><" + rootElement
                + " level='info'><AppenderRef ref='" + root + "'/></" + rootElement + "></Loggers></Configuration>";
        try {
            context.start(new XmlConfiguration(context, new ConfigurationSource(
                    new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)))));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (context.getConfiguration().getAppender(root) == null) {
            throw new IllegalStateException("no appender " + root);
        }
    }

    @Override
    public Consumer<String> logger() {
        Logger logger = context.getLogger("bench");
        return logger::info;
    }

    @Override
    public void close() {
        context.stop(60, TimeUnit.SECONDS);
    }
}
