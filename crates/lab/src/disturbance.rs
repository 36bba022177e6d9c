//! What disturbs a JVM while a variant runs: another process, or a hand on a switch.
use crate::{Cleanup, LabError};
use std::{fmt::Debug, time::Duration};

/// Something that goes on beside the JVM.
pub trait Disturbance: Debug {
    /// Does what is due. Called every few milliseconds.
    ///
    /// # Errors
    /// [`LabError::Program`] where it ended on its own: without it there is no fault to see.
    fn keep_going(&mut self, cleanup: &mut Cleanup) -> Result<(), LabError>;

    /// Ends it, within about `patience`.
    fn stop(&mut self, patience: Duration);
}
