package io.github.whypause.logging;

import java.io.File;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of rolled files, as logging frameworks write them: {@code logs/app-%d{yyyy-MM-dd}.%i.log.gz}.
 *
 * <p>{@code %d{PATTERN}} is a date (also {@code %d{PATTERN, ZONE}}, and {@code %d{PATTERN, aux}}
 * for one that only repeats a part of another), {@code %i} a number, {@code %03i} one of three digits at least. The finest unit of the date says
 * how often files are rolled.
 */
final class NamePattern {
    private static final Pattern TOKEN = Pattern.compile("%(?:(date|d)(\\{[^}]*})?|(\\d{0,2})i|%)");
    private static final String DAY = "yyyy-MM-dd";

    private final String text;
    private final List<Part> parts = new ArrayList<>();
    private final Pattern regex;
    private final boolean indexed;
    private ZoneId zone = ZoneId.systemDefault();
    private ChronoUnit unit;
    private DateTimeFormatter parser;

    /** A piece of a name. */
    private static final class Part {
        /** As it is; {@code null} for the others. */
        final String literal;
        /** A date; {@code null} for the number. */
        final DateTimeFormatter date;
        /** Digits of the number at least. */
        final int digits;

        Part(String literal, DateTimeFormatter date, int digits) {
            this.literal = literal;
            this.date = date;
            this.digits = digits;
        }
    }

    /**
     * @throws IllegalArgumentException with a reason for people where it cannot be read
     */
    NamePattern(String given) {
        this.text = given.replaceAll("/+", "/");
        StringBuilder expression = new StringBuilder();
        Matcher matcher = TOKEN.matcher(text);
        int from = 0;
        boolean hasIndex = false;
        while (matcher.find()) {
            literal(known(text.substring(from, matcher.start())), expression);
            from = matcher.end();
            if (matcher.group(1) != null) {
                date(matcher.group(2), expression);
            } else if (matcher.group(3) == null) {
                literal("%", expression);
            } else {
                String digits = matcher.group(3);
                parts.add(new Part(null, null, digits.isEmpty() ? 1 : Integer.parseInt(digits)));
                // a second number is the same, and only one group may have the name
                expression.append(hasIndex ? "\\d+" : "(?<index>\\d{1,9})");
                hasIndex = true;
            }
        }
        literal(known(text.substring(from)), expression);
        this.indexed = hasIndex;
        this.regex = Pattern.compile(hasIndex ? expression.toString() : numbered(expression.toString()));
    }

    private String known(String piece) {
        if (piece.indexOf('%') >= 0) {
            throw new IllegalArgumentException("file name pattern `" + text
                    + "`: only %d{...} and %i are known");
        }
        return piece;
    }

    private void literal(String piece, StringBuilder expression) {
        if (!piece.isEmpty()) {
            parts.add(new Part(piece, null, 0));
            expression.append(Pattern.quote(piece));
        }
    }

    private void date(String braces, StringBuilder expression) {
        String[] words = braces == null ? new String[] {DAY}
                : braces.substring(1, braces.length() - 1).split(",");
        String format = words[0].trim().isEmpty() ? DAY : words[0].trim();
        boolean auxiliary = words.length > 1 && words[1].trim().equals("aux");
        ZoneId of = zone;
        try {
            if (words.length > 1 && !auxiliary) {
                of = ZoneId.of(words[words.length - 1].trim());
            }
            // years as the frameworks count them, with and without an era
            DateTimeFormatter date = DateTimeFormatter.ofPattern(format, Locale.ROOT).withZone(of);
            parts.add(new Part(null, date, 0));
            if (auxiliary || unit != null) {
                expression.append(".+?");
                return;
            }
            zone = of;
            unit = finest(format);
            parser = new DateTimeFormatterBuilder().appendPattern(format)
                    .parseDefaulting(ChronoField.MONTH_OF_YEAR, 1)
                    .parseDefaulting(ChronoField.DAY_OF_MONTH, 1)
                    .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
                    .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
                    .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
                    .toFormatter(Locale.ROOT).withZone(of);
            expression.append("(?<date>.+?)");
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new IllegalArgumentException("file name pattern `" + text + "`: `%d{"
                    + String.join(",", words) + "}`: " + e.getMessage(), e);
        }
    }

    private ChronoUnit finest(String format) {
        String letters = format.replaceAll("'[^']*'", "");
        if (letters.contains("S") || letters.contains("s")) {
            return ChronoUnit.SECONDS;
        }
        if (letters.contains("m")) {
            return ChronoUnit.MINUTES;
        }
        if (letters.matches(".*[HkKh].*")) {
            return ChronoUnit.HOURS;
        }
        if (letters.matches(".*[dDEeu].*")) {
            return ChronoUnit.DAYS;
        }
        if (letters.matches(".*[wW].*")) {
            return ChronoUnit.WEEKS;
        }
        if (letters.matches(".*[ML].*")) {
            return ChronoUnit.MONTHS;
        }
        throw new IllegalArgumentException("a date needs a month, or something finer, to roll by");
    }

    /** Where a name has no number, a second file of the same time gets one before its extension. */
    private static String numbered(String expression) {
        int dot = expression.lastIndexOf('.');
        return dot < 0 ? expression
                : expression.substring(0, dot) + "\\E(?:\\.(?<index>\\d{1,9}))?\\Q"
                        + expression.substring(dot);
    }

    /** Whether names have a date, so that files are rolled by time. */
    boolean hasDate() {
        return unit != null;
    }

    /** Whether the pattern has a number. */
    boolean isIndexed() {
        return indexed;
    }

    /** Begin of the period that a time is in, both in milliseconds since 1970; 0 without a date. */
    long period(long millis) {
        return unit == null ? 0 : begin(millis).toInstant().toEpochMilli();
    }

    /** Begin of the next period; {@link Long#MAX_VALUE} without a date. */
    long nextPeriod(long millis) {
        return shift(millis, 1, Long.MAX_VALUE);
    }

    /** Begin of the period {@code periods} before the one that a time is in. */
    long earlier(long millis, int periods) {
        return shift(millis, -periods, Long.MIN_VALUE);
    }

    private long shift(long millis, int periods, long withoutDate) {
        if (unit == null) {
            return withoutDate;
        }
        return begin(millis).plus(periods, unit).toInstant().toEpochMilli();
    }

    private ZonedDateTime begin(long millis) {
        ZonedDateTime at = Instant.ofEpochMilli(millis).atZone(zone);
        if (unit == ChronoUnit.WEEKS) {
            return at.truncatedTo(ChronoUnit.DAYS).with(ChronoField.DAY_OF_WEEK, 1);
        }
        if (unit == ChronoUnit.MONTHS) {
            return at.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
        }
        return at.truncatedTo(unit);
    }

    /** The name for a period. Where the pattern has no number, 0 is a name without one. */
    Path name(long period, int index) {
        StringBuilder name = new StringBuilder();
        Instant at = Instant.ofEpochMilli(period);
        for (Part part : parts) {
            if (part.literal != null) {
                name.append(part.literal);
            } else if (part.date != null) {
                name.append(part.date.format(at));
            } else {
                String number = Integer.toString(index);
                for (int i = number.length(); i < part.digits; i++) {
                    name.append('0');
                }
                name.append(number);
            }
        }
        if (!indexed && index > 0) {
            int dot = name.lastIndexOf(".");
            name.insert(dot < 0 ? name.length() : dot, "." + index);
        }
        return Paths.get(name.toString());
    }

    /** The folder that all files are below. */
    Path folder() {
        StringBuilder fixed = new StringBuilder();
        for (Part part : parts) {
            if (part.literal == null) {
                break;
            }
            fixed.append(part.literal);
        }
        int slash = fixed.lastIndexOf("/");
        return Paths.get(slash < 0 ? "" : slash == 0 ? "/" : fixed.substring(0, slash));
    }

    /** How many folders deep files are below {@link #folder}, themselves counted. */
    int depth() {
        int below = Paths.get(text).getNameCount() - folder().getNameCount();
        return folder().toString().isEmpty() ? below + 1 : below;
    }

    /** What a name says; {@code null} where it is not such a name. */
    Named parse(String path) {
        Matcher matcher = regex.matcher(path.replace(File.separatorChar, '/'));
        if (!matcher.matches()) {
            return null;
        }
        String number = matcher.group("index");
        int index = number == null ? 0 : Integer.parseInt(number);
        if (unit == null) {
            return new Named(0, index);
        }
        try {
            Instant at = ZonedDateTime.parse(matcher.group("date"), parser).toInstant();
            return new Named(period(at.toEpochMilli()), index);
        } catch (DateTimeException e) {
            // weeks cannot be read back without a day
            return unit == ChronoUnit.WEEKS ? new Named(0, index) : null;
        }
    }

    @Override
    public String toString() {
        return text;
    }

    /** What a name says. */
    static final class Named {
        /** Begin of its period in milliseconds since 1970; 0 where the name does not say it. */
        final long period;
        final int index;

        Named(long period, int index) {
            this.period = period;
            this.index = index;
        }
    }
}
