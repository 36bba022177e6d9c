//! Which file is behind a descriptor or a mapping of the JVM, answered at once and only with what the
//! kernel has at hand: a descriptor's device and inode.
use super::{
    Roots,
    files::{MAX_FILES, Wanted, regular_file, socket},
    outputs::STREAMS,
    process::ProcessDir,
    processes::Request,
};
use recording::FileKey;
use std::{
    collections::{BTreeSet, HashMap},
    sync::mpsc::SyncSender,
    time::{Duration, Instant},
};

/// How long a descriptor is taken to be open on the same file: it can be closed and given to
/// another one at any time.
const FD_VALID: Duration = Duration::from_secs(1);
/// Beyond this many the descriptors are forgotten and looked up again.
const MAX_FDS: usize = 4096;

/// Tells which file is behind a descriptor or an inode. For the sampling thread: no call waits
/// for a disk, a server or a lock of the JVM. Paths follow later as
/// [`FileFact`](recording::FileFact)s.
#[derive(Debug)]
pub(crate) struct FileResolver {
    /// `None` where the process was gone before it could be opened.
    dir: Option<ProcessDir>,
    fds: HashMap<u32, (Instant, Option<FileKey>)>,
    known: BTreeSet<(FileKey, bool)>,
    requests: SyncSender<Request>,
}

impl FileResolver {
    pub(crate) fn new(roots: &Roots, pid: u32, requests: SyncSender<Request>) -> FileResolver {
        let dir = ProcessDir::open(roots, pid).ok().map(ProcessDir::trusted);
        FileResolver { dir, fds: HashMap::new(), known: BTreeSet::new(), requests }
    }

    /// The regular file that descriptor `fd` is open on. `None` for anything else, and where the
    /// descriptor is closed.
    pub(crate) fn by_fd(&mut self, fd: u32) -> Option<FileKey> {
        match self.fds.get(&fd) {
            Some((at, key)) if at.elapsed() < FD_VALID => return *key,
            _ => {}
        }
        if self.fds.len() >= MAX_FDS {
            self.fds.clear();
        }
        let found = self.dir.as_ref().and_then(|dir| regular_file(dir, fd).ok().flatten());
        if let (Some(key), Some(dir)) = (found, &self.dir)
            && !self.known.contains(&(key, false))
            && let Ok(path) = dir.link(&format!("fd/{fd}"))
        {
            self.want((key, false), Wanted::Open(key, path));
        }
        // Who holds the other end of a pipe is found out only where somebody waited for that.
        if found.is_none() && STREAMS.contains(&fd) {
            let _ = self.requests.try_send(Request::Output(fd));
        }
        self.fds.insert(fd, (Instant::now(), found));
        found
    }

    /// The socket that descriptor `fd` is open on; `None` for anything else, and for a standard stream, of
    /// which more is known.
    pub(crate) fn socket_by_fd(&mut self, fd: u32) -> Option<FileKey> {
        let dir = self.dir.as_ref().filter(|_| !STREAMS.contains(&fd))?;
        let key = socket(dir, fd).ok().flatten()?;
        if !self.known.contains(&(key, false))
            && self.known.len() < MAX_FILES
            && self.requests.try_send(Request::Socket(key)).is_ok()
        {
            self.known.insert((key, false));
        }
        Some(key)
    }

    /// The key of a mapped file, given the device number in `st_dev`'s encoding and the inode as
    /// the kernel reports them with a page fault. `None` only for an inode number of 0.
    pub(crate) fn by_inode(&mut self, st_dev: u64, inode: u64) -> Option<FileKey> {
        if inode == 0 {
            return None;
        }
        let key = FileKey { device: st_dev, inode };
        if !self.known.contains(&(key, true)) {
            self.want((key, true), Wanted::Mapped(key));
        }
        Some(key)
    }

    fn want(&mut self, known: (FileKey, bool), wanted: Wanted) {
        // A full channel is no loss: the file is asked for again with the next slice.
        if self.known.len() < MAX_FILES
            && self.requests.try_send(Request::File(Box::new(wanted))).is_ok()
        {
            self.known.insert(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::MetadataExt, sync::mpsc};

    #[test]
    fn descriptors_are_resolved_if_they_are_regular_files() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        std::fs::create_dir_all(root.path().join("7/fd")).unwrap();
        let log = root.path().join("gc.log");
        std::fs::write(&log, "x").unwrap();
        std::os::unix::fs::symlink(&log, root.path().join("7/fd/4")).unwrap();
        std::os::unix::fs::symlink("/dev/null", root.path().join("7/fd/1")).unwrap();
        let (sender, receiver) = mpsc::sync_channel(8);
        let mut files = FileResolver::new(&roots, 7, sender);

        let stat = log.metadata().unwrap();
        let key = FileKey { device: stat.dev(), inode: stat.ino() };
        assert_eq!(files.by_fd(4), Some(key));
        assert_eq!(files.by_fd(4), Some(key));
        assert_eq!(files.by_fd(1), None);
        assert_eq!(files.by_fd(9), None);
        let asked: Vec<String> = receiver.try_iter().map(|it| format!("{it:?}")).collect();
        let file = Request::File(Box::new(Wanted::Open(key, log.to_string_lossy().into_owned())));
        assert_eq!(asked, [file, Request::Output(1)].map(|it| format!("{it:?}")));
    }

    #[test]
    fn a_vanished_process_has_no_files() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let (sender, _receiver) = mpsc::sync_channel(8);
        assert_eq!(FileResolver::new(&roots, 7, sender).by_fd(1), None);
    }
}
