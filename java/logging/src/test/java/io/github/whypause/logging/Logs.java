package io.github.whypause.logging;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the tests share: reading logs with the tools of users, and running programs. */
final class Logs {
    /** What a program has written, and how it ended. */
    static final class Ran {
        final int status;
        final byte[] out;
        final String errors;

        Ran(int status, byte[] out, String errors) {
            this.status = status;
            this.out = out;
            this.errors = errors;
        }

        List<String> lines() {
            String text = new String(out, StandardCharsets.UTF_8);
            return text.isEmpty() ? new ArrayList<>() : Arrays.asList(text.split("\n", -1));
        }
    }

    /** A JVM that takes longer is asked for the stacks of its threads, and is ended ten seconds later. */
    private static final List<String> LIMIT =
            Arrays.asList("timeout", "--signal=QUIT", "--kill-after=10", "600");

    private Logs() {}

    static Ran run(String... command) throws IOException, InterruptedException {
        File errors = File.createTempFile("whypause", ".err");
        try {
            List<String> limited = new ArrayList<>(LIMIT);
            limited.addAll(Arrays.asList(command));
            Process process = new ProcessBuilder(limited).redirectError(errors).start();
            process.getOutputStream().close();
            byte[] out = readAll(process.getInputStream());
            int status = process.waitFor();
            return new Ran(status, out,
                    new String(Files.readAllBytes(errors.toPath()), StandardCharsets.UTF_8));
        } finally {
            Files.delete(errors.toPath());
        }
    }

    static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[1 << 16];
        for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
            all.write(piece, 0, n);
        }
        return all.toByteArray();
    }

    /** The lines of a file, by {@code zcat}, which must not complain. */
    static List<String> zcat(Path file) throws IOException, InterruptedException {
        Ran ran = run("zcat", file.toString());
        if (ran.status != 0) {
            throw new AssertionError(ran.errors);
        }
        List<String> lines = new ArrayList<>(ran.lines());
        if (!lines.isEmpty() && lines.remove(lines.size() - 1).length() > 0) {
            throw new AssertionError("the last line of " + file + " has no end");
        }
        return lines;
    }

    static List<String> numbered(String prefix, int from, int to) {
        List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            lines.add(prefix + i);
        }
        return lines;
    }

    static void write(CompressedLogWriter log, List<String> lines) {
        for (String line : lines) {
            if (!log.write(line)) {
                throw new AssertionError("dropped: " + line);
            }
        }
    }

    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(it -> it.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    /** Waits until something is so, for up to a minute. */
    static void await(String what, Callable<Boolean> holds) throws Exception {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!holds.call()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("not within a minute: " + what);
            }
            Thread.sleep(10);
        }
    }

    /** The command line of another JVM like this one, with a program of the tests. */
    static List<String> java(Class<?> program, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.add("-Xmx256m");
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(program.getName());
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /** Whether it may mount, as root in most places. */
    static boolean isRoot() throws IOException, InterruptedException {
        return new String(run("id", "-u").out, StandardCharsets.UTF_8).trim().equals("0");
    }
}
