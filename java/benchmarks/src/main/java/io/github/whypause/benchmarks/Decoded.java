package io.github.whypause.benchmarks;

import io.github.whypause.logging.GzipCodec;
import io.github.whypause.logging.zstd.ZstdCodec;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much log is in a file. */
final class Decoded {
    private Decoded() {}

    static long bytes(Path file) throws IOException {
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file));
                InputStream in = file.toString().endsWith(".gz") ? new GzipCodec().decode(raw)
                        : file.toString().endsWith(".zst") ? new ZstdCodec().decode(raw) : raw) {
            byte[] piece = new byte[1 << 16];
            long bytes = 0;
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                bytes += length;
            }
            return bytes;
        }
    }
}
