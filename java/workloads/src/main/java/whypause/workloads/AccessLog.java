package whypause.workloads;

import java.io.IOException;

/**
 * A service that logs every request: threads that write lines of an access log at a rate, beside
 * the load of {@link AllocLoad}, so that collections come steadily.
 *
 * <p>Arguments, all optional: those of {@link AllocLoad} but for {@code fill}, and {@code log=none
 * dir=. mbPerSecond=40 loggers=2 rollSeconds=5 keep=3 after=3 seed=1}. {@code log} is
 * {@code none}, {@code raw} ({@link RawSink}) or {@code compressed} ({@link CompressedSink});
 * {@code mbPerSecond} counts millions of bytes of all loggers together, before compression;
 * {@code keep} is how many files are kept that were rolled; {@code after} is how many seconds pass,
 * for the JVM to compile what runs, before times of calls are counted.
 *
 * <p>Prints {@code ready=1} when the load runs, and one line of results at the end: with a log,
 * {@code log_lines log_bytes log_dropped log_ms} and the times of the logging call in nanoseconds
 * ({@link Percentiles}). With {@code report=1} it prints once a second how many bytes were logged.
 */
public final class AccessLog {
    private AccessLog() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException, IOException {
        final Arguments given =
                new Arguments(args, "threads", "rate", "size", "queue", "drop", "report",
                        "seconds", "log", "dir", "mbPerSecond", "loggers", "rollSeconds", "keep",
                        "after", "seed");
        final LogSink sink = open(given);
        final LineLogger[] loggers = sink == null ? new LineLogger[0] : loggers(given, sink);
        final Allocator[] allocators = AllocLoad.start(given, 2, 8000, 20000, 10000);
        final Sleeper sleeper = new Sleeper();
        sleeper.start();
        final long begun = System.nanoTime();
        for (LineLogger it : loggers) {
            it.start();
        }
        if (given.number("report", 0) > 0) {
            new Reporter(new Reporter.Work() {
                @Override
                public long done() {
                    return bytes(loggers);
                }
            }).start();
        }
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                String load = AllocLoad.describe(allocators) + " "
                        + sleeper.overrun.describe("sleep_overrun");
                return sink == null ? load : load + " " + describe(loggers, sink, begun);
            }
        });
    }

    private static LogSink open(Arguments given) throws IOException {
        String log = given.text("log", "none");
        String dir = given.text("dir", ".");
        int rollSeconds = given.number("rollSeconds", 5);
        int keep = given.number("keep", 3);
        if (log.equals("none")) {
            return null;
        }
        if (log.equals("raw")) {
            return new RawSink(dir, rollSeconds, keep);
        }
        if (log.equals("compressed")) {
            return new CompressedSink(dir, rollSeconds, keep);
        }
        throw Arguments.refuse("`log` takes none, raw or compressed, not `" + log + "`");
    }

    private static LineLogger[] loggers(Arguments given, LogSink sink) {
        LineLogger[] loggers = new LineLogger[Math.max(1, given.number("loggers", 2))];
        long bytesPerSecond = given.number("mbPerSecond", 40) * 1000000L / loggers.length;
        for (int i = 0; i < loggers.length; i++) {
            int seed = given.number("seed", 1) + i;
            loggers[i] = new LineLogger(i, bytesPerSecond, seed, given.number("after", 3), sink);
        }
        return loggers;
    }

    private static long bytes(LineLogger[] loggers) {
        long sum = 0;
        for (LineLogger it : loggers) {
            sum += it.bytes();
        }
        return sum;
    }

    private static String describe(LineLogger[] loggers, LogSink sink, long begun) {
        long lines = 0;
        long dropped = 0;
        Percentiles[] calls = new Percentiles[loggers.length];
        for (int i = 0; i < loggers.length; i++) {
            lines += loggers[i].lines();
            dropped += loggers[i].dropped();
            calls[i] = loggers[i].calls;
        }
        return "log_lines=" + lines + " log_bytes=" + bytes(loggers) + " log_dropped=" + dropped
                + " log_ms=" + (System.nanoTime() - begun) / 1000000 + " "
                + Percentiles.describe("log_call", calls) + " " + sink.describe();
    }
}
