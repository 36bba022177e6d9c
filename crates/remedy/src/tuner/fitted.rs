//! What a tuner of huge pages is fitted to.
use super::rules::Control;
use crate::{Refusal, host};
use diagnose::Situation;

/// The value of a switch while it is on, derived from its current one. `None` if it is
/// off: it stays so. Huge pages are switched on only for a JVM that asks for them, and with it for every
/// other process that asks.
#[must_use]
pub fn value_when_on(situation: &Situation, control: Control, now: &str) -> Option<String> {
    let asks = situation.is_on("UseTransparentHugePages");
    match (control, now == control.off()) {
        (_, false) => Some(now.to_owned()),
        (Control::Enabled, true) if asks => Some("madvise".into()),
        (_, true) => None,
    }
}

/// What the JVM may need in all, in bytes: its largest heap and a quarter of that for threads, code,
/// class metadata and direct buffers; or what was asked for.
///
/// # Errors
/// Where neither a flag nor the memory of the host is known.
pub fn footprint(situation: &Situation, wanted: Option<u64>) -> Result<u64, Refusal> {
    // HotSpot's default: a quarter of the memory that it has (`MaxRAMPercentage`).
    let heap = situation
        .max_heap_bytes
        .or_else(|| host::memory(situation).map(|(bytes, _)| bytes / 4))
        .map(|heap| heap.saturating_add(heap / 4));
    wanted.or(heap).ok_or_else(|| {
        Refusal::new("how much memory the JVM may need is not known", "say it: --footprint 4G")
    })
}
