//! Which file is behind a descriptor or a mapping of the JVM.
//!
//! In two halves. [`FileResolver`] answers the sampling thread at once and only with what the
//! kernel has at hand: a descriptor's device and inode. [`Catalogue`] lives in a background thread
//! and finds paths, mounts and devices, because that reads `/proc/PID/maps`, which waits for the
//! JVM's `mmap_lock` for as long as anyone holds it.
use super::{
    Roots,
    clocks::thread_cpu,
    maps,
    mounts::{self, Mounts, block_name, device_name},
    outputs::STREAMS,
    process::ProcessDir,
    processes::Request,
};
use recording::{FileFact, FileKey};
use rustix::fs::{FileType, Statx};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    ops::ControlFlow,
    sync::mpsc::SyncSender,
    time::{Duration, Instant},
};

/// How long a descriptor is taken to be open on the same file: it can be closed and given to
/// another one at any time.
const FD_VALID: Duration = Duration::from_secs(1);
/// Beyond this many the descriptors are forgotten and looked up again.
const MAX_FDS: usize = 4096;
/// Files asked for beyond this are not described any more.
const MAX_FILES: usize = 16 * 1024;

/// A file whose description is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Behind a descriptor; its path is known.
    Open(FileKey, String),
    /// Behind a mapping.
    Mapped(FileKey),
}

/// Tells which file is behind a descriptor or an inode. For the sampling thread: no call waits
/// for a disk, a server or a lock of the JVM. Paths follow later as
/// [`FileFact`](recording::FileFact)s.
#[derive(Debug)]
pub struct FileResolver {
    /// `None` where the process was gone before it could be opened.
    dir: Option<ProcessDir>,
    fds: HashMap<u32, (Instant, Option<FileKey>)>,
    known: BTreeSet<(FileKey, bool)>,
    requests: SyncSender<Request>,
}

impl FileResolver {
    pub(crate) fn new(roots: &Roots, pid: u32, requests: SyncSender<Request>) -> FileResolver {
        let dir = ProcessDir::open(roots, pid).ok();
        FileResolver { dir, fds: HashMap::new(), known: BTreeSet::new(), requests }
    }

    /// The regular file that descriptor `fd` is open on. `None` for anything else, and where the
    /// descriptor is closed.
    pub fn by_fd(&mut self, fd: u32) -> Option<FileKey> {
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

    /// The key of a mapped file, given the device number in `st_dev`'s encoding and the inode as
    /// the kernel reports them with a page fault. `None` only for an inode number of 0.
    pub fn by_inode(&mut self, st_dev: u64, inode: u64) -> Option<FileKey> {
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
        if self.known.len() < MAX_FILES && self.requests.try_send(Request::File(wanted)).is_ok() {
            self.known.insert(known);
        }
    }
}

/// Device and inode of what a descriptor is open on, if that is a regular file.
pub(crate) fn regular_file(dir: &ProcessDir, fd: u32) -> io::Result<Option<FileKey>> {
    let found = dir.statx(&format!("fd/{fd}"))?;
    let regular = FileType::from_raw_mode(found.stx_mode.into()) == FileType::RegularFile;
    Ok(regular.then(|| key_of(&found)))
}

pub(crate) fn key_of(found: &Statx) -> FileKey {
    let device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
    FileKey { device, inode: found.stx_ino }
}

/// The least time between two readings of the JVM's mappings, and the most.
const BETWEEN_MAPS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// A JVM with tens of thousands of mapped files takes a reading of 30 ms: wait so many times what
/// it took, which keeps it at 0.2 % of a core.
const MAPS_COST_FACTOR: u32 = 500;
/// A mapping that is not found after so many readings is gone.
const MAPS_TRIES: u32 = 3;
/// How long the list of mounts is taken to be true.
const MOUNTS_VALID: Duration = Duration::from_secs(10);
/// Devices whose counters are sampled.
const MAX_DEVICES: usize = 16;

/// Describes files. Lives in a background thread.
#[derive(Debug)]
pub(crate) struct Catalogue {
    roots: Roots,
    dir: ProcessDir,
    mounts: Mounts,
    mounts_read: Option<Instant>,
    /// When the mappings may be read again.
    maps_due: Instant,
    /// Mapped files not found yet, and how often they were looked for.
    pending: BTreeMap<FileKey, u32>,
    /// Whether each file described so far is mapped.
    described: BTreeMap<FileKey, bool>,
    /// Block devices of the files described so far.
    devices: BTreeMap<u64, String>,
}

impl Catalogue {
    pub(crate) fn new(roots: &Roots, pid: u32) -> io::Result<Catalogue> {
        Ok(Catalogue {
            roots: roots.clone(),
            dir: ProcessDir::open(roots, pid)?,
            mounts: Mounts::default(),
            mounts_read: None,
            maps_due: Instant::now(),
            pending: BTreeMap::new(),
            described: BTreeMap::new(),
            devices: BTreeMap::new(),
        })
    }

    /// Takes note of a file; the fact of an open one follows at once.
    pub(crate) fn want(&mut self, wanted: Wanted) -> Option<FileFact> {
        match wanted {
            Wanted::Open(key, path) => Some(self.describe(key, path, false)),
            Wanted::Mapped(key) => {
                self.pending.entry(key).or_insert(0);
                None
            }
        }
    }

    /// Looks for mapped files that are still wanted, not more often than every two seconds, and
    /// less often where that is much work.
    pub(crate) fn look(&mut self) -> Vec<FileFact> {
        if self.pending.is_empty() || Instant::now() < self.maps_due {
            return Vec::new();
        }
        let before = thread_cpu();
        let found = self.search_maps();
        let [least, most] = BETWEEN_MAPS;
        let cost = thread_cpu().saturating_sub(before);
        self.maps_due = Instant::now() + (cost * MAPS_COST_FACTOR).clamp(least, most);
        for key in found.keys() {
            self.pending.remove(key);
        }
        self.pending.retain(|_, tries| {
            *tries += 1;
            *tries < MAPS_TRIES
        });
        found.into_iter().map(|(key, path)| self.describe(key, path, true)).collect()
    }

    /// Paths of the pending files. Where device numbers differ between a page fault and the
    /// mappings (overlays, subvolumes), an inode number that only one mapped file has will do.
    fn search_maps(&self) -> BTreeMap<FileKey, String> {
        let mut exact = BTreeMap::new();
        let mut by_inode: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        let inodes: BTreeSet<u64> = self.pending.keys().map(|key| key.inode).collect();
        // Where the process is gone, what was found until then counts.
        let _ = maps::each(&self.dir, &mut |mapping| {
            if inodes.contains(&mapping.inode) {
                let deleted = if mapping.deleted { maps::DELETED } else { "" };
                let path = format!("{}{deleted}", mapping.path);
                let key = FileKey { device: mapping.device, inode: mapping.inode };
                if self.pending.contains_key(&key) {
                    exact.insert(key, path);
                } else {
                    by_inode.entry(mapping.inode).or_default().insert(path);
                }
            }
            ControlFlow::Continue(())
        });
        for key in self.pending.keys() {
            if let Some(paths) = by_inode.get_mut(&key.inode)
                && paths.len() == 1
                && !exact.contains_key(key)
                && let Some(path) = paths.pop_first()
            {
                exact.insert(*key, path);
            }
        }
        exact
    }

    fn describe(&mut self, key: FileKey, path: String, mapped: bool) -> FileFact {
        if self.mounts_read.is_none_or(|at| at.elapsed() > MOUNTS_VALID) {
            self.mounts =
                Mounts::parse(&self.dir.text("mountinfo", mounts::LIMIT_BYTES).unwrap_or_default());
            self.mounts_read = Some(Instant::now());
        }
        let mapped_before = self.described.get(&key).copied().unwrap_or(false);
        if self.described.len() < MAX_FILES {
            self.described.insert(key, mapped || mapped_before);
        }
        let mount = self.mounts.of_file(key.device, &path).cloned();
        let disk = [Some(key.device), mount.as_ref().map(|it| it.device)].into_iter().flatten();
        for device in disk {
            if self.devices.len() < MAX_DEVICES
                && let Some(name) = block_name(&self.roots, device)
            {
                self.devices.insert(device, name);
            }
        }
        FileFact {
            key,
            path,
            file_system: mount.as_ref().map(|it| it.file_system.clone()).unwrap_or_default(),
            device_name: mount
                .as_ref()
                .map_or_else(String::new, |it| device_name(&self.roots, key.device, it)),
            mount_point: mount.map(|it| it.point).unwrap_or_default(),
            mapped: mapped || mapped_before,
        }
    }

    /// Block devices of the files so far, number and kernel name; at most 16.
    pub(crate) fn devices(&self) -> &BTreeMap<u64, String> {
        &self.devices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::MetadataExt, path::Path, sync::mpsc};

    const MOUNTINFO: &str =
        "22 1 254:0 / / rw - ext4 /dev/vda rw\n30 22 7:1 / /data rw - ext4 /dev/loop1 rw\n";
    const MAPS: &str = "\
7f00-7f10 r--s 00000000 07:01 12                         /data/index
7f10-7f20 r--s 00000000 07:01 12                         /data/index
7f20-7f30 r--s 00000000 07:01 13                         /data/old (deleted)
7f30-7f40 r--s 00000000 00:40 14                         /over/lay
7f40-7f50 r--s 00000000 00:40 15                         /over/a
7f50-7f60 r--s 00000000 00:41 15                         /over/b
";

    fn process(root: &Path) -> Roots {
        let dir = root.join("7");
        std::fs::create_dir_all(dir.join("fd")).unwrap();
        std::fs::write(dir.join("mountinfo"), MOUNTINFO).unwrap();
        std::fs::write(dir.join("maps"), MAPS).unwrap();
        Roots { proc: root.into(), sys: root.into() }
    }

    fn check_mapped(device: u64, inode: u64, expected: &str) {
        let root = tempfile::tempdir().unwrap();
        let mut catalogue = Catalogue::new(&process(root.path()), 7).unwrap();
        catalogue.want(Wanted::Mapped(FileKey { device, inode }));
        let facts: Vec<String> = catalogue
            .look()
            .iter()
            .map(|it| format!("{} {} {} {}", it.path, it.file_system, it.device_name, it.mapped))
            .collect();
        assert_eq!(facts.join("; "), expected);
    }

    #[test]
    fn mapped_files_are_found_by_device_and_inode() {
        check_mapped(rustix::fs::makedev(7, 1), 12, "/data/index ext4 loop1 true");
        check_mapped(rustix::fs::makedev(7, 1), 13, "/data/old (deleted) ext4 loop1 true");
        check_mapped(rustix::fs::makedev(7, 1), 99, "");
    }

    #[test]
    fn an_inode_alone_will_do_where_it_is_unique() {
        check_mapped(rustix::fs::makedev(8, 1), 14, "/over/lay ext4 vda true");
        check_mapped(rustix::fs::makedev(8, 1), 15, "");
    }

    #[test]
    fn descriptors_are_resolved_if_they_are_regular_files() {
        let root = tempfile::tempdir().unwrap();
        let roots = process(root.path());
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
        let file = Request::File(Wanted::Open(key, log.to_string_lossy().into_owned()));
        assert_eq!(asked, [file, Request::Output(1)].map(|it| format!("{it:?}")));
    }

    #[test]
    fn a_file_that_is_mapped_stays_mapped() {
        let root = tempfile::tempdir().unwrap();
        let mut catalogue = Catalogue::new(&process(root.path()), 7).unwrap();
        let key = FileKey { device: rustix::fs::makedev(7, 1), inode: 12 };
        catalogue.want(Wanted::Mapped(key));
        catalogue.look();
        let fact = catalogue.want(Wanted::Open(key, "/data/index".into()));
        assert_eq!(fact.map(|it| it.mapped), Some(true));
    }

    #[test]
    fn a_vanished_process_has_no_files() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let (sender, _receiver) = mpsc::sync_channel(8);
        assert_eq!(FileResolver::new(&roots, 7, sender).by_fd(1), None);
        assert!(Catalogue::new(&roots, 7).is_err());
    }
}
