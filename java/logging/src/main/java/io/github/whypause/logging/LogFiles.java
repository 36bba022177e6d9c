package io.github.whypause.logging;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The files of a log: which one is written, when the next one begins, and which are deleted. For one
 * thread at a time.
 *
 * <p>Blocks are written at a position, the end of the last whole one, so that what a failed write has
 * left is written over.
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
    private final BlockEncoder salvage;
    private final Counters counters;
    private final Problems problems;

    /** Not a channel: that would be closed in the middle of a write where its thread is interrupted. */
    private RandomAccessFile open;
    private Path path;
    /** Device and inode of what is open. */
    private Object key;
    /** Up to where there are whole blocks. */
    private long good;
    private long period;
    private int index;
    private long rollAfter = System.nanoTime();

    LogFiles(LogWriterOptions options, Counters counters, Problems problems) {
        this.fixed = options.file;
        this.pattern = options.rolled;
        this.codec = options.codec;
        this.maxFileBytes = options.maxFileBytes;
        this.retention = pattern == null ? null : new Retention(options, counters, problems);
        this.salvage = codec.encoder(options.level);
        this.counters = counters;
        this.problems = problems;
    }

    /** Opens the file for what is logged now. */
    void open(long now) throws IOException {
        long begin = pattern == null ? 0 : pattern.period(now);
        if (fixed == null) {
            openNext(begin, pattern.isIndexed() ? retention.lastIndex(begin) : 0);
        } else {
            openFixed(begin);
        }
        if (retention != null) {
            retention.apply(now, path);
        }
    }

    private void openFixed(long begin) throws IOException {
        openPath(fixed);
        period = begin;
        if (good == 0) {
            return;
        }
        if (pattern != null) {
            period = pattern.period(Files.getLastModifiedTime(fixed).toMillis());
        }
        if (period != begin || good >= maxFileBytes) {
            rollOrStay(begin);
        }
    }

    /** Opens the first file of a period, from a number on, that can be written to. */
    private void openNext(long begin, int from) throws IOException {
        for (int i = Math.max(from, 0); ; i++) {
            openPath(pattern.name(begin, i));
            period = begin;
            index = i;
            if (good < maxFileBytes) {
                return;
            }
        }
    }

    /** Appends a block, in a new file where it belongs to another period or this one is full. */
    void append(byte[] block, long begin) throws IOException {
        if (open == null) {
            open(System.currentTimeMillis());
        }
        // A clock that was set back does not bring back a past file.
        if (pattern != null && (begin > period || good >= maxFileBytes)) {
            rollOrStay(Math.max(begin, period));
        }
        put(block);
    }

    /** Where a file cannot be rolled, it grows. */
    private void rollOrStay(long begin) throws IOException {
        if (System.nanoTime() - rollAfter < 0) {
            return;
        }
        try {
            roll(begin);
            problems.over(ROLL);
        } catch (IOException e) {
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
            // somebody may have cut the file
            good = Math.min(good, open.length());
            open.seek(good);
            open.write(block);
            good += block.length;
        } catch (IOException e) {
            try {
                open.setLength(good);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
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
            int next = begin == period ? index + 1 : 0;
            Path last = path;
            close();
            // somebody may have put another one there
            if (isEmpty && Files.exists(last) && Files.size(last) == 0) {
                Files.deleteIfExists(last);
            }
            openNext(begin, next);
        } else {
            long of = period;
            Path target = freeName(of);
            close();
            Files.move(fixed, target);
            period = begin;
            openPath(fixed);
        }
        counters.rolled++;
        retention.apply(System.currentTimeMillis(), path);
    }

    private Path freeName(long of) throws IOException {
        int from = pattern.isIndexed() ? retention.lastIndex(of) + 1 : 0;
        for (int i = Math.max(from, 0); ; i++) {
            Path target = pattern.name(of, i);
            if (!Files.exists(target, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                createFolder(target);
                return target;
            }
        }
    }

    /** Opens another file where the one with our name is another by now, or it is asked for. */
    void follow(boolean asked) throws IOException {
        if (open == null || !asked && Objects.equals(key, keyOf(path))) {
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
        try {
            open.close();
        } catch (IOException e) {
            problems.tell("close", "cannot close `" + path + "`: " + reason(e));
        }
        open = null;
    }

    /** Frees what is not memory of the JVM. */
    void end() {
        close();
        salvage.close();
    }

    private void openPath(Path wanted) throws IOException {
        close();
        createFolder(wanted);
        RandomAccessFile opened = openLocked(wanted);
        try {
            Torn torn = Torn.of(opened, codec);
            if (torn.kind == Torn.Kind.FOREIGN) {
                opened.close();
                moveAside(wanted);
                opened = openLocked(wanted);
                torn = Torn.of(opened, codec);
            }
            path = wanted;
            key = keyOf(wanted);
            if (key != null) {
                HELD_HERE.add(key);
            }
            good = torn.whole;
            open = opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        repair();
    }

    /** What a crash has cut: its whole lines become a block of their own. */
    private void repair() throws IOException {
        long size = open.length();
        if (good == size) {
            return;
        }
        long cut = size - good;
        byte[] lines = Torn.lines(open, good, size, codec);
        open.setLength(good);
        if (lines.length > 0) {
            ByteBuffer raw = ByteBuffer.allocateDirect(lines.length);
            raw.put(lines);
            ((java.nio.Buffer) raw).flip();
            salvage.write(raw);
            put(salvage.finish());
        }
        problems.tell("repair", "the last block of `" + path + "` was cut after " + cut + " bytes: the whole lines in it, "
                + lines.length + " bytes, were kept");
    }

    /** A file with other contents: it keeps them, under another name. */
    private void moveAside(Path wanted) throws IOException {
        for (int i = 1; ; i++) {
            String name = wanted.getFileName().toString();
            int dot = name.lastIndexOf('.');
            Path aside = wanted.resolveSibling(name.substring(0, dot) + ".before-" + i + name.substring(dot));
            if (!Files.exists(aside, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                Files.move(wanted, aside, StandardCopyOption.ATOMIC_MOVE);
                problems.tell("aside", "`" + wanted + "` was not written by this library, or is damaged: "
                        + "it is now `" + aside + "`");
                return;
            }
        }
    }

    private static RandomAccessFile openLocked(Path wanted) throws IOException {
        // Not even opened: to close any descriptor of a file ends all locks that a process has on it.
        Object there = keyOf(wanted);
        if (there != null && HELD_HERE.contains(there)) {
            throw new HeldHere(wanted);
        }
        RandomAccessFile opened = new RandomAccessFile(wanted.toFile(), "rw");
        boolean locked = false;
        boolean here = false;
        try {
            FileLock lock = opened.getChannel().tryLock();
            locked = lock != null;
        } catch (OverlappingFileLockException e) {
            here = true;
        } catch (IOException e) {
            // a file system without locks
            locked = true;
        }
        if (!locked) {
            opened.close();
            throw here ? new HeldHere(wanted) : new FileSystemException(wanted.toString(), null, HELD);
        }
        return opened;
    }

    private static void createFolder(Path of) throws IOException {
        Path folder = of.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
    }

    private static Object keyOf(Path of) throws IOException {
        try {
            return Files.readAttributes(of, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
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
