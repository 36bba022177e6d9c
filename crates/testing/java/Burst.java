// Collects as often as its second argument says, as soon as the file named by its first one is there.
// Then nothing stops it any more.
import java.io.File;

public class Burst {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (!new File(args[0]).exists()) {
            Thread.sleep(20);
        }
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("done");
        Thread.sleep(Long.MAX_VALUE);
    }
}
