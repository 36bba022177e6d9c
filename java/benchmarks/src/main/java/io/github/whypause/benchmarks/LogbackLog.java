package io.github.whypause.benchmarks;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Logback with a configuration. */
final class LogbackLog implements Bench.Log {
    private final LoggerContext context = new LoggerContext();

    private final Path folder;

    LogbackLog(Path folder, String appenders, String root) {
        this.folder = folder;
        // as in the context that SLF4J makes
        context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());
        JoranConfigurator joran = new JoranConfigurator();
        joran.setContext(context);
        String xml = "<configuration>" + appenders + "<root level='INFO'><appender-ref ref='" + root
                + "'/></root></configuration>";
        try {
            joran.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
        } catch (JoranException e) {
            throw new IllegalStateException(e);
        }
        check();
    }

    @Override
    public Consumer<String> logger() {
        return context.getLogger("bench")::info;
    }

    @Override
    public void close() {
        Appender<ILoggingEvent> first = context.getLogger("ROOT").getAppender("A");
        if (first instanceof AsyncAppender) {
            await((AsyncAppender) first);
        }
        context.stop();
        check();
    }

    /** Its stop would interrupt the compression of rolled files. */
    private void await(AsyncAppender asynchronous) {
        try {
            while (asynchronous.getNumberOfElementsInQueue() > 0) {
                Thread.sleep(1);
            }
            Thread.sleep(5);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Rolled.await(folder);
    }

    private void check() {
        for (Status status : context.getStatusManager().getCopyOfStatusList()) {
            if (status.getEffectiveLevel() >= Status.WARN) {
                throw new IllegalStateException(status.toString(), status.getThrowable());
            }
        }
    }
}
