package io.github.whypause.logging;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Where the whole blocks of a file end, and what is behind them. */
final class Torn {
    enum Kind {
        /** Nothing, or a block that was cut. */
        OURS,
        /** Something that this library did not write, or that it must not throw away. */
        FOREIGN
    }

    /** A block that was being written is no longer than this: that of the largest block setting. */
    private static final long LONGEST_BLOCK = 80L << 20;

    final Kind kind;
    /** Bytes of whole blocks. */
    final long whole;

    private Torn(Kind kind, long whole) {
        this.kind = kind;
        this.whole = whole;
    }

    /** Goes from header to header. */
    static Torn of(LogFile file, Codec codec) throws IOException {
        long size = file.length();
        long at = 0;
        while (at < size) {
            byte[] header = file.read(at, codec.headerBytes());
            if (header.length < codec.headerBytes()) {
                return new Torn(at > 0 || isZero(header) ? Kind.OURS : cutHeader(header, codec), at);
            }
            long length = codec.blockBytes(header);
            if (length < 0) {
                // A machine that lost its power may leave zeros where it had not written yet.
                boolean zeros = size - at <= LONGEST_BLOCK && isZero(file, at, size);
                return new Torn(zeros ? Kind.OURS : Kind.FOREIGN, at);
            }
            if (at + length > size) {
                return new Torn(length <= LONGEST_BLOCK ? Kind.OURS : Kind.FOREIGN, at);
            }
            at += length;
        }
        return new Torn(Kind.OURS, at);
    }

    /** A file that is shorter than one header is ours where it is how one begins. */
    private static Kind cutHeader(byte[] header, Codec codec) {
        byte[] whole = new byte[0];
        try (BlockEncoder encoder = codec.encoder(LogWriterOptions.DEFAULT_LEVEL)) {
            ByteBuffer one = ByteBuffer.allocateDirect(1);
            encoder.write(one);
            whole = encoder.finish();
        }
        // the length in it may be another
        int same = 0;
        while (same < header.length && header[same] == whole[same]) {
            same++;
        }
        return same >= Math.min(header.length, codec.headerBytes() - 8) ? Kind.OURS : Kind.FOREIGN;
    }

    /** The whole lines of a block that was cut. */
    static byte[] lines(LogFile file, long from, long to, Codec codec) throws IOException {
        byte[] cut = file.read(from, (int) Math.min(to - from, LONGEST_BLOCK));
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        byte[] piece = new byte[8 << 10];
        try (InputStream in = codec.decode(new ByteArrayInputStream(cut))) {
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                lines.write(piece, 0, length);
            }
        } catch (IOException | RuntimeException e) {
            // as far as it goes
        }
        byte[] all = lines.toByteArray();
        int end = all.length;
        while (end > 0 && all[end - 1] != '\n') {
            end--;
        }
        return Arrays.copyOf(all, end);
    }

    private static boolean isZero(LogFile file, long from, long to) throws IOException {
        for (long at = from; at < to; at += 1 << 16) {
            if (!isZero(file.read(at, (int) Math.min(1 << 16, to - at)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(byte[] bytes) {
        for (byte b : bytes) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }
}
