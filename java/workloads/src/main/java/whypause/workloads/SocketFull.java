package whypause.workloads;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that each send messages over a connection, as a service does to its clients, a log
 * collector or a replica. Where the peer does not read, the send buffer fills, and a blocking
 * write waits for room.
 *
 * <p>Arguments: {@code port=PORT} of a {@link SocketPeer}, and optional {@code send=stream
 * connections=8 perSecond=50 bytes=8192 buffer=65536 threads=1 rate=2000 size=10240 queue=1000
 * drop=500 seconds=0}. With {@code send=stream} and {@code send=channel} threads {@code sender-N}
 * make the messages and write them, to the stream of a {@link Socket} or to a blocking {@link
 * SocketChannel}. With {@code send=queue} threads {@code request-N} make them and put them into a
 * bounded queue, from which a thread {@code sender-N} writes; with {@code send=nonblocking}
 * threads {@code sender-N} write to a channel that does not block. In both, a message that finds
 * no room is dropped. {@code perSecond} counts messages of one connection; {@code buffer} is the
 * size of its send buffer in bytes.
 *
 * <p>Prints each call of 10 ms and more at the end ({@link Stalls}).
 */
public final class SocketFull {
    /** Messages that may wait for each sender. */
    private static final int MOST_WAITING = 20;

    /** Sends one message, or drops it. */
    private interface Sink {
        void send() throws IOException;
    }

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final Stalls stalls = new Stalls();
    private final InetSocketAddress peer;
    private final int messageBytes;
    private final int bufferBytes;

    private SocketFull(Arguments given) {
        peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), given.number("port", 0));
        messageBytes = Math.max(1, given.number("bytes", 8192));
        bufferBytes = Math.max(1, given.number("buffer", 65536));
    }

    /** Runs the load. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Arguments given = new Arguments(args, "port", "send", "connections", "perSecond", "bytes",
                "buffer", "threads", "rate", "size", "queue", "drop", "seconds");
        final SocketFull load = new SocketFull(given);
        String send = given.text("send", "stream");
        for (int i = 0; i < given.number("connections", 8); i++) {
            load.start(i, send, given.number("perSecond", 50));
        }
        final Allocator[] allocators = AllocLoad.start(given, 1, 2000, 1000, 500);
        final Sleeper sleeper = new Sleeper();
        sleeper.start();
        Ending.after(given.number("seconds", 0), new Ending.Results() {
            @Override
            public String line() {
                return load.stalls.describe() + " sent=" + load.sent.get() + " dropped="
                        + load.dropped.get() + " " + AllocLoad.describe(allocators) + " "
                        + sleeper.overrun.describe("sleep_overrun");
            }
        });
    }

    private void start(int number, String send, int perSecond) throws IOException {
        String sender = "sender-" + number;
        if (send.equals("queue")) {
            BlockingQueue<Integer> queue = new ArrayBlockingQueue<Integer>(MOST_WAITING);
            draining(sender, queue, stream(stalls.inBackground(sender))).start();
            paced("request-" + number, perSecond, queued(queue)).start();
        } else {
            paced(sender, perSecond, sink(send, stalls.ofRequests(sender))).start();
        }
    }

    private Sink sink(String send, Stalls.Calls calls) throws IOException {
        if (send.equals("stream")) {
            return stream(calls);
        }
        if (send.equals("channel") || send.equals("nonblocking")) {
            return channel(calls, send.equals("channel"));
        }
        throw Arguments.refuse(
                "`send` is stream, channel, queue or nonblocking, not `" + send + "`");
    }

    private Sink stream(final Stalls.Calls calls) throws IOException {
        final Socket socket = new Socket();
        socket.setSendBufferSize(bufferBytes);
        socket.setTcpNoDelay(true);
        socket.connect(peer);
        final OutputStream out = socket.getOutputStream();
        final byte[] message = new byte[messageBytes];
        return new Sink() {
            @Override
            public void send() throws IOException {
                calls.begin("send");
                out.write(message);
                calls.end();
                sent.incrementAndGet();
            }
        };
    }

    /** Of a channel that does not block, what is left of a message goes before the next one. */
    private Sink channel(final Stalls.Calls calls, boolean blocks) throws IOException {
        final SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_SNDBUF, bufferBytes);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.connect(peer);
        channel.configureBlocking(blocks);
        final ByteBuffer message = ByteBuffer.allocateDirect(messageBytes);
        // the casts keep the class file usable on JDK 8, whose Buffer methods
        // are not overridden in ByteBuffer
        ((java.nio.Buffer) message).position(messageBytes);
        return new Sink() {
            @Override
            public void send() throws IOException {
                calls.begin("send");
                if (message.hasRemaining()) {
                    channel.write(message);
                }
                if (message.hasRemaining()) {
                    dropped.incrementAndGet();
                } else {
                    ((java.nio.Buffer) message).clear();
                    channel.write(message);
                    sent.incrementAndGet();
                }
                calls.end();
            }
        };
    }

    private Sink queued(final BlockingQueue<Integer> queue) {
        return new Sink() {
            @Override
            public void send() {
                if (!queue.offer(1)) {
                    dropped.incrementAndGet();
                }
            }
        };
    }

    private static Worker paced(String name, int perSecond, final Sink sink) {
        final Pace pace = new Pace(perSecond);
        return new Worker(name) {
            @Override
            void once() throws IOException {
                pace.await();
                sink.send();
            }
        };
    }

    private static Worker draining(
            String name, final BlockingQueue<Integer> queue, final Sink sink) {
        return new Worker(name) {
            @Override
            void once() throws IOException, InterruptedException {
                queue.take();
                sink.send();
            }
        };
    }
}
