//! One table of pauses: what thousands of hosts are asked with, whatever asks it.
mod hour;
mod lengths;
mod origin;

pub use hour::{CauseSum, CulpritSum, Hour, Worst};
pub use lengths::{Lengths, LengthsError};
pub use origin::{Jvm, Origin, SourceKind};
