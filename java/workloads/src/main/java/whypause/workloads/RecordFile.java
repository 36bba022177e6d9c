package whypause.workloads;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file that records are appended to and forced to the disk. For one thread. */
final class RecordFile {
    private final FileChannel channel;
    private final ByteBuffer record;

    /**
     * Creates it.
     *
     * @param dir where
     * @param name of the file
     * @param bytes of each record
     */
    RecordFile(String dir, String name, int bytes) throws IOException {
        channel = new RandomAccessFile(new File(dir, name), "rw").getChannel();
        record = ByteBuffer.allocateDirect(Math.max(1, bytes));
        for (int at = 0; at < record.capacity(); at++) {
            record.put(at, (byte) (1 + at % 100));
        }
    }

    /** Appends one record and has it written to the disk. Both calls are measured. */
    void append(Stalls.Calls calls) throws IOException {
        // the cast keeps the class file usable on JDK 8, whose Buffer methods
        // are not overridden in ByteBuffer
        ((java.nio.Buffer) record).clear();
        calls.begin("write");
        while (record.hasRemaining()) {
            channel.write(record);
        }
        calls.end();
        calls.begin("force");
        channel.force(false);
        calls.end();
    }
}
