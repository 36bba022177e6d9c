package io.github.whypause.logging.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.github.whypause.logging.BlockEncoder;
import io.github.whypause.logging.Codec;
import io.github.whypause.logging.LogWriterOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * zstd: each block is a skippable frame, which says how long the block is, and one frame with a
 * checksum (RFC 8878, sections 3.1.1 and 3.1.2). Every program that reads zstd accepts that.
 */
public final class ZstdCodec implements Codec {
    private static final int DEFAULT_LEVEL = 1;
    private static final int MOST_LEVEL = 22;

    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    /** Of what is skipped: the length of the whole block. */
    private static final int PAYLOAD_BYTES = 4;
    private static final int HEADER_BYTES = 8 + PAYLOAD_BYTES;
    /** The shortest frame: magic, descriptor, window or length, one block's header, checksum. */
    private static final int LEAST_FRAME_BYTES = 13;

    /** For {@link java.util.ServiceLoader}. */
    public ZstdCodec() {}

    @Override
    public String extension() {
        return "zst";
    }

    @Override
    public int headerBytes() {
        return HEADER_BYTES;
    }

    @Override
    public long blockBytes(byte[] header) {
        ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        if (fields.getInt(0) != SKIPPABLE_MAGIC || fields.getInt(4) != PAYLOAD_BYTES) {
            return -1;
        }
        long length = fields.getInt(8) & 0xffffffffL;
        return length >= HEADER_BYTES + LEAST_FRAME_BYTES ? length : -1;
    }

    @Override
    public BlockEncoder encoder(int level) {
        if (level != LogWriterOptions.DEFAULT_LEVEL && (level < 1 || level > MOST_LEVEL)) {
            throw new IllegalArgumentException("zstd has levels 1 to " + MOST_LEVEL + ", not " + level);
        }
        return new Frames(level == LogWriterOptions.DEFAULT_LEVEL ? DEFAULT_LEVEL : level);
    }

    @Override
    public InputStream decode(InputStream compressed) throws IOException {
        return new ZstdInputStreamNoFinalizer(compressed);
    }

    /**
     * Gathers a block and compresses it at once.
     *
     * <p>Only on direct buffers: on arrays zstd-jni works inside a JNI critical region, for whose end
     * a garbage collection waits, and all threads with it.
     */
    private static final class Frames implements BlockEncoder {
        private static final int LEAST_BUFFER_BYTES = 256 << 10;
        /** A longer buffer was for a long line, and is not kept. */
        private static final int MOST_KEPT_BYTES = 4 << 20;

        private final ZstdCompressCtx context = new ZstdCompressCtx();
        private ByteBuffer gathered = ByteBuffer.allocateDirect(LEAST_BUFFER_BYTES);
        private ByteBuffer frame = ByteBuffer.allocateDirect(LEAST_BUFFER_BYTES);

        Frames(int level) {
            context.setLevel(level);
            context.setChecksum(true);
            context.setContentSize(true);
        }

        @Override
        public void write(ByteBuffer raw) {
            if (gathered.remaining() < raw.remaining()) {
                long wanted = (long) gathered.position() + raw.remaining();
                ByteBuffer more = ByteBuffer.allocateDirect(
                        (int) Math.min(Math.max(2L * gathered.capacity(), wanted), Integer.MAX_VALUE));
                // casts: as Java 8 declares it
                ((Buffer) gathered).flip();
                more.put(gathered);
                gathered = more;
            }
            gathered.put(raw);
        }

        @Override
        public byte[] finish() {
            int length = gathered.position();
            if (length == 0) {
                return new byte[0];
            }
            int bound = (int) Zstd.compressBound(length);
            if (frame.capacity() < bound) {
                frame = ByteBuffer.allocateDirect(Math.max(bound, 2 * frame.capacity()));
            }
            int frameBytes = context.compressDirectByteBuffer(frame, 0, frame.capacity(), gathered, 0, length);
            byte[] block = new byte[HEADER_BYTES + frameBytes];
            ByteBuffer header = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
            header.putInt(SKIPPABLE_MAGIC).putInt(PAYLOAD_BYTES).putInt(block.length);
            ((Buffer) frame).clear();
            frame.get(block, HEADER_BYTES, frameBytes);
            ((Buffer) gathered).clear();
            if (gathered.capacity() > MOST_KEPT_BYTES) {
                gathered = ByteBuffer.allocateDirect(LEAST_BUFFER_BYTES);
                frame = ByteBuffer.allocateDirect(LEAST_BUFFER_BYTES);
            }
            return block;
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
