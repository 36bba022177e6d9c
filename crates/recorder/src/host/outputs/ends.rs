//! What a descriptor of the JVM is open on, and by what its other end is known.
mod socket_peer;

use super::search::Target;
use crate::host::process::{Behind, ProcessDir};
use recording::OutputKind;
use rustix::fs::FileType;

/// A stream that is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) kind: OutputKind,
    pub(super) name: String,
    pub(super) number: u64,
    /// By what the other end is known.
    pub(super) target: Target,
    /// Why the other end cannot be found; empty where it can.
    pub(super) hidden: String,
}

/// What `fd` is open on; `None` for a file, for what reads nothing (`/dev/null`), and where the
/// descriptor is closed.
pub(super) fn end_of(dir: &ProcessDir, fd: u32) -> Option<End> {
    let link = dir.link(&format!("fd/{fd}")).ok()?;
    if let Some(number) = inode(&link, "pipe") {
        let target = Target::Link { link: link.clone(), reads: true };
        return Some(End {
            kind: OutputKind::Pipe,
            name: link,
            number,
            target,
            hidden: String::new(),
        });
    }
    if let Some(number) = inode(&link, "socket") {
        return socket_peer::end_of(dir, number);
    }
    let found = dir.behind(&format!("fd/{fd}")).ok()?;
    match found.kind() {
        FileType::Fifo => Some(fifo(link, &found)),
        FileType::CharacterDevice => terminal(link, &found),
        _ => None,
    }
}

/// What the socket with this inode is.
pub(super) fn of_socket(dir: &ProcessDir, inode: u64) -> Option<End> {
    socket_peer::end_of(dir, inode)
}

/// The number in `pipe:[4711]`.
fn inode(link: &str, kind: &str) -> Option<u64> {
    link.strip_prefix(kind)?.strip_prefix(":[")?.strip_suffix(']')?.parse().ok()
}

fn fifo(name: String, found: &Behind) -> End {
    let base = name.rsplit('/').next().unwrap_or_default().to_owned();
    let target = Target::Fifo { base, device: found.device, inode: found.inode };
    End { kind: OutputKind::Fifo, name, number: found.inode, target, hidden: String::new() }
}

/// `UNIX98_PTY_SLAVE_MAJOR` and the seven after it, and the majors of consoles and serial lines
/// (`include/uapi/linux/major.h`).
const PSEUDO_TERMINALS: std::ops::RangeInclusive<u32> = 136..=143;
const TERMINALS: [u32; 3] = [4, 5, 204];
/// Minor numbers of one major of pseudo-terminals.
const MINORS: u32 = 256;

fn terminal(name: String, found: &Behind) -> Option<End> {
    let (major, minor) = found.is_device;
    if PSEUDO_TERMINALS.contains(&major) {
        // Since Linux 2.6.37 one major has all numbers; before, each of the eight had 256.
        let number = u64::from((major - PSEUDO_TERMINALS.start()) * MINORS + minor);
        let target = Target::Terminal { number };
        let kind = OutputKind::PseudoTerminal;
        return Some(End { kind, name, number, target, hidden: String::new() });
    }
    let hidden = "a terminal that is a device has no process at its other end".into();
    let kind = OutputKind::Terminal;
    let known = TERMINALS.contains(&major);
    known.then_some(End { kind, name, number: 0, target: Target::None, hidden })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Roots;
    use std::os::unix::fs::symlink;

    #[test]
    fn ends_of_pipes_and_fifos_are_distinguished_from_files() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("7/fd")).unwrap();
        let fifo = root.path().join("out");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, 0o600.into(), 0).unwrap();
        let link = |fd: u32, to: &std::path::Path| {
            symlink(to, root.path().join(format!("7/fd/{fd}"))).unwrap();
        };
        link(1, "pipe:[4711]".as_ref());
        link(2, &fifo);
        link(3, "/dev/null".as_ref());
        std::fs::write(root.path().join("file"), "x").unwrap();
        link(4, &root.path().join("file"));
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let dir = ProcessDir::open(&roots, 7).unwrap();
        let of = |fd| end_of(&dir, fd).map(|it| (it.kind, it.number));
        assert_eq!(of(1), Some((OutputKind::Pipe, 4711)));
        assert_eq!(of(2).map(|it| it.0), Some(OutputKind::Fifo));
        assert_eq!((of(3), of(4), of(9)), (None, None, None));
    }
}
