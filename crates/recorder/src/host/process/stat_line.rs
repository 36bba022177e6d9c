//! The line of `/proc/PID/stat` (`fs/proc/array.c`).
use super::ProcessDir;
use std::{io, time::Duration};

/// The fields of `/proc/PID/stat` that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Field 2, `comm`; at most 15 bytes for user threads.
    pub name: String,
    /// Whether it is a thread of the kernel (field 9, `PF_KTHREAD`).
    pub kernel: bool,
    /// Fields 14 and 15, CPU time of all its threads, in user mode and in the kernel, in clock ticks.
    pub cpu_ticks: u64,
    /// Field 22, start after boot in clock ticks.
    pub start_ticks: u64,
}

/// `PF_KTHREAD` of `include/linux/sched.h`.
const PF_KTHREAD: u64 = 0x0020_0000;

impl Stat {
    /// Reads the text of `/proc/PID/stat`. The name may hold blanks and brackets, so the last
    /// `)` ends it.
    pub(crate) fn parse(text: &str) -> Option<Stat> {
        let (before, after) = text.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let mut fields = after.split_ascii_whitespace();
        let flags: u64 = fields.nth(6)?.parse().ok()?;
        let user: u64 = fields.nth(4)?.parse().ok()?;
        let kernel: u64 = fields.next()?.parse().ok()?;
        let cpu_ticks = user.saturating_add(kernel);
        let start_ticks = fields.nth(6)?.parse().ok()?;
        let kernel = flags & PF_KTHREAD != 0;
        Some(Stat { name: name.into(), kernel, cpu_ticks, start_ticks })
    }

    /// Reads that of one process.
    pub(crate) fn of(dir: &ProcessDir) -> io::Result<Stat> {
        let text = dir.text("stat", 4096)?;
        Stat::parse(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// User and system time from the text of `/proc/PID/stat`, within one clock tick each.
pub(crate) fn cpu_of(stat: &str, ticks_per_second: u64) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let ticks = ticks()?.saturating_add(ticks()?);
    let nanoseconds = u128::from(ticks) * 1_000_000_000 / u128::from(ticks_per_second.max(1));
    Some(Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = "42 (a) b (c)) S 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 9 9";
        let expected =
            Stat { name: "a) b (c)".into(), kernel: false, cpu_ticks: 11, start_ticks: 777 };
        assert_eq!(Stat::parse(stat), Some(expected));
    }

    #[test]
    fn kernel_threads_are_known_by_their_flag() {
        let stat = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0";
        assert_eq!(Stat::parse(stat).map(|it| it.kernel), Some(true));
    }

    #[test]
    fn a_cut_line_is_no_stat() {
        for text in ["", "42", "42 (x", "42 (x)", "42 (x) S 1 1 1 0 -1 0 1 2 3"] {
            assert_eq!(Stat::parse(text), None, "{text}");
        }
    }

    #[test]
    fn time_is_user_and_system_and_names_may_hold_anything() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 7 7 20 0";
        assert_eq!(cpu_of(stat, 100), Some(Duration::from_secs(2)));
        assert_eq!(cpu_of("42 (java) S 1", 100), None);
        assert_eq!(cpu_of("", 100), None);
    }
}
