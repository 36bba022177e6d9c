#!/usr/bin/env python3
"""Makes data for the page (`src/model.ts`) from the JSON of `whypause explain`, and pages of made-up pauses.

For development only: what the program itself writes is made in `crates/report`.

    make.py explain.json OUT.json [--opened] [--stalls] [--empty] [--wide] [--hostile]
    make.py explain.json OUT.json --many 100000
"""

import argparse
import datetime
import json
import random

CLASSES = {
    "gc-work": "gc", "heap-pressure": "gc", "humongous-allocation": "gc", "long-marking": "gc",
    "vm-operation": "vm", "stop-beyond-gc": "late", "late-java-thread": "late", "safepoint-sync": "late",
    "gc-log-write-blocked": "disk", "hsperfdata-write-blocked": "disk", "deleted-file-unmap": "disk",
    "mapped-file-fault": "disk", "cpu-contention": "cpu", "cfs-throttling": "quota", "cpu-steal": "steal",
    "swap-in": "memory", "direct-reclaim": "memory", "thp-compaction": "memory", "system-time": "memory",
    "frozen-or-traced": "outside",
}
WHEN = {"now": "now", "next-start": "at the next start", "code": "in the code"}


def duration(ns):
    us = ns / 1000
    if us < 1000:
        return f"{us:.0f} µs"
    if us < 1e6:
        return f"{us / 1e3:.1f} ms" if us < 1e4 else f"{us / 1e3:.0f} ms"
    return f"{us / 1e6:.2f} s" if us < 1e7 else f"{us / 1e6:.1f} s"


def wall_ms(text):
    head, _, fraction = text.rstrip("Z").partition(".")
    at = datetime.datetime.fromisoformat(head).replace(tzinfo=datetime.timezone.utc)
    return at.timestamp() * 1000 + float("0." + (fraction or "0")) * 1000


def page_of(data, opened, title):
    causes, index = [], {}

    def cause(name, info=None):
        if name not in index:
            index[name] = len(causes)
            causes.append({
                "id": name, "title": (info or {}).get("title", name.replace("-", " ").capitalize()),
                "short": name.replace("-", " "), "class": CLASSES.get(name, "vm"),
                "nature": (info or {}).get("nature", "ordinary"),
                "page": [
                    {"heading": "What happens", "lines": ["The VM thread writes a line of the log with `write()` while the application is stopped.", "Where the file system waits for its journal, the write waits, and with it every thread."]},
                    {"heading": "What proves it", "lines": ["The kernel stack of the VM thread in `write()` inside the pause."]},
                ] if info else [],
            })
        return index[name]

    for it in data["causes"]:
        cause(it["id"], it)
    pauses = sorted(data["longest"], key=lambda it: it["start_ns"])
    first = min((it["start_ns"] for it in pauses), default=0)
    walls = [it for it in pauses if it["start_wall"]]
    zero = first if walls or data["clock"] == "monotonic" else 0
    operations = []
    columns = {"start_us": [], "length_us": [], "reaching_us": [], "operation": [], "parts": []}
    kinds, collected, last = "", "", zero
    for it in pauses:
        columns["start_us"].append(round((it["start_ns"] - zero) / 1000) - round((last - zero) / 1000))
        last = it["start_ns"]
        columns["length_us"].append(round(it["duration_ns"] / 1000))
        columns["reaching_us"].append(round(it["time_to_safepoint_ns"] / 1000))
        kinds += {"safepoint": "s", "collection": "g", "hiccup": "h"}.get(it["kind"], "s")
        name = it["operation"] or ""
        collected += "f" if "Full" in name else "c" if "Remark" in name else "y" if "Collect" in name or "Pause" in name else "-"
        if name not in operations:
            operations.append(name)
        columns["operation"].append(operations.index(name))
        columns["parts"].append(len(it["parts"]))
        for part in it["parts"]:
            columns["parts"] += [cause(part["cause"]), round(part["time_ns"] / 1000)]
    memory = data["memory"]
    if memory:
        # The JSON counts from the same zero as the pauses, in nanoseconds.
        memory["series"] = [[(at - zero) / 1e6, before, after, room] for at, before, after, room in memory["series"]]
    span_ms = max(data["span_ns"] / 1e6, (pauses[-1]["start_ns"] - zero + pauses[-1]["duration_ns"]) / 1e6 if pauses else 0)
    p = data["pauses"]
    total = p["total_ns"] or 1
    explained = 1 - data["unattributed_ns"] / total
    findings, minor = [], []
    for it in data["causes"]:
        if it["share"] < 0.01 and findings:
            minor.append(f"{it['title']} {duration(it['time_ns'])} in {it['pauses']} stops")
            continue
        findings.append({
            "number": len(findings) + 1, "cause": cause(it["id"]), "is_main": not findings, "is_fault": it["fault"],
            "extent": f"{duration(it['time_ns'])} in {it['pauses']} stops", "share": f"{it['share'] * 100:.1f} %",
            "certainty": it["certainty"], "story": it["story"], "mechanisms": [],
            "who": [c["statement"] for c in it["culprits"]],
            "place": " · ".join(x for x in [(it["place"] or {}).get(k, "") for k in ("thread", "call", "path", "file_system", "device")] if x),
            "frames": (it["place"] or {}).get("stack", []),
            "evidence": [[e["source"], e["statement"]] for e in it["evidence"]],
            "suspects": [{"title": s["cause"].replace("-", " ").capitalize(), "for": s["for"], "against": s["against"], "test": s["test"], "is_unlikely": s["unlikely"]} for s in it["suspects"]],
            "advice": [{"when": WHEN.get(r["when"], r["when"]), "text": r["action"], "copy": r["action"] if r["commands"] or r["flags"] else None, "note": r["note"], "apply": " ".join(r["apply"]) or None} for r in it["remedies"]],
        })
    steps = [{"when": a["when"], "text": a["apply"] or a["text"], "copy": a["apply"] or a["copy"]} for f in findings[:1] for a in f["advice"]][:2]
    limit = 50
    over = sum(1 for it in pauses if it["duration_ns"] >= limit * 1e6)
    jvm = data["jvm"]
    header = [" · ".join(x for x in [title, f"JDK {jvm['version']}" if jvm["version"] else "", (jvm["collector"] or "").upper(), duration(data["span_ns"]), f"{p['count']} stops"] if x)]
    answer = {
        "title": title, "verdict": data["verdict"], "steps": steps, "header": header, "to_do": [],
        "cards": [
            {"value": duration(total), "label": f"stopped · {total / data['span_ns'] * 100:.1f} % of {duration(data['span_ns'])}"},
            {"value": duration(p["max_ns"]), "label": "longest"},
            {"value": duration(p["p99_ns"]), "label": f"p99 of {p['count']} stops"},
            {"value": str(over), "label": f"over {limit} ms"},
            {"value": f"{explained * 100:.1f} %", "label": "explained"},
            {"value": str(data["coverage"]["lost_events"]), "label": "events lost"},
        ],
        "hiccup": None, "cut_stop": None, "findings": findings, "minor": minor, "numbers": [],
        "rest": {"text": f"{duration(data['unattributed_ns'])} of the stopped time has no cause that was seen.", "seen": [[duration(u["time_ns"]), u["what"]] for u in data["unexplained"]], "command": None} if data["unattributed_ns"] else None,
        "not_checked": [f"{w['cause'].replace('-', ' ')}: needs {', '.join(w['missing'])}" for w in data["watched"] if w["verdict"] == "unknown"],
        "losses": [], "notes": [f"{n['message']} ({n['count']})" for n in data["coverage"]["notes"]],
        "ruled_out": [w["cause"].replace("-", " ") for w in data["watched"] if w["verdict"] == "absent"],
        "flags": ["-Xmx512m", "-XX:+UseG1GC", "-Xlog:gc*=debug:file=/var/log/load/gc.log"],
        "words": [{"term": "safepoint", "meaning": "A state in which all Java threads stand still."}],
    }
    numbers = {k: data[k] for k in ("clock", "span_ns", "throughput", "pauses", "gc", "memory", "jvm", "coverage")}
    page = {
        "version": "0.9.0", "answer": answer, "numbers": numbers, "causes": causes,
        "pauses": {"count": len(pauses), "origin_wall_ms": wall_ms(walls[0]["start_wall"]) - (walls[0]["start_ns"] - zero) / 1e6 if walls else None,
                   "origin_uptime_ms": 3_600_000 if walls else 0, "zone_minutes": None, "span_ms": span_ms, "limit_ms": limit,
                   "kind": kinds, "collected": collected, "operations": operations, "left_out": 0, **columns},
        "opened": [],
        "host": [],
        "stalls": None,
    }
    if opened and pauses:
        page["opened"] = opened_of(page, columns["length_us"])
    return page


def opened_of(page, lengths):
    """The five longest pauses: 10 ms of collection by two workers, then a blocked write."""
    rng = random.Random(1)
    longest = sorted(range(len(lengths)), key=lambda i: -lengths[i])[:5]
    names = {it["id"]: i for i, it in enumerate(page["causes"])}
    main = page["answer"]["findings"][0]["cause"]
    gc, cpu = names.get("gc-work", 0), names.get("cpu-contention", 0)
    return [opened_one(rng, i, lengths[i], main, gc, cpu) for i in longest]


def opened_one(rng, pause, length, main, gc, cpu):
    work = min(10_000, length * 0.3)
    waits = [
        {"call": "write(fd 5)", "file": "/var/log/load/gc.log", "file_system": "ext4", "device": "loop1 (7:1)",
         "waits_for": "a journal commit", "cpu_holder": "", "certainty": "measured",
         "writers": ["dd (pid 991), 3 processes, 126 MB", "jbd2/loop1-8 (pid 310), 4.1 MB"],
         "stack": ["io_schedule", "bit_wait_io", "__wait_on_bit", "out_of_line_wait_on_bit", "do_get_write_access", "jbd2_journal_get_write_access", "__ext4_journal_get_write_access", "ext4_reserve_inode_write", "__ext4_mark_inode_dirty", "ext4_dirty_inode", "__mark_inode_dirty", "generic_update_time"],
         "marked": 4},
        {"call": "", "file": "", "file_system": "", "device": "", "waits_for": "", "cpu_holder": "java (pid 26859), churn-1", "certainty": "measured", "writers": [], "stack": [], "marked": None},
        {"call": "futex()", "file": "", "file_system": "", "device": "", "waits_for": "work", "cpu_holder": "", "certainty": "measured", "writers": [], "stack": ["futex_wait_queue", "futex_wait", "do_futex", "__x64_sys_futex"], "marked": None},
    ]

    def span(start, end, state, wait=None, woken=None):
        return {"start_us": round(start, 1), "length_us": round(end - start, 1), "state": state, "wait": wait, "woken_by": woken}

    vm = [span(0, 60, "cpu"), span(60, 180, "blocked", 2, 3), span(180, 420, "cpu"), span(420, work, "idle", None, 1), span(work, work + 150, "cpu"),
          span(work + 150, length - 400, "blocked", 0, 4), span(length - 400, length - 350, "runnable", 1), span(length - 350, length, "cpu")]

    def worker(other):
        spans, at = [span(0, 430, "idle", None, 0)], 430.0
        while at < work - 60:
            for state, mean in (("cpu", 60), ("runnable", 25)):
                end = min(work - 20, at + rng.expovariate(1 / mean) + 1)
                spans.append(span(at, end, state, 1 if state == "runnable" else None))
                at = end
            if rng.random() < 0.15:
                end = min(work - 20, at + rng.expovariate(1 / 80))
                spans.append(span(at, end, "blocked", 2, other))
                at = end
        spans.append(span(at, length, "idle"))
        return spans

    lanes = [
        {"tid": 26869, "name": "VM Thread", "role": "VM thread", "spans": vm},
        {"tid": 26864, "name": "GC Thread#0", "role": "GC thread", "spans": worker(2)},
        {"tid": 26884, "name": "GC Thread#1", "role": "GC thread", "spans": worker(1)},
        {"tid": 26882, "name": "churn-1", "role": "application thread", "spans": [span(0, 120, "runnable", 1), span(120, 170, "cpu"), span(170, length - 60, "stopped"), span(length - 60, length, "runnable", 1)]},
        {"tid": 310, "name": "jbd2/loop1-8", "role": "kernel thread", "spans": [span(length - 9_000 if length > 20_000 else length / 2, length - 500, "blocked"), span(length - 500, length - 395, "cpu")]},
    ]
    segments = [
        {"start_us": 0, "length_us": 420, "cause": cpu, "lane": 3},
        {"start_us": 420, "length_us": work * 0.6, "cause": gc, "lane": 1},
        {"start_us": 420 + work * 0.6, "length_us": work * 0.4 - 420, "cause": cpu, "lane": 1},
        {"start_us": work, "length_us": 150, "cause": gc, "lane": 0},
        {"start_us": work + 150, "length_us": length - 550 - work, "cause": main, "lane": 0},
        {"start_us": length - 400, "length_us": 400, "cause": None, "lane": 0},
    ]
    phases = [{"name": "Pre Evacuate Collection Set", "length_us": work * 0.02}, {"name": "Merge Heap Roots", "length_us": work * 0.03},
              {"name": "Evacuate Collection Set", "length_us": work * 0.8}, {"name": "Post Evacuate Collection Set", "length_us": work * 0.1}, {"name": "Other", "length_us": work * 0.05}]
    chain = "For 1.57 s of 1.58 s all Java threads waited for the VM thread, which waited in write() to gc.log (ext4 on loop1) for a journal commit; dd (pid 991) wrote 126 MB to loop1."
    return {"pause": pause, "chain": chain, "reached_us": 180, "segments": segments, "lanes": lanes, "waits": waits, "phases": phases, "stages": [], "needs": [], "left_out": 0}


NASTY = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"'><b style='position:fixed'>", "x" * 10_000, "a/" * 3_000, "‮gnp.exe", "{{7*7}} ${1}", "&lt;b&gt; &amp;", "𝒳" * 500, "-->"]


def hostile(value, rng, key=""):
    keep = {"class", "nature", "state", "kind", "certainty", "id", "clock", "role"}
    if isinstance(value, dict):
        return {k: hostile(v, rng, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(v, rng, key) for v in value]
    if isinstance(value, str) and key not in keep:
        return f"{value} {rng.choice(NASTY)}" if rng.random() < 0.6 else rng.choice(NASTY)
    return value


def many(count, template):
    """A page of `count` pauses over a day, with the causes of a real one and more classes."""
    rng = random.Random(count)
    page = template
    extra = [("swap-in", "Swap-in"), ("late-java-thread", "Late thread"), ("frozen-or-traced", "Frozen or traced"), ("vm-operation", "VM operation"), ("gc-work", "GC work"), ("cpu-contention", "CPU contention"), ("gc-log-write-blocked", "GC log write blocked")]
    known = {it["id"]: i for i, it in enumerate(page["causes"])}
    for name, title in extra:
        if name not in known:
            known[name] = len(page["causes"])
            page["causes"].append({"id": name, "title": title, "short": title, "class": CLASSES[name], "nature": "fault", "page": []})
    mean_gap = 86_400e6 / count
    c = page["pauses"]
    c.update(count=count, start_us=[], length_us=[], reaching_us=[], operation=[], operations=["G1CollectForAllocation", "G1PauseRemark", "RevokeBias"], parts=[], left_out=0)
    end, collected = 0, ""
    faults = ["swap-in", "late-java-thread", "frozen-or-traced", "cpu-contention", "gc-log-write-blocked"]
    at = last = 0
    for i in range(count):
        at = max(at + rng.expovariate(1 / mean_gap), end)
        length = rng.lognormvariate(9, 1)
        fault = rng.choice(faults) if rng.random() < 0.003 else None
        if fault:
            length *= rng.uniform(10, 100)
        start = round(at)
        c["start_us"].append(start - last)
        last = start
        us = round(length)
        end = start + us
        c["length_us"].append(us)
        c["reaching_us"].append(round(rng.expovariate(1 / 80)))
        c["operation"].append(0 if rng.random() < 0.9 else rng.randrange(3))
        collected += "f" if fault is None and rng.random() < 0.001 else "ymc-"[c["operation"][-1] + (rng.random() < 0.2)]
        work, vm = known["gc-work"], known["vm-operation"]
        if fault:
            c["parts"] += [3, known[fault], round(us * 0.9), work, round(us * 0.06), vm, round(us * 0.01)]
        else:
            c["parts"] += [2, work, round(us * 0.8), vm, us - round(us * 0.8)]
    c["kind"] = "s" * count
    c["collected"] = collected
    c["span_ms"] = (end + 1e6) / 1000
    page["answer"]["title"] = f"{count} pauses"
    page["opened"] = []
    page["numbers"]["memory"] = {
        "allocated_bytes": 10**13, "allocation_bytes_per_s": 1.2e9, "allocation_is_exact": True, "promoted_bytes": 10**10, "promotion_bytes_per_s": 1e6,
        "most_used_bytes": 3 << 30, "most_capacity_bytes": 4 << 30, "max_heap_bytes": 4 << 30, "live_set": None, "generations": [],
        "series": [[i * c["span_ms"] / 512, (2 << 30) + rng.randrange(1 << 30), (1 << 30) + rng.randrange(1 << 28), 4 << 30] for i in range(512)],
    }
    return page


def stalls_of(page, episodes=60, members=12):
    """Threads that stand while the JVM runs: pools that append, one that holds a lock, one without a cause."""
    rng = random.Random(5)
    base = next((it for it in page["causes"] if it["class"] == "disk"), page["causes"][0])
    page["causes"].append(dict(base, id="file-sync-blocked", title="Sync of a file blocked (fsync, fdatasync)", short="fsync blocked"))
    sync = len(page["causes"]) - 1
    pools = ["journal-flusher", "appender-*", "waiter-*", "http-nio-8080-exec-*"] + [f"pool-{i}-thread-*" for i in range(7)]
    threads = [{"tid": 4_000, "name": "journal-flusher", "pool": 0}]
    places = [
        {"thread": "journal-flusher", "call": "fdatasync()", "file": "/var/lib/orders/journal/a.log", "file_system": "ext4", "device": "sdb1", "stack": ["io_schedule", "jbd2_log_wait_commit", "ext4_sync_file", "do_fsync"], "waits_for": "a journal commit", "marked": 1},
        {"thread": "", "call": "", "file": "", "file_system": "", "device": "", "stack": [], "waits_for": "", "marked": None},
    ]
    known = {}

    def thread(pool, number):
        if (pool, number) not in known:
            threads.append({"tid": 4_000 + len(threads), "name": pools[pool].replace("*", str(number)), "pool": pool})
            known[pool, number] = len(threads) - 1
        return known[pool, number]

    span = page["pauses"]["span_ms"] * 1_000
    found, at = [], 0.0
    for n in range(episodes):
        at += span / episodes * 0.95
        length = rng.uniform(0.2, 0.9) * span / episodes
        is_known = n % 7 != 3
        stalls = [(0, 0, 0, int(length))] if is_known else []
        chosen = {(rng.randrange(1, len(pools)), rng.randrange(8)) for _ in range(rng.randint(1, members))}
        for pool, number in sorted(chosen):
            it, late = thread(pool, number), rng.randint(0, int(length / 2))
            stalls.append((it, 0 if is_known and number % 2 else it, late, int(length - late)))
        stalls.sort(key=lambda it: it[2])
        lengths = [it[3] for it in stalls]
        waiting = sum(it[0] != it[1] for it in stalls)
        told = f"{len(stalls)} threads (waiter-*, appender-*) for {sum(lengths) / 1e6:.2f} s, up to {max(lengths) / 1e6:.2f} s: "
        told += f"fsync blocked; {waiting} waited for journal-flusher" if is_known else "unexplained"
        found.append({
            "start_us": at, "length_us": length, "stalls": len(stalls), "threads": len(stalls), "time_us": sum(lengths), "longest_us": max(lengths),
            "unexplained_us": 0 if is_known else sum(lengths), "told": told, "pools": "waiter-*, appender-*", "cause": sync if is_known else None,
            "certainty": "measured", "mechanisms": [["a journal commit", sum(lengths) * 0.9]] if is_known else [], "place": 0 if is_known else 1,
            "holder": 0 if waiting else None, "members": [it for stall in stalls for it in (*stall, stall[3])], "left_out": 2 if n == 0 else 0,
        })
    found[0]["stalls"] += 2
    time, longest = sum(it["time_us"] for it in found), max(it["longest_us"] for it in found)
    rest = sum(it["unexplained_us"] for it in found)
    finding = dict(page["answer"]["findings"][0], number=1, cause=sync, extent=f"{(time - rest) / 1e6:.1f} s in {sum(it['stalls'] for it in found)} stalls")
    return {
        "heading": f"Stalls while the JVM ran: {len(threads)} threads for {time / 1e6:.1f} s in all, up to {longest / 1e6:.2f} s", "findings": [finding],
        "rest": f"unexplained  {rest / 1e6:.1f} s", "episode_count": len(found) + 3, "threads": threads, "pools": pools, "places": places, "episodes": found,
    }


def empty(page):
    """Nothing was found: no pauses, no findings, no numbers of a log."""
    page["answer"].update(verdict="No pause in 12.1 s.", steps=[], cards=[], findings=[], minor=[], rest=None, hiccup="A hiccup is a time in which a thread that wants to run every millisecond did not.")
    page["pauses"].update(count=0, start_us=[], length_us=[], reaching_us=[], kind="", collected="", operation=[], operations=[], parts=[])
    page["numbers"].update(gc=None, memory=None)
    page["opened"] = []
    return page


def wide(page):
    """Many threads, slices spread over the whole pause, hiccups, and a zone of the log."""
    rng = random.Random(3)
    c = page["pauses"]
    c["zone_minutes"] = -210
    c["kind"] = "".join(rng.choice("sgh") for _ in c["kind"])
    page["answer"]["cut_stop"] = "The log ends inside a stop: its collection took 29 ms. The stop is not counted."
    for it in page["opened"]:
        length = c["length_us"][it["pause"]]
        for tid in range(60):
            at, spans = rng.uniform(0, length / 10), []
            while at < length * 0.95:
                n = min(rng.expovariate(40 / length) + 1, length - at)
                state = rng.choice(["cpu", "runnable", "throttled", "blocked", "idle", "stopped"])
                spans.append({"start_us": at, "length_us": n, "state": state, "wait": rng.choice([None, 0, 1, 2]), "woken_by": rng.choice([None, rng.randrange(60)])})
                at += n
            it["lanes"].append({"tid": 30_000 + tid, "name": f"http-nio-8080-exec-{tid}", "role": "application thread", "spans": spans})
        it["left_out"] = 123
    return page


def main():
    args = argparse.ArgumentParser()
    args.add_argument("source")
    args.add_argument("target")
    args.add_argument("--title", default="AllocLoad (pid 28750)")
    args.add_argument("--opened", action="store_true")
    args.add_argument("--stalls", action="store_true")
    args.add_argument("--hostile", action="store_true")
    args.add_argument("--many", type=int)
    args.add_argument("--empty", action="store_true")
    args.add_argument("--wide", action="store_true")
    it = args.parse_args()
    with open(it.source, encoding="utf-8") as file:
        page = page_of(json.load(file), it.opened, it.title)
    if it.stalls:
        page["stalls"] = stalls_of(page)
    if it.many:
        page = many(it.many, page)
    if it.empty:
        page = empty(page)
    if it.wide:
        page = wide(page)
    if it.hostile:
        codes = {key: page["pauses"][key] for key in ("kind", "collected")}
        page = hostile(page, random.Random(7))
        page["pauses"].update(codes)
    with open(it.target, "w", encoding="utf-8") as file:
        json.dump(page, file, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
