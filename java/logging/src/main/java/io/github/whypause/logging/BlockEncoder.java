package io.github.whypause.logging;

import java.nio.ByteBuffer;

/** Compresses bytes into blocks, each of which can be read without the others. For one thread. */
public interface BlockEncoder extends AutoCloseable {
    /**
     * Takes bytes into the block.
     *
     * @param raw a direct buffer; all that remains in it is taken
     */
    void write(ByteBuffer raw);

    /**
     * Ends the block. The next byte begins another one.
     *
     * @return the whole block, with its length at its start; empty where nothing was written
     */
    byte[] finish();

    /** Frees native memory. */
    @Override
    void close();
}
