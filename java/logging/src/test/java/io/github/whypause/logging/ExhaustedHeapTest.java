package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM whose heap is full for a while logs again when it is not. */
class ExhaustedHeapTest {
    @TempDir
    Path folder;

    @Test
    void a_heap_that_was_full_does_not_end_the_threads_of_the_log() throws Exception {
        List<String> command = Logs.java(FullHeap.class, folder.resolve("a.log.gz").toString());
        command.set(1, "-Xmx48m");
        Logs.Ran ran = Logs.run(command.toArray(new String[0]));
        String said = new String(ran.out, StandardCharsets.UTF_8);
        System.out.print(said + ran.errors);
        assertEquals("ok", said.substring(said.lastIndexOf("\n", said.length() - 2) + 1).trim(), ran.errors);
    }

    /** Fills its heap while it logs. */
    public static final class FullHeap {
        /** Too random to compress well, so that its blocks take memory. */
        private static final byte[] LINE = new byte[1000];
        private static long random = 1;
        private static volatile boolean full = true;
        private static volatile Object hog;
        private static long logged;
        private static long taken;

        private FullHeap() {}

        /**
         * Says {@code ok} at last.
         *
         * @param arguments the file
         */
        public static void main(String[] arguments) throws Exception {
            Path file = Paths.get(arguments[0]);
            CompressedLogWriter log = LogWriterOptions.file(file).ringBytes(1 << 20).blockBytes(64 << 10)
                    .backlogBytes(1 << 20).flushEvery(Duration.ofMillis(20)).open();
            for (int i = 0; i < 1000; i++) {
                log(log);
            }
            log.flush(Duration.ofSeconds(60));
            Thread logging = new Thread(() -> {
                while (full) {
                    log(log);
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
                }
            });
            Thread filling = new Thread(() -> fill(log.counters()));
            logging.start();
            filling.start();
            filling.join();
            full = false;
            hog = null;
            logging.join();
            long before = log.counters().getWrittenLines();
            for (int i = 0; i < 1000; i++) {
                log(log);
            }
            boolean flushed = log.flush(Duration.ofSeconds(10));
            LogWriterCounters counters = log.counters();
            System.out.println("logged " + logged + ", taken " + taken + ", written " + counters.getWrittenLines()
                    + " (after the heap was full " + (counters.getWrittenLines() - before) + "), dropped "
                    + counters.getDroppedLines() + ", late " + counters.getLateLines() + ", flushed " + flushed
                    + ", last error `" + counters.getLastError() + "`");
            log.close();
            int read = Logs.zcat(file).size();
            boolean adds = read == counters.getWrittenLines()
                    && logged == read + counters.getDroppedLines() + counters.getLateLines();
            if (adds && counters.getWriteErrors() == 0) {
                System.out.println("SKIPPED: for a minute the heap was never full when the log wanted memory");
            }
            System.out.println(adds && flushed ? "ok" : "read " + read + " of " + logged);
        }

        private static void log(CompressedLogWriter log) {
            logged++;
            for (int i = 0; i < LINE.length - 1; i++) {
                random = random * 6364136223846793005L + 1442695040888963407L;
                LINE[i] = (byte) (' ' + (random >>> 58));
            }
            LINE[LINE.length - 1] = '\n';
            taken += log.write(LINE) ? 1 : 0;
        }

        /**
         * Takes what others free, until the log has met it more than once, or has ended by it. Memory that
         * was full for a minute and never in its way proves nothing, which is said.
         */
        private static void fill(LogWriterCounters counters) {
            Thread[] threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("whypause-log-")
                            && !thread.getName().endsWith("-exit")).toArray(Thread[]::new);
            long start = System.nanoTime();
            while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60) && counters.getWriteErrors() < 3
                    && threads[0].isAlive() && threads[1].isAlive()) {
                for (int bytes = 1 << 20; bytes >= 16; bytes /= 2) {
                    try {
                        while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60)) {
                            hog = new Object[] {hog, new byte[bytes]};
                        }
                    } catch (OutOfMemoryError e) {
                        // as it should
                    }
                }
            }
        }
    }
}
