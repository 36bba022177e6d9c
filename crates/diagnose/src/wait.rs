//! What a stretch of a thread waits for.
pub(crate) mod outputs;
pub(crate) mod sampled;
