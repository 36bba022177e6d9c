import java.net.Socket;
import java.util.concurrent.locks.LockSupport;

/** Two threads that print as fast as their reader reads, and others that are idle; with a port also one that sends there. */
public class Printers {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        for (String name : new String[] {"printer-1", "printer-2"}) {
            new Thread(Printers::print, name).start();
        }
        for (int n = 0; n < 20; n++) {
            Thread idle = new Thread(LockSupport::park, "idle-" + n);
            idle.setDaemon(true);
            idle.start();
        }
        if (arguments.length > 0) {
            Socket socket = new Socket("127.0.0.1", Integer.parseInt(arguments[0]));
            new Thread(() -> send(socket), "sender-1").start();
        }
    }

    private static void print() {
        String line = "x".repeat(100);
        while (true) {
            System.out.println(line);
        }
    }

    private static void send(Socket socket) {
        try {
            byte[] bytes = new byte[1 << 16];
            while (true) {
                socket.getOutputStream().write(bytes);
            }
        } catch (java.io.IOException e) {
            System.exit(1);
        }
    }
}
