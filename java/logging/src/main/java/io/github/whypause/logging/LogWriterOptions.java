package io.github.whypause.logging;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * How a log is written. Set what differs from the defaults, and {@link #open}.
 *
 * <pre>{@code
 * CompressedLogWriter log = LogWriterOptions.file(Paths.get("logs/access.log.gz"))
 *         .rollTo("logs/access-%d{yyyy-MM-dd}.%i.log.gz")
 *         .maxFileBytes(100 << 20)
 *         .maxHistory(30)
 *         .open();
 * }</pre>
 */
public final class LogWriterOptions {
    /** Leaves the compression level to the codec. */
    public static final int DEFAULT_LEVEL = Integer.MIN_VALUE;

    private static final int LEAST_RING_BYTES = 4 << 10;
    private static final int MOST_RING_BYTES = 1 << 29;

    final Path file;
    NamePattern rolled;
    Codec codec;
    int level = DEFAULT_LEVEL;
    long maxFileBytes = Long.MAX_VALUE;
    int maxHistory = Integer.MAX_VALUE;
    int maxFiles = Integer.MAX_VALUE;
    long maxTotalBytes = Long.MAX_VALUE;
    Duration flushEvery = Duration.ofSeconds(1);
    int blockBytes = 1 << 20;
    int ringBytes = 8 << 20;
    long backlogBytes = 32 << 20;
    WhenFull whenFull = WhenFull.DROP;
    Duration maxWait = Duration.ofMillis(100);
    Consumer<String> onProblem = problem -> System.err.println("whypause-logging: " + problem);

    boolean jmx = true;
    byte[] header = {};
    boolean rollAtStart;
    LongUnaryOperator nextRoll;
    Set<PosixFilePermission> permissions;
    // For tests of what fails, and of clocks that jump.
    Memory memory = new Memory();
    Disk disk = new Disk();
    Clock clock = Clock.systemUTC();
    LongSupplier nanos = System::nanoTime;

    private LogWriterOptions(Path file) {
        this.file = file;
    }

    /**
     * A log with one name, to which it is always written.
     *
     * @param file its end says how it is compressed: {@code .gz}, or what else is installed; what is
     *     in it already stays in it
     * @return options to go on with
     */
    public static LogWriterOptions file(Path file) {
        return new LogWriterOptions(Objects.requireNonNull(file, "file"));
    }

    /**
     * A log without a fixed name: it is written to the names that the pattern gives.
     *
     * @param pattern as in {@link #rollTo}
     * @return options to go on with
     * @throws IllegalArgumentException where the pattern cannot be read
     */
    public static LogWriterOptions pattern(String pattern) {
        return new LogWriterOptions(null).rollTo(pattern);
    }

    /**
     * Names that full files, and those of past periods, get. Without it nothing is rolled.
     *
     * @param pattern with {@code %d{yyyy-MM-dd}}, whose finest unit says how often files are
     *     rolled, and {@code %i}, which counts the files of one period from 0 on
     * @return this
     * @throws IllegalArgumentException where it cannot be read
     */
    public LogWriterOptions rollTo(String pattern) {
        this.rolled = new NamePattern(pattern);
        return this;
    }

    /**
     * Rolls a file once it is so long, compressed and on disk. Not limited by default.
     *
     * @param bytes from 1 on; a file is longer by up to one block
     * @return this
     */
    public LogWriterOptions maxFileBytes(long bytes) {
        this.maxFileBytes = atLeast("maxFileBytes", bytes, 1);
        return this;
    }

    /**
     * Deletes rolled files of earlier periods. Not limited by default.
     *
     * @param periods how many periods before the present one are kept, from 0 on; days where the
     *     pattern has days
     * @return this
     */
    public LogWriterOptions maxHistory(int periods) {
        this.maxHistory = (int) atLeast("maxHistory", periods, 0);
        return this;
    }

    /**
     * Deletes the oldest rolled files where there are more. Not limited by default.
     *
     * @param files how many rolled files are kept, from 0 on
     * @return this
     */
    public LogWriterOptions maxFiles(int files) {
        this.maxFiles = (int) atLeast("maxFiles", files, 0);
        return this;
    }

    /**
     * Deletes the oldest rolled files where all of them together are longer. Not limited by default.
     *
     * @param bytes from 0 on
     * @return this
     */
    public LogWriterOptions maxTotalBytes(long bytes) {
        this.maxTotalBytes = atLeast("maxTotalBytes", bytes, 0);
        return this;
    }

    /**
     * When what was logged is handed to the kernel: so much of the log is lost at most when the
     * process is killed, unless the disk holds the writer up. 1 s by default.
     *
     * @param period 1 ms to 1 h; where files are small and the period is short, they compress less
     * @return this
     */
    public LogWriterOptions flushEvery(Duration period) {
        if (period.toMillis() < 1 || period.toHours() > 1) {
            throw new IllegalArgumentException("flushEvery: 1 ms to 1 h, not " + period);
        }
        this.flushEvery = period;
        return this;
    }

    /**
     * How much is compressed into one block at most. 1 MiB by default.
     *
     * @param bytes before compression, 4 KiB to 64 MiB
     * @return this
     */
    public LogWriterOptions blockBytes(int bytes) {
        atLeast("blockBytes", bytes, 4 << 10);
        if (bytes > 64 << 20) {
            throw new IllegalArgumentException("blockBytes: at most 64 MiB, not " + bytes);
        }
        this.blockBytes = bytes;
        return this;
    }

    /**
     * Memory between those who log and the thread that compresses. 8 MiB by default.
     *
     * @param bytes 4 KiB to 512 MiB, made a power of two; a line longer than a quarter of it
     *     goes beside it, and such lines together take no more than this again, or than one line
     * @return this
     */
    public LogWriterOptions ringBytes(int bytes) {
        if (bytes < LEAST_RING_BYTES || bytes > MOST_RING_BYTES) {
            throw new IllegalArgumentException("ringBytes: 4 KiB to 512 MiB, not " + bytes);
        }
        this.ringBytes = bytes;
        return this;
    }

    /**
     * Memory for compressed blocks while the disk is slower than the log. 32 MiB by default, which
     * usually is ten times as much log.
     *
     * @param bytes from 0 on; one block always has room
     * @return this
     */
    public LogWriterOptions backlogBytes(long bytes) {
        this.backlogBytes = atLeast("backlogBytes", bytes, 0);
        return this;
    }

    /**
     * What happens to a line for which there is no room. {@link WhenFull#DROP} by default.
     *
     * @param policy what to do
     * @return this
     */
    public LogWriterOptions whenFull(WhenFull policy) {
        this.whenFull = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * For how long a thread that logs may wait, with {@link WhenFull#WAIT} and {@link
     * WhenFull#DROP_UNIMPORTANT}. 100 ms by default.
     *
     * @param time from 0 on
     * @return this
     */
    public LogWriterOptions maxWait(Duration time) {
        atLeast("maxWait", time.toMillis(), 0);
        this.maxWait = time;
        return this;
    }

    /**
     * How hard to compress.
     *
     * @param level 1 to 9 for gzip (3 by default), 1 to 22 for zstd
     * @return this
     */
    public LogWriterOptions level(int level) {
        this.level = level;
        return this;
    }

    /**
     * The format, where the end of the file's name does not say it.
     *
     * @param format the codec
     * @return this
     */
    public LogWriterOptions codec(Codec format) {
        this.codec = Objects.requireNonNull(format, "format");
        return this;
    }

    /**
     * Who is told of what went wrong: a line for people, at most one each minute of a kind. By default
     * it goes to the standard error output.
     *
     * @param listener called by the writer's own threads; it must not log to this writer
     * @return this
     */
    public LogWriterOptions onProblem(Consumer<String> listener) {
        this.onProblem = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Whether the counters are in JMX. They are by default, where the runtime has it.
     *
     * @param wanted {@code false} leaves them out
     * @return this
     */
    public LogWriterOptions jmx(boolean wanted) {
        this.jmx = wanted;
        return this;
    }

    /**
     * What each file begins with, rolled ones, too; nothing by default. It is in no counter of lines.
     *
     * @param bytes whole lines; not kept
     * @return this
     */
    public LogWriterOptions header(byte[] bytes) {
        this.header = bytes.clone();
        return this;
    }

    /**
     * Whether each start begins a new file. By default it goes on in the one that is there.
     *
     * @param rolled {@code true} rolls a file that is not empty; needs {@link #rollTo}
     * @return this
     */
    public LogWriterOptions rollAtStart(boolean rolled) {
        this.rollAtStart = rolled;
        return this;
    }

    /**
     * Begins another file at more times than the date of {@link #rollTo} says, as {@code cron} does.
     *
     * @param next says for a time when the next file is begun, both in milliseconds since 1970; needs a
     *     pattern with {@code %i}, or with a date that is fine enough to tell the files apart
     * @return this
     */
    public LogWriterOptions rollAt(LongUnaryOperator next) {
        this.nextRoll = Objects.requireNonNull(next, "next");
        return this;
    }

    /**
     * Who may read and write new files. By default the process' umask says it.
     *
     * @param all the permissions that a new file gets, whatever the umask
     * @return this
     */
    public LogWriterOptions permissions(Set<PosixFilePermission> all) {
        this.permissions = new HashSet<>(all);
        return this;
    }

    /**
     * Opens the file and starts the threads.
     *
     * @return the log
     * @throws IOException where the file cannot be opened, or another process writes to it
     * @throws IllegalArgumentException where the options do not go together
     */
    public CompressedLogWriter open() throws IOException {
        if (rolled == null && maxFileBytes != Long.MAX_VALUE) {
            throw new IllegalArgumentException("maxFileBytes needs rollTo: a name for full files");
        }
        if (rolled == null && (rollAtStart || nextRoll != null)) {
            throw new IllegalArgumentException("rollAtStart and rollAt need rollTo: a name for full files");
        }
        if (file == null && !rolled.isIndexed() && !rolled.hasDate()) {
            throw new IllegalArgumentException("pattern `" + rolled + "` needs %d or %i");
        }
        String name = file == null ? rolled.toString() : file.toString();
        if (codec == null) {
            codec = codecOf(name);
        }
        if (rolled != null && !rolled.toString().endsWith("." + codec.extension())) {
            throw new IllegalArgumentException("pattern `" + rolled + "` must end with `."
                    + codec.extension() + "`, as the file does");
        }
        return new CompressedLogWriter(this);
    }

    /** Where an application server has this library, the application may have the codec. */
    private static Codec codecOf(String name) {
        Set<String> known = new LinkedHashSet<>();
        ClassLoader own = LogWriterOptions.class.getClassLoader();
        for (ClassLoader loader : new ClassLoader[] {own, Thread.currentThread().getContextClassLoader()}) {
            try {
                for (Codec codec : ServiceLoader.load(Codec.class, loader)) {
                    if (name.endsWith("." + codec.extension())) {
                        return codec;
                    }
                    known.add("." + codec.extension());
                }
            } catch (ServiceConfigurationError e) {
                // the application has another copy of this library, whose codecs are not ours
                if (loader == own) {
                    throw e;
                }
            }
        }
        throw new IllegalArgumentException("file name `" + name + "` must say how to compress, with one of "
                + String.join(", ", known) + (name.endsWith(".zst") ? "; .zst needs whypause-logging-zstd" : ""));
    }

    private static long atLeast(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(what + ": at least " + least + ", not " + value);
        }
        return value;
    }
}
