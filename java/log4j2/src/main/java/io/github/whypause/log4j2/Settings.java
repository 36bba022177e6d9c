package io.github.whypause.log4j2;

import io.github.whypause.logging.LogNames;
import io.github.whypause.logging.LogWriterOptions;
import io.github.whypause.logging.WhenFull;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Date;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.core.appender.rolling.FileSize;
import org.apache.logging.log4j.core.util.CronExpression;

/** The attributes of an appender that its writer gets. Two of them are equal where a writer would be. */
final class Settings {
    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*([a-zA-Z]*)");

    final LogNames names;
    Long maxFileBytes;
    Integer maxHistory;
    Integer maxFiles;
    Long totalBytes;
    Duration flushEvery;
    WhenFull whenFull;
    Duration maxWait;
    Long ringBytes;
    Long backlogBytes;
    Long blockBytes;
    Integer compressionLevel;
    boolean rollAtStart;
    CronExpression schedule;
    Set<PosixFilePermission> permissions;

    /** Each may be {@code null}, but not both. */
    Settings(String fileName, String filePattern) {
        if (fileName == null && filePattern == null) {
            throw new IllegalArgumentException("it needs fileName or filePattern");
        }
        this.names = new LogNames(fileName, filePattern == null ? null : translated(filePattern));
    }

    /**
     * What Log4j writes in its own way: {@code ${date:yyyy-MM}}, which is looked up when a file is
     * rolled, and a time zone in braces of its own.
     */
    private static String translated(String pattern) {
        return pattern.replaceAll("\\$\\{date:([^}]*)}", "%d{$1, aux}")
                .replaceAll("(%d\\{[^}]*)}\\{([^}]*)}", "$1, $2}");
    }

    /** The file, under which the writer is found again. */
    String key() {
        return names.file() == null ? names.pattern() : Paths.get(names.file()).toAbsolutePath().normalize().toString();
    }

    LogWriterOptions options(Consumer<String> onProblem) {
        LogWriterOptions options = names.file() == null ? LogWriterOptions.pattern(names.pattern())
                : LogWriterOptions.file(Paths.get(names.file()));
        options.onProblem(onProblem);
        if (names.file() != null && names.pattern() != null) {
            options.rollTo(names.pattern());
        }
        set(maxFileBytes, options::maxFileBytes);
        set(maxHistory, options::maxHistory);
        set(maxFiles, options::maxFiles);
        set(totalBytes, options::maxTotalBytes);
        set(flushEvery, options::flushEvery);
        set(whenFull, options::whenFull);
        set(maxWait, options::maxWait);
        set(ringBytes, bytes -> options.ringBytes((int) Math.min(bytes, Integer.MAX_VALUE)));
        set(backlogBytes, options::backlogBytes);
        set(blockBytes, bytes -> options.blockBytes((int) Math.min(bytes, Integer.MAX_VALUE)));
        set(compressionLevel, options::level);
        set(permissions, options::permissions);
        options.rollAtStart(rollAtStart);
        CronExpression times = schedule;
        if (times != null) {
            options.rollAt(now -> {
                Date next = times.getNextValidTimeAfter(new Date(now));
                return next == null ? Long.MAX_VALUE : next.getTime();
            });
        }
        return options;
    }

    private static <T> void set(T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private Object[] all() {
        return new Object[] {names.file(), names.pattern(), maxFileBytes, maxHistory, maxFiles, totalBytes, flushEvery,
            whenFull, maxWait, ringBytes, backlogBytes, blockBytes, compressionLevel, rollAtStart, permissions,
            schedule == null ? null : schedule.getCronExpression()};
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Settings && java.util.Arrays.equals(all(), ((Settings) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hash(all());
    }

    /** Such as {@code 100 MB}. */
    static Long size(String attribute, String text) {
        if (text == null) {
            return null;
        }
        long bytes = FileSize.parse(text, -1);
        if (bytes < 0) {
            throw new IllegalArgumentException(attribute + " is a size such as `100 MB`, not `" + text + "`");
        }
        return bytes;
    }

    /** Such as {@code 1 s}, {@code 100 ms}, {@code PT1S}; a number alone is of milliseconds. */
    static Duration time(String attribute, String text) {
        if (text == null) {
            return null;
        }
        Matcher matcher = TIME.matcher(text.trim());
        Duration unit = matcher.matches() ? unit(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        try {
            return unit == null ? Duration.parse(text.trim())
                    : unit.multipliedBy(Long.parseLong(matcher.group(1)));
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new IllegalArgumentException(attribute + " is a time such as `100 ms` or `1 s`, not `"
                    + text + "`", e);
        }
    }

    private static Duration unit(String word) {
        switch (word) {
            case "":
            case "ms":
            case "millis":
            case "milliseconds":
            case "millisecond":
                return Duration.ofMillis(1);
            case "s":
            case "second":
            case "seconds":
                return Duration.ofSeconds(1);
            case "min":
            case "minute":
            case "minutes":
                return Duration.ofMinutes(1);
            default:
                return null;
        }
    }
}
