package io.github.whypause.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * From the first line until all lines are compressed and on disk; so one invocation is one iteration.
 * {@link CpuProfiler} measures what the whole process has used meanwhile.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Benchmark)
@Fork(value = 1, jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseG1GC"})
@Warmup(iterations = 4)
@Measurement(iterations = 6)
public class AppenderBenchmark {
    static final int LINES = 300_000;
    private static final int DIFFERENT = 100_000;

    /** What was done in the last iteration. */
    static long rawBytes;
    static long fileBytes;
    static Usage used;

    /** Who logs. */
    @Param({"LOGBACK_OWN", "LOGBACK_GZIP", "LOGBACK_ZSTD", "LOG4J_OWN", "LOG4J_OWN_LOGGERS", "LOG4J_GZIP",
        "LOG4J_ZSTD"})
    public Bench appender;

    private String[] lines;
    private long rawLength;
    private Path folder;

    /** Makes the lines. */
    @Setup(Level.Trial)
    public void makeLines() {
        lines = AccessLog.lines(DIFFERENT);
        for (int i = 0; i < LINES; i++) {
            rawLength += lines[i % DIFFERENT].length() + 1;
        }
    }

    /** Makes a folder. */
    @Setup(Level.Iteration)
    public void makeFolder() throws IOException {
        Path parent = Paths.get(System.getProperty("bench.dir"));
        Files.createDirectories(parent);
        folder = Files.createTempDirectory(parent, "bench-");
    }

    /** Logs all lines. */
    @Benchmark
    public void log() {
        Usage before = Usage.now();
        try (Bench.Log log = appender.open(folder)) {
            Consumer<String> logger = log.logger();
            for (int i = 0; i < LINES; i++) {
                logger.accept(lines[i % DIFFERENT]);
            }
        }
        Rolled.await(folder);
        used = Usage.now().since(before);
    }

    /** Counts and deletes the files, after it was looked whether all lines are there. */
    @TearDown(Level.Iteration)
    public void deleteFolder() throws IOException {
        rawBytes = rawLength;
        fileBytes = 0;
        List<Path> files = new ArrayList<>();
        try (Stream<Path> found = Files.list(folder)) {
            found.forEach(files::add);
        }
        long decoded = 0;
        for (Path file : files) {
            fileBytes += Files.size(file);
            decoded += Decoded.bytes(file);
        }
        if (decoded != rawLength) {
            throw new IllegalStateException(decoded + " of " + rawLength + " bytes are in " + files);
        }
        for (Path file : files) {
            Files.delete(file);
        }
        Files.delete(folder);
    }
}
