//! # Bound whoever fills the disk
//!
//! ## What it changes
//! The process that wrote most to the disk gets less of it, by what this host has:
//! a unit of systemd gets `IOWriteBandwidthMax`, a control group of version 2 gets `io.max`.
//! With version 1 of control groups the kernel writes back in nobody's name, and no limit of a group reaches it: there the whole disk gets less unwritten data (`max_ratio_fine` and `strict_limit` of `/sys/class/bdi`, Linux 6.2), as much as it writes in a tenth of a second, and a short queue (`nr_requests`), so that no journal commit waits for more.
//! By hand also the idle class of the scheduler, where the disk's scheduler knows classes (BFQ).
//!
//! ## What it costs
//! That process takes longer; where the whole disk is bounded, whoever writes much to it does.
//! A journal in ordered mode (ext4) waits for the data of whoever is bounded, too: pauses become shorter and need not go away.
//! What it writes to memory is written back by the kernel: only version 2 of control groups counts that to the writer.
//!
//! ## How to see that it helped
//! `whypause record`: the pauses are gone, or another process is named.
//!
//! ## How to undo it
//! `whypause fix --undo background-io`; by hand `ionice -c 0 -p PID`, `systemctl set-property UNIT IOWriteBandwidthMax=`.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`io.max`), `Documentation/block/bfq-iosched.rst`, `Documentation/ABI/testing/sysfs-class-bdi`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, approach 2.
use crate::{
    Action, Advice, Change, Command, DeviceLimit, Plan, Process, Refusal, Remedy, Setting, Target,
    UnitProperty, disk::Disk, start_flags,
};
use diagnose::{CulpritKind, Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "background-io",
    title: "Bound whoever fills the disk",
    summary: "Bound or move the process that fills the queue of the disk.",
    file: include_str!("background_io.rs"),
    advise,
    plan: Some(plan),
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    // Who reads a stream is no writer to a disk.
    if matches!(finding.detail, Detail::Stream(_)) {
        return Vec::new();
    }
    let writer = finding.culprits.iter().find(|it| it.kind == CulpritKind::Process);
    let Some((writer, pid)) = writer.and_then(|it| Some((it, it.pid?))) else {
        return Vec::new();
    };
    let idle = Command::new("ionice").args(["-c", "3", "-p"]).arg(pid.to_string());
    let note =
        format!("{} then takes longer; the pauses become shorter and may not go away", writer.name);
    vec![Advice::now(Action::run([idle]), note).cautioned(
        "it then writes only when nobody else does, where the disk's scheduler is BFQ; else bound its unit: systemctl set-property UNIT IOWriteBandwidthMax=",
    )]
}

/// The kernel takes no less (`BLKDEV_MIN_RQ` of `block/blk.h`).
const SHORTEST_QUEUE: &str = "4";

/// A slower writer would be one that is stopped.
const LEAST_BYTES_PER_SECOND: u64 = 256 << 10;

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let disk = Disk::of_log(target)?;
    let writes = writes(target, &disk);
    let plan = Plan::new(REMEDY.id);
    if let Some(unit) = &target.wishes.unit {
        return Ok(of_unit(plan, &disk, unit, rate(target, writes.as_ref())?));
    }
    let Some(writer) = writer(target, writes.as_ref())? else {
        let plan = plan.note(format!("nobody but the JVM was seen to write to {}", disk.name));
        return of_disk(plan, &disk, target);
    };
    let plan = plan.note(format!("{writer} writes most to {}", disk.name));
    if let Some(unit) = start_flags::unit_of_process(&target.roots.proc, writer.pid)
        && crate::change::is_systemd_here()
    {
        return Ok(of_unit(plan, &disk, &unit, rate(target, writes.as_ref())?));
    }
    if let Some(group) = disk.group_with_limits(target, &writer) {
        return Ok(plan.change(Change::DeviceLimit(DeviceLimit {
            file: format!("{group}/io.max"),
            device: disk.number,
            to: format!("wbps={}", rate(target, writes.as_ref())?),
        })));
    }
    of_disk(plan, &disk, target)
}

/// What is written to the disk.
struct Writes {
    pid: u32,
    /// By that process, in a second.
    most: u64,
}

fn writes(target: &Target<'_>, disk: &Disk) -> Option<Writes> {
    let jvm = target.jvm.map(|it| it.pid);
    let here = target.writers.iter().filter(|it| disk.holds(it.device) && Some(it.pid) != jvm);
    let most = here.max_by_key(|it| it.bytes)?;
    let millis = most.interval.duration().as_millis().max(1);
    let second = u64::try_from(u128::from(most.bytes) * 1000 / millis).unwrap_or(u64::MAX);
    Some(Writes { pid: most.pid, most: second })
}

fn writer(target: &Target<'_>, writes: Option<&Writes>) -> Result<Option<Process>, Refusal> {
    let found = target.finding.and_then(|it| {
        it.culprits.iter().find(|it| it.kind == CulpritKind::Process).and_then(|it| it.pid)
    });
    let Some(pid) = target.wishes.process.or(writes.map(|it| it.pid)).or(found) else {
        return Ok(None);
    };
    let process = Process::of(pid);
    process.map(Some).map_err(|it| Refusal::new(it.to_string(), "name another with --process"))
}

/// Half of what it writes, where nothing else was asked for.
fn rate(target: &Target<'_>, writes: Option<&Writes>) -> Result<u64, Refusal> {
    let half = writes.map(|it| (it.most / 2).max(LEAST_BYTES_PER_SECOND));
    target.wishes.bytes_per_second.or(half).ok_or_else(|| {
        Refusal::new("how much it writes was not seen", "say how much is left to it: --limit 5M")
    })
}

fn of_unit(plan: Plan, disk: &Disk, unit: &str, rate: u64) -> Plan {
    plan.change(Change::UnitProperty(UnitProperty {
        unit: unit.to_owned(),
        property: "IOWriteBandwidthMax".into(),
        to: format!("/dev/{} {rate}", disk.name),
    }))
}

/// As much unwritten data as the disk writes in a tenth of a second, and a short queue before it.
fn of_disk(plan: Plan, disk: &Disk, target: &Target<'_>) -> Result<Plan, Refusal> {
    let speed = target.wishes.bytes_per_second.or_else(|| disk.speed(target)).ok_or_else(|| {
        Refusal::new(
            format!("nothing was written to {} just now", disk.name),
            "say how much the disk writes in a second: --limit 5M",
        )
    })?;
    let ratio = disk.ratio_of_unwritten(speed / 10).ok_or_else(|| {
        Refusal::new(
            format!("this kernel cannot bound who writes to {}", disk.name),
            "it takes version 2 of control groups, or Linux 6.2",
        )
    })?;
    let directory = format!("/sys/class/bdi/{}", disk.number);
    let set = |file: &str, to: String| {
        Change::Setting(Setting { file: format!("{directory}/{file}"), to })
    };
    Ok(plan
        .note("it bounds all who write to that disk: control groups of version 1 cannot tell them apart")
        .change(set("strict_limit", "1".into()))
        .change(set("max_ratio_fine", ratio.to_string()))
        .change(Change::Setting(Setting {
            file: format!("/sys/block/{}/queue/nr_requests", disk.name),
            to: SHORTEST_QUEUE.into(),
        })))
}
