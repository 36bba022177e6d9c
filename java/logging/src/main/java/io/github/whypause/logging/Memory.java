package io.github.whypause.logging;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** What a log allocates while it is open, outside of its codec. The tests have one that fails. */
class Memory {
    /** Outside of the heap. */
    ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes);
    }

    byte[] copy(byte[] from, int offset, int length) {
        return Arrays.copyOfRange(from, offset, offset + length);
    }

    Block block(byte[] bytes, long rawBytes, long lines, long end, long period) {
        return new Block(bytes, rawBytes, lines, end, period);
    }
}
