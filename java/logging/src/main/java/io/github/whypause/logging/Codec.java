package io.github.whypause.logging;

import java.io.IOException;
import java.io.InputStream;

/**
 * A compressed format whose files may consist of many independent blocks, one behind the other.
 *
 * <p>Implementations are found with {@link java.util.ServiceLoader} and have no state.
 */
public interface Codec {
    /**
     * The end of the names of such files.
     *
     * @return without the dot: {@code gz}
     */
    String extension();

    /**
     * How many bytes at the start of a block say how long it is.
     *
     * @return the number of bytes, of which {@link #blockBytes} needs all
     */
    int headerBytes();

    /**
     * How long the block is that begins with these bytes.
     *
     * @param header {@link #headerBytes} bytes
     * @return its length with the header in bytes; -1 where this is not the header of a block that
     *     this codec made
     */
    long blockBytes(byte[] header);

    /**
     * Makes blocks.
     *
     * @param level how hard to compress; {@link LogWriterOptions#DEFAULT_LEVEL} leaves it to the
     *     codec, whose choice is a fast one
     * @return an encoder for one thread
     * @throws IllegalArgumentException where the format has no such level
     */
    BlockEncoder encoder(int level);

    /**
     * Reads blocks.
     *
     * @param compressed any number of blocks
     * @return what was compressed
     * @throws IOException where this is not such a file
     */
    InputStream decode(InputStream compressed) throws IOException;
}
