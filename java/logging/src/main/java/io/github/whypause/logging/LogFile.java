package io.github.whypause.logging;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An open file.
 *
 * <p>Not a channel: that would be closed in the middle of a write where its thread is interrupted.
 */
class LogFile implements Closeable {
    private final RandomAccessFile file;

    LogFile(Path path) throws IOException {
        this.file = new RandomAccessFile(path.toFile(), "rw");
    }

    /** Whether nobody else has locked it. The lock ends with the file. */
    boolean lock() throws IOException {
        return file.getChannel().tryLock() != null;
    }

    long length() throws IOException {
        return file.length();
    }

    void cut(long length) throws IOException {
        file.setLength(length);
    }

    void write(long at, byte[] bytes) throws IOException {
        file.seek(at);
        file.write(bytes);
    }

    /** Fewer where the file ends before. */
    byte[] read(long at, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.seek(at);
        int read = 0;
        for (int n = 0; n >= 0 && read < length; read += Math.max(n, 0)) {
            n = file.read(bytes, read, length - read);
        }
        return Arrays.copyOf(bytes, read);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
