package io.github.whypause.logging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** gzip, with something that happens before a block is ended. */
class WrappedGzip implements Codec {
    private final GzipCodec gzip = new GzipCodec();
    private final Runnable beforeFinish;

    WrappedGzip(Runnable beforeFinish) {
        this.beforeFinish = beforeFinish;
    }

    @Override
    public String extension() {
        return gzip.extension();
    }

    @Override
    public int headerBytes() {
        return gzip.headerBytes();
    }

    @Override
    public long blockBytes(byte[] header) {
        return gzip.blockBytes(header);
    }

    @Override
    public InputStream decode(InputStream compressed) throws IOException {
        return gzip.decode(compressed);
    }

    @Override
    public BlockEncoder encoder(int level) {
        BlockEncoder encoder = gzip.encoder(level);
        return new BlockEncoder() {
            @Override
            public void write(ByteBuffer raw) {
                encoder.write(raw);
            }

            @Override
            public byte[] finish() {
                beforeFinish.run();
                return encoder.finish();
            }

            @Override
            public void close() {
                encoder.close();
            }
        };
    }
}
