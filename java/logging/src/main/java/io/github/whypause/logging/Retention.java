package io.github.whypause.logging;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Which rolled files there are, and which of them go. */
final class Retention {
    private final NamePattern pattern;
    private final int maxHistory;
    private final int maxFiles;
    private final long maxTotalBytes;
    private final Counters counters;
    private final Problems problems;
    private final Disk disk;
    private final LongSupplier nanos;
    /** What the clock was taken for, in milliseconds since 1970, and when that was. */
    private long trusted = Long.MIN_VALUE;
    private long trustedAt;

    Retention(LogWriterOptions options, Counters counters, Problems problems) {
        this.pattern = options.rolled;
        this.maxHistory = options.maxHistory;
        this.maxFiles = options.maxFiles;
        this.maxTotalBytes = options.maxTotalBytes;
        this.counters = counters;
        this.problems = problems;
        this.disk = options.disk;
        this.nanos = options.nanos;
    }

    /** A rolled file. */
    private static final class Rolled {
        final Path path;
        final long period;
        final int index;
        final long bytes;

        Rolled(Path path, long period, int index, long bytes) {
            this.path = path;
            this.period = period;
            this.index = index;
            this.bytes = bytes;
        }
    }

    /** The highest number of the files of a period; -1 where there are none. */
    int lastIndex(long period) throws IOException {
        int last = -1;
        for (Rolled file : files()) {
            last = file.period == period ? Math.max(last, file.index) : last;
        }
        return last;
    }

    /** Deletes what is too much; never the file that is being written. */
    void apply(long now, Path written) {
        if (maxHistory == Integer.MAX_VALUE && maxFiles == Integer.MAX_VALUE
                && maxTotalBytes == Long.MAX_VALUE) {
            return;
        }
        try {
            List<Rolled> files = files();
            files.removeIf(file -> isSame(file.path, written));
            files.sort(Comparator.<Rolled>comparingLong(it -> it.period).thenComparingInt(it -> it.index)
                    .reversed());
            long oldest = maxHistory == Integer.MAX_VALUE ? Long.MIN_VALUE
                    : pattern.earlier(trusted(now), maxHistory);
            int kept = 0;
            long bytes = 0;
            Exception failure = null;
            for (Rolled file : files) {
                bytes += file.bytes;
                kept++;
                if (file.period < oldest || kept > maxFiles || bytes > maxTotalBytes) {
                    try {
                        disk.delete(file.path);
                        counters.deleted++;
                    } catch (IOException | RuntimeException e) {
                        // the others can still go
                        failure = e;
                    }
                }
            }
            if (failure != null) {
                throw failure;
            }
        } catch (Exception e) {
            problems.tell("retention", "cannot delete old files of `" + pattern + "`: " + LogFiles.reason(e));
        }
    }

    /**
     * The time by which files are too old. A clock that jumps ahead must not delete all there is: it is
     * followed at twice its usual speed until it is reached, so that people have time to see it.
     */
    private long trusted(long now) {
        long at = nanos.getAsLong();
        if (trusted != Long.MIN_VALUE) {
            long most = trusted + 2 * TimeUnit.NANOSECONDS.toMillis(at - trustedAt);
            if (now > most) {
                if (pattern.period(now) > pattern.nextPeriod(most)) {
                    problems.tell("clock", "the clock is ahead by "
                            + TimeUnit.MILLISECONDS.toSeconds(now - most) + " s all at once: files of `" + pattern
                            + "` are not deleted for it yet");
                }
                now = most;
            }
        }
        trusted = now;
        trustedAt = at;
        return now;
    }

    private static boolean isSame(Path one, Path other) {
        return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }

    /** All files with such names; links are none. */
    private List<Rolled> files() throws IOException {
        List<Rolled> found = new ArrayList<>();
        Path folder = pattern.folder();
        Path start = folder.toString().isEmpty() ? java.nio.file.Paths.get(".") : folder;
        disk.walk(start, pattern.depth(), new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                Path named = folder.toString().isEmpty() ? start.relativize(file) : file;
                NamePattern.Named name = attributes.isRegularFile() ? pattern.parse(named.toString()) : null;
                if (name != null) {
                    long period = name.period != 0 || !pattern.hasDate() ? name.period
                            : pattern.period(attributes.lastModifiedTime().toMillis());
                    found.add(new Rolled(file, period, name.index, attributes.size()));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
