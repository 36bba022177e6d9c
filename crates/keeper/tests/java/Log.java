// Collects garbage for as long as it lives, a few thousand times a second. Argument: after so many
// KiB of garbage it sleeps for a millisecond.
public class Log {
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        int pause = Integer.parseInt(args[0]);
        System.out.println("ready");
        Object[] kept = new Object[64];
        for (int i = 1; ; i++) {
            sink = kept[i % kept.length] = new byte[1000];
            if (i % pause == 0) {
                Thread.sleep(1);
            }
        }
    }
}
