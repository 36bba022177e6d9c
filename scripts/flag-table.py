#!/usr/bin/env python3
"""Makes crates/diagnose/src/hazards/jdk-flags.txt: the -XX: flags of each JDK, asked of the JDKs themselves.

usage: scripts/flag-table.py [--check] JDK_HOME...

What a JDK prints with -XX:+PrintFlagsFinal it takes. With every name that only another JDK has, or that its
library knows, it is started once: it refuses it, warns and ignores it, or takes it. Two minutes or so. Give HotSpot of OpenJDK for Linux alone, one JDK of
each feature version, and released ones: the absence of a flag is only as firm as the table.

With --check nothing is written: flags that a JDK prints and the table says it refuses are errors.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "crates/diagnose/src/hazards/jdk-flags.txt"
LIMIT_S = 120
UNLOCK = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions"]
FORMS = {"bool": "b", "double": "f", "ccstr": "s", "ccstrlist": "s"}
# Names that no PrintFlagsFinal has: aliases of runtime/arguments.cpp, and what went before JDK 8 or with JDK 8.
MORE = """DefaultMaxRAMFraction CreateMinidumpOnCrash CMSMarkStackSize CMSMarkStackSizeMax G1MarkStackSize
ParallelMarkingThreads ParallelCMSThreads UseMPSS UseStringCache UseOldInlining SafepointPollOffset PermSize
MaxPermSize UseSplitVerifier UseVectoredExceptions AggressiveOpts UseMembar UseParallelOldGCCompacting
PrintVMOptions Flags VMOptionsFile AggressiveHeap NeverTenure AlwaysTenure TraceClassLoading
TraceClassLoadingPreorder TraceClassPaths TraceClassResolution TraceClassUnloading TraceExceptions
TraceInvokeDynamic TraceLoaderConstraints TraceMonitorInflation TraceSafepointCleanupTime TraceRedefineClasses
TraceJVMTIObjectTagging TraceBiasedLocking PrintGC PrintGCDetails PrintJNIResolving G1UpdateBufferSize
ShenandoahPacing MinRAMFraction InitialRAMFraction UseAppCDS IncreaseFirstTierCompileThresholdAt
UnlockCommercialFeatures FlightRecorder ManagementServer ShowCodeDetailsInExceptionMessages""".split()


def said(java, flags):
    run = subprocess.run([java, *flags, "-version"], capture_output=True, text=True, timeout=LIMIT_S,
                         stdin=subprocess.DEVNULL, check=False)
    return run.returncode, run.stdout + run.stderr


def table(java):
    """Name to (form, kind) of each flag that it takes."""
    code, text = said(java, [*UNLOCK, "-XX:+PrintFlagsFinal"])
    assert code == 0, text
    flags = {}
    for line in text.splitlines():
        it = re.match(r"\s+(\w+) (\w+)\s+:?=.*?\{([^}]*)\}", line)
        if it:
            kind = next((k for k in ("diagnostic", "experimental", "manageable") if k in it[3]), "product")
            flags[it[2]] = (FORMS.get(it[1], "n"), kind[0])
    assert len(flags) > 500, f"{java} printed {len(flags)} flags"
    return flags


def fate(java, name):
    """What it does with a name that it does not print: `o` warns and ignores it, `a` takes it as another flag's
    name or in another form, `-` does not start."""
    code, text = said(java, [*UNLOCK, f"-XX:+{name}"])
    if code == 0:
        return "o" if re.search(r"ignoring option|support was removed", text, re.I) else "a"
    return "a" if re.search(r"Unexpected \+/-|Improperly|Missing", text) else "-"


def version(java):
    text = said(java, [])[1]
    exact = re.search(r'version "([^"]+)"', text)[1]
    assert "OpenJDK" in text and not re.search(r"GraalVM|OpenJ9|Zing", text), text
    numbers = exact.split(".")
    return int(numbers[1] if numbers[0] == "1" else re.match(r"\d+", numbers[0])[0]), exact


def specials(java):
    """What the library itself has as `-XX:Name`, of which not all are flags."""
    home = pathlib.Path(java).resolve().parent.parent
    library = next(iter(sorted(home.glob("**/server/libjvm.so"))))
    return {it.decode() for it in re.findall(rb"\0-XX:[+-]?([A-Z]\w{3,})", library.read_bytes())}


def check(homes):
    """Compares what is there of these JDKs with the table."""
    lines = [line.split(" ") for line in OUT.read_text().splitlines() if not line.startswith("#")]
    columns, rows = lines[0][1:], {line[0]: line[2] for line in lines[2:]}
    javas = [f"{home}/bin/java" for home in homes if pathlib.Path(home, "bin/java").exists()]
    if not javas:
        print("SKIPPED: no JDK")
    wrong = []
    for java in javas:
        feature, exact = version(java)
        if str(feature) not in columns:
            print(f"JDK {exact}: not in the table")
            continue
        at = columns.index(str(feature))
        new = [name for name in table(java) if rows.get(name, "-" * len(columns))[at] == "-"]
        print(f"JDK {exact}: {len(new)} flags that the table lacks {' '.join(new)}")
        wrong += new
    return bool(wrong)


def main():
    if sys.argv[1:2] == ["--check"]:
        sys.exit(check(sys.argv[2:]))
    javas = [f"{home}/bin/java" for home in sys.argv[1:]]
    jdks = sorted((*version(java), java) for java in javas)
    tables = {feature: table(java) for feature, _, java in jdks}
    names = set(MORE).union(*tables.values())
    for feature, _, java in jdks:
        names |= specials(java)
    for feature, exact, java in jdks:
        own = tables[feature]
        others = sorted(names - own.keys())
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            fates = zip(others, pool.map(lambda name: fate(java, name), others))
            accepted = {name: ("?", kind) for name, kind in fates if kind != "-"}
        own.update(accepted)
        print(f"JDK {exact}: {len(own)} flags, {len(accepted)} of them by name alone")
    lines = ["# The -XX: flags of OpenJDK for Linux, made by scripts/flag-table.py: name, form, and its kind in each JDK.",
             "# forms: b switch, n number, f fraction, s text, ? more than one or unknown",
             "# kinds: p product, m manageable, d diagnostic, e experimental, o ignored with a warning, a another flag's name, - refused",
             "jdks " + " ".join(str(feature) for feature, _, _ in jdks),
             "made-of " + " ".join(exact for _, exact, _ in jdks)]
    for name in sorted(names):
        of = [tables[feature].get(name, ("?", "-")) for feature, _, _ in jdks]
        forms = {form for form, kind in of if kind in "pmde"}
        kinds = "".join(kind for _, kind in of)
        if kinds.strip("-"):
            lines.append(f"{name} {forms.pop() if len(forms) == 1 else '?'} {kinds}")
    OUT.write_text("\n".join(lines) + "\n")


main()
