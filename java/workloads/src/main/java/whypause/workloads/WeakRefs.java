package whypause.workloads;

import java.lang.ref.WeakReference;

/**
 * Makes many weak references to objects that soon die, so that each collection has references to
 * process, beside the usual allocating threads.
 *
 * <p>Arguments, all optional: {@code refs=400000 perSecond=400000 rate=2000 size=10240 queue=2000
 * drop=1000 threads=2 seconds=0}. {@code refs} are kept at a time.
 */
public final class WeakRefs {
    private WeakRefs() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException {
        Arguments given = new Arguments(args, "refs", "perSecond", "threads", "rate", "size",
                "queue", "drop", "fill", "seconds");
        final Allocator[] allocators = AllocLoad.start(given, 2, 2000, 2000, 1000);
        final WeakReference<?>[] kept = new WeakReference<?>[Math.max(1, given.number("refs", 400000))];
        final Pace pace = new Pace(given.number("perSecond", 400000));
        Thread thread = new Thread("references") {
            @Override
            public void run() {
                for (int i = 0; true; i = (i + 1) % kept.length) {
                    pace.await();
                    kept[i] = new WeakReference<Object>(new Object());
                }
            }
        };
        thread.setDaemon(true);
        thread.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return AllocLoad.describe(allocators);
            }
        });
    }
}
