"""Measures whether `stalls` of `whypause` add up, on a Kafka broker whose disk is slow.

A broker of one node (KRaft, loopback only) has its data on a slow disk of the lab, which another process keeps
busy; producers send single records to four partitions and wait for each. Two settings, in turn: `each` flushes
each record to the disk (`log.flush.interval.messages=1`), `default` leaves that to the kernel. While `whypause record`
records the broker, system calls, switches and wake-ups of its threads are read from the kernel's tracepoints
(`bench/stalls_truth.py`). Both are printed side by side (`bench/stalls_run.py`), with the latencies that the producers
saw. The jars are those of `bench/maven_jars.py`.

  --healthy   a fast disk and no other writer: nothing may be told that the tracepoints do not have, too

Compared is threads x time of waits of 10 ms and more, outside of stops, on files and for locks or answers of those who
wait on files. Whether a thread waits for a lock or only for work is taken from the JVM's flight recorder.
Exits with 1 where both differ by more than 5 % (and by more than 50 ms), with 3 where the program knows
no stalls. Needs root, Maven and what it downloads, JDK 17 or newer with `javac`, and a kernel with
`CONFIG_FTRACE_SYSCALLS`; says SKIPPED and why where one is missing.
"""

import argparse
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import maven_jars
from stalls_run import (ROOT, Failed, add_options, beside, compare, compile_java, judge, on_slow_disk, run,
                        seen_by_both)
from stalls_truth import Locks

PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={data}
num.partitions=4
broker.session.timeout.ms=120000
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
{flush}
"""
PRODUCES = """
import java.io.*;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.producer.*;

/**
 * Producers that send a record, wait for the answer, and send the next at its time; what counts begins with the
 * first line of its input and ends with the second.
 */
public class Produces {
    static volatile long begin = Long.MAX_VALUE;
    static volatile long end = Long.MAX_VALUE;

    public static void main(String[] args) throws Exception {
        Properties how = new Properties();
        how.put("bootstrap.servers", args[0]);
        int threads = Integer.parseInt(args[1]);
        long everyNs = 1_000_000_000L / Integer.parseInt(args[2]);
        try (Admin admin = Admin.create(how)) {
            admin.createTopics(List.of(new NewTopic("bench", 4, (short) 1))).all().get();
        }
        how.put("key.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        how.put("value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        how.put("acks", "1");
        how.put("linger.ms", "0");
        how.put("buffer.memory", "1000000");
        how.put("max.block.ms", "120000");
        how.put("request.timeout.ms", "120000");
        how.put("delivery.timeout.ms", "300000");
        how.put("enable.idempotence", "false");
        List<Long> latencies = Collections.synchronizedList(new ArrayList<>());
        long[] since = new long[threads];
        for (int i = 0; i < threads; i++) {
            int me = i;
            Thread thread = new Thread(() -> {
                try (Producer<byte[], byte[]> producer = new KafkaProducer<>(how)) {
                    for (long next = System.nanoTime();; next = Math.max(next + everyNs, System.nanoTime())) {
                        Thread.sleep(Math.max(0, next - System.nanoTime()) / 1_000_000);
                        long sent = since[me] = System.nanoTime();
                        producer.send(new ProducerRecord<>("bench", me % 4, null, new byte[200])).get();
                        since[me] = 0;
                        long now = System.nanoTime();
                        if (now >= begin && now <= end) latencies.add(now - sent);
                    }
                } catch (Exception error) {
                    error.printStackTrace();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        input.readLine();
        begin = System.nanoTime();
        input.readLine();
        end = System.nanoTime();
        // Those without an answer count with their time so far.
        for (long it : since) if (it > 0) latencies.add(end - it);
        List<Long> all = new ArrayList<>(latencies);
        Collections.sort(all);
        StringBuilder line = new StringBuilder(all.size() + " requests");
        for (double share : new double[] {0.5, 0.9, 0.99, 1}) {
            double ms = all.isEmpty() ? 0 : all.get((int) Math.ceil(share * all.size()) - 1) / 1e6;
            line.append(String.format(Locale.ROOT, ", p%d %.1f ms", Math.round(share * 100), ms));
        }
        System.out.println(line);
        System.exit(0);
    }
}
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        all_of_them = [stack.enter_context(socket.socket()) for _ in range(count)]
        for it in all_of_them:
            it.bind(("127.0.0.1", 0))
        return [it.getsockname()[1] for it in all_of_them]


class Broker:
    """A broker on the disk `data`, and its producers; all else of it is in memory."""

    def __init__(self, options, work, data, flush):
        self.options, self.work, self.stack = options, work, contextlib.ExitStack()
        self.jars = maven_jars.kafka(options.version)
        self.port, controller = free_ports(2)
        self.properties = work / "server.properties"
        lines = "log.flush.interval.messages=1" if flush == "each" else ""
        self.properties.write_text(PROPERTIES.format(port=self.port, controller=controller, data=data, flush=lines))
        self.log4j = f"-Dlog4j2.configurationFile={ROOT / 'java/benchmarks/kafka/quiet.xml'}"
        self.stops = work / "safepoints.log"

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def begin(self):
        java, jars = self.options.java, self.jars
        out = self.stack.enter_context(open(self.work / "broker.out", "w", encoding="utf-8"))
        subprocess.run([java, "-cp", jars, self.log4j, "kafka.tools.StorageTool", "format", "-t",
                        "MkU3OEVBNTcwNTJENDM2Qk", "-c", str(self.properties)],
                       stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=True, timeout=120)
        self.jvm = self.stack.enter_context(beside(
            [java, "-Xms512m", "-Xmx512m", f"-Xlog:safepoint:file={self.stops}:tn:filecount=0",
             *Locks.options(self.work), "-cp", jars, self.log4j, "kafka.Kafka", str(self.properties)],
            stdout=out, stderr=out))
        self.wait_for_port()
        classes = compile_java(java, jars, self.work, "Produces", PRODUCES)
        said = self.stack.enter_context(open(self.work / "producer.err", "w", encoding="utf-8"))
        self.producer = self.stack.enter_context(beside(
            [java, "-Xmx256m", "-cp", classes, self.log4j, "Produces", f"127.0.0.1:{self.port}",
             str(self.options.producers), str(self.options.rate)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True))
        if self.producer.stdout.readline().strip() != "ready":
            raise Failed("the producers do not start; see " + str(self.work))

    def wait_for_port(self):
        for _ in range(600):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            if self.jvm.poll() is not None:
                break
            time.sleep(0.2)
        raise Failed("the broker does not answer:\n" + (self.work / "broker.out").read_text()[-2000:])

    def mark(self):
        self.producer.stdin.write("\n")
        self.producer.stdin.flush()

    def latencies(self):
        return self.producer.stdout.readline().strip()


def inner(options):
    """Runs with the slow disk; leaves what was seen in a file."""
    work, disk = pathlib.Path(options.inside), pathlib.Path(options.dir)
    writer = ["sh", "-c", 'n=0; while :; do dd if=/dev/zero "of=$1-$((n % 6))" bs=1M count=40 conv=fsync; n=$((n + 1));'
              ' done', "sh", str(disk / "background")]
    with Broker(options, work, disk / "data", options.flush) as broker, contextlib.ExitStack() as stack:
        time.sleep(options.warm_up)
        if not options.healthy:
            stack.enter_context(beside(writer, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(5)
        seen = seen_by_both(options, broker.jvm, work / "rec", broker.stops, work / "locks.jfr", begun=broker.mark)
        broker.mark()
        seen["latencies"] = broker.latencies()
    (work / "seen.json").write_text(json.dumps(seen))


def measure(options, flush):
    with contextlib.ExitStack() as stack:
        # in memory, so that nothing but the broker's data is on a disk
        work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="whypause-kafka-", dir="/dev/shm")))
        if options.keep:
            stack.callback(shutil.copytree, work, pathlib.Path(options.keep) / flush)
        again = [sys.executable, __file__, "--inside", str(work), "--dir", "%dir", "--flush", flush]
        for name in ("version", "program", "seconds", "producers", "rate", "java", "warm_up"):
            again += ["--" + name.replace("_", "-"), str(getattr(options, name))]
        again += ["--healthy"] if options.healthy else []
        again += ["--trace", options.trace] if options.trace else []
        seen = on_slow_disk(options, work, again)
        print(f"\n## {flush}: Kafka {options.version}, {options.producers} producers, {options.seconds} s recorded\n\n"
              f"producers: {seen['latencies']}")
        return judge(options, seen, compare)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="3.9.1", help="of Kafka; 3.9.1 and 4.4.0 are known to work [3.9.1]")
    parser.add_argument("--flush", choices=["each", "default", "both"], default="both", help="which setting [both]")
    parser.add_argument("--healthy", action="store_true", help="a fast disk, and no other writer")
    parser.add_argument("--producers", type=int, default=12, help="how many, each with a connection [12]")
    parser.add_argument("--rate", type=int, default=20, help="records per second of each, at most [20]")
    parser.add_argument("--write-limit", default="5M", help="what the disk writes in a second [5M]")
    add_options(parser, seconds=30, warm_up=15)
    for hidden in ("--inside", "--dir"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inner(options)
        return 0
    options.program = str(pathlib.Path(options.program).resolve())

    def all_of_them():
        maven_jars.kafka(options.version)
        settings = ["each", "default"] if options.flush == "both" else [options.flush]
        return max([measure(options, it) for it in settings])

    return run(all_of_them)


if __name__ == "__main__":
    sys.exit(main())
