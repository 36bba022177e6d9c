package whypause.workloads;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The other end of {@link SocketFull}'s connections, a process of its own: reads all that comes,
 * and is slow only while its process is stopped from outside.
 *
 * <p>Arguments, all optional: {@code buffer=65536 seconds=0}; {@code buffer} is the size in bytes
 * of each connection's receive buffer. Prints {@code port=…}, on which it listens on loopback,
 * before {@code ready=1}, and {@code received_bytes=…} at the end.
 */
public final class SocketPeer {
    private static final int MOST_WAITING = 100;

    private SocketPeer() {}

    /** Runs it. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Arguments given = new Arguments(args, "buffer", "seconds");
        final AtomicLong received = new AtomicLong();
        final ServerSocket server = new ServerSocket();
        // those of connections are made before they are accepted
        server.setReceiveBufferSize(Math.max(1, given.number("buffer", 65536)));
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), MOST_WAITING);
        System.out.println("port=" + server.getLocalPort());
        new Worker("acceptor") {
            private int connections;

            @Override
            void once() throws IOException {
                reader(connections, server.accept(), received).start();
                connections++;
            }
        }.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return "received_bytes=" + received.get();
            }
        });
    }

    private static Worker reader(int number, final Socket socket, final AtomicLong received)
            throws IOException {
        final InputStream in = socket.getInputStream();
        final byte[] block = new byte[16384];
        return new Worker("reader-" + number) {
            @Override
            void once() throws IOException, InterruptedException {
                int count = read(in, block);
                if (count < 0) {
                    socket.close();
                    throw new InterruptedException("the end of the connection");
                }
                received.addAndGet(count);
            }
        };
    }

    /** A connection that was reset is one that has ended. */
    private static int read(InputStream in, byte[] block) {
        try {
            return in.read(block);
        } catch (IOException e) {
            return -1;
        }
    }
}
