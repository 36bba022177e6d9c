package io.github.whypause.unmap;

/** Before JDK 22, for one thread: nobody else can close it during an access. */
final class OwnedLifetime extends CleanedLifetime {
    private final Thread owner = Thread.currentThread();
    /** Only the owner writes it, and others only look whether it is open. */
    private volatile boolean closed;

    @Override
    int enter() {
        checkOpen();
        return 0;
    }

    @Override
    void exit(int ticket) {}

    @Override
    boolean isOpen() {
        return !closed;
    }

    @Override
    void checkOpen() {
        checkThread();
        if (closed) {
            throw closed();
        }
    }

    private void checkThread() {
        if (owner != Thread.currentThread()) {
            throw otherThread(owner);
        }
    }

    @Override
    void close() {
        checkThread();
        InternalError pending = Faults.take();
        if (!closed) {
            closed = true;
            release(0);
        }
        Faults.rethrow(pending);
    }
}
