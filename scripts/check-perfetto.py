#!/usr/bin/env python3
"""Reads traces of `whypause explain --format perfetto` back with Perfetto's own classes, and compares them
with the JSON of the same input: every pause, its causes, and the sums.

    check-perfetto.py PROGRAM INPUT…

Needs the package `perfetto` with its protobuf classes; without it prints SKIPPED.
"""

import collections
import json
import subprocess
import sys

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
except ImportError:
    print("SKIPPED: no package perfetto for Python")
    sys.exit(0)


# Episodes of stalls that a diagnosis keeps.
MOST_EPISODES = 1000


def explained(program, path, *options):
    command = [program, "explain", path, *options]
    return subprocess.run(command, check=True, capture_output=True, timeout=300).stdout


def slices(trace):
    """Name, start and length of each slice, by the name of its track."""
    names, open_slices, found = {}, collections.defaultdict(list), collections.defaultdict(list)
    flows = collections.Counter()
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            names[track.uuid] = track.thread.thread_name or track.process.process_name or track.name
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        for flow in list(event.flow_ids) + list(event.terminating_flow_ids):
            flows[flow] += 1
        if event.type == protos.TrackEvent.TYPE_SLICE_BEGIN:
            open_slices[event.track_uuid].append((event.name, packet.timestamp))
        elif event.type == protos.TrackEvent.TYPE_SLICE_END:
            name, start = open_slices[event.track_uuid].pop()
            found[names[event.track_uuid]].append((name, start, packet.timestamp - start))
    assert not any(open_slices.values()), "every slice ends"
    assert all(count == 2 for count in flows.values()), "every flow has two ends"
    return found, len(flows)


def check(program, path):
    trace = protos.Trace()
    trace.ParseFromString(explained(program, path, "--format", "perfetto"))
    found, flows = slices(trace)
    answer = json.loads(explained(program, path, "--format", "json", "--all-pauses"))
    pauses = sorted((it["start_ns"], it["duration_ns"]) for it in answer["longest"])
    drawn = sorted((start, length) for _, start, length in found["Pauses"])
    assert drawn == pauses, f"{len(drawn)} pauses drawn, {len(pauses)} are there"
    parts = sum(part["time_ns"] for it in answer["longest"] for part in it["parts"])
    rest = sum(it["unattributed_ns"] for it in answer["longest"])
    of_causes = sum(length for name, _, length in found["Causes of pauses"] if name != "unexplained")
    unexplained = sum(length for name, _, length in found["Causes of pauses"] if name == "unexplained")
    assert (of_causes, unexplained) == (parts, rest), (of_causes, parts, unexplained, rest)
    stalls = [it for name, of in found.items() if name.startswith("Stalls") for it in of]
    episodes = min((answer.get("stalls") or {}).get("episodes", 0), MOST_EPISODES)
    assert len(stalls) == episodes, f"{len(stalls)} episodes of stalls drawn, {episodes} are there"
    tracks = sum(name.startswith("Stalls") for name in found)
    threads = len(found) - 2 - ("Waited for" in found) - tracks
    print(f"ok    {path}: {len(drawn)} pauses, {threads} threads, {flows} wake-ups, {len(stalls)} stalls")


for path in sys.argv[2:]:
    check(sys.argv[1], path)
