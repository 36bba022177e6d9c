"""Measures whether a JVM with thousands of threads that stall hides another one from `whypause watch --all`.

One JVM has a thread that writes to a pipe which is read twice a second: a stall each time. Beside it another one has
10,000 threads that do the same, all at once. `watch --all` watches both; printed is how many stalls of the first are
told with the crowd and without it, and what the watch cost. Exits with 1 where less than nine in ten are told.

Needs root, JDK 17 or newer with `javac`; says SKIPPED and why where one is missing.
"""

import argparse
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from stalls_run import ROOT, Failed, beside, compile_java, run

WRITES = """
import java.io.*;

public class {name} {{
    public static void main(String[] args) throws Exception {{
        byte[] page = new byte[4096];
        for (int i = Integer.parseInt(args[0]); i > 0; i--) {{
            new Thread(null, () -> {{
                try {{
                    FileOutputStream out = new FileOutputStream(FileDescriptor.out);
                    while (true) out.write(page);
                }} catch (IOException end) {{
                    // the reader is gone
                }}
            }}, "writer-" + i, 128 << 10).start();
        }}
    }}
}}
"""


def read_slowly(pipe, pages):
    """Reads so many pages twice a second, as long as there is a writer."""
    with contextlib.suppress(OSError):
        while True:
            time.sleep(0.5)
            for _ in range(pages):
                if not os.read(pipe, 4096):
                    return


@contextlib.contextmanager
def writers(options, work, name, threads):
    compile_java(options.java, "", work, name, WRITES.format(name=name))
    out, to = os.pipe()
    command = [options.java, "-Xmx512m", "-Xss256k", "-cp", str(work), name, str(threads)]
    with beside(command, stdout=to, stderr=subprocess.DEVNULL) as jvm:
        os.close(to)
        reader = threading.Thread(target=read_slowly, args=(out, threads), daemon=True)
        reader.start()
        # until all of them wait
        for _ in range(600):
            if len(os.listdir(f"/proc/{jvm.pid}/task")) >= threads:
                break
            time.sleep(0.1)
        yield jvm


def watch(options):
    """The lines about stalls of `Alone`, of `Crowd`, and what it cost."""
    command = [options.program, "watch", "--all", "-d", f"{options.seconds}s", "--over", "10ms"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=options.seconds + 300)
    if done.returncode not in (0, 1):
        raise Failed(done.stderr[-2000:])
    lines = [it for it in done.stdout.splitlines() if "stall of" in it]
    of = {name: [it for it in lines if name in it] for name in ("Alone", "Crowd")}
    said = [it for it in (done.stdout + done.stderr).splitlines() if re.match(r"cost|At least|.*(lost|dropped)", it)]
    return of, said


def measure(options):
    with tempfile.TemporaryDirectory(prefix="whypause-crowd-", dir="/dev/shm") as work:
        work = pathlib.Path(work)
        with writers(options, work, "Alone", 1):
            alone, said = watch(options)
            print(f"without the crowd: {len(alone['Alone'])} stalls of `Alone`; " + "; ".join(said), flush=True)
            with writers(options, work, "Crowd", options.threads):
                both, said = watch(options)
        print(f"with {options.threads} threads that stall beside it: {len(both['Alone'])} of `Alone`, "
              f"{len(both['Crowd'])} lines of `Crowd`; " + "; ".join(said))
        for line in both["Alone"][:1] + both["Crowd"][:1]:
            print("  " + line)
        if not alone["Alone"]:
            raise Failed("no stall was told without the crowd")
        return 0 if len(both["Alone"]) >= 0.9 * len(alone["Alone"]) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=10_000, help="of the crowd [10000]")
    parser.add_argument("--seconds", type=int, default=20, help="how long to watch [20]")
    parser.add_argument("--java", default="java", help="the JVM to run with")
    parser.add_argument("--program", default=str(ROOT / "target/release/whypause"))
    options = parser.parse_args()
    return run(lambda: measure(options))


if __name__ == "__main__":
    sys.exit(main())
