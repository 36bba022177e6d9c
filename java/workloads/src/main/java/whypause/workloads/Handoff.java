package whypause.workloads;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two threads hand objects to each other through a {@link SynchronousQueue}: the load with the
 * most context switches per second, and hardly any collection.
 *
 * <p>Arguments: {@code seconds=0 work_ns=0}; the giver works for {@code work_ns} nanoseconds
 * after each handoff. Prints the number of handoffs at the end.
 */
public final class Handoff {
    private Handoff() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException {
        Arguments given = new Arguments(args, "seconds", "work_ns");
        final int workNs = given.number("work_ns", 0);
        final SynchronousQueue<Integer> queue = new SynchronousQueue<Integer>();
        final AtomicLong taken = new AtomicLong();
        start("giver", new Step() {
            @Override
            public void once() throws InterruptedException {
                queue.put(1);
                work(workNs);
            }
        });
        start("taker", new Step() {
            @Override
            public void once() throws InterruptedException {
                taken.addAndGet(queue.take());
            }
        });
        final long start = System.nanoTime();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                long elapsedUs = (System.nanoTime() - start) / 1000;
                return "handoffs=" + taken.get() + " elapsed_us=" + elapsedUs;
            }
        });
    }

    private static void work(int ns) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < ns) {
            // that is the work
        }
    }

    /** What a thread does again and again. */
    private interface Step {
        void once() throws InterruptedException;
    }

    private static void start(String name, final Step step) {
        Thread thread = new Thread(name) {
            @Override
            public void run() {
                try {
                    while (true) {
                        step.once();
                    }
                } catch (InterruptedException e) {
                    // asked to end
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
    }
}
