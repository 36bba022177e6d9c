//! # Keep the heap in memory
//!
//! ## What it changes
//! The JVM's memory is protected by what this host has, and what of it is in swap is brought back.
//! In version 2 of control groups `memory.low` of the JVM's group becomes the JVM's footprint (`--footprint`; without it the largest heap and a quarter), at most the group's limit and seven eighths of the host: as long as the group has no more than that, the kernel takes memory elsewhere.
//! A group is protected no better than the groups around it, so each of them up to the root gets as much, in addition to what other groups in it have been promised.
//! A unit of systemd gets `MemoryLow`, until the next boot.
//! `--hard` sets `memory.min` in place of `memory.low`: it is never taken, and the OOM killer comes first.
//! In version 1 `memory.swappiness` of the JVM's group becomes 1, and for a JVM in the root group `vm.swappiness`: the kernel drops cached files first.
//! A swappiness of 0 would mean in version 1 that nothing of the group is ever swapped, and the OOM killer comes at its limit; 1 is the least with which the kernel still swaps in need.
//! `--group-limit SIZE` raises the limit of the JVM's own control group, where that limit is why memory was swapped out.
//! What is in swap would stay there until a collection touches it: it is touched now, page by page, by another process (`process_madvise`, `process_vm_readv`), as long as there is room for it on the host and in the group.
//! No thread of the JVM is stopped or traced for that; its `mmap_lock` is taken for reading, for each page anew, and not while the page is read from the disk.
//!
//! It cannot protect the JVM from everything: a process that shares the JVM's control group has the same protection, and version 1 has none.
//! Where the two fill the group's limit together, each page that is brought back pushes out another one.
//! A process that is moved to another group leaves the memory that it has in the old one, also what it swaps out and in again, so moving either of them helps only from the next start on.
//! In such a group the limit must be raised (`--group-limit`), or the other process made smaller.
//! The heap of ZGC is shared memory, which is not counted as swap of the JVM and not brought back.
//! No flag of HotSpot locks the heap in memory: large pages (`-XX:+UseLargePages` with `vm.nr_hugepages`) are never swapped, and an agent that calls `mlockall` needs `LimitMEMLOCK=infinity`.
//! `memory.swap.max` of 0 (`no-swap`) keeps everything of the group out of swap, at the risk of the OOM killer.
//! At the next start `-Xms` equal to `-Xmx` and `-XX:+AlwaysPreTouch` (`keep-heap`, `pretouch`) have the whole heap in memory from the begin, when there is most of it.
//!
//! ## What it costs
//! Memory that is kept for the JVM is not there for others: they are swapped out or reclaimed in its place.
//! The disk with the swap space reads all that is brought back.
//!
//! ## How to see that it helped
//! `whypause fix` prints the JVM's swap before and after; `VmSwap` of `/proc/PID/status` no longer grows.
//!
//! ## How to undo it
//! `whypause fix --undo heap-residency`; what was brought back is in memory until that memory is needed.
//! A limit that was raised is set back only where the group fits into it.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`memory.low`, "Memory Ownership"), `Documentation/admin-guide/cgroup-v1/memory.rst` (5.3), `mm/vmscan.c` (`get_scan_count`), `mm/madvise.c` (`madvise_willneed`), `mm/process_vm_access.c`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, scenario I.
mod protection;

use crate::{
    Action, Advice, Change, Command, GroupMemory, InMemory, Plan, Process, Refusal, Remedy,
    Setting, Target, host, tuner,
};
use diagnose::{Finding, Situation, text};
use protection::Protection;
use recorder::{MemoryGroups, MemoryWatch};
use std::{fs, path::Path};

pub(super) static REMEDY: Remedy = Remedy {
    id: "heap-residency",
    title: "Keep the heap in memory",
    summary: "Protect the JVM's memory (`memory.low`, `memory.swappiness`) and bring back what of it is in swap.",
    page: diagnose::page!("heap_residency.rs"),
    advise,
    plan: Some(plan),
    ..Remedy::BASE
};

/// The least with which the kernel still swaps in need.
const LEAST_SWAPPINESS: u64 = 1;
/// What a JVM has in swap and never needs again is less.
const LITTLE_BYTES: u64 = 1 << 20;

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let group = host::own_memory_group(situation).map(|it| (it.version, it.memory_path.as_str()));
    let (action, note) = match group {
        Some((2, path)) => {
            let Some(bytes) = footprint(situation, None) else { return Vec::new() };
            let action = host::group_setting(&bytes.to_string(), "", path, "memory.low");
            (action, "the kernel then takes memory from others first")
        }
        Some((1, path)) => (
            host::group_setting("1", "/memory", path, "memory.swappiness"),
            "the kernel then drops cached files first",
        ),
        _ => (
            Action::run([Command::new("sysctl").arg("vm.swappiness=1")]),
            "the kernel then drops cached files first",
        ),
    };
    vec![Advice::now(action, note).cautioned(
        "what is in swap stays there until it is touched; whypause fix heap-residency brings it back",
    )]
}

/// What is to be in memory of the JVM, in bytes: whole MiB, as the kernel keeps whole pages.
fn footprint(situation: &Situation, wanted: Option<u64>) -> Option<u64> {
    let wanted = tuner::footprint(situation, wanted).ok()?;
    let limit = situation.cgroup.as_ref().and_then(|it| it.memory_max_bytes);
    let host = situation.host.as_ref().map(|it| it.memory_bytes).filter(|it| *it > 0);
    let most = [limit, host.map(|it| it / 8 * 7)].into_iter().flatten().min();
    let bytes = most.map_or(wanted, |it| it.min(wanted)) >> 20 << 20;
    (bytes > 0).then_some(bytes)
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let groups = recorder::memory_groups(target.roots, jvm);
    let mut plan = limit(Plan::new(REMEDY.id), target, &groups)?;
    plan = match (groups.own(), groups.is_v2) {
        (Some(_), true) => protect(plan, target, &groups)?,
        (own, _) => swappiness(plan, target, own)?,
    };
    plan = neighbours(plan, &groups, jvm.pid);
    plan = bring_back(plan, target);
    if plan.changes.is_empty() {
        let message = format!(
            "{} (pid {}) has nothing in swap, and all that protects it is set",
            jvm.main, jvm.pid
        );
        return Err(Refusal::new(message, ""));
    }
    let fixed = target.situation.is_on("AlwaysPreTouch");
    Ok(if fixed {
        plan
    } else {
        plan.note("at the next start: -Xms equal to -Xmx, and -XX:+AlwaysPreTouch")
    })
}

/// A higher limit, where one was asked for.
fn limit(plan: Plan, target: &Target<'_>, groups: &MemoryGroups) -> Result<Plan, Refusal> {
    let Some(bytes) = target.wishes.group_limit_bytes else { return Ok(plan) };
    let own = groups.own().ok_or_else(|| {
        Refusal::new("the JVM is in the root group, which has no limit", "leave --group-limit out")
    })?;
    let unit = protection::unit(target.roots, groups, own);
    if let Some(unit) = unit {
        let set = Command::new("systemctl").args(["set-property", "--runtime", "--"]);
        let set = set.arg(&unit).arg(format!("MemoryMax={bytes}"));
        return Err(Refusal::new(
            format!("the limit of the group is the one of {unit}"),
            format!("{}; then leave --group-limit out", Action::run([set])),
        ));
    }
    let file = own.join(if groups.is_v2 { "memory.max" } else { "memory.limit_in_bytes" });
    if number(&file).is_none_or(|now| now >= bytes) {
        return Err(Refusal::new(
            format!("the limit of {} is {} or more already", own.display(), text::memory(bytes)),
            "--group-limit raises a limit, and lowers none",
        ));
    }
    Ok(plan.change(setting(target, &file, bytes)))
}

fn protect(plan: Plan, target: &Target<'_>, groups: &MemoryGroups) -> Result<Plan, Refusal> {
    let unknown = |_| {
        let hint = "say it: --footprint 4G";
        Refusal::new("how much memory the JVM may need is not known", hint)
    };
    let mut situation = target.situation.clone();
    if let (Some(group), Some(limit)) = (&mut situation.cgroup, target.wishes.group_limit_bytes) {
        group.memory_max_bytes = group.memory_max_bytes.map(|it| it.max(limit));
    }
    let bytes = footprint(&situation, target.wishes.footprint_bytes).ok_or(()).map_err(unknown)?;
    let protection = Protection { roots: target.roots, groups, hard: target.wishes.hard };
    let changes = protection.changes(bytes)?;
    let plan = changes.into_iter().fold(plan, Plan::change);
    let plan = match groups.complete {
        true => plan,
        false => plan.note("the groups above are not to be seen from here: they may protect less"),
    };
    Ok(plan.note(format!("footprint of the JVM: {}; --footprint sets it", text::memory(bytes))))
}

/// In version 1, and for a JVM in the root group, which nothing protects.
fn swappiness(plan: Plan, target: &Target<'_>, own: Option<&Path>) -> Result<Plan, Refusal> {
    if target.wishes.hard {
        return Err(Refusal::new(
            "there is no memory.min for this JVM",
            "it takes version 2 of control groups, and a group of the JVM's own",
        ));
    }
    let of_host = target.roots.proc.join("sys/vm/swappiness");
    let file = own.map_or(of_host, |it| it.join("memory.swappiness"));
    let to = LEAST_SWAPPINESS.to_string();
    match number(&file) {
        Some(now) if now > LEAST_SWAPPINESS => Ok(plan.change(match own {
            Some(_) => setting(target, &file, LEAST_SWAPPINESS),
            None => Change::Setting(Setting { file: "/proc/sys/vm/swappiness".into(), to }),
        })),
        Some(0) if own.is_some() => Ok(plan.note(
            "swappiness of the group is 0: nothing of it is swapped out, and the OOM killer comes at its limit; 1 is safer",
        )),
        _ => Ok(plan),
    }
}

/// One number of a control group.
fn setting(target: &Target<'_>, file: &Path, to: u64) -> Change {
    Change::GroupMemory(GroupMemory {
        file: protection::as_mounted(target.roots, file),
        to: to.to_string(),
    })
}

/// Who has the same protection, and the same limit.
fn neighbours(plan: Plan, groups: &MemoryGroups, pid: u32) -> Plan {
    match groups.neighbours(pid)[..] {
        [] => plan,
        [other] => {
            let name = Process::of(other).map_or_else(|_| other.to_string(), |it| it.to_string());
            plan.note(format!("{name} is in the same control group: nothing protects one from the other"))
        }
        ref others => plan.note(format!(
            "{} other processes are in the same control group: nothing protects one from the others",
            others.len()
        )),
    }
}

/// What is in swap, where there is some.
fn bring_back(plan: Plan, target: &Target<'_>) -> Plan {
    let Some(jvm) = target.jvm else { return plan };
    let sample = MemoryWatch::open(target.roots, jvm).ok().and_then(|mut it| it.sample());
    let plan = match target.situation.collector() {
        "zgc" => plan.note("the heap of ZGC is shared memory: what of it is in swap is not seen"),
        _ => plan,
    };
    let Some(sample) = sample.filter(|it| it.swapped_bytes >= LITTLE_BYTES) else { return plan };
    let raised = target.wishes.group_limit_bytes.is_some();
    let short = sample.available_bytes < sample.swapped_bytes && !(raised && sample.of_group);
    let plan = match short {
        false => plan,
        true => plan.note(format!(
            "there is room for {} of {} that are in swap: {}",
            text::memory(sample.available_bytes),
            text::memory(sample.swapped_bytes),
            match sample.of_group {
                true => "the control group is at its limit, which --group-limit raises",
                false => "the host has no more",
            },
        )),
    };
    plan.change(Change::InMemory(InMemory { process: Process::of_jvm(jvm) }))
}

/// The number in a file; `max` is none.
fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}
