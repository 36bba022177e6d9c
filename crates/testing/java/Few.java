// Collects about once a second, and otherwise sleeps: one of many small services.
public class Few {
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (true) {
            for (int i = 0; i < 50; i++) {
                sink = new byte[100_000];
            }
            Thread.sleep(1000);
        }
    }
}
