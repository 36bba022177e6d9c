package io.github.whypause.logging;

import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Clock;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The files of a log: which one is written, when the next one begins, and which are deleted. For one
 * thread at a time.
 *
 * <p>Blocks are written at a position, the end of the last whole one, so that what a failed write has
 * left is written over. Whatever is thrown in here, what is open is whole up to {@link #good}, or
 * nothing is open and the next block opens it.
 */
final class LogFiles {
    /** How long after a failure it tries to roll again. */
    private static final long ROLL_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final String ROLL = "roll";

    private static final String HELD = "it is being written by another process, or another appender of this one";

    /** The file is open in this process already. */
    static final class HeldHere extends FileSystemException {
        private static final long serialVersionUID = 1;

        HeldHere(Path file) {
            super(file.toString(), null, HELD);
        }
    }

    /** Devices and inodes of the files that this process writes. */
    private static final Set<Object> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path fixed;
    private final NamePattern pattern;
    private final Codec codec;
    private final long maxFileBytes;
    private final Retention retention;
    private final boolean rollAtStart;
    private final byte[] header;
    private final int level;
    private final Set<PosixFilePermission> permissions;
    private final Disk disk;
    private final Memory memory;
    private final Clock clock;
    private final Counters counters;
    private final Problems problems;

    private LogFile open;
    private Path path;
    /** Device and inode of what is open. */
    private Object key;
    /** Up to where there are whole blocks. */
    private long good;
    /** A write has failed, so what is behind {@link #good} is ours. */
    private boolean unsure;
    private boolean started;
    private long period;
    private int index;
    private long rollAfter = System.nanoTime();

    LogFiles(LogWriterOptions options, Counters counters, Problems problems) {
        this.fixed = options.file;
        this.pattern = options.rolled;
        this.codec = options.codec;
        this.maxFileBytes = options.maxFileBytes;
        this.retention = pattern == null ? null : new Retention(options, counters, problems);
        this.rollAtStart = options.rollAtStart;
        this.header = options.header;
        this.level = options.level;
        this.permissions = options.permissions;
        this.disk = options.disk;
        this.memory = options.memory;
        this.clock = options.clock;
        this.counters = counters;
        this.problems = problems;
    }

    /** Opens the file for what is logged now. */
    void open(long now) throws IOException {
        long begin = pattern == null ? 0 : pattern.period(now);
        boolean another = rollAtStart && !started;
        if (fixed == null) {
            openNext(begin, pattern.isIndexed() ? retention.lastIndex(begin) : 0, another);
        } else {
            openFixed(begin, another);
        }
        started = true;
        if (retention != null) {
            retention.apply(now, path);
        }
    }

    private void openFixed(long begin, boolean another) throws IOException {
        openPath(fixed);
        period = begin;
        if (good == 0) {
            return;
        }
        if (pattern != null) {
            period = pattern.period(disk.lastModified(fixed));
        }
        if (another || period != begin || good >= maxFileBytes) {
            rollOrStay(begin);
        }
    }

    /** Opens the first file of a period, from a number on, that can be written to. */
    private void openNext(long begin, int from, boolean empty) throws IOException {
        for (int i = Math.max(from, 0); ; i++) {
            openPath(pattern.name(begin, i));
            period = begin;
            index = i;
            if (good == 0 || !empty && good < maxFileBytes) {
                return;
            }
        }
    }

    /** Appends a block, in a new file where it belongs to another period or this one is full. */
    void append(byte[] block, long begin) throws IOException {
        if (open == null) {
            open(clock.millis());
        } else {
            lookBehind();
        }
        if (pattern != null && (begin > period || isSetBack(begin) || good >= maxFileBytes)) {
            rollOrStay(isSetBack(begin) ? begin : Math.max(begin, period));
        }
        if (good == 0 && header.length > 0) {
            put(blockOf(header));
        }
        put(block);
    }

    /**
     * A clock that is set back a little does not bring back a past file. One that had been wrong by more
     * than a period is followed: else nothing would be rolled until that date.
     */
    private boolean isSetBack(long begin) {
        return begin < period && pattern.nextPeriod(begin) < period;
    }

    /** Whether the file still ends where our last block does. */
    private void lookBehind() throws IOException {
        long length = open.length();
        if (length == 0) {
            // as `logrotate` does with `copytruncate`
            good = 0;
        } else if (length < good || length > good && !unsure) {
            // somebody else has written to it, or cut it: as at the start
            close();
            openPath(path);
        }
    }

    /** Where a file cannot be rolled, it grows. */
    private void rollOrStay(long begin) throws IOException {
        if (System.nanoTime() - rollAfter < 0) {
            return;
        }
        try {
            roll(begin);
            problems.over(ROLL);
        } catch (IOException | RuntimeException e) {
            rollAfter = System.nanoTime() + ROLL_AGAIN_NANOS;
            problems.tell(ROLL, "cannot roll `" + path + "` to `" + pattern + "`: " + reason(e)
                    + "; it goes on in the same file");
            if (open == null) {
                openPath(path);
            }
        }
    }

    private void put(byte[] block) throws IOException {
        try {
            write(open, good, block);
            unsure = false;
        } catch (Throwable e) {
            unsure = true;
            throw e;
        }
        good += block.length;
    }

    /** All of it, or nothing as far as that is possible. */
    private static void write(LogFile file, long at, byte[] block) throws IOException {
        try {
            file.write(at, block);
        } catch (Throwable e) {
            try {
                file.cut(at);
            } catch (Throwable again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    /** A block of its own. */
    private byte[] blockOf(byte[] lines) {
        ByteBuffer raw = memory.direct(lines.length);
        raw.put(lines);
        ((Buffer) raw).flip();
        try (BlockEncoder encoder = codec.encoder(level)) {
            encoder.write(raw);
            return encoder.finish();
        }
    }

    /** Begins another file; where nothing was written into this one, it is that. */
    private void roll(long begin) throws IOException {
        boolean isEmpty = good == 0;
        if (fixed != null && isEmpty) {
            period = begin;
            return;
        }
        if (fixed == null) {
            int next = pattern.period(begin) == pattern.period(period) ? index + 1 : 0;
            Path last = path;
            close();
            // somebody may have put another one there
            if (isEmpty && disk.isEmpty(last)) {
                disk.delete(last);
            }
            openNext(begin, next, false);
        } else {
            long of = period;
            Path target = freeName(of);
            close();
            disk.move(fixed, target);
            period = begin;
            openPath(fixed);
        }
        counters.rolled++;
        retention.apply(clock.millis(), path);
    }

    private Path freeName(long of) throws IOException {
        int from = pattern.isIndexed() ? retention.lastIndex(pattern.period(of)) + 1 : 0;
        for (int i = Math.max(from, 0); ; i++) {
            Path target = pattern.name(of, i);
            if (!disk.isTaken(target)) {
                disk.createFolder(target);
                return target;
            }
        }
    }

    /** Opens another file where the one with our name is another by now, or it is asked for. */
    void follow(boolean asked) throws IOException {
        if (open == null || !asked && Objects.equals(key, disk.key(path))) {
            return;
        }
        close();
        openPath(path);
    }

    void close() {
        if (key != null) {
            HELD_HERE.remove(key);
            key = null;
        }
        if (open == null) {
            return;
        }
        LogFile last = open;
        open = null;
        try {
            last.close();
        } catch (IOException e) {
            problems.tell("close", "cannot close `" + path + "`: " + reason(e));
        }
    }

    /** Frees what is not memory of the JVM. */
    void end() {
        close();
    }

    private void openPath(Path wanted) throws IOException {
        close();
        disk.createFolder(wanted);
        LogFile opened = openLocked(wanted);
        try {
            Torn torn = Torn.of(opened, codec);
            if (torn.kind == Torn.Kind.FOREIGN) {
                opened.close();
                moveAside(wanted);
                opened = openLocked(wanted);
                torn = Torn.of(opened, codec);
            }
            long whole = repaired(opened, torn.whole, wanted);
            Object there = disk.key(wanted);
            if (there != null) {
                HELD_HERE.add(there);
            }
            // nothing is thrown from here on
            path = wanted;
            key = there;
            good = whole;
            unsure = false;
            open = opened;
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
    }

    /** What a crash has cut: its whole lines become a block of their own. Where whole blocks end then. */
    private long repaired(LogFile file, long whole, Path name) throws IOException {
        long size = file.length();
        if (whole == size) {
            return whole;
        }
        byte[] lines = Torn.lines(file, whole, size, codec);
        byte[] block = lines.length > 0 ? blockOf(lines) : lines;
        file.cut(whole);
        write(file, whole, block);
        problems.tell("repair", "the last block of `" + name + "` was cut after " + (size - whole)
                + " bytes: the whole lines in it, " + lines.length + " bytes, were kept");
        return whole + block.length;
    }

    /** A file with other contents: it keeps them, under another name. */
    private void moveAside(Path wanted) throws IOException {
        for (int i = 1; ; i++) {
            String name = wanted.getFileName().toString();
            int dot = name.lastIndexOf('.') < 0 ? name.length() : name.lastIndexOf('.');
            Path aside = wanted.resolveSibling(name.substring(0, dot) + ".before-" + i + name.substring(dot));
            if (!disk.isTaken(aside)) {
                disk.rename(wanted, aside);
                problems.tell("aside", "`" + wanted + "` was not written by this library, or is damaged: "
                        + "it is now `" + aside + "`");
                return;
            }
        }
    }

    private LogFile openLocked(Path wanted) throws IOException {
        // Not even opened: to close any descriptor of a file ends all locks that a process has on it.
        Object there = disk.key(wanted);
        if (there != null && HELD_HERE.contains(there)) {
            throw new HeldHere(wanted);
        }
        LogFile opened = disk.open(wanted, permissions);
        try {
            if (!isLocked(opened, wanted)) {
                throw new FileSystemException(wanted.toString(), null, HELD);
            }
            return opened;
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
    }

    private boolean isLocked(LogFile opened, Path wanted) throws IOException {
        try {
            return opened.lock();
        } catch (OverlappingFileLockException e) {
            throw new HeldHere(wanted);
        } catch (IOException e) {
            problems.tell("lock", "`" + wanted + "` cannot be locked: " + reason(e)
                    + "; no other process must write to it");
            return true;
        }
    }

    /** For people. */
    static String reason(Throwable e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof FileSystemException && ((FileSystemException) e).getReason() != null) {
            return ((FileSystemException) e).getReason();
        }
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
