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
mod attributed;
mod attribution;
pub mod bandwidth;
mod case;
mod cause;
mod causes;
mod clues;
mod collection_traits;
mod compare;
mod counted;
mod cpu_list;
mod cpu_use;
mod culprits;
mod diagnosis;
mod doubt;
mod evidence;
mod exposure;
#[cfg(any(test, feature = "facts-text"))]
#[doc(hidden)]
pub mod facts_text;
mod findings;
mod flags;
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
mod log_openings;
mod log_pause;
mod log_pauses;
#[cfg(any(test, feature = "facts-text"))]
#[doc(hidden)]
pub mod log_text;
mod log_times;
mod log_walk;
mod longest;
mod mechanism;
mod mechanisms;
mod numbers;
mod opened;
mod os_evidence;
mod outputs;
mod page;
mod pause;
mod percentiles;
mod ratio;
mod remainder;
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

pub use attributed::{Attribution, Part};
pub use cause::Cause;
pub use compare::{CauseRow, Comparison, Row, Significance, compare};
pub use counted::{CauseParts, Counted};
pub use culprits::container_or_unit;
pub use diagnosis::{Diagnosis, Finding, JvmSummary, Watched};
pub use doubt::Doubt;
pub use evidence::{
    Certainty, Class, Culprit, CulpritKind, Detail, Evidence, Nature, StoppedBy, Verdict,
};
pub use exposure::{Exposure, HazardKind, Likelihood, Scope};
pub use from_log::LogDiagnosis;
pub use from_recording::{diagnose_facts, diagnose_recording};
pub use gates::{Blame, Gate, GateError, Judgement, Metric, MetricKind, Outcome, metrics};
pub use hazards::{Examination, Hazard, examine, hazard_kinds};
pub use host_lines::{HostLine, HostLineKind};
pub use input_summary::InputSummary;
pub use jvm_flags::feature_version;
pub use keep::Keep;
pub use mechanism::{Mechanism, MechanismShare};
pub use numbers::{
    CollectionShares, Count, CpuSums, GcStatistics, GenerationSizes, HeapPoint,
    HumongousStatistics, LiveSet, MemoryStatistics, Named, ReferenceSums, Rhythm, Unexplained,
    WaitLocation,
};
pub use opened::{Lane, Opened, Span, Stretch, Wait};
pub use page::{bytes as page_bytes, length as page_length};
pub use pause::{Pause, PauseKind, Times};
pub use percentiles::{Bounds, Quantiles};
pub use ratio::RatioSums;
pub use situation::Situation;
pub use stages::{Stage, StageKind};
pub use statistics::PauseStatistics;
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
