//! A pause divided among causes.
use crate::{Cause, Certainty, Collected, Pause};
use std::time::Duration;

/// One cause's part of a pause.
#[derive(Clone, Debug)]
pub struct Part {
    /// The cause.
    pub cause: &'static Cause,
    /// How much of the pause. Parts never overlap.
    pub time: Duration,
    /// How well it is known.
    pub certainty: Certainty,
}

/// A pause divided among causes. The parts and `unattributed` add up to the pause exactly.
#[derive(Clone, Debug)]
pub struct Attribution {
    /// The pause.
    pub pause: Pause,
    /// Parts, largest first; a cause at most once.
    pub parts: Vec<Part>,
    /// What no cause could claim.
    pub unattributed: Duration,
    /// The symptom that most of that shows, where a log shows any.
    pub symptom: Option<&'static Cause>,
    /// What the collector did in it; `None` where it is no collection.
    pub collected: Option<Collected>,
}
