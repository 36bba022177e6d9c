package io.github.whypause.logging;

/** Why a line that was logged is not in the file. Each has a counter. */
enum Loss {
    /** Memory was full. */
    NO_ROOM,
    /** Something was thrown while it was compressed, or copied. */
    FAILED,
    /** The log was closed, and the disk, or the codec, did not take it in time. */
    CLOSED
}
