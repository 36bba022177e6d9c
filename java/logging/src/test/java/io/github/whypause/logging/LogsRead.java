package io.github.whypause.logging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Reads a log with the JDK's own reader, which is stricter than {@code zcat} and faster to start. */
final class LogsRead {
    private LogsRead() {}

    static List<String> gunzip(Path file) throws IOException {
        if (Files.size(file) == 0) {
            // a process was killed before its first line
            return new ArrayList<>();
        }
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            String text = new String(Logs.readAll(in), StandardCharsets.UTF_8);
            List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
            if (!lines.remove(lines.size() - 1).isEmpty()) {
                throw new AssertionError("the last line of " + file + " has no end");
            }
            return lines;
        }
    }
}
