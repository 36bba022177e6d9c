package whypause.workloads;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Threads that wait for work in all the ways in which those of a service do: parked, parked with
 * a time limit, asleep, in {@link Object#wait()}, in a {@link Selector}, in a read from a socket.
 * Nothing holds them up; a thread that gives them work wakes some now and then.
 */
final class IdleThreads {
    private static final int KINDS = 6;
    private static final long WORK_EVERY_MS = 20;
    private static final long LIMIT_MS = 500;

    private final LinkedBlockingQueue<Integer> tasks = new LinkedBlockingQueue<Integer>();
    private final LinkedBlockingQueue<Integer> limited = new LinkedBlockingQueue<Integer>();
    private final Object monitor = new Object();
    private final List<Selector> selectors = new ArrayList<Selector>();
    private final List<OutputStream> peers = new ArrayList<OutputStream>();

    private IdleThreads() {}

    /** Starts this many, the same number of each kind, and a thread that gives them work. */
    static void start(int threads) throws IOException {
        IdleThreads all = new IdleThreads();
        ServerSocket server = new ServerSocket(0, threads, InetAddress.getLoopbackAddress());
        for (int i = 0; i < threads; i++) {
            all.worker(i, server).start();
        }
        server.close();
        if (threads > 0) {
            all.giver().start();
        }
    }

    private Worker worker(int number, ServerSocket server) throws IOException {
        int each = number / KINDS;
        switch (number % KINDS) {
            case 0:
                return parked("parked-" + each);
            case 1:
                return timed("timed-" + each);
            case 2:
                return asleep("asleep-" + each, 100 + number);
            case 3:
                return waiting("waiting-" + each);
            case 4:
                return selecting("selecting-" + each);
            default:
                return reading("reading-" + each, server);
        }
    }

    private Worker parked(String name) {
        return new Worker(name) {
            @Override
            void once() throws InterruptedException {
                tasks.take();
            }
        };
    }

    private Worker timed(String name) {
        return new Worker(name) {
            @Override
            void once() throws InterruptedException {
                limited.poll(LIMIT_MS, TimeUnit.MILLISECONDS);
            }
        };
    }

    private static Worker asleep(String name, final int ms) {
        return new Worker(name) {
            @Override
            void once() throws InterruptedException {
                Thread.sleep(ms);
            }
        };
    }

    private Worker waiting(String name) {
        return new Worker(name) {
            @Override
            void once() throws InterruptedException {
                synchronized (monitor) {
                    monitor.wait();
                }
            }
        };
    }

    private Worker selecting(String name) throws IOException {
        final Selector selector = Selector.open();
        selectors.add(selector);
        return new Worker(name) {
            @Override
            void once() throws IOException {
                selector.select();
            }
        };
    }

    private Worker reading(String name, ServerSocket server) throws IOException {
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        peers.add(server.accept().getOutputStream());
        final InputStream in = client.getInputStream();
        return new Worker(name) {
            @Override
            void once() throws IOException {
                in.read();
            }
        };
    }

    /** Gives one thread of each kind something to do, in turns. */
    private Worker giver() {
        return new Worker("giver") {
            private int turn;

            @Override
            void once() throws IOException, InterruptedException {
                Thread.sleep(WORK_EVERY_MS);
                turn++;
                tasks.offer(turn);
                limited.offer(turn);
                synchronized (monitor) {
                    monitor.notify();
                }
                if (!selectors.isEmpty()) {
                    selectors.get(turn % selectors.size()).wakeup();
                }
                if (!peers.isEmpty()) {
                    peers.get(turn % peers.size()).write(1);
                }
            }
        };
    }
}
