package io.github.whypause.unmap;

/** For one thread: nobody else can close it during an access. */
final class OwnedLifetime extends Lifetime {
    private final Thread owner = Thread.currentThread();

    OwnedLifetime(Memory memory) {
        super(memory);
    }

    @Override
    int enter() {
        checkOpen();
        return 0;
    }

    @Override
    void exit(int ticket) {}

    @Override
    void checkThread() {
        if (owner != Thread.currentThread()) {
            throw otherThread(owner);
        }
    }
}
