package io.github.whypause.logging.zstd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.whypause.logging.BlockEncoder;
import io.github.whypause.logging.CompressedLogWriter;
import io.github.whypause.logging.LogWriterOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZstdCodecTest {
    private static final int MIB = 1 << 20;
    private final ZstdCodec codec = new ZstdCodec();

    @TempDir
    Path folder;

    @Test
    void blocksOfAllSizesCanBeReadOneByOneAndTogether() throws IOException {
        Random random = new Random(1);
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (BlockEncoder encoder = codec.encoder(LogWriterOptions.DEFAULT_LEVEL)) {
            assertEquals(0, encoder.finish().length);
            for (int size : new int[] {1, 2, 300, 65536, 300_000, 9 * MIB, 10}) {
                byte[] piece = new byte[size];
                random.nextBytes(piece);
                Arrays.fill(piece, 0, size / 2, (byte) 'a');
                write(encoder, piece);
                byte[] block = encoder.finish();
                assertEquals(block.length, codec.blockBytes(Arrays.copyOf(block, codec.headerBytes())));
                assertArrayEquals(piece, decode(block));
                raw.write(piece);
                compressed.write(block);
            }
        }
        assertArrayEquals(raw.toByteArray(), decode(compressed.toByteArray()));
    }

    @Test
    void otherBytesAreNoHeader() {
        byte[] header = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 100, 0, 0, 0};
        assertEquals(100, codec.blockBytes(header));
        for (int i = 0; i < 8; i++) {
            byte[] other = header.clone();
            other[i]++;
            assertEquals(-1, codec.blockBytes(other));
        }
        header[8] = 12;
        assertEquals(-1, codec.blockBytes(header), "no room for a frame");
    }

    @Test
    void levelsAreChecked() {
        codec.encoder(1).close();
        codec.encoder(22).close();
        assertThrows(IllegalArgumentException.class, () -> codec.encoder(0));
        assertThrows(IllegalArgumentException.class, () -> codec.encoder(23));
    }

    @Test
    void aChangedBitIsNoticed() {
        byte[] block;
        try (BlockEncoder encoder = codec.encoder(3)) {
            write(encoder, "some line that is written\n".getBytes(StandardCharsets.UTF_8));
            block = encoder.finish();
        }
        block[block.length - 1] ^= 1;
        assertThrows(IOException.class, () -> decode(block));
    }

    @Test
    void theProgramReadsALogThatIsStillOpen() throws Exception {
        Path file = folder.resolve("app.log.zst");
        try (CompressedLogWriter log = LogWriterOptions.file(file).open()) {
            for (int i = 0; i < 1000; i++) {
                log.write("line " + i);
            }
            assertTrue(log.flush(java.time.Duration.ofSeconds(60)));
            Process zstd;
            try {
                zstd = new ProcessBuilder("zstd", "-dc", file.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            } catch (IOException e) {
                System.out.println("SKIPPED: there is no program zstd: " + e.getMessage());
                return;
            }
            String read = new String(readAll(zstd.getInputStream()), StandardCharsets.UTF_8);
            assertEquals(0, zstd.waitFor());
            assertEquals(numbered(0, 1000), lines(read));
        }
    }

    @Test
    void aLogIsContinuedAndRolled() throws IOException {
        Path file = folder.resolve("app.log.zst");
        for (int from = 0; from < 3000; from += 1000) {
            try (CompressedLogWriter log = LogWriterOptions.file(file)
                    .rollTo(folder + "/app.%i.log.zst").maxFileBytes(1).open()) {
                for (int i = from; i < from + 1000; i++) {
                    log.write("line " + i);
                }
            }
        }
        assertEquals(numbered(0, 1000), lines(text(folder.resolve("app.0.log.zst"))));
        assertEquals(numbered(1000, 2000), lines(text(folder.resolve("app.1.log.zst"))));
        assertEquals(numbered(2000, 3000), lines(text(file)));
    }

    @Test
    void aCutLogKeepsItsWholeBlocksAndWholeLines() throws Exception {
        Path file = folder.resolve("app.log.zst");
        List<Long> ends = new ArrayList<>();
        try (CompressedLogWriter log = LogWriterOptions.file(file).open()) {
            for (int i = 0; i < 2000; i++) {
                log.write("line " + i);
                if (i % 1000 == 999) {
                    assertTrue(log.flush(java.time.Duration.ofSeconds(60)));
                    ends.add(Files.size(file));
                }
            }
        }
        byte[] whole = Files.readAllBytes(file);
        long first = ends.get(0);
        for (int offset : new int[] {1, 4, 8, 11, 12, 13, 20, 100, whole.length - (int) first - 1}) {
            Files.write(file, Arrays.copyOf(whole, (int) first + offset));
            List<String> problems = new ArrayList<>();
            try (CompressedLogWriter log = LogWriterOptions.file(file).onProblem(problems::add).open()) {
                log.write("after");
            }
            List<String> read = lines(text(file));
            assertEquals(1, problems.size(), problems + " at " + offset);
            assertTrue(read.size() >= 1001 && read.size() < 3001, read.size() + " lines at " + offset);
            assertEquals(numbered(0, read.size() - 1), read.subList(0, read.size() - 1));
            assertEquals("after", read.get(read.size() - 1));
        }
    }

    private static void write(BlockEncoder encoder, byte[] bytes) {
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);
        direct.put(bytes);
        ((java.nio.Buffer) direct).flip();
        encoder.write(direct);
        assertEquals(0, direct.remaining());
    }

    private String text(Path file) throws IOException {
        return new String(decode(Files.readAllBytes(file)), StandardCharsets.UTF_8);
    }

    private byte[] decode(byte[] compressed) throws IOException {
        try (InputStream in = codec.decode(new ByteArrayInputStream(compressed))) {
            return readAll(in);
        }
    }

    private static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
            all.write(piece, 0, length);
        }
        return all.toByteArray();
    }

    private static List<String> lines(String text) {
        return Arrays.asList(text.split("\n"));
    }

    private static List<String> numbered(int from, int to) {
        List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            lines.add("line " + i);
        }
        return lines;
    }
}
