package io.github.whypause.logging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** gzip, with something that happens before each call. */
class WrappedGzip implements Codec {
    static final String ENCODER = "codec.encoder";
    static final String WRITE = "encoder.write";
    static final String FINISH = "encoder.finish";
    static final String CLOSE = "encoder.close";

    private final GzipCodec gzip = new GzipCodec();
    private final Consumer<String> before;

    /** Before a block is ended. */
    WrappedGzip(Runnable beforeFinish) {
        this(call -> {
            if (call.equals(FINISH)) {
                beforeFinish.run();
            }
        });
    }

    /** Before each call, which is one of the names above. */
    WrappedGzip(Consumer<String> before) {
        this.before = before;
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
        before.accept(ENCODER);
        BlockEncoder encoder = gzip.encoder(level);
        return new BlockEncoder() {
            @Override
            public void write(ByteBuffer raw) {
                before.accept(WRITE);
                encoder.write(raw);
            }

            @Override
            public byte[] finish() {
                before.accept(FINISH);
                return encoder.finish();
            }

            @Override
            public void close() {
                before.accept(CLOSE);
                encoder.close();
            }
        };
    }
}
