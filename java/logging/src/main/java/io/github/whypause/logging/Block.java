package io.github.whypause.logging;

/** A compressed piece of a log, on its way to the disk. */
final class Block {
    final byte[] bytes;
    /** What was compressed, in bytes and lines. */
    final long rawBytes;
    final long lines;
    /** Up to where of the ring nothing is left when it is written. Changed by the backlog while it is there. */
    long end;
    /** The one behind it in the backlog. */
    Block next;
    /** Begin of the period whose file it belongs to, in milliseconds since 1970. */
    final long period;

    Block(byte[] bytes, long rawBytes, long lines, long end, long period) {
        this.bytes = bytes;
        this.rawBytes = rawBytes;
        this.lines = lines;
        this.end = end;
        this.period = period;
    }
}
