//! GC logs: lines, the pieces that they are cut into, and the log of a host that is put together from those.
mod family;
mod file;
mod host;
mod line;
mod piece;

pub(crate) use family::{Families, Family};
pub(crate) use file::{Form, LogFile};
pub(crate) use host::{HostLog, ORDINARY_ONES};
pub(crate) use line::{Line, Times};
pub(crate) use piece::{Piece, whole};
