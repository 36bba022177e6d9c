package io.github.whypause.logging;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;

/**
 * Has what was logged written when the process ends by itself.
 *
 * <p>The logs stay open: other threads that run at the end may log, too, and each of their lines is
 * written at once.
 */
final class AtExit extends Thread {
    private static final Set<CompressedLogWriter> OPEN = new HashSet<>();
    private static AtExit hook;

    private AtExit() {
        super("whypause-log-exit");
        setContextClassLoader(null);
    }

    static void add(CompressedLogWriter writer) {
        synchronized (OPEN) {
            OPEN.add(writer);
            if (hook == null) {
                hook = new AtExit();
                try {
                    Runtime.getRuntime().addShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // the process ends already
                }
            }
        }
    }

    /** The hook goes with the last log, so that a web application can be unloaded. */
    static void remove(CompressedLogWriter writer) {
        synchronized (OPEN) {
            OPEN.remove(writer);
            if (OPEN.isEmpty() && hook != null) {
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // the process ends already
                }
                hook = null;
            }
        }
    }

    @Override
    public void run() {
        ArrayList<CompressedLogWriter> open;
        synchronized (OPEN) {
            open = new ArrayList<>(OPEN);
        }
        try {
            long until = System.nanoTime() + CompressedLogWriter.EXIT_PATIENCE.toNanos();
            for (CompressedLogWriter writer : open) {
                writer.exit(until - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
