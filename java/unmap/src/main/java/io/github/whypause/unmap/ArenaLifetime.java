package io.github.whypause.unmap;

/** For all threads, where the JVM itself guards each access to an arena: see {@link SharedArenas}. */
final class ArenaLifetime extends Lifetime {
    ArenaLifetime(ArenaMemory memory) {
        super(memory);
    }

    @Override
    int enter() {
        checkOpen();
        return 0;
    }

    @Override
    void exit(int ticket) {}
}
