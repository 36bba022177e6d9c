import java.util.Random;

/**
 * Stops itself again and again, each time as long as there is to mark: by `System.gc()`, with a live set whose
 * size changes.
 *
 * Arguments: the most objects in thousands, and the milliseconds between two collections.
 */
public class Pauser {
    public static void main(String[] arguments) throws InterruptedException {
        int most = Integer.parseInt(arguments[0]) * 1000;
        long everyMs = Long.parseLong(arguments[1]);
        Random random = new Random(1);
        System.out.println("ready");
        while (true) {
            int[][] live = new int[random.nextInt(most)][];
            for (int i = 0; i < live.length; i++) {
                live[i] = new int[] {i};
            }
            System.gc();
            if (live.length == most) {
                System.out.println(live[most - 1][0]);
            }
            live = null;
            Thread.sleep(everyMs);
        }
    }
}
