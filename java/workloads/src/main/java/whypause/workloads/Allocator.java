package whypause.workloads;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * One allocating thread: allocates objects of one size into a queue and drops a part of the
 * queue whenever it is full, so that objects die in the order of their age and some of them grow
 * old, as in a service with caches and requests.
 *
 * <p>It measures how long each allocation took. That is longer than microseconds only when the
 * thread was stopped, had no CPU, or was blocked inside the allocation.
 */
final class Allocator extends Thread {
    /** Time of each allocation. */
    final Latencies latency = new Latencies();

    private final int objectBytes;
    private final int queueLimit;
    private final int dropped;
    private final boolean fill;
    private final Pace pace;

    /**
     * A thread that is not started yet.
     *
     * @param number for the thread's name, {@code alloc-NUMBER}
     * @param perSecond allocations per second; 0 for as many as possible
     * @param objectBytes size of each object
     * @param queueLimit objects in the queue at which a part is dropped
     * @param dropped how many are dropped then
     * @param fill whether each object is filled with data other than zeros
     */
    Allocator(
            int number, int perSecond, int objectBytes, int queueLimit, int dropped,
            boolean fill) {
        super("alloc-" + number);
        setDaemon(true);
        this.objectBytes = objectBytes;
        this.queueLimit = Math.max(1, queueLimit);
        this.dropped = Math.max(1, Math.min(dropped, this.queueLimit));
        this.fill = fill;
        this.pace = new Pace(perSecond);
    }

    @Override
    public void run() {
        ArrayDeque<byte[]> queue = new ArrayDeque<byte[]>(queueLimit + 1);
        while (true) {
            pace.await();
            long start = System.nanoTime();
            byte[] object = new byte[objectBytes];
            latency.record(System.nanoTime() - start);
            if (fill) {
                Arrays.fill(object, (byte) (1 + queue.size() % 100));
            }
            queue.addLast(object);
            if (queue.size() >= queueLimit) {
                for (int i = 0; i < dropped; i++) {
                    queue.removeFirst();
                }
            }
        }
    }
}
