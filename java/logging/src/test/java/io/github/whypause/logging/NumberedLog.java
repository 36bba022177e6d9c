package io.github.whypause.logging;

import java.nio.file.Paths;
import java.time.Duration;

/** A program that logs numbered lines from several threads, to be killed, or to end by itself. */
public final class NumberedLog {
    private NumberedLog() {}

    /**
     * Runs until it is killed, or for so many lines.
     *
     * @param arguments file, pattern of rolled files, bytes of a file, threads, lines of each thread,
     *     first number
     */
    public static void main(String[] arguments) throws Exception {
        endWithParent();
        CompressedLogWriter log = LogWriterOptions.file(Paths.get(arguments[0])).rollTo(arguments[1])
                .maxFileBytes(Long.parseLong(arguments[2])).flushEvery(Duration.ofMillis(20))
                .whenFull(WhenFull.WAIT).maxWait(Duration.ofSeconds(60)).open();
        int threads = Integer.parseInt(arguments[3]);
        long lines = Long.parseLong(arguments[4]);
        long first = Long.parseLong(arguments[5]);
        System.out.println("begun");
        for (int i = 0; i < threads; i++) {
            String name = "thread " + i + " says that this is line ";
            new Thread(() -> {
                for (long line = first; line < first + lines; line++) {
                    log.write(name + line);
                    if (line % 100 == 0) {
                        // what was written by then is in the kernel
                        System.out.println(log.counters().getWrittenLines());
                        Thread.yield();
                    }
                }
            }).start();
        }
        // the end of the process must not lose a line: nobody closes the log
    }

    /** Whoever started it holds the other end of its standard input; also one that was killed lets go. */
    private static void endWithParent() {
        Thread thread = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // nothing is sent
                }
            } catch (java.io.IOException e) {
                // as at its end
            }
            Runtime.getRuntime().halt(1);
        });
        thread.setDaemon(true);
        thread.start();
    }
}
