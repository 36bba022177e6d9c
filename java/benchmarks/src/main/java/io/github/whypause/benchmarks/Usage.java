package io.github.whypause.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;

/** What this process has used: the CPU time of all its threads, and bytes it has written. */
final class Usage {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    final long cpuNanos;
    final long writtenBytes;

    private Usage(long cpuNanos, long writtenBytes) {
        this.cpuNanos = cpuNanos;
        this.writtenBytes = writtenBytes;
    }

    static Usage now() {
        try {
            for (String line : Files.readAllLines(Paths.get("/proc/self/io"))) {
                if (line.startsWith("wchar: ")) {
                    return new Usage(SYSTEM.getProcessCpuTime(), Long.parseLong(line.substring(7)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("no wchar in /proc/self/io");
    }

    Usage since(Usage before) {
        return new Usage(cpuNanos - before.cpuNanos, writtenBytes - before.writtenBytes);
    }
}
