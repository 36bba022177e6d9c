//! # Limit the process that fills the disk
//!
//! ## What it changes
//! The process that wrote most to the disk gets less of it, by what this host has:
//! a unit of systemd gets `IOWriteBandwidthMax`, a control group of version 2 gets `io.max`.
//! With version 1 of control groups the kernel attributes writeback to no group, and no limit of a group reaches it: there the whole disk gets less unwritten data (`max_ratio_fine` and `strict_limit` of `/sys/class/bdi`, Linux 6.2), as much as it writes in a tenth of a second, and a short queue (`nr_requests`), so that no journal commit waits for more.
//! A process that is named (`--process`) gets a control group of its own in version 1, too; that limits what it writes itself (`O_DIRECT`, `fsync`).
//! Where the disk's scheduler knows classes (BFQ), the process also gets the idle one.
//!
//! ## What it costs
//! That process takes longer; where the whole disk is limited, so does every process that writes much to it.
//! A journal in ordered mode (ext4) waits for the data of the limited process, too: pauses become shorter and need not go away.
//! What it writes to memory is written back by the kernel: only version 2 of control groups counts that to the writer.
//! What was queued before the limit is written first, at full speed.
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
    Action, Advice, Change, ChangeError, Command, DeviceLimit, Group, IoPriority, Plan, Process,
    Refusal, Remedy, Setting, Target, UnitProperty,
    disk::{Disk, Limits, V1_LIMIT},
    units::Units,
};
use diagnose::{Culprit, CulpritKind, Detail, Finding, Situation};
use recording::WriterFact;
use std::{collections::BTreeMap, path::PathBuf};

pub(super) static REMEDY: Remedy = Remedy {
    id: "background-io",
    title: "Limit the process that fills the disk",
    summary: "Limit or move the process that fills the queue of the disk.",
    page: diagnose::page!("background_io.rs"),
    advise,
    plan: Some(plan),
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    // Who reads a stream is no writer to a disk.
    if matches!(finding.detail, Detail::Stream(_)) {
        return Vec::new();
    }
    // The JVM would only hold itself up.
    let own = situation.jvm.as_ref().map(|it| it.pid);
    let is_another = |it: &&Culprit| it.kind == CulpritKind::Process && it.pid != own;
    let writer = finding.culprits.iter().find(is_another);
    let Some((writer, pid)) = writer.and_then(|it| Some((it, it.pid?))) else {
        return Vec::new();
    };
    let idle = Command::new("ionice").args(["-c", "3", "-p"]).arg(pid.to_string());
    let note =
        format!("{} then takes longer; the pauses become shorter and may not go away", writer.name);
    vec![Advice::now(Action::run([idle]), note).cautioned(
        "it then writes only when no other process does, where the disk's scheduler is BFQ; else \
         limit its unit: systemctl set-property UNIT IOWriteBandwidthMax=",
    )]
}

/// The kernel takes no less (`BLKDEV_MIN_RQ` of `block/blk.h`).
const SHORTEST_QUEUE: &str = "4";

/// A slower writer would be one that is stopped.
const LEAST_BYTES_PER_SECOND: u64 = 256 << 10;

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let disk = Disk::of_log(target)?;
    let plan = Plan::new(REMEDY.id);
    let seen = seen(target, &disk);
    let units = Units::default();
    let of_service = |plan: Plan, unit: &str| {
        let is_meant = |it: &WriterFact| units.of_group(&it.cgroup).as_deref() == Some(unit);
        Ok(of_unit(plan, &disk, unit, rate(target, speed(&seen, is_meant))?))
    };
    if let Some(unit) = &target.wishes.unit {
        return of_service(plan, unit);
    }
    let own = target.jvm.and_then(|it| units.of_process(target.roots, it.pid));
    let of_writer = |plan: Plan, writer: Process| {
        let unit = units.of_process(target.roots, writer.pid);
        if let Some(unit) = unit.filter(|it| can_be_limited(it, own.as_deref())) {
            return of_service(plan, &unit);
        }
        let speed = speed(&seen, |it| it.pid == writer.pid);
        match disk.limits(target, &writer, target.wishes.process.is_some()) {
            Some(limits) => Ok(of_process(plan, &disk, limits, rate(target, speed)?)),
            None => of_disk(plan, &disk, target),
        }
    };
    if let Some(pid) = target.wishes.process {
        return of_writer(plan, process(pid)?);
    }
    match most(&seen, &|it| units.of_group(it), &still_writes, own.as_deref()) {
        None => {
            let why = unseen(target.writers, &disk.name);
            // That the whole disk cannot be limited is not why there is no plan.
            of_disk(plan.note(why.clone()), &disk, target).map_err(|_| {
                Refusal::new(why, "name who writes: --unit NAME or --process PID, with --limit 5M")
            })
        }
        Some(Writer::Service(unit)) => {
            of_service(plan.note(format!("{unit} writes most to {}", disk.name)), &unit)
        }
        Some(Writer::Ended(name)) => {
            let why = format!("{name} wrote most to {}, in processes that have ended", disk.name);
            of_disk(plan.note(why.clone()), &disk, target).map_err(|_| {
                Refusal::new(why, "name what starts them: --unit NAME, with --limit 5M")
            })
        }
        Some(Writer::Process(pid)) => {
            let writer = process(pid)?;
            of_writer(plan.note(format!("{writer} writes most to {}", disk.name)), writer)
        }
    }
}

/// Whether the process that was seen is there: its id may be another one's by now.
fn still_writes(seen: &WriterFact) -> bool {
    match Process::of(seen.pid) {
        Ok(it) => it.name == seen.name,
        Err(error) => !matches!(error, ChangeError::Gone(_)),
    }
}

/// A limit of the JVM's own service would hold its log up.
fn can_be_limited(unit: &str, own: Option<&str>) -> bool {
    Some(unit) != own
}

fn process(pid: u32) -> Result<Process, Refusal> {
    Process::of(pid).map_err(|it| Refusal::new(it.to_string(), "name another one with --process"))
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

/// Whom a limit can be given to.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    Process(u32),
    Service(String),
    /// Processes of this name that have ended.
    Ended(String),
}

/// What others than the JVM wrote to the disk.
///
/// Where a process wrote to is seen by its open files. A script has none: what its commands wrote is counted
/// as its own once they have ended (`wait_task_zombie` of `kernel/exit.c`). It counts where its control group,
/// which is not the JVM's, writes to this disk.
fn seen<'a>(target: &Target<'a>, disk: &Disk) -> Vec<&'a WriterFact> {
    let jvm = target.jvm.map(|it| it.pid);
    let others: Vec<&WriterFact> = target.writers.iter().filter(|it| Some(it.pid) != jvm).collect();
    let directory =
        |it: &WriterFact, pid| recorder::group_directory(target.roots, pid, "io", &it.cgroup);
    let unknown: BTreeMap<&str, PathBuf> = others
        .iter()
        .filter(|it| it.device.is_none())
        .filter(|it| jvm.is_none_or(|pid| directory(it, pid).is_none()))
        .filter_map(|it| Some((it.cgroup.as_str(), directory(it, it.pid)?)))
        .collect();
    let writing = disk.written_now_by(unknown.into_iter());
    let is_here = |it: &&WriterFact| {
        disk.holds(it.device) || it.device.is_none() && writing.contains(&it.cgroup.as_str())
    };
    others.into_iter().filter(is_here).collect()
}

/// Why no writer to the disk is known, though it may be busy with what was written before.
fn unseen(writers: &[WriterFact], disk: &str) -> String {
    let seen = format!("no process but the JVM was seen writing to {disk}");
    match writers.iter().find(|it| it.device.is_none()) {
        Some(it) => format!("{seen}; where {} (pid {}) wrote to was not seen", it.name, it.pid),
        None => seen,
    }
}

/// Who wrote most. A script writes by one process after the other, each of which has ended soon:
/// what stays is their service, by their control group, or nothing but their name.
fn most(
    seen: &[&WriterFact],
    service_of: &dyn Fn(&str) -> Option<String>,
    lives: &dyn Fn(&WriterFact) -> bool,
    own: Option<&str>,
) -> Option<Writer> {
    let mut bytes = BTreeMap::new();
    for it in seen {
        let unit = service_of(&it.cgroup).filter(|it| can_be_limited(it, own));
        let writer = match unit {
            Some(unit) => Writer::Service(unit),
            None if lives(it) => Writer::Process(it.pid),
            None => Writer::Ended(it.name.clone()),
        };
        *bytes.entry(writer).or_insert(0) += it.bytes;
    }
    bytes.into_iter().max_by_key(|it| it.1).map(|it| it.0)
}

/// What the processes that are meant wrote in a second.
fn speed(seen: &[&WriterFact], is_meant: impl Fn(&WriterFact) -> bool) -> Option<u64> {
    let meant: Vec<_> = seen.iter().filter(|it| is_meant(it)).collect();
    let start = meant.iter().map(|it| it.interval.start).min()?;
    let end = meant.iter().map(|it| it.interval.end).max()?;
    let bytes: u64 = meant.iter().map(|it| it.bytes).sum();
    let millis = end.since(start).as_millis().max(1);
    u64::try_from(u128::from(bytes) * 1000 / millis).ok()
}

/// Half of what it writes, where nothing else was asked for.
fn rate(target: &Target<'_>, speed: Option<u64>) -> Result<u64, Refusal> {
    let half = speed.map(|it| (it / 2).max(LEAST_BYTES_PER_SECOND));
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
            format!("this kernel cannot limit the process that writes to {}", disk.name),
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

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{Interval, MonoTime};

    /// One row: from and to in seconds, process, control group, bytes.
    fn wrote(from: u64, to: u64, pid: u32, cgroup: &str, bytes: u64) -> WriterFact {
        let second = |it| MonoTime(it * 1_000_000_000);
        WriterFact {
            interval: Interval::new(second(from), second(to)),
            pid,
            name: "dd".into(),
            command_line: String::new(),
            cgroup: cgroup.into(),
            bytes,
            read_bytes: 0,
            device: None,
            path: String::new(),
            devices: Vec::new(),
        }
    }

    #[test]
    fn processes_that_end_soon_count_for_their_service() {
        let backup = "/system.slice/backup.service";
        let rows = [
            wrote(0, 1, 10, backup, 300),
            wrote(1, 2, 11, backup, 300),
            wrote(0, 2, 9, "/user.slice/session.scope", 500),
        ];
        let rows: Vec<_> = rows.iter().collect();
        let known = |path: &str| (path == backup).then(|| "backup.service".to_owned());
        let none = |_: &str| None;
        let all_live = |_: &WriterFact| true;
        let of = |rows: &[&WriterFact], own| most(rows, &known, &all_live, own);
        assert_eq!(of(&rows, None), Some(Writer::Service("backup.service".into())));
        assert_eq!(most(&rows, &none, &all_live, None), Some(Writer::Process(9)));
        assert_eq!(of(&rows, Some("backup.service")), Some(Writer::Process(9)));
        assert_eq!(of(&rows[..2], Some("backup.service")), Some(Writer::Process(11)));
        assert_eq!(of(&[], None), None);
        assert_eq!(speed(&rows, |it| it.pid < 12 && it.pid > 9), Some(300));
        assert_eq!(speed(&rows, |it| it.pid == 9), Some(250));
        assert_eq!(speed(&rows, |it| it.pid == 1), None);
    }

    /// It was: "process 11 has ended", though the disk's writer goes on as another process.
    #[test]
    fn a_process_that_has_ended_is_not_the_one_to_limit() {
        let rows = [wrote(0, 1, 10, "", 300), wrote(1, 2, 11, "", 300), wrote(0, 2, 9, "", 500)];
        let rows: Vec<_> = rows.iter().collect();
        let with = |lives: &dyn Fn(&WriterFact) -> bool| most(&rows, &|_| None, lives, None);
        assert_eq!(with(&|it| it.pid == 9), Some(Writer::Ended("dd".into())));
        assert_eq!(with(&|it| it.pid != 10), Some(Writer::Process(9)));
    }

    #[test]
    fn short_lived_writer_is_not_called_unlimitable() {
        let unknown = wrote(0, 1, 10, "", 300);
        let elsewhere = WriterFact { device: Some(1), ..wrote(0, 1, 11, "", 300) };
        let none = "no process but the JVM was seen writing to vdc";
        assert_eq!(unseen(&[], "vdc"), none);
        assert_eq!(unseen(std::slice::from_ref(&elsewhere), "vdc"), none);
        let told = format!("{none}; where dd (pid 10) wrote to was not seen");
        assert_eq!(unseen(&[elsewhere, unknown], "vdc"), told);
    }
}
