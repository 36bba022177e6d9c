//! From facts to findings: pauses, the account of each, its causes, and what they amount to.
//!
//! Everything here is a function: no IO, no clock, no environment, no unsafe, nothing random.
//! The same facts and the same version give the same answer, byte for byte.
//!
//! * [`diagnose_recording`] and [`diagnose_facts`] for what the recorder saw, [`LogDiagnosis`] for a
//!   GC log alone: all three give a [`Diagnosis`].
//! * `account` says for each nanosecond of a pause whom everybody waited for; `causes` claim those
//!   stretches, one file each; `findings` sums them up.
//! * [`examine`] looks for [hazards](Hazard): what a JVM is [exposed](Exposure) to, though it has not
//!   struck.
mod account;
mod attribution;
pub mod bandwidth;
mod case;
mod cause;
mod causes;
mod collection_traits;
mod compare;
mod counted;
mod cpu_list;
mod culprits;
mod diagnosis;
mod doubt;
#[cfg(any(test, feature = "facts-text"))]
#[doc(hidden)]
pub mod facts_text;
mod findings;
mod from_log;
mod from_recording;
mod gates;
mod hazards;
mod hiccups;
mod history;
mod host_lines;
mod index;
mod input_summary;
mod intervals;
mod jvm_flags;
mod keep;
mod kernel_work;
mod linear_map;
mod log_account;
mod log_clock;
mod log_evidence;
mod log_joined;
mod log_monitors;
mod log_notes;
mod log_pauses;
#[cfg(any(test, feature = "facts-text"))]
#[doc(hidden)]
pub mod log_text;
mod log_times;
mod log_walk;
mod longest;
mod mechanisms;
mod opened;
mod os_evidence;
mod outputs;
mod page;
mod pause;
mod ratio;
mod rhythm;
mod room;
mod sampled;
#[cfg(any(test, feature = "facts-text"))]
#[doc(hidden)]
pub mod segments_text;
mod situation;
mod stages;
mod statistics;
mod suspects;
mod syscalls;
mod tally;
pub mod text;
mod timeline;
mod value;
pub mod what_if;

pub use cause::{Cause, Certainty, Class, Detail, Evidence, Nature, StoppedBy, Verdict};
pub use compare::{CauseRow, Comparison, Row, Significance, compare};
pub use counted::{CauseParts, Counted};
pub use culprits::{Culprit, CulpritKind, container_or_unit};
pub use diagnosis::{
    CollectionShares, Count, CpuSums, Diagnosis, Finding, GcStatistics, GenerationSizes, HeapPoint,
    HumongousStatistics, JvmSummary, LiveSet, MechanismShare, MemoryStatistics, Named,
    ReferenceSums, Unexplained, WaitLocation, Watched,
};
pub use doubt::Doubt;
pub use from_log::LogDiagnosis;
pub use from_recording::{diagnose_facts, diagnose_recording};
pub use gates::{Blame, Gate, GateError, Judgement, Metric, MetricKind, Outcome, metrics};
pub use hazards::{
    Examination, Exposure, Hazard, HazardKind, Likelihood, Scope, examine, hazard_kinds,
};
pub use host_lines::{HostLine, HostLineKind};
pub use input_summary::InputSummary;
pub use jvm_flags::feature_version;
pub use keep::Keep;
pub use mechanisms::Mechanism;
pub use opened::{Lane, Opened, Span, Stretch, Wait};
pub use page::{bytes as page_bytes, length as page_length};
pub use pause::{Attribution, Part, Pause, PauseKind, Times};
pub use ratio::RatioSums;
pub use rhythm::Rhythm;
pub use situation::Situation;
pub use stages::{Stage, StageKind};
pub use statistics::{Bounds, PauseStatistics, Quantiles};
pub use suspects::Suspect;
pub use value::Value;

/// All causes, in the order of reports.
#[must_use]
pub fn causes() -> &'static [&'static Cause] {
    &causes::ALL
}

/// All mechanisms: how exactly a thread was blocked on its way to a disk, or stopped from outside.
pub fn mechanisms() -> impl Iterator<Item = &'static Mechanism> {
    mechanisms::all()
}
