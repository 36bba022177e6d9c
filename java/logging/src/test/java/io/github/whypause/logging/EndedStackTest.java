package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads that log at the end of their stack. */
class EndedStackTest {
    @TempDir
    Path folder;

    private void check(String mode, int ringBytes) throws Exception {
        List<String> command = Logs.java(
                Recursion.class, folder.resolve("a.log.gz").toString(), Integer.toString(ringBytes));
        command.add(1, mode);
        Logs.Ran ran = Logs.run(command.toArray(new String[0]));
        String said = new String(ran.out, StandardCharsets.UTF_8);
        System.out.print(mode + ": " + said + ran.errors);
        assertEquals(0, ran.status, said + ran.errors);
    }

    @Test
    void a_stack_that_ends_in_the_middle_of_a_line_does_not_stop_the_log() throws Exception {
        check("-Xint", 1 << 20);
    }

    @Test
    void nor_does_it_where_the_code_is_compiled() throws Exception {
        check("-XX:TieredStopAtLevel=1", 1 << 20);
    }

    @Test
    void a_stack_that_ends_while_its_thread_waits_for_room_does_not_stop_the_others() throws Exception {
        check("-Xint", 4 << 10);
    }

    @Test
    void nor_does_it_there_where_the_code_is_compiled() throws Exception {
        check("-XX:TieredStopAtLevel=1", 4 << 10);
    }

    /** Logs at each depth of its stack, until it ends, and then once more from above. */
    public static final class Recursion {
        private static final int TIMES = 60;
        private static long returned;
        private static long threw;

        private Recursion() {}

        /**
         * Ends with status 0 where the log goes on and all lines are accounted for.
         *
         * @param arguments the file, and the bytes of the ring: a small one is full where a stack ends
         */
        public static void main(String[] arguments) throws Exception {
            Path file = Paths.get(arguments[0]);
            int ringBytes = Integer.parseInt(arguments[1]);
            CompressedLogWriter log = LogWriterOptions.file(file).ringBytes(ringBytes).whenFull(WhenFull.WAIT)
                    .maxWait(Duration.ofSeconds(60)).open();
            for (int i = 0; i < TIMES; i++) {
                // each begins a little deeper, so that the stack ends at another call
                int padding = i;
                Thread thread = new Thread(null, () -> begin(log, padding), "recursion", 256 << 10);
                thread.start();
                thread.join();
            }
            // false where a line was lost
            log.flush(Duration.ofSeconds(60));
            boolean goesOn = log.write("after") && log.flush(Duration.ofSeconds(60));
            returned++;
            log.close();
            LogWriterCounters counters = log.counters();
            long accounted = counters.getWrittenLines() + counters.getDroppedLines();
            System.out.println(returned + " lines, and " + threw + " calls that threw: "
                    + counters.getWrittenLines() + " written, " + counters.getDroppedFullLines() + " had no room, "
                    + counters.getDroppedFailedLines() + " failed");
            // a call that threw may have logged its line, or not, or have had it counted
            boolean adds = accounted >= returned && accounted <= returned + threw
                    && Logs.zcat(file).size() == counters.getWrittenLines();
            if (!goesOn || !adds) {
                System.out.println("goes on: " + goesOn + ", adds up: " + adds);
                System.exit(1);
            }
        }

        private static void begin(CompressedLogWriter log, int padding) {
            if (padding > 0) {
                begin(log, padding - 1);
            } else {
                try {
                    down(log, "a line\n".getBytes(StandardCharsets.UTF_8));
                } catch (StackOverflowError e) {
                    // that is the end of it
                }
            }
        }

        private static void down(CompressedLogWriter log, byte[] line) {
            try {
                log.write(line, 0, line.length, true);
                returned++;
            } catch (StackOverflowError e) {
                threw++;
                throw e;
            }
            down(log, line);
        }
    }
}
