package io.github.whypause.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log whose close is held up, and one that comes after it. */
class ClosedLateTest {
    @TempDir
    Path folder;

    /** gzip that does not end a block before it may. */
    private static final class HeldUp implements Codec {
        final CountDownLatch go = new CountDownLatch(1);
        private final GzipCodec gzip = new GzipCodec();

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
        public BlockEncoder encoder(int level) {
            BlockEncoder encoder = gzip.encoder(level);
            return new BlockEncoder() {
                @Override
                public void write(ByteBuffer raw) {
                    encoder.write(raw);
                }

                @Override
                public byte[] finish() {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return encoder.finish();
                }

                @Override
                public void close() {
                    encoder.close();
                }
            };
        }

        @Override
        public InputStream decode(InputStream compressed) throws IOException {
            return gzip.decode(compressed);
        }
    }

    @Test
    void the_next_log_of_the_file_waits_for_it_in_memory() throws Exception {
        Path file = folder.resolve("a.log.gz");
        HeldUp codec = new HeldUp();
        CompressedLogWriter first = LogWriterOptions.file(file).codec(codec).open();
        first.write("first");
        assertThrows(IOException.class, () -> LogWriterOptions.file(file).open(), "while it is open");
        assertFalse(first.close(Duration.ofMillis(10)));
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        try (CompressedLogWriter second = LogWriterOptions.file(file).onProblem(problems::add)
                .flushEvery(Duration.ofMillis(10)).open()) {
            second.write("second");
            codec.go.countDown();
            Logs.await("the line is there", () -> second.counters().getWrittenLines() == 1);
            second.write("third");
        }
        assertEquals(Arrays.asList("first", "second", "third"), Logs.zcat(file));
        assertEquals("`" + file + "` is still being closed, and is opened after that", problems.get(0));
        try (CompressedLogWriter third = LogWriterOptions.file(file).open()) {
            assertThrows(IOException.class, () -> LogWriterOptions.file(file).open(), "nothing is closed late now");
            third.write("fourth");
        }
    }
}
