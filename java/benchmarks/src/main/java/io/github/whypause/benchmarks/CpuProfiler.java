package io.github.whypause.benchmarks;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Adds to the result what {@link AppenderBenchmark} has measured of the whole process. */
public final class CpuProfiler implements InternalProfiler {
    static final String CPU = "cpu";
    static final String WRITTEN = "written";
    static final String SIZE = "size";

    /** For JMH. */
    public CpuProfiler() {}

    @Override
    public String getDescription() {
        return "CPU time of the process for each line, and bytes written for each byte logged";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // it measures itself
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(BenchmarkParams benchmark, IterationParams iteration,
            IterationResult result) {
        Usage used = AppenderBenchmark.used;
        if (used == null) {
            // the benchmark has failed, and JMH says why
            return Collections.emptyList();
        }
        double raw = AppenderBenchmark.rawBytes;
        return Arrays.asList(
                new ScalarResult(CPU, (double) used.cpuNanos / AppenderBenchmark.LINES, "ns/line",
                        AggregationPolicy.AVG),
                new ScalarResult(WRITTEN, used.writtenBytes / raw, "B/B", AggregationPolicy.AVG),
                new ScalarResult(SIZE, AppenderBenchmark.fileBytes / raw, "B/B", AggregationPolicy.AVG));
    }
}
