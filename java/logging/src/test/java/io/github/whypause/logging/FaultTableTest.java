package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever is thrown where: each line is in a file, once, or in a counter, and the log goes on. All calls
 * that can throw do so, one at a time, with each fault.
 */
class FaultTableTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String HEADER = "header";
    /** Calls of a site that throw: the first ones, and the last. */
    private static final int MOST_CALLS = Integer.getInteger("fault.calls", 4);

    /** Too long for the ring. */
    private static final String LONG_LINE = new String(new char[6000]).replace('\0', 'x');

    @TempDir
    Path folder;
    private int runs;

    /** As a thread that is stopped, which newer JDKs no longer have a class for. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1;
    }

    private static Map<String, Supplier<Throwable>> faults() {
        Map<String, Supplier<Throwable>> all = new LinkedHashMap<>();
        all.put("OutOfMemoryError", () -> new OutOfMemoryError("fault"));
        all.put("StackOverflowError", StackOverflowError::new);
        all.put("Death", Death::new);
        all.put("IOException", () -> new IOException("fault"));
        all.put("IllegalState", () -> new IllegalStateException("fault"));
        all.put("interrupt", () -> null);
        return all;
    }

    /** Logs through all that a log does, and says what does not add up; nothing where all does. */
    private String run(Faults faults) throws Exception {
        Path own = Files.createDirectory(folder.resolve("run" + runs++));
        Path file = own.resolve("a.log.gz");
        // a crash has left this, and there is an old file, so that there is something to repair and to delete
        try (CompressedLogWriter log = LogWriterOptions.file(file).jmx(false).open()) {
            log.write("before 0");
            log.flush(LONG);
            log.write("before 1");
        }
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, java.util.Arrays.copyOf(whole, whole.length - 3));
        Files.createFile(own.resolve("a-2001-01-01.0.log.gz"));

        LogWriterOptions options = faults.into(LogWriterOptions.file(file)).jmx(false)
                .rollTo(own + "/a-%d{yyyy-MM-dd}.%i.log.gz").maxHistory(1).maxFileBytes(300)
                .header((HEADER + "\n").getBytes("UTF-8")).ringBytes(16 << 10).blockBytes(4 << 10);
        CompressedLogWriter log;
        try {
            log = options.open();
        } catch (Throwable e) {
            // then nothing is left over that is in the way of the next one
            Thread.interrupted();
            log = options.open();
        }
        TreeSet<String> logged = new TreeSet<>();
        long calls = 0;
        for (int batch = 0; batch < 6; batch++) {
            for (int i = 0; i < 20; i++) {
                String line = "batch " + batch + " line " + i + (i == 7 ? LONG_LINE : "");
                try {
                    log.write(line);
                    calls++;
                    logged.add(line);
                } catch (Throwable e) {
                    // the caller knows
                }
            }
            Thread.interrupted();
            log.flush(LONG);
            if (batch == 3) {
                log.reopen();
            }
        }
        // the fault may be at the first of them
        boolean goesOn = false;
        for (int i = 0; i < 2 && !goesOn; i++) {
            goesOn = log.write("after " + i) && log.flush(LONG);
            calls++;
            logged.add("after " + i);
        }
        boolean closed = log.close(LONG);
        Thread.interrupted();
        LogWriterCounters counters = log.counters();
        long counted = counters.getWrittenLines() + counters.getDroppedLines() + counters.getLateLines();
        List<String> read = read(own);
        List<String> known = new ArrayList<>(read);
        known.removeIf(line -> !logged.contains(line));
        boolean adds = counted == calls && read.size() == counters.getWrittenLines()
                && known.size() == read.size() && new TreeSet<>(read).size() == read.size();
        delete(own);
        return adds && goesOn && closed ? "" : calls + " logged, " + counters.getWrittenLines() + " written, "
                + counters.getDroppedLines() + " dropped, " + read.size() + " read" + (goesOn ? "" : ", stands still")
                + (closed ? "" : ", not closed") + ", last error `" + counters.getLastError() + "`";
    }

    /** All lines of all files, but those that were there before and the headers. */
    private static List<String> read(Path folder) throws IOException {
        List<String> all = new ArrayList<>();
        for (String name : Logs.names(folder)) {
            if (name.endsWith(".gz")) {
                all.addAll(LogsRead.gunzip(folder.resolve(name)));
            }
        }
        all.removeIf(line -> line.equals(HEADER) || line.startsWith("before "));
        return all;
    }

    private static void delete(Path folder) throws IOException {
        for (String name : Logs.names(folder)) {
            Files.delete(folder.resolve(name));
        }
        Files.delete(folder);
    }

    @Test
    void every_line_is_written_or_counted_whatever_is_thrown_where() throws Exception {
        Faults counting = new Faults();
        assertEquals("", run(counting));
        List<String> wrong = new ArrayList<>();
        int tried = 0;
        System.out.printf("%-28s%s%n", "site (calls)", String.join("  ", faults().keySet()));
        for (Map.Entry<String, Integer> site : counting.calls().entrySet()) {
            int most = site.getValue();
            StringBuilder row = new StringBuilder();
            for (Map.Entry<String, Supplier<Throwable>> fault : faults().entrySet()) {
                int bad = wrong.size();
                int thrown = 0;
                for (int call = 1; call <= most; call += call == MOST_CALLS - 1 && call < most ? most - call : 1) {
                    Faults faults = new Faults(site.getKey(), call, fault.getValue());
                    String what = run(faults);
                    thrown += faults.isThrown() ? 1 : 0;
                    if (!what.isEmpty()) {
                        wrong.add(site.getKey() + " call " + call + ", " + fault.getKey() + ": " + what);
                    }
                }
                tried += thrown;
                row.append(String.format("%-" + (fault.getKey().length() + 2) + "s",
                        thrown + (wrong.size() == bad ? " ok" : " of which " + (wrong.size() - bad) + " not")));
            }
            System.out.printf("%-28s%s%n", site.getKey() + " (" + most + ")", row);
        }
        System.out.println(counting.calls().size() + " sites, " + faults().size() + " faults, " + tried
                + " thrown, " + wrong.size() + " do not add up");
        assertEquals(Collections.emptyList(), wrong);
    }
}
