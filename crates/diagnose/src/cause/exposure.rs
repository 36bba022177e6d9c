//! What a JVM on its host is exposed to, and what a hazard is that is looked for there.
//!
//! Here are what hazards have in common and how they read what was found. Which hazards there are does not
//! belong here: those of a cause stand beside it, the others in `hazards/`.
mod container;
mod disk;
mod found;
mod hazard;

pub(crate) use container::Awareness;
pub(crate) use disk::{Medium, Pressure, medium, place as disk_place};
pub use found::Exposure;
pub(crate) use found::OfLog;
pub(crate) use hazard::{Check, Exposed};
pub use hazard::{HazardKind, Likelihood, Scope};
