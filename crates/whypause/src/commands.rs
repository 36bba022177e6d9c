//! One file per command.
pub(crate) mod attached;
pub(crate) mod cause;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod fleet;
pub(crate) mod keep;
pub(crate) mod lab;
pub(crate) mod man;
pub(crate) mod ps;
pub(crate) mod record;
pub(crate) mod schema;
pub(crate) mod watch;
mod window;
