//! # Bound whoever fills the disk
//!
//! ## What it changes
//! The process that wrote most to the disk gets less of it, by what this host has:
//! a unit of systemd gets `IOWriteBandwidthMax`, a control group of version 2 gets `io.max`.
//! With version 1 of control groups the kernel writes back in nobody's name, and no limit of a group reaches it: there the whole disk gets less unwritten data (`max_ratio_fine` and `strict_limit` of `/sys/class/bdi`, Linux 6.2), as much as it writes in a tenth of a second, and a short queue (`nr_requests`), so that no journal commit waits for more.
//! A process that is named (`--process`) gets a control group of its own in version 1, too; that limits what it writes itself (`O_DIRECT`, `fsync`).
//! Where the disk's scheduler knows classes (BFQ), the process also gets the idle one.
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
    Action, Advice, Change, Command, DeviceLimit, Group, IoPriority, Plan, Process, Refusal,
    Remedy, Setting, Target, UnitProperty,
    disk::{Disk, Limits, V1_LIMIT},
    start_flags,
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
    let named = target.wishes.process;
    let Some(pid) = named.or(writes.as_ref().map(|it| it.pid)) else {
        let plan = plan.note(format!("no process but the JVM was seen writing to {}", disk.name));
        return of_disk(plan, &disk, target);
    };
    let writer = Process::of(pid)
        .map_err(|it| Refusal::new(it.to_string(), "name another one with --process"))?;
    let plan = match named {
        Some(_) => plan,
        None => plan.note(format!("{writer} writes most to {}", disk.name)),
    };
    if let Some(unit) = start_flags::unit_of_process(&target.roots.proc, writer.pid)
        && crate::change::is_systemd_here()
    {
        return Ok(of_unit(plan, &disk, &unit, rate(target, writes.as_ref())?));
    }
    match disk.limits(target, &writer, named.is_some()) {
        Some(limits) => Ok(of_process(plan, &disk, limits, rate(target, writes.as_ref())?)),
        None => of_disk(plan, &disk, target),
    }
}

/// A limit for the process, by the control group that it is in or in one of its own; and the idle
/// class, where the disk's scheduler knows classes.
fn of_process(plan: Plan, disk: &Disk, limits: Limits, rate: u64) -> Plan {
    let Limits { group, member, file, process } = limits;
    let to = if file == V1_LIMIT { rate.to_string() } else { format!("wbps={rate}") };
    let mut plan = plan;
    if member.is_some() {
        plan = plan.change(Change::Group(Group { path: group.clone() }));
    }
    plan = plan.change(Change::DeviceLimit(DeviceLimit {
        file: format!("{group}/{file}"),
        device: disk.number.clone(),
        to,
    }));
    if let Some(member) = member {
        plan = plan.change(Change::Member(member));
    }
    if disk.has_classes() {
        plan = plan.change(Change::IoPriority(IoPriority { process, to: "idle".into() }));
    }
    if file == V1_LIMIT {
        plan = plan.note(
            "version 1 of control groups limits only what the process writes itself (O_DIRECT, fsync), not what the kernel writes back for it",
        );
    }
    plan
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
            format!("no writes to {} were seen", disk.name),
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
        .note("this limits every process that writes to the disk")
        .change(set("strict_limit", "1".into()))
        .change(set("max_ratio_fine", ratio.to_string()))
        .change(Change::Setting(Setting {
            file: format!("/sys/block/{}/queue/nr_requests", disk.name),
            to: SHORTEST_QUEUE.into(),
        })))
}
