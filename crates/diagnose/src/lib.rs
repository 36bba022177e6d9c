//! From facts to findings: pauses, the account of each, its causes, and what they amount to.
//!
//! Everything here is a function: no IO, no clock, no environment, no unsafe, nothing random.
//! The same facts and the same version give the same answer, byte for byte.
//!
//! * [`diagnose_recording`] and [`diagnose_facts`] for what the recorder saw, [`LogDiagnosis`] for a
//!   GC log alone: all three give a [`Diagnosis`].
//! * Folders, from the ground up: `values` and `text`, `history` (what a log tells over time), `facts` (a
//!   recording, to be looked up), `what_if`, `wait` and `mechanisms` (what a thread waits for), `account`
//!   (for each nanosecond of a pause whom all others waited for), `cause` (what one is), `culprits`,
//!   `causes` (which claim those stretches, one file each), `log` (from events to pauses), `answer` (what
//!   it comes to), `hazards`, `compare`, `gates`. None imports one above it.
//! * [`examine`] looks for [hazards](Hazard): what a JVM is [exposed](Exposure) to, though it has not
//!   struck.
mod account;
mod answer;
#[cfg(any(test, feature = "facts-text"))]
mod as_text;
mod case;
mod cause;
mod causes;
mod compare;
mod culprits;
mod facts;
mod gates;
mod hazards;
mod history;
mod log;
mod mechanisms;
pub mod text;
mod values;
mod wait;
pub mod what_if;

pub use answer::counted::{CauseParts, Counted};
pub use answer::diagnosis::{Diagnosis, JvmSummary, Watched, sees_stops};
pub use answer::doubt::Doubt;
pub use answer::finding::Finding;
pub use answer::from_log::LogDiagnosis;
pub use answer::from_recording::{
    diagnose_each, diagnose_facts, diagnose_facts_each, diagnose_recording,
};
pub use answer::keep::Keep;
pub use answer::opened::{Lane, Opened, Span, Stretch, Wait};
pub use answer::seen::{Seen, ShownJvm, Told};
pub use answer::stalled::{
    Episode, Extent, Holder, Pool, Proof, StallMember, StalledThread, Stalls,
};
pub use answer::stalls::new_stalls;
pub use answer::statistics::PauseStatistics;
pub use answer::suspects::Suspect;
#[cfg(any(test, feature = "facts-text"))]
#[doc(hidden)]
pub use as_text::{facts as facts_text, log as log_text, segments as segments_text};
pub use cause::Cause;
pub use cause::attributed::{Attribution, Part};
pub use cause::evidence::{
    Class, Culprit, CulpritKind, Detail, Evidence, Nature, StoppedBy, Verdict,
};
pub use cause::exposure::{Exposure, HazardKind, Likelihood, Scope};
pub use compare::{CauseRow, Comparison, Row, Significance, compare};
pub use culprits::{brief, container_and_pod, container_or_unit};
pub use facts::feature_version::feature_version;
pub use facts::host_lines::{HostLine, HostLineKind, host_readings, thinned};
pub use facts::input_summary::InputSummary;
pub use facts::situation::Situation;
pub use gates::{Blame, Gate, GateError, Judgement, Metric, MetricKind, Outcome, metrics};
pub use hazards::{Examination, Hazard, examine, hazard_kinds};
pub use history::Collected;
pub use log::heap::HeapLog;
pub use log::stages::{Stage, StageKind};
pub use text::page::{bytes as page_bytes, length as page_length};
pub use values::certainty::Certainty;
pub use values::mechanism::{Mechanism, MechanismShare};
pub use values::numbers::{
    CollectionShares, Count, CpuSums, GcStatistics, GenerationSizes, HeapPoint,
    HumongousStatistics, LiveSet, MemoryStatistics, Named, ReferenceSums, Rhythm, Unexplained,
    WaitLocation,
};
pub use values::pause::{Pause, PauseKind, Times};
pub use values::percentiles::{Bounds, Quantiles};
pub use values::ratio::RatioSums;
pub use values::value::Value;
pub use what_if::bandwidth;

/// All causes, in the order of reports.
#[must_use]
pub fn causes() -> &'static [&'static Cause] {
    &causes::ALL
}

/// All mechanisms: how exactly a thread was blocked on its way to a disk, or stopped from outside.
pub fn mechanisms() -> impl Iterator<Item = &'static Mechanism> {
    mechanisms::all()
}
