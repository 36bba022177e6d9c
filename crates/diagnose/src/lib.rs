//! From facts to findings: pauses, the account of each, its causes, and what they amount to.
//!
//! Everything here is a function: no IO, no clock, no environment, no unsafe, nothing random.
//! The same facts and the same version give the same answer, byte for byte.
mod cause;
mod diagnosis;
mod pause;

pub use cause::{Advice, AdviceWhen, Cause, Certainty, Culprit, CulpritKind, Evidence, Verdict};
pub use diagnosis::{
    Count, Diagnosis, Finding, GcStatistics, InputSummary, JvmSummary, MechanismShare, Named,
    PauseStatistics, Place, Watched,
};
pub use pause::{Attribution, Part, Pause, PauseKind};
