//! Lines of the host beneath the pauses of the page; `web/src/time/host.tsx` draws them.
use diagnose::{Diagnosis, HostLineKind};
use serde::Serialize;

/// See `HostLine` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct HostLine {
    kind: &'static str,
    /// Milliseconds since the page's time 0, to the microsecond; before the first pause less than 0.
    at_ms: Vec<f64>,
    value: Vec<u64>,
}

/// The lines of a diagnosis whose page begins at `zero_ns`.
pub(super) fn of(diagnosis: &Diagnosis, zero_ns: u64) -> Vec<HostLine> {
    let lines = diagnosis.host_lines.iter();
    lines.map(|it| HostLine { kind: kind(it.kind), ..line(&it.points, zero_ns) }).collect()
}

fn line(points: &[(u64, u64)], zero_ns: u64) -> HostLine {
    #[expect(clippy::cast_precision_loss, reason = "to the microsecond")]
    let ms = |at_ns: u64| ((i128::from(at_ns) - i128::from(zero_ns)) / 1_000) as f64 / 1e3;
    HostLine {
        kind: "",
        at_ms: points.iter().map(|it| ms(it.0)).collect(),
        value: points.iter().map(|it| it.1).collect(),
    }
}

fn kind(it: HostLineKind) -> &'static str {
    match it {
        HostLineKind::DirtyBytes => "dirty_bytes",
        HostLineKind::DirtyPages => "dirty_pages",
        HostLineKind::Throttled => "throttled",
        HostLineKind::Available => "available",
    }
}
