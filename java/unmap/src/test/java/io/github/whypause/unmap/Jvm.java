package io.github.whypause.unmap;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, for what could crash one, and for what one prints. */
final class Jvm {
    /** Only so that nothing hangs for good: a busy machine may take a hundred times as long. */
    private static final int LIMIT_MINUTES = 15;

    final int exit;
    final String out;
    final String err;

    private Jvm(int exit, String out, String err) {
        this.exit = exit;
        this.out = out;
        this.err = err;
    }

    static int version() {
        String version = System.getProperty("java.specification.version");
        return Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
    }

    /** Runs a main class with the class path of this JVM, and waits for its end. */
    static Jvm run(List<String> flags, Class<?> main, Path dir, String... arguments)
            throws IOException, InterruptedException {
        String classes = System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin/java");
        command.addAll(Arrays.asList("-Xmx64m", "-XX:-CreateCoredumpOnCrash"));
        if (version() == 8) {
            command.remove(command.size() - 1);
        }
        command.addAll(flags);
        command.addAll(Arrays.asList("-cp", classes, main.getName(), dir.toString()));
        command.addAll(Arrays.asList(arguments));
        Path out = Files.createTempFile(dir, "out", "");
        Path err = Files.createTempFile(dir, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        for (String name : new String[] {
            "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"}) {
            builder.environment().remove(name);
        }
        Process process = builder.start();
        if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new AssertionError("still running after " + LIMIT_MINUTES + " min: " + command + text(out)
                    + text(err));
        }
        return new Jvm(process.exitValue(), text(out), text(err));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), "UTF-8");
    }

    /** Whether this process has the file mapped, also one that was deleted. */
    static boolean isMapped(Path file) throws IOException {
        // not readAllBytes: the size of such a file is 0
        ByteArrayOutputStream maps = new ByteArrayOutputStream();
        try (InputStream from = Files.newInputStream(Paths.get("/proc/self/maps"))) {
            byte[] some = new byte[1 << 16];
            for (int n; (n = from.read(some)) > 0; ) {
                maps.write(some, 0, n);
            }
        }
        return maps.toString("UTF-8").contains(file.toRealPath().toString());
    }

    @Override
    public String toString() {
        return "exit " + exit + "\n" + out + "\n" + err;
    }
}
