"""Measures whether `stalls` of `whypause` add up, on a Spark job whose local disk writes no faster.

A job of Spark (local mode, loopback only) shuffles more than its tasks can keep in memory: they spill to
`spark.local.dir`, and wait until that is written (`spark.shuffle.sync`), on a slow disk of the lab that is nearly full
of what others have there. While `whypause record`
records the JVM, system calls, switches and wake-ups of its threads are read from the kernel's tracepoints
(`bench/stalls_truth.py`). Both are printed side by side (`bench/stalls_run.py`), with how long each job took.
The jars are those of `bench/maven_jars.py`.

  --healthy   a disk in memory: nothing may be told that the tracepoints do not have, too

Exits with 1 where both differ by more than 5 % (and by more than 50 ms), with 3 where the program knows no stalls.
Needs root, Maven and what it downloads, JDK 17 or newer with `javac`, and a kernel with `CONFIG_FTRACE_SYSCALLS`;
says SKIPPED and why where one is missing.
"""

import argparse
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import maven_jars
from stalls_run import (Failed, add_options, beside, compare, compile_java, judge, keep, on_slow_disk, run,
                        seen_by_both)
from stalls_truth import Locks

# What Spark's own start script opens to it: `JavaModuleOptions` of Spark's launcher.
OPENS = [f"--add-opens=java.base/{it}=ALL-UNNAMED" for it in (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar")]
SHUFFLES = """
import java.util.*;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.*;
import scala.Tuple2;

public class Shuffles {
    public static void main(String[] args) throws Exception {
        SparkConf how = new SparkConf().setMaster("local[" + args[1] + "]").setAppName("shuffles")
                .set("spark.local.dir", args[0]).set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
                // what is written is on the disk before a task ends; and as often as where there is little memory
                .set("spark.shuffle.sync", "true")
                .set("spark.shuffle.spill.numElementsForceSpillThreshold", "4000");
        try (JavaSparkContext context = new JavaSparkContext(how)) {
            context.setLogLevel("ERROR");
            List<Integer> parts = new ArrayList<>();
            for (int i = 0; i < 16; i++) parts.add(i);
            System.out.println("ready");
            while (true) {
                long begin = System.nanoTime();
                long count = context.parallelize(parts, 16)
                        .flatMapToPair(part -> {
                            Random random = new Random(part);
                            return java.util.stream.IntStream.range(0, 4000).mapToObj(i -> {
                                byte[] value = new byte[500];
                                random.nextBytes(value);
                                return new Tuple2<>(random.nextInt(), value);
                            }).iterator();
                        })
                        .sortByKey().count();
                System.err.printf("job of %d rows: %.1f s%n", count, (System.nanoTime() - begin) / 1e9);
            }
        }
    }
}
"""


def fill(disk, free):
    """Leaves so many MiB of a disk."""
    at = os.statvfs(disk)
    size = at.f_bavail * at.f_frsize - (free << 20)
    if size > 0:
        with open(disk / "of-others", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)


def inner(options):
    """Runs with the disk; leaves what was seen in a file."""
    work, disk = pathlib.Path(options.inside), pathlib.Path(options.dir)
    fill(disk, options.free)
    jars = maven_jars.jars(f"spark-{options.version}", f"org.apache.spark:spark-core_2.13:{options.version}")
    classes = compile_java(options.java, jars, work, "Shuffles", SHUFFLES)
    local = disk / "spark"
    local.mkdir()
    stops = work / "safepoints.log"
    command = [options.java, "-Xmx512m", f"-Xlog:safepoint:file={stops}:tn:filecount=0", *Locks.options(work), *OPENS,
               f"-Djava.io.tmpdir={work}", "-cp", classes, "Shuffles", str(local), str(options.tasks)]
    with open(work / "said", "w", encoding="utf-8") as said, \
            beside(command, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}, stdout=-1, stderr=said,
                   text=True) as jvm:
        # until then Spark logs there, too
        if not any(line.strip() == "ready" for line in jvm.stdout):
            raise Failed("the job does not start:\n" + (work / "said").read_text()[-2000:])
        time.sleep(options.warm_up)
        seen = seen_by_both(options, jvm, work / "rec", stops, work / "locks.jfr")
    seen["jobs"] = [it for it in (work / "said").read_text().splitlines() if it.startswith("job of ")]
    (work / "seen.json").write_text(json.dumps(seen))


def measure(options):
    with contextlib.ExitStack() as stack:
        # in memory, so that nothing but what is shuffled is on a disk
        work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="whypause-spark-", dir="/dev/shm")))
        again = [sys.executable, __file__, "--inside", str(work), "--dir", "%dir"]
        for name in ("version", "program", "seconds", "tasks", "java", "warm_up", "free"):
            again += ["--" + name.replace("_", "-"), str(getattr(options, name))]
        again += ["--trace", options.trace] if options.trace else []
        seen = on_slow_disk(options, work, again)
        keep(options, options.version, work / "rec", seen)
        jobs = "\n".join(seen["jobs"][-5:]) or "no job ended"
        print(f"\n## Spark {options.version}, {options.tasks} tasks, {options.seconds} s recorded\n\n{jobs}")
        return judge(options, seen, compare)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="4.1.3", help="of Spark; 3.5.9 and 4.1.3 are known to work [4.1.3]")
    parser.add_argument("--tasks", type=int, default=4, help="how many run at once [4]")
    parser.add_argument("--free", type=int, default=300, help="MiB that are left on the disk [300]")
    parser.add_argument("--healthy", action="store_true", help="a disk in memory")
    parser.add_argument("--write-limit", default="5M", help="what the disk writes in a second [5M]")
    add_options(parser, seconds=30, warm_up=15)
    for hidden in ("--inside", "--dir"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inner(options)
        return 0
    options.program = str(pathlib.Path(options.program).resolve())

    def one():
        maven_jars.jars(f"spark-{options.version}", f"org.apache.spark:spark-core_2.13:{options.version}")
        return measure(options)

    return run(one)


if __name__ == "__main__":
    sys.exit(main())
