"""Measures whether `whypause` tells stalls where threads only wait for work: it should tell none.

An idle Jetty, and in the same JVM one of each kind of thread that waits for something to do: pools with all kinds
of queues, timers, selectors, `accept`, reads of sockets and pipes, conditions with a timeout, sleeps, joins, and a
log that is written once a second. It is recorded for ten minutes, and the kernel's tracepoints are read beside
(`bench/stalls_truth.py`), as a host that is not idle can make a thread wait for a CPU.

Exits with 1 where more is told than the tracepoints have; with 3 where they have waits of 10 ms and more, too, which
says that this host was not idle. Needs root, Maven and what it downloads, JDK 17 or newer with `javac`, and a kernel
with `CONFIG_FTRACE_SYSCALLS`; says SKIPPED and why where one is missing.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import maven_jars
from stalls_run import Failed, add_options, beside, compile_java, idle_code, judge, keep, run, seen_by_both

JETTY = ["org.eclipse.jetty:jetty-server:12.1.8", "org.slf4j:slf4j-nop:2.0.17"]
IDLES = """
import java.io.*;
import java.net.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Waits in as many ways as a thread can wait for something to do. */
public class Idles {
    interface Work { void run() throws Exception; }

    static void thread(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** A pool of which each thread has run once. */
    static void warm(ExecutorService pool, int threads) throws Exception {
        CountDownLatch all = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            pool.execute(() -> {
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException error) {
                    throw new RuntimeException(error);
                }
            });
        }
        all.await();
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(new QueuedThreadPool(60, 20));
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new org.eclipse.jetty.server.handler.DefaultHandler());
        server.start();

        warm(Executors.newFixedThreadPool(16), 16);
        warm(new ThreadPoolExecutor(8, 8, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(100)), 8);
        ThreadPoolExecutor expiring =
                new ThreadPoolExecutor(4, 4, 300, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>());
        expiring.allowCoreThreadTimeOut(true);
        warm(Executors.newCachedThreadPool(), 8);
        warm(new ThreadPoolExecutor(4, 4, 1, TimeUnit.SECONDS, new PriorityBlockingQueue<>(10, (a, b) -> 0)), 4);
        ForkJoinPool.commonPool().invoke(ForkJoinTask.adapt(() -> { }));
        ScheduledExecutorService ticks = Executors.newScheduledThreadPool(8);
        for (int i = 0; i < 8; i++) {
            ticks.scheduleAtFixedRate(() -> expiring.execute(() -> { }), i * 13, 50 * (i + 1), TimeUnit.MILLISECONDS);
        }
        new Timer("timer", true).schedule(new TimerTask() {
            @Override public void run() { }
        }, 0, 100);

        SynchronousQueue<Object> hands = new SynchronousQueue<>();
        LinkedTransferQueue<Object> transfer = new LinkedTransferQueue<>();
        DelayQueue<Delayed> delays = new DelayQueue<>();
        thread("poll-sync", () -> { while (true) hands.poll(200, TimeUnit.MILLISECONDS); });
        thread("take-transfer", () -> { while (true) transfer.take(); });
        thread("give-transfer", () -> { while (true) { Thread.sleep(150); transfer.put(""); } });
        thread("take-delay", () -> delays.take());
        thread("sleeps", () -> { while (true) Thread.sleep(25); });
        thread("parks", () -> { while (true) LockSupport.parkNanos(30_000_000); });
        Object monitor = new Object();
        thread("waits", () -> { while (true) synchronized (monitor) { monitor.wait(70); } });
        thread("waits-long", () -> { while (true) synchronized (monitor) { monitor.wait(); } });
        thread("notifies", () -> {
            while (true) {
                Thread.sleep(110);
                synchronized (monitor) { monitor.notifyAll(); }
            }
        });
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        thread("awaits", () -> { lock.lock(); while (true) condition.awaitNanos(40_000_000); });
        Exchanger<Object> exchanger = new Exchanger<>();
        thread("exchanges", () -> exchanger.exchange(""));
        CyclicBarrier barrier = new CyclicBarrier(2);
        thread("barrier-a", () -> { while (true) { Thread.sleep(90); barrier.await(); } });
        thread("barrier-b", () -> { while (true) barrier.await(); });
        CompletableFuture<Object> never = new CompletableFuture<>();
        thread("joins", () -> never.join());
        Semaphore semaphore = new Semaphore(0);
        thread("acquires", () -> { while (true) semaphore.tryAcquire(300, TimeUnit.MILLISECONDS); });

        Selector selector = Selector.open();
        thread("selects", () -> { while (true) selector.select(60); });
        ServerSocket listens = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        thread("accepts", () -> {
            while (true) {
                Socket it = listens.accept();
                thread("reads-socket", () -> it.getInputStream().read());
            }
        });
        Socket talks = new Socket(InetAddress.getLoopbackAddress(), listens.getLocalPort());
        Socket answers = new Socket(InetAddress.getLoopbackAddress(), listens.getLocalPort());
        answers.setSoTimeout(80);
        thread("reads-with-timeout", () -> {
            while (true) {
                try {
                    answers.getInputStream().read();
                } catch (SocketTimeoutException again) {
                    continue;
                }
            }
        });
        SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), listens.getLocalPort()));
        thread("reads-channel", () -> channel.read(java.nio.ByteBuffer.allocate(10)));
        DatagramSocket datagrams = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        thread("receives", () -> datagrams.receive(new DatagramPacket(new byte[10], 10)));
        thread("reads-stdin", () -> System.in.read());
        Pipe pipe = Pipe.open();
        thread("reads-pipe", () -> { while (true) pipe.source().read(java.nio.ByteBuffer.allocate(10)); });
        thread("writes-pipe", () -> {
            while (true) {
                Thread.sleep(170);
                pipe.sink().write(java.nio.ByteBuffer.allocate(10));
            }
        });
        Process child = new ProcessBuilder("sleep", "100000").start();
        Runtime.getRuntime().addShutdownHook(new Thread(child::destroyForcibly));
        thread("waits-for-child", () -> child.waitFor());
        thread("reads-child", () -> child.getInputStream().read());
        Path dir = Files.createTempDirectory(Path.of(args[0]), "watched");
        WatchService watch = dir.getFileSystem().newWatchService();
        dir.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
        thread("watches", () -> { while (true) watch.take(); });
        try (FileWriter log = new FileWriter(args[0] + "/application.log")) {
            System.out.println("ready");
            while (true) {
                Thread.sleep(1000);
                log.write("nothing happened\\n");
                log.flush();
            }
        }
    }
}
"""


def measure(options, work):
    classes = compile_java(options.java, maven_jars.jars("jetty", *JETTY), work, "Idles", IDLES)
    stops = work / "safepoints.log"
    command = [options.java, "-Xmx256m", f"-Xlog:safepoint:file={stops}:tn:filecount=0", "-cp", classes, "Idles",
               str(work)]
    with open(work / "said", "w", encoding="utf-8") as said, \
            beside(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True) as jvm:
        if jvm.stdout.readline().strip() != "ready":
            raise Failed("the JVM does not start:\n" + (work / "said").read_text()[-2000:])
        time.sleep(options.warm_up)
        seen = seen_by_both(options, jvm, work / "rec", stops)
    keep(options, "idle", work / "rec", seen)
    print(seen["said"])
    return judge(options, seen, idle_code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, seconds=600, warm_up=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="whypause-idle-", dir="/dev/shm") as work:
        return run(lambda: measure(options, pathlib.Path(work)))


if __name__ == "__main__":
    sys.exit(main())
