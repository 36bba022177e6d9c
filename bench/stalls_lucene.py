"""Measures whether `stalls` of `whypause` add up where an index is larger than the memory for it.

Threads search an index of Lucene at random, in a control group whose memory is a part of the index, on a disk with
few reads a second: a loop device in memory that the control group limits. With `mmap` the index is mapped and threads
wait in page faults, with `nio` they wait in `pread64`. The truth is read from the kernel's tracepoints meanwhile
(`bench/stalls_truth.py`), where a page fault is an uninterruptible wait in none of the calls that are traced.

Exits with 1 where both differ by more than 5 % (and by more than 50 ms), with 3 where the program knows no stalls.
Needs root, control groups for memory and block devices (version 1 or 2), 2 GiB of memory, Maven and what it downloads,
JDK 17 or newer with `javac`, and a kernel with `CONFIG_FTRACE_SYSCALLS`; says SKIPPED and why where one is missing.
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import maven_jars
from stalls_run import (Failed, add_options, beside, compare, compile_java, judge, keep, loop_disk, run,
                        seen_by_both)
from stalls_truth import CannotMeasure

LUCENE = ["org.apache.lucene:lucene-core:9.12.3"]
GROUPS = pathlib.Path("/sys/fs/cgroup")
SEARCHES = """
import java.nio.file.Path;
import java.util.Random;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.store.*;

public class Searches {
    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[1]);
        int documents = Integer.parseInt(args[2]);
        if (args[0].equals("write")) {
            IndexWriterConfig how = new IndexWriterConfig().setUseCompoundFile(false);
            try (IndexWriter writer = new IndexWriter(new NIOFSDirectory(path), how)) {
                Random random = new Random(1);
                byte[] bytes = new byte[8000];
                for (int i = 0; i < documents; i++) {
                    random.nextBytes(bytes);
                    Document document = new Document();
                    document.add(new StringField("id", "" + i, Field.Store.NO));
                    document.add(new StoredField("bytes", bytes));
                    writer.addDocument(document);
                }
            }
            return;
        }
        Directory directory = args[0].equals("mmap") ? new MMapDirectory(path) : new NIOFSDirectory(path);
        IndexReader reader = DirectoryReader.open(directory);
        IndexSearcher searcher = new IndexSearcher(reader);
        int threads = Integer.parseInt(args[3]);
        for (int i = 0; i < threads; i++) {
            int seed = i;
            new Thread(() -> {
                Random random = new Random(seed);
                try {
                    while (true) {
                        Term id = new Term("id", "" + random.nextInt(documents));
                        TopDocs found = searcher.search(new TermQuery(id), 1);
                        searcher.storedFields().document(found.scoreDocs[0].doc);
                        Thread.sleep(5);
                    }
                } catch (Exception error) {
                    error.printStackTrace();
                }
            }, "search-" + i).start();
        }
        System.out.println("ready");
    }
}
"""


class Group:
    """A control group with a limit of memory, and one of reads from a device."""

    def __init__(self, mebibytes, device, reads):
        name = f"whypause-lucene-{os.getpid()}"
        number = os.stat(device).st_rdev
        number = f"{os.major(number)}:{os.minor(number)}"
        controllers = GROUPS / "cgroup.controllers"
        if (GROUPS / "memory").is_dir() and (GROUPS / "blkio").is_dir():
            self.groups = [GROUPS / "memory" / name, GROUPS / "blkio" / name]
            limits = [("memory.limit_in_bytes", str(mebibytes << 20)),
                      ("blkio.throttle.read_iops_device", f"{number} {reads}")]
        elif controllers.is_file() and {"memory", "io"} <= set(controllers.read_text().split()):
            (GROUPS / "cgroup.subtree_control").write_text("+memory +io")
            self.groups = [GROUPS / name, GROUPS / name]
            limits = [("memory.max", str(mebibytes << 20)), ("io.max", f"{number} riops={reads}")]
        else:
            raise CannotMeasure("there are no control groups for memory and block devices")
        for group, (limit, value) in zip(self.groups, limits):
            group.mkdir(exist_ok=True)
            (group / limit).write_text(value)

    def command(self, command):
        """A command that runs in it."""
        joins = "; ".join(f'echo $$ > "{group}/cgroup.procs"' for group in self.groups)
        return ["sh", "-c", f'{joins}; exec "$@"', "sh", *command]

    def close(self):
        for group in self.groups:
            for _ in range(50):
                with contextlib.suppress(OSError):
                    group.rmdir()
                if not group.is_dir():
                    break
                time.sleep(0.1)


def device_of(directory):
    done = subprocess.run(["findmnt", "-n", "-o", "SOURCE", "-T", str(directory)], capture_output=True, text=True,
                          check=True)
    return done.stdout.strip()


def measure(options, how, work, disk):
    jars = maven_jars.jars("lucene", *LUCENE)
    documents = str((options.memory * 3 << 20) // 8000)
    index = disk / "index"
    if not index.is_dir():
        compile_java(options.java, jars, work, "Searches", SEARCHES)
        writes = [options.java, "-Xmx64m", "-cp", f"{work}:{jars}", "Searches", "write", str(index), documents]
        subprocess.run(writes, stdin=subprocess.DEVNULL, check=True)
    # written, and no longer in the page cache
    subprocess.run(["sync", "-f", str(disk)], check=True)
    for file in index.iterdir():
        with open(file, "rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    stops = work / f"safepoints-{how}.log"
    command = [options.java, "-Xmx64m", f"-Xlog:safepoint:file={stops}:tn:filecount=0", "-cp", f"{work}:{jars}",
               "Searches", how, str(index), documents, str(options.threads)]
    with contextlib.closing(Group(options.memory, device_of(disk), options.reads)) as group, \
            open(work / "said", "w", encoding="utf-8") as said, \
            beside(group.command(command), stdout=subprocess.PIPE, stderr=said, text=True) as jvm:
        if jvm.stdout.readline().strip() != "ready":
            raise Failed("the JVM does not start:\n" + (work / "said").read_text()[-2000:])
        time.sleep(options.warm_up)
        seen = seen_by_both(options, jvm, work / how, stops)
    keep(options, how, work / how, seen)
    print(f"\n## {how}: {options.threads} threads, an index of {3 * options.memory} MiB in {options.memory} MiB\n\n"
          f"{seen['said']}")
    return judge(options, seen, lambda stalls, seen: compare(stalls, seen, with_faults=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("how", nargs="*", default=["mmap", "nio"], help="of mmap, nio; both")
    parser.add_argument("--memory", type=int, default=200,
                        help="MiB of the control group; the index has three times that [200]")
    parser.add_argument("--reads", type=int, default=50, help="reads from the disk per second [50]")
    parser.add_argument("--threads", type=int, default=8, help="how many search [8]")
    add_options(parser, seconds=20, warm_up=8)
    options = parser.parse_args()

    def all_of_them():
        with tempfile.TemporaryDirectory(prefix="whypause-lucene-", dir="/dev/shm") as work, \
                loop_disk(options.memory * 8) as disk:
            return max([measure(options, how, pathlib.Path(work), disk) for how in options.how])

    return run(all_of_them)


if __name__ == "__main__":
    sys.exit(main())
