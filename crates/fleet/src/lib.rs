//! What many hosts have in common, and what changed on which of them.
