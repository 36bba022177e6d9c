package io.github.whypause.logging;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Has what was logged written when the process ends by itself.
 *
 * <p>The logs stay open: other threads that run at the end may log, too. Nobody can wait for the other
 * hooks to end, so each thread that logs from now on waits for its own line: the JVM waits for a hook
 * that does.
 */
final class AtExit extends Thread {
    private static final Set<CompressedLogWriter> OPEN = new HashSet<>();
    private static AtExit hook;
    /** The process ends: no hook is added any more. */
    private static boolean exiting;

    private AtExit() {
        super("whypause-log-exit");
        setContextClassLoader(null);
    }

    static void add(CompressedLogWriter writer) {
        synchronized (OPEN) {
            OPEN.add(writer);
            if (hook == null && !exiting) {
                hook = new AtExit();
                try {
                    Runtime.getRuntime().addShutdownHook(hook);
                } catch (IllegalStateException e) {
                    exiting = true;
                }
            }
            if (exiting) {
                writer.exits();
            }
        }
    }

    /** The hook goes with the last log, so that a web application can be unloaded. */
    static void remove(CompressedLogWriter writer) {
        synchronized (OPEN) {
            if (OPEN.remove(writer) && OPEN.isEmpty() && hook != null) {
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
        List<CompressedLogWriter> open;
        synchronized (OPEN) {
            exiting = true;
            open = new ArrayList<>(OPEN);
        }
        for (CompressedLogWriter writer : open) {
            writer.exits();
        }
        long until = System.nanoTime() + CompressedLogWriter.EXIT_PATIENCE.toNanos();
        for (CompressedLogWriter writer : open) {
            writer.settle(until);
        }
    }
}
