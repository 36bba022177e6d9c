package whypause.workloads;

/** Where lines are logged to. */
interface LogSink {
    /**
     * Logs a line. Called by many threads.
     *
     * @param bytes the line is at their begin; not kept
     * @param length how long it is, with its line feed
     * @return whether it was taken, and not dropped
     */
    boolean log(byte[] bytes, int length);

    /** {@code key=value} pairs of what was done so far. */
    String describe();
}
