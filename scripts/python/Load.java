/** A JVM that pauses now and then, for half a minute. */
public class Load {
    public static void main(String[] args) throws InterruptedException {
        for (int round = 0; round < 300; round++) {
            byte[][] garbage = new byte[64][];
            for (int i = 0; i < garbage.length; i++) {
                garbage[i] = new byte[128 << 10];
            }
            if (round % 20 == 0) {
                System.gc();
            }
            Thread.sleep(100);
        }
    }
}
