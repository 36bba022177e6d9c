package io.github.whypause.logging;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Tells of problems, each kind at most once a minute. */
final class Problems {
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Consumer<String> listener;
    private final Map<String, Long> told = new HashMap<>();

    Problems(Consumer<String> listener) {
        this.listener = listener;
    }

    /** {@code kind} is one of a few words that this package has. */
    synchronized void tell(String kind, String problem) {
        long now = System.nanoTime();
        Long last = told.get(kind);
        if (last != null && now - last < QUIET_NANOS) {
            return;
        }
        told.put(kind, now);
        try {
            listener.accept(problem);
        } catch (Throwable e) {
            // whoever listens must not end the log
        }
    }

    /** The problem is over: tell of the next one at once. */
    synchronized boolean over(String kind) {
        return told.remove(kind) != null;
    }
}
