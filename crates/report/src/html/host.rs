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
    let told: Vec<Kind> =
        diagnosis.findings.iter().flat_map(|it| about(it.cause)).copied().collect();
    let rank = |it: &diagnose::HostLine| told.iter().position(|kind| *kind == it.kind);
    let mut lines: Vec<_> = diagnosis.host_lines.iter().collect();
    // Of several disks the one that was waited for, then the busiest.
    let device = diagnosis.findings.iter().find_map(|it| {
        it.place.as_ref().map(|place| place.device.as_str()).filter(|it| !it.is_empty())
    });
    let is_waited_for = |it: &diagnose::HostLine| device.is_some_and(|of| of == it.name);
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
        HostLine { is_shown, ..line(it, zero_ns) }
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

fn line(it: &diagnose::HostLine, zero_ns: u64) -> HostLine {
    #[expect(clippy::cast_precision_loss, reason = "to the microsecond")]
    let ms = |at_ns: u64| ((i128::from(at_ns) - i128::from(zero_ns)) / 1_000) as f64 / 1e3;
    HostLine {
        kind: kind(it.kind),
        name: crate::clean::clean_name(&it.name, crate::clean::MOST_NAME),
        is_shown: true,
        at_ms: it.points.iter().map(|it| ms(it.0)).collect(),
        value: it.points.iter().map(|it| it.1).collect(),
    }
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
