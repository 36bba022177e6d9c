package io.github.whypause.logging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitor;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * All calls of a log that can throw: those of its codec, of the file system, of its allocations and of
 * its listener. Each is counted by its name, and one of them throws.
 */
final class Faults {
    private final Map<String, Integer> calls = new TreeMap<>();
    private final String site;
    private final int call;
    private final Supplier<Throwable> fault;
    private boolean thrown;

    /** The call of a site that throws, from 1 on; where the supplier gives nothing, its thread is interrupted. */
    Faults(String site, int call, Supplier<Throwable> fault) {
        this.site = site;
        this.call = call;
        this.fault = fault;
    }

    /** Counts only. */
    Faults() {
        this("", 0, () -> null);
    }

    synchronized Map<String, Integer> calls() {
        return new TreeMap<>(calls);
    }

    synchronized boolean isThrown() {
        return thrown;
    }

    void at(String name) {
        synchronized (this) {
            if (calls.merge(name, 1, Integer::sum) != call || !name.equals(site)) {
                return;
            }
            thrown = true;
        }
        Throwable e = fault.get();
        if (e == null) {
            Thread.currentThread().interrupt();
        } else {
            Thrown.sneaky(e);
        }
    }

    LogWriterOptions into(LogWriterOptions options) {
        options.memory = new FaultyMemory();
        options.disk = new FaultyDisk();
        return options.codec(new WrappedGzip(this::at)).onProblem(problem -> at("listener"));
    }

    private final class FaultyMemory extends Memory {
        @Override
        ByteBuffer direct(int bytes) {
            at("memory.direct");
            return super.direct(bytes);
        }

        @Override
        byte[] copy(byte[] from, int offset, int length) {
            at("memory.copy");
            return super.copy(from, offset, length);
        }

        @Override
        Block block(byte[] bytes, long rawBytes, long lines, long end, long period) {
            at("memory.block");
            return super.block(bytes, rawBytes, lines, end, period);
        }
    }

    private final class FaultyDisk extends Disk {
        @Override
        LogFile open(Path file, Set<PosixFilePermission> permissions) throws IOException {
            at("disk.open");
            return new FaultyFile(file);
        }

        @Override
        Object key(Path of) throws IOException {
            at("disk.key");
            return super.key(of);
        }

        @Override
        void createFolder(Path of) throws IOException {
            at("disk.createFolder");
            super.createFolder(of);
        }

        @Override
        boolean isTaken(Path name) {
            at("disk.isTaken");
            return super.isTaken(name);
        }

        @Override
        void move(Path from, Path to) throws IOException {
            at("disk.move");
            super.move(from, to);
        }

        @Override
        void rename(Path from, Path to) throws IOException {
            at("disk.rename");
            super.rename(from, to);
        }

        @Override
        long lastModified(Path file) throws IOException {
            at("disk.lastModified");
            return super.lastModified(file);
        }

        @Override
        void delete(Path file) throws IOException {
            at("disk.delete");
            super.delete(file);
        }

        @Override
        void walk(Path folder, int depth, FileVisitor<Path> visitor) throws IOException {
            at("disk.walk");
            super.walk(folder, depth, visitor);
        }
    }

    private final class FaultyFile extends LogFile {
        FaultyFile(Path path) throws IOException {
            super(path);
        }

        @Override
        boolean lock() throws IOException {
            at("file.lock");
            return super.lock();
        }

        @Override
        long length() throws IOException {
            at("file.length");
            return super.length();
        }

        @Override
        void cut(long length) throws IOException {
            at("file.cut");
            super.cut(length);
        }

        @Override
        byte[] read(long at, int length) throws IOException {
            at("file.read");
            return super.read(at, length);
        }

        @Override
        void write(long at, byte[] bytes) throws IOException {
            at("file.write");
            super.write(at, Arrays.copyOf(bytes, bytes.length / 2));
            at("file.write, half done");
            super.write(at, bytes);
            at("file.write, done");
        }

        @Override
        public void close() throws IOException {
            // it is closed also where it says that it could not write what it had
            super.close();
            at("file.close");
        }
    }
}
