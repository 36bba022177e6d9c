//! Which processes hold the other end: the descriptors of all of them are compared, as far as that
//! is allowed and does not take too long.
use crate::host::{
    Roots, clocks,
    process::{ProcessDir, is_gone, pids},
};
use std::{collections::BTreeSet, io, time::Duration};

/// By what the other end of a stream is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// By the text of its link, `pipe:[4711]` or `socket:[4712]`; of a pipe only an end that reads.
    Link { link: String, reads: bool },
    /// A pipe with a name: by the name's last part, then by device and inode.
    Fifo { base: String, device: (u32, u32), inode: u64 },
    /// The upper end of a pseudo-terminal, by its number.
    Terminal { number: u64 },
    /// There is none, or it cannot be known.
    None,
}

/// What a search brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Which target, and who holds it.
    pub(super) holders: Vec<(usize, u32)>,
    pub(super) inspected: u32,
    pub(super) uninspected: u32,
}

/// CPU time after which the rest of the processes is left out, and counted.
const MAX_CPU: Duration = Duration::from_millis(100);
/// Descriptors compared per process.
const MAX_DESCRIPTORS: usize = 16 * 1024;
/// Ancestors of the JVM that are looked at first: who started it mostly reads it.
const MAX_ANCESTORS: usize = 8;

/// Compares the descriptors of all processes with `targets`.
pub(super) fn search(roots: &Roots, jvm: u32, targets: &[Target]) -> Found {
    let mut found = Found::default();
    if targets.iter().all(|it| *it == Target::None) {
        return found;
    }
    let begun = clocks::thread_cpu();
    let first = ancestors(roots, jvm);
    let early: BTreeSet<u32> = first.iter().copied().collect();
    let others = pids(roots).unwrap_or_default().into_iter().filter(|it| !early.contains(it));
    for pid in first.iter().copied().chain(others) {
        if clocks::thread_cpu().saturating_sub(begun) > MAX_CPU {
            found.uninspected += 1;
            continue;
        }
        match held(roots, pid, targets) {
            Ok(held) => {
                found.inspected += 1;
                found.holders.extend(held.into_iter().map(|it| (it, pid)));
            }
            Err(error) => found.uninspected += u32::from(!is_gone(&error)),
        }
    }
    found
}

/// The process's parent, its parent, and so on.
fn ancestors(roots: &Roots, pid: u32) -> Vec<u32> {
    let parent = |pid: &u32| {
        let stat = ProcessDir::open(roots, *pid).ok()?.text("stat", 1024).ok()?;
        let (_, after) = stat.rsplit_once(") ")?;
        after.split_ascii_whitespace().nth(1)?.parse().ok().filter(|it| *it != 0)
    };
    std::iter::successors(parent(&pid), parent).take(MAX_ANCESTORS).collect()
}

/// Which of the targets a process holds.
fn held(roots: &Roots, pid: u32, targets: &[Target]) -> io::Result<BTreeSet<usize>> {
    let dir = ProcessDir::open(roots, pid)?;
    let mut held = BTreeSet::new();
    for (fd, link) in dir.descriptors()?.into_iter().take(MAX_DESCRIPTORS) {
        let fits = |it: &Target| it.is(&dir, fd, &link);
        held.extend(targets.iter().enumerate().filter(|it| fits(it.1)).map(|it| it.0));
    }
    Ok(held)
}

/// Names of the device that makes pseudo-terminals, also those of a container's own.
const MAKES_TERMINALS: [&str; 2] = ["/dev/ptmx", "/dev/pts/ptmx"];

impl Target {
    fn is(&self, dir: &ProcessDir, fd: u32, link: &str) -> bool {
        match self {
            Target::None => false,
            Target::Link { link: wanted, reads } => {
                link == wanted && (!reads || opened_for_reading(&fdinfo(dir, fd)))
            }
            Target::Fifo { base, device, inode } => {
                let named = link.rsplit('/').next() == Some(base.as_str());
                named && opened_for_reading(&fdinfo(dir, fd)) && {
                    dir.behind(&format!("fd/{fd}"))
                        .is_ok_and(|it| it.inode == *inode && it.device == *device)
                }
            }
            // `tty_show_fdinfo` of `drivers/tty/tty_io.c`, Linux 4.14.
            Target::Terminal { number } => {
                let is_end = MAKES_TERMINALS.contains(&link) || link.ends_with("/pts/ptmx");
                is_end && field(&fdinfo(dir, fd), "tty-index:") == Some(*number)
            }
        }
    }
}

fn fdinfo(dir: &ProcessDir, fd: u32) -> String {
    dir.text(&format!("fdinfo/{fd}"), 4096).unwrap_or_default()
}

pub(in crate::host) fn field(fdinfo: &str, name: &str) -> Option<u64> {
    fdinfo.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
}

/// Reads the access mode in the octal `flags:` of fdinfo: anything but write only.
pub(in crate::host) fn opened_for_reading(fdinfo: &str) -> bool {
    let flags = fdinfo.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|it| u32::from_str_radix(it.trim(), 8).ok());
    flags.is_some_and(|it| it & 0o3 != 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink, path::Path};

    fn process(root: &Path, pid: u32, parent: u32, descriptors: &[(u32, &str, &str)]) {
        let dir = root.join(pid.to_string());
        fs::create_dir_all(dir.join("fd")).unwrap();
        fs::create_dir_all(dir.join("fdinfo")).unwrap();
        fs::write(dir.join("stat"), format!("{pid} (a b) S {parent} 1 1")).unwrap();
        for (fd, link, info) in descriptors {
            symlink(link, dir.join(format!("fd/{fd}"))).unwrap();
            fs::write(dir.join(format!("fdinfo/{fd}")), info).unwrap();
        }
    }

    const READS: &str = "pos:\t0\nflags:\t0100000\n";
    const WRITES: &str = "pos:\t0\nflags:\t0100001\n";
    const BOTH: &str = "pos:\t0\nflags:\t0100002\n";

    fn pipe() -> Target {
        Target::Link { link: "pipe:[9]".into(), reads: true }
    }

    #[track_caller]
    fn check(root: &Path, target: Target, expected: &[u32]) -> Found {
        let roots = Roots { proc: root.into(), sys: root.into() };
        let found = search(&roots, 7, &[Target::None, target]);
        let pids: Vec<u32> = found.holders.iter().map(|it| it.1).collect();
        assert_eq!(pids, expected);
        assert!(found.holders.iter().all(|it| it.0 == 1));
        found
    }

    #[test]
    fn who_can_read_a_pipe_holds_its_other_end_and_who_writes_does_not() {
        let root = tempfile::tempdir().unwrap();
        process(root.path(), 7, 3, &[(1, "pipe:[9]", WRITES)]);
        process(root.path(), 5, 1, &[(0, "pipe:[9]", READS), (4, "pipe:[9]", WRITES)]);
        process(root.path(), 6, 1, &[(0, "pipe:[99]", READS), (2, "pipe:[9]", WRITES)]);
        process(root.path(), 8, 1, &[(9, "pipe:[9]", BOTH)]);
        let found = check(root.path(), pipe(), &[5, 8]);
        assert_eq!((found.inspected, found.uninspected), (4, 0));
    }

    #[test]
    fn who_started_the_jvm_is_looked_at_first() {
        let root = tempfile::tempdir().unwrap();
        process(root.path(), 7, 20, &[(1, "pipe:[9]", WRITES)]);
        process(root.path(), 20, 1, &[(0, "pipe:[9]", READS)]);
        process(root.path(), 3, 1, &[(0, "pipe:[9]", READS)]);
        check(root.path(), pipe(), &[20, 3]);
    }

    #[test]
    fn a_terminal_is_known_by_its_number() {
        let root = tempfile::tempdir().unwrap();
        let upper = |number: u32| format!("pos:\t0\nflags:\t02\ntty-index:\t{number}\n");
        process(root.path(), 5, 1, &[(6, "/dev/ptmx", &upper(3))]);
        process(root.path(), 6, 1, &[(6, "/dev/pts/ptmx", &upper(4))]);
        process(root.path(), 8, 1, &[(6, "/dev/pts/3", &upper(3))]);
        check(root.path(), Target::Terminal { number: 3 }, &[5]);
        check(root.path(), Target::Terminal { number: 4 }, &[6]);
        check(root.path(), Target::Terminal { number: 5 }, &[]);
    }
}
