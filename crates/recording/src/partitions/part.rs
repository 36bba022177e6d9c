//! What a file in a partition is called: when its rows begin, who has written it, and its number.
use jiff::{Timestamp, tz::TimeZone};
use std::fmt;

/// How the begin is written, in UTC: digits that sort by time.
const SECOND: &str = "%Y%m%dT%H%M%S";
/// What follows the name of one that is being written; a dot goes before that.
const UNFINISHED: &str = ".new";

/// `part-20261130T041233.512Z-4242-7.parquet`: no two writers give the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PartName {
    /// When its rows begin, to the millisecond.
    pub(super) at: Timestamp,
    /// The process that wrote it,
    pub(super) pid: u32,
    /// and how many that had written before.
    pub(super) count: u32,
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.to_zoned(TimeZone::UTC);
        let (second, ms) = (at.strftime(SECOND), at.millisecond());
        write!(f, "part-{second}.{ms:03}Z-{}-{}.parquet", self.pid, self.count)
    }
}

impl PartName {
    /// The name while it is being written.
    pub(super) fn unfinished(&self) -> String {
        format!(".{self}{UNFINISHED}")
    }

    /// The one of this name; `None` where the name was given by something else.
    pub(super) fn of(name: &str) -> Option<PartName> {
        let rest = name.strip_prefix("part-")?.strip_suffix(".parquet")?;
        let (at, rest) = rest.split_once("Z-")?;
        let (pid, count) = rest.split_once('-')?;
        let (second, ms) = at.split_once('.')?;
        let second = jiff::civil::DateTime::strptime(SECOND, second).ok()?;
        let second = second.to_zoned(TimeZone::UTC).ok()?.timestamp();
        let ms: u16 = ms.parse().ok()?;
        let at = second.checked_add(std::time::Duration::from_millis(ms.into())).ok()?;
        let it = PartName { at, pid: pid.parse().ok()?, count: count.parse().ok()? };
        // What is written in another form was not written here.
        (it.to_string() == name).then_some(it)
    }

    /// The one whose name this is while it is being written.
    pub(super) fn of_unfinished(name: &str) -> Option<PartName> {
        PartName::of(name.strip_prefix('.')?.strip_suffix(UNFINISHED)?)
    }
}
