//! What a cause is, what is said of one, and the phrases and clues that causes share.
//!
//! Which causes there are does not belong here: each is a file in `causes/`.
pub(crate) mod attributed;
pub(crate) mod clues;
mod declaration;
pub(crate) mod evidence;
pub(crate) mod exposure;
pub(crate) mod java_stack;
pub(crate) mod log_evidence;
pub(crate) mod os_evidence;
pub(crate) mod rhythm;
pub(crate) mod stall;

pub use declaration::Cause;
pub(crate) use declaration::{Claims, Explanation};
