//! Lines of the host beneath the pauses of the page; `web/src/time/host.tsx` draws them. Those that the causes
//! found are about come first, and what never changes is shown on request only.
use diagnose::{Cause, Class, Diagnosis, HostLineKind as Kind};
use serde::Serialize;

/// Number of lines that are shown at once.
const MOST_SHOWN: usize = 4;
/// The same where no cause is about any.
const MOST_OF_NONE: usize = 2;
/// A line that changes by less than this part of its largest value is flat.
const FLAT_PART: u64 = 20;
/// A time for each second that stays below this is flat: 10 ms.
const FLAT_NS: u64 = 10_000_000;

/// See `HostLine` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct HostLine {
    kind: &'static str,
    name: String,
    is_shown: bool,
    /// Milliseconds since the page's time 0, to the microsecond; before the first pause less than 0.
    at_ms: Vec<f64>,
    value: Vec<u64>,
}

/// The lines of a diagnosis whose page begins at `zero_ns`.
pub(super) fn of(diagnosis: &Diagnosis, zero_ns: u64) -> Vec<HostLine> {
    let found = Found {
        causes: diagnosis.findings.iter().map(|it| it.cause).collect(),
        device: diagnosis.findings.iter().find_map(device),
    };
    let lines = ranked(diagnosis.host_lines.iter(), &found).into_iter();
    lines.map(|(it, is_shown)| line(it, &it.points, is_shown, zero_ns.into())).collect()
}

/// What decides which lines come first.
pub(super) struct Found<'a> {
    /// The causes that were found, the most important first.
    pub(super) causes: Vec<&'static Cause>,
    /// The disk that was waited for.
    pub(super) device: Option<&'a str>,
}

/// The disk that was waited for, where it is known.
pub(super) fn device(it: &diagnose::Finding) -> Option<&str> {
    it.place.as_ref().map(|place| place.device.as_str()).filter(|it| !it.is_empty())
}

/// Lines in the order in which they are worth a place, and whether each is shown at once.
pub(super) fn ranked<'a>(
    lines: impl Iterator<Item = &'a diagnose::HostLine>,
    found: &Found<'_>,
) -> Vec<(&'a diagnose::HostLine, bool)> {
    let told: Vec<Kind> = found.causes.iter().flat_map(|it| about(it)).copied().collect();
    let rank = |it: &diagnose::HostLine| told.iter().position(|kind| *kind == it.kind);
    let mut lines: Vec<_> = lines.collect();
    // Of several disks the one that was waited for, then the busiest.
    let is_waited_for = |it: &diagnose::HostLine| found.device.is_some_and(|of| of == it.name);
    let most = |it: &diagnose::HostLine| it.points.iter().map(|it| it.1).max();
    lines.sort_by_cached_key(|it| {
        let busiest = if it.name.is_empty() { None } else { most(it) };
        (rank(it).unwrap_or(usize::MAX), it.kind, !is_waited_for(it), std::cmp::Reverse(busiest))
    });
    let room = if lines.iter().any(|it| rank(it).is_some()) { MOST_SHOWN } else { MOST_OF_NONE };
    let mut left = room;
    let shown = lines.into_iter().map(|it| {
        let is_shown = left > 0 && (rank(it).is_some_and(|it| it < 2) || !is_flat(it));
        left -= usize::from(is_shown);
        (it, is_shown)
    });
    shown.collect()
}

/// The numbers of the host that a cause is about, the most telling first.
fn about(cause: &Cause) -> &'static [Kind] {
    const DISK: &[Kind] = &[Kind::DiskBusy, Kind::PressureIo, Kind::DirtyBytes, Kind::DirtyPages];
    match (cause.id, cause.class) {
        ("swap-in", _) => &[Kind::SwapIn, Kind::SwapOut, Kind::PressureMemory, Kind::Available],
        ("mapped-file-fault", _) => &[Kind::MajorFaults, Kind::DiskBusy, Kind::PressureIo],
        ("thp-compaction", _) => &[Kind::Compaction, Kind::Available],
        ("cpu-steal" | "host-stood-still", _) => &[Kind::Steal],
        (_, Class::Disk) => DISK,
        (_, Class::CpuQuota) => &[Kind::Throttled, Kind::CpuUsed],
        (_, Class::CpuContention) => &[Kind::PressureCpu, Kind::CpuUsed],
        (_, Class::Memory) => &[Kind::DirectReclaim, Kind::PressureMemory, Kind::Available],
        _ => &[],
    }
}

/// Whether it says nothing but that all was as before.
fn is_flat(it: &diagnose::HostLine) -> bool {
    let values = it.points.iter().map(|it| it.1);
    let (low, high) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
    let is_time = matches!(
        it.kind,
        Kind::DiskBusy
            | Kind::PressureIo
            | Kind::Throttled
            | Kind::CpuUsed
            | Kind::PressureCpu
            | Kind::Steal
            | Kind::PressureMemory
    );
    high - low <= high / FLAT_PART || (is_time && high < FLAT_NS)
}

/// These points of a line, on a page that begins at `zero_ns`.
pub(super) fn line(
    it: &diagnose::HostLine,
    points: &[(u64, u64)],
    is_shown: bool,
    zero_ns: i128,
) -> HostLine {
    HostLine {
        kind: kind(it.kind),
        name: crate::clean::clean_name(&it.name, crate::clean::MOST_NAME),
        is_shown,
        at_ms: points.iter().map(|it| since_ms(it.0, zero_ns)).collect(),
        value: points.iter().map(|it| it.1).collect(),
    }
}

/// Milliseconds since time 0 of a page, to the microsecond.
#[expect(clippy::cast_precision_loss, reason = "to the microsecond")]
pub(super) fn since_ms(at_ns: u64, zero_ns: i128) -> f64 {
    ((i128::from(at_ns) - zero_ns) / 1_000) as f64 / 1e3
}

fn kind(it: Kind) -> &'static str {
    match it {
        Kind::DirtyBytes => "dirty_bytes",
        Kind::DirtyPages => "dirty_pages",
        Kind::DiskBusy => "disk_busy",
        Kind::PressureIo => "pressure_io",
        Kind::Throttled => "throttled",
        Kind::CpuUsed => "cpu_used",
        Kind::PressureCpu => "pressure_cpu",
        Kind::Steal => "steal",
        Kind::SwapIn => "swap_in",
        Kind::SwapOut => "swap_out",
        Kind::MajorFaults => "major_faults",
        Kind::PressureMemory => "pressure_memory",
        Kind::DirectReclaim => "direct_reclaim",
        Kind::Compaction => "compaction",
        Kind::Available => "available",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(kind: Kind, values: &[u64]) -> bool {
        let points = values.iter().zip(0..).map(|(value, at)| (at, *value)).collect();
        is_flat(&diagnose::HostLine { kind, name: String::new(), points })
    }

    #[test]
    fn both_sides_of_flat() {
        assert!(flat(Kind::Available, &[1_000, 950]));
        assert!(!flat(Kind::Available, &[1_000, 949]));
        assert!(flat(Kind::Steal, &[0, FLAT_NS - 1]));
        assert!(!flat(Kind::Steal, &[0, FLAT_NS]));
        assert!(!flat(Kind::SwapIn, &[0, 1]), "a page from swap is an event");
    }

    #[test]
    fn each_cause_of_the_host_is_about_something() {
        use Class::{CpuContention, CpuQuota, Disk, Memory};
        for cause in diagnose::causes() {
            let is_of_host = [CpuContention, CpuQuota, Disk, Memory].contains(&cause.class);
            assert_eq!(!about(cause).is_empty(), is_of_host, "{}", cause.id);
        }
    }
}
