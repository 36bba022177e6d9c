package whypause.workloads;

import io.github.whypause.logging.CompressedLogWriter;
import io.github.whypause.logging.GzipCodec;
import io.github.whypause.logging.LogWriterCounters;
import io.github.whypause.logging.LogWriterOptions;
import java.io.IOException;
import java.nio.file.Paths;

/** Logs with {@code whypause-logging}, as it is by default: compressed before it is written. */
final class CompressedSink implements LogSink {
    /** About what {@code rollSeconds} of log come to, compressed, for each second. */
    private static final long BYTES_PER_SECOND = 5000000;

    private final CompressedLogWriter writer;

    /**
     * Opens the log.
     *
     * @param dir where its files are
     * @param rollSeconds about how often a file is rolled
     * @param keep how many rolled files are kept
     */
    CompressedSink(String dir, int rollSeconds, int keep) throws IOException {
        writer = LogWriterOptions.file(Paths.get(dir, "access.log.gz"))
                .codec(new GzipCodec())
                .rollTo(dir + "/access-%d{yyyy-MM-dd}.%i.log.gz")
                .maxFileBytes(Math.max(1, rollSeconds) * BYTES_PER_SECOND)
                .maxFiles(keep)
                .open();
    }

    @Override
    public boolean log(byte[] bytes, int length) {
        return writer.write(bytes, 0, length, true);
    }

    @Override
    public String describe() {
        LogWriterCounters counters = writer.counters();
        return "log_file_bytes=" + counters.getWrittenBytes()
                + " log_longest_write_us=" + counters.getLongestWriteMicros()
                + " log_rolled=" + counters.getRolledFiles()
                + " log_errors=" + counters.getWriteErrors();
    }
}
