package io.github.whypause.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Files that a framework compresses in the background after it has rolled them. */
final class Rolled {
    private Rolled() {}

    /** Returns when only the present file is as it was. */
    static void await(Path folder) {
        try {
            while (isCompressing(folder)) {
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isCompressing(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(it -> it.getFileName().toString())
                    .anyMatch(it -> it.endsWith(".tmp") || it.startsWith("app-") && it.endsWith(".log"));
        }
    }
}
