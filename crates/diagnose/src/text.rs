//! Phrases that several causes share.
mod bytes;
mod count;
mod cpus;
mod duration;
mod memory;
mod nearest;
pub(crate) mod page;

pub use bytes::bytes;
pub use count::{count, counted};
pub(crate) use cpus::busy_cpus;
pub use cpus::cpus;
pub use duration::duration;
pub use memory::memory;
pub use nearest::nearest;

use crate::WaitLocation;

/// `1 stop`, `7 stops`.
pub(crate) fn stops(n: u64) -> String {
    counted(n, "stop")
}

/// `1 pause`, `7 pauses`.
pub(crate) fn pauses(n: u64) -> String {
    counted(n, "pause")
}

/// `1 stall`, `7 stalls`.
pub(crate) fn stalls(n: u64) -> String {
    counted(n, "stall")
}

/// ``The VM thread``, ``Thread `http-1` ``: at the begin of a sentence.
pub(crate) fn the_thread(name: &str) -> String {
    match name {
        "VM Thread" => "The VM thread".into(),
        "" => "A thread".into(),
        _ => format!("Thread `{name}`"),
    }
}

/// The same within a sentence.
pub(crate) fn thread_within(name: &str) -> String {
    match name {
        "VM Thread" => "the VM thread".into(),
        "" => "a thread".into(),
        _ => format!("thread `{name}`"),
    }
}

/// `/var/log/gc.log (ext4 on sdb1)`, or `a file that could not be named`.
pub(crate) fn file(place: &WaitLocation) -> String {
    match (place.path.as_str(), place.file_system.as_str(), place.device.as_str()) {
        ("", _, _) => "a file that could not be named".into(),
        (path, "", _) => path.into(),
        (path, fs, "") => format!("{path} ({fs})"),
        (path, fs, device) => format!("{path} ({fs} on {device})"),
    }
}
