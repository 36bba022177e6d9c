package whypause.workloads;

/**
 * Allocates steadily, so that collections come steadily: the load of the paper on pauses caused
 * by the operating system, with a rate.
 *
 * <p>Several {@link Allocator} threads and one {@link Sleeper}. Arguments, all optional:
 * {@code threads=2 rate=8000 size=10240 queue=20000 drop=10000 fill=0 report=0 seconds=0};
 * {@code fill=1} writes data into every object, {@code report=1} prints once a second how many
 * were allocated so far; rate and queue are
 * per thread, sizes in bytes, {@code rate=0} allocates as fast as it can, {@code seconds=0} runs
 * until terminated.
 *
 * <p>Prints {@code ready=1} when the load runs, and one line of results at the end.
 */
public final class AllocLoad {
    private AllocLoad() {}

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException {
        Arguments given =
                new Arguments(args, "threads", "rate", "size", "queue", "drop", "fill",
                        "report", "seconds");
        final Allocator[] allocators = start(given, 2, 8000, 20000, 10000);
        final Sleeper sleeper = new Sleeper();
        sleeper.start();
        if (given.number("report", 0) > 0) {
            new Reporter(new Reporter.Work() {
                @Override
                public long done() {
                    long sum = 0;
                    for (Allocator it : allocators) {
                        sum += it.latency.count();
                    }
                    return sum;
                }
            }).start();
        }
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return describe(allocators) + " " + sleeper.overrun.describe("sleep_overrun");
            }
        });
    }

    /** Starts the threads that the arguments ask for; shared with other workloads. */
    static Allocator[] start(Arguments given, int threads, int rate, int queue, int drop) {
        Allocator[] allocators = new Allocator[given.number("threads", threads)];
        for (int i = 0; i < allocators.length; i++) {
            allocators[i] = new Allocator(
                    i,
                    given.number("rate", rate),
                    given.number("size", 10240),
                    given.number("queue", queue),
                    given.number("drop", drop),
                    given.number("fill", 0) > 0);
            allocators[i].start();
        }
        return allocators;
    }

    /** The results of each thread. */
    static String describe(Allocator[] allocators) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < allocators.length; i++) {
            text.append(i == 0 ? "" : " ").append(allocators[i].latency.describe("alloc_" + i));
        }
        return text.toString();
    }
}
