package whypause.workloads;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.GZIPOutputStream;

/**
 * Logs as the usual frameworks do when they log asynchronously and roll files into {@code .gz}:
 * a queue, whose threads wait while it is full (the {@code AsyncAppender} of Logback without
 * {@code neverBlock}, the asynchronous loggers of Log4j 2 with their default policy); one thread
 * that writes lines through a buffer; and after each rollover another thread that reads the file
 * back, writes it through a {@link GZIPOutputStream} of the default level, and deletes it ({@code
 * Compressor} of Logback, {@code GzCompressAction} of Log4j 2).
 *
 * <p>So each line is written twice: as it is, and compressed.
 */
final class RawSink implements LogSink {
    /** Lines that may wait; about as much memory as {@code whypause-logging} takes. */
    private static final int QUEUE_LINES = 32768;
    private static final int BATCH_LINES = 1024;
    /** As the frameworks have it. */
    private static final int BUFFER_BYTES = 256 << 10;
    /** Rolled files that may wait to be compressed; older ones are deleted, or the disk is full. */
    private static final int MOST_WAITING = 2;

    private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<byte[]>(QUEUE_LINES);
    private final BlockingQueue<File> toCompress = new LinkedBlockingQueue<File>();
    private final File dir;
    private final long rollNs;
    private final int keep;
    private volatile long rawBytes;
    private volatile long gzipBytes;
    private volatile long rolled;
    private volatile long lost;
    private volatile long errors;

    /**
     * Opens the log.
     *
     * @param dir where its files are
     * @param rollSeconds how often a file is rolled
     * @param keep how many compressed files are kept
     */
    RawSink(String dir, int rollSeconds, int keep) throws IOException {
        this.dir = new File(dir);
        this.rollNs = Math.max(1, rollSeconds) * 1000000000L;
        this.keep = keep;
        final OutputStream first = open();
        thread("log-writer", new Work() {
            @Override
            public void go() throws IOException, InterruptedException {
                write(first);
            }
        });
        thread("log-compressor", new Work() {
            @Override
            public void go() throws IOException, InterruptedException {
                compressAll();
            }
        });
    }

    private interface Work {
        void go() throws IOException, InterruptedException;
    }

    /** A log that cannot be written any more must not pass for one that is quick. */
    private void thread(String name, final Work work) {
        Thread thread = new Thread(name) {
            @Override
            public void run() {
                try {
                    work.go();
                } catch (IOException e) {
                    errors = errors + 1;
                    System.err.println("error: " + getName() + ": " + e);
                    Runtime.getRuntime().halt(3);
                } catch (InterruptedException e) {
                    // asked to end
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean log(byte[] bytes, int length) {
        byte[] line = new byte[length];
        System.arraycopy(bytes, 0, line, 0, length);
        try {
            queue.put(line);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String describe() {
        return "log_file_bytes=" + (rawBytes + gzipBytes) + " log_rolled=" + rolled
                + " log_files_lost=" + lost + " log_errors=" + errors;
    }

    private File current() {
        return new File(dir, "access.log");
    }

    private OutputStream open() throws IOException {
        return new BufferedOutputStream(new FileOutputStream(current()), BUFFER_BYTES);
    }

    private void write(OutputStream first) throws IOException, InterruptedException {
        OutputStream out = first;
        long due = System.nanoTime() + rollNs;
        List<byte[]> batch = new ArrayList<byte[]>(BATCH_LINES);
        while (true) {
            batch.add(queue.take());
            queue.drainTo(batch, BATCH_LINES - 1);
            long bytes = 0;
            for (byte[] line : batch) {
                out.write(line);
                bytes += line.length;
            }
            rawBytes = rawBytes + bytes;
            batch.clear();
            if (System.nanoTime() - due > 0) {
                out.close();
                roll();
                out = open();
                due = System.nanoTime() + rollNs;
            }
        }
    }

    private void roll() throws IOException {
        rolled = rolled + 1;
        File to = new File(dir, "access-" + rolled + ".log");
        if (!current().renameTo(to)) {
            throw new IOException("cannot rename `" + current() + "` to `" + to + "`");
        }
        toCompress.add(to);
        File late = toCompress.size() > MOST_WAITING ? toCompress.poll() : null;
        if (late != null && late.delete()) {
            lost = lost + 1;
        }
    }

    private void compressAll() throws IOException, InterruptedException {
        Deque<File> done = new ArrayDeque<File>();
        while (true) {
            File file = toCompress.take();
            File to = new File(file.getPath() + ".gz");
            compress(file, to);
            gzipBytes = gzipBytes + to.length();
            done.addLast(to);
            boolean gone = file.delete();
            while (gone && done.size() > keep) {
                gone = done.removeFirst().delete();
            }
            if (!gone) {
                throw new IOException("cannot delete a file in `" + dir + "`");
            }
        }
    }

    private static void compress(File from, File to) throws IOException {
        byte[] buffer = new byte[8192];
        FileInputStream in = new FileInputStream(from);
        try {
            OutputStream out = new GZIPOutputStream(new FileOutputStream(to), buffer.length);
            try {
                for (int bytes = in.read(buffer); bytes > 0; bytes = in.read(buffer)) {
                    out.write(buffer, 0, bytes);
                }
            } finally {
                out.close();
            }
        } finally {
            in.close();
        }
    }
}
