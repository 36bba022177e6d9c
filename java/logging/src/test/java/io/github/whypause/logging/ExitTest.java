package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is logged while a process ends, and where a thread that closes a log is interrupted. */
class ExitTest {
    @TempDir
    Path folder;

    @Test
    void lines_that_other_shutdown_hooks_log_are_not_lost() throws Exception {
        Path file = folder.resolve("a.log.gz");
        Logs.Ran ran = Logs.run(Logs.java(Hooks.class, file.toString()).toArray(new String[0]));
        assertEquals("", new String(ran.out, StandardCharsets.UTF_8) + ran.errors);
        List<String> expected = new ArrayList<>();
        expected.add("main");
        expected.addAll(Logs.numbered("hook ", 0, 6));
        assertEquals(expected, Logs.zcat(file));
    }

    /** A hook that logs when the log's own has ended, to a codec that takes its time: the JVM does not. */
    public static final class Hooks {
        private Hooks() {}

        /**
         * Logs, and ends.
         *
         * @param arguments the file
         */
        public static void main(String[] arguments) throws Exception {
            Codec slow = new WrappedGzip(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)));
            CompressedLogWriter log = LogWriterOptions.file(Paths.get(arguments[0])).codec(slow).open();
            log.write("main");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    Logs.await("the hook of the log was there", () -> log.counters().getWrittenLines() == 1);
                    for (Thread thread : Thread.getAllStackTraces().keySet()) {
                        if (thread.getName().equals("whypause-log-exit")) {
                            thread.join();
                        }
                    }
                } catch (Exception e) {
                    log.write(e.toString());
                }
                for (int i = 0; i < 6; i++) {
                    log.write("hook " + i);
                }
            }));
        }
    }

    @Test
    void a_close_on_an_interrupted_thread_loses_nothing() throws Exception {
        Path file = folder.resolve("a.log.gz");
        List<String> lines = Logs.numbered("line ", 0, 100_000);
        CompressedLogWriter log = LogWriterOptions.file(file).open();
        Logs.write(log, lines);
        Thread.currentThread().interrupt();
        log.close();
        assertTrue(Thread.interrupted(), "it stays interrupted");
        List<String> read = Logs.zcat(file);
        System.out.println(read.size() + " of " + lines.size() + " lines after the close of an interrupted thread, "
                + log.counters().getDroppedLines() + " dropped");
        assertEquals(lines.size(), read.size());
        assertEquals(lines, read);
    }

    @Test
    void a_runtime_without_management_opens_a_log() throws Exception {
        if (System.getProperty("java.version").startsWith("1.")) {
            System.out.println("SKIPPED: JDK 8 has no modules to leave out");
            return;
        }
        Path file = folder.resolve("a.log.gz");
        List<String> command = Logs.java(Small.class, file.toString());
        command.add(1, "--limit-modules=java.base");
        Logs.Ran ran = Logs.run(command.toArray(new String[0]));
        System.out.print(ran.errors);
        assertEquals("java.management is absent: true\n", new String(ran.out, StandardCharsets.UTF_8));
        assertEquals(0, ran.status, ran.errors);
        assertEquals(Logs.numbered("small ", 0, 1), Logs.zcat(file));
    }

    /** A program in a runtime of one module. */
    public static final class Small {
        private Small() {}

        /**
         * Logs a line.
         *
         * @param arguments the file
         */
        public static void main(String[] arguments) throws Exception {
            boolean absent = false;
            try {
                Class.forName("java.lang.management.ManagementFactory");
            } catch (ClassNotFoundException e) {
                absent = true;
            }
            System.out.println("java.management is absent: " + absent);
            try (CompressedLogWriter log = LogWriterOptions.file(Paths.get(arguments[0])).open()) {
                log.write("small 0");
            }
        }
    }
}
