package io.github.whypause.benchmarks;

import io.github.whypause.logging.BlockEncoder;
import io.github.whypause.logging.Codec;
import io.github.whypause.logging.GzipCodec;
import io.github.whypause.logging.zstd.ZstdCodec;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs all side by side, and prints tables in Markdown. */
public final class Main {
    private static final int MIB = 1 << 20;

    private Main() {}

    /**
     * Runs.
     *
     * @param arguments a folder for the logs; {@code once} after it has each appender run once, to see
     *     that it works
     * @throws RunnerException where a benchmark fails
     */
    public static void main(String[] arguments) throws RunnerException {
        boolean once = arguments.length > 1 && arguments[1].equals("once");
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(AppenderBenchmark.class.getSimpleName())
                .jvmArgsAppend("-Dbench.dir=" + arguments[0])
                .addProfiler(CpuProfiler.class)
                .shouldFailOnError(true);
        if (once) {
            options.warmupIterations(0).measurementIterations(1);
        }
        Map<Bench, RunResult> results = new EnumMap<>(Bench.class);
        for (RunResult result : new Runner(options.build()).run()) {
            results.put(Bench.valueOf(result.getParams().getParam("appender")), result);
        }
        System.out.println();
        System.out.println("JDK " + System.getProperty("java.version") + ", "
                + Runtime.getRuntime().availableProcessors() + " CPUs");
        System.out.println();
        System.out.println("| appender | CPU per line | of their own | lines per second | written per byte logged "
                + "| size |");
        System.out.println("|---|---|---|---|---|---|");
        results.forEach((appender, result) -> row(appender, result, results));
        levels(once ? 1 : 3);
    }

    private static void row(Bench appender, RunResult result, Map<Bench, RunResult> all) {
        Bench own = appender.name().startsWith("LOGBACK") ? Bench.LOGBACK_OWN : Bench.LOG4J_OWN;
        double cpu = score(result, CpuProfiler.CPU);
        String ratio = all.containsKey(own)
                ? String.format(Locale.ROOT, "%.2f", cpu / score(all.get(own), CpuProfiler.CPU)) : "";
        System.out.printf(Locale.ROOT, "| %s | %.2f ± %.2f us | %s | %,.0f | %.3f | %.3f |%n",
                appender.name().toLowerCase(Locale.ROOT).replace('_', ' '), cpu / 1000,
                error(result, CpuProfiler.CPU) / 1000, ratio,
                AppenderBenchmark.LINES / (result.getPrimaryResult().getScore() / 1000),
                score(result, CpuProfiler.WRITTEN), score(result, CpuProfiler.SIZE));
    }

    private static Result<?> secondary(RunResult result, String name) {
        return result.getSecondaryResults().get(name);
    }

    private static double score(RunResult result, String name) {
        return secondary(result, name).getScore();
    }

    /** Of the mean, as a standard error. */
    private static double error(RunResult result, String name) {
        Result<?> of = secondary(result, name);
        return of.getStatistics().getStandardDeviation() / Math.sqrt(of.getStatistics().getN());
    }

    /** What each level costs on these lines, in blocks of 1 MiB: the best of some runs. */
    private static void levels(int runs) {
        ByteBuffer raw = ByteBuffer.allocateDirect(48 * MIB);
        int lines = 0;
        for (String line : AccessLog.lines(100_000)) {
            raw.put((line + "\n").getBytes(StandardCharsets.UTF_8));
            lines++;
        }
        ((Buffer) raw).flip();
        System.out.println();
        System.out.println("| codec, level | CPU per line | size |");
        System.out.println("|---|---|---|");
        for (int level = 1; level <= 6; level++) {
            level(new GzipCodec(), level, raw, lines, runs);
        }
        for (int level = 1; level <= 5; level++) {
            level(new ZstdCodec(), level, raw, lines, runs);
        }
    }

    private static void level(Codec codec, int level, ByteBuffer raw, int lines, int runs) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long compressed = 0;
        long best = Long.MAX_VALUE;
        for (int run = 0; run < runs; run++) {
            long begin = threads.getCurrentThreadCpuTime();
            compressed = 0;
            try (BlockEncoder encoder = codec.encoder(level)) {
                ByteBuffer rest = raw.duplicate();
                while (rest.hasRemaining()) {
                    ByteBuffer block = rest.duplicate();
                    block.limit(Math.min(rest.position() + MIB, rest.limit()));
                    rest.position(block.limit());
                    encoder.write(block);
                    compressed += encoder.finish().length;
                }
            }
            best = Math.min(best, threads.getCurrentThreadCpuTime() - begin);
        }
        System.out.printf(Locale.ROOT, "| %s %d | %.2f us | %.3f |%n", codec.extension(), level,
                best / 1000.0 / lines, (double) compressed / raw.limit());
    }
}
