//! A file on a file system that takes what is written to it and never answers.
//!
//! The mount is detached at once and reached through a descriptor of this process, so that nothing
//! is left of it in any table, and processes that wait for it go on, when this process ends, however it
//! ends.
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyWrite, Request, SessionACL, WriteFlags,
};
use rustix::{
    fd::{AsRawFd, OwnedFd},
    fs::{Mode, OFlags},
    mount::{UnmountFlags, unmount},
};
use std::{
    ffi::OsStr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

const FILE: INodeNo = INodeNo(2);
const BYTES: u64 = 4096;
const VALID: Duration = Duration::from_secs(3600);

/// The call that waits: opening it a second time and mapping it waits for what was written before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WaitsIn {
    /// With the lock of the file.
    Open,
    /// With the lock of its own memory map.
    Mmap,
    /// Closing it, also for the first time.
    Close,
}

/// Served until this is dropped; processes that wait for an answer get an error then.
pub(crate) struct StuckFile {
    root: OwnedFd,
    answers: Arc<Answers>,
    _session: BackgroundSession,
}

/// What the kernel waits for. An answer that is dropped is an error to it.
#[derive(Default)]
struct Answers {
    opened: AtomicU32,
    given: AtomicBool,
    owed: Mutex<Vec<Owed>>,
}

#[expect(dead_code, reason = "an answer is given by dropping it")]
enum Owed {
    Write(ReplyWrite),
    Flush(ReplyEmpty),
}

impl Answers {
    fn owe(&self, reply: Owed) {
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.given.load(Ordering::SeqCst) {
            owed.push(reply);
        }
    }
}

impl StuckFile {
    /// `None`, having said why, where this host has no FUSE.
    pub(crate) fn serve(waits_in: WaitsIn) -> Option<StuckFile> {
        if !std::path::Path::new("/dev/fuse").exists() {
            println!("SKIPPED: no /dev/fuse");
            return None;
        }
        let point = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("whypause-test".into())];
        config.acl = SessionACL::All;
        let answers = Arc::new(Answers::default());
        let served = Served(Arc::clone(&answers), waits_in);
        let session = fuser::spawn_mount(served, point.path(), &config).unwrap();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(point.path(), flags, Mode::empty()).unwrap();
        unmount(point.path(), UnmountFlags::DETACH).unwrap();
        Some(StuckFile { root, answers, _session: session })
    }

    /// Whether a process waits for an answer.
    pub(crate) fn is_waited_for(&self) -> bool {
        !self.answers.owed.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Its path, for root in this pid namespace.
    pub(crate) fn path(&self) -> String {
        let fd = self.root.as_raw_fd();
        format!("/proc/{}/fd/{fd}/file", std::process::id())
    }
}

impl Drop for StuckFile {
    fn drop(&mut self) {
        self.answers.given.store(true, Ordering::SeqCst);
        self.answers.owed.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

struct Served(Arc<Answers>, WaitsIn);

fn about(inode: INodeNo) -> FileAttr {
    let (kind, perm, size) = match inode {
        INodeNo::ROOT => (FileType::Directory, 0o755, 0),
        _ => (FileType::RegularFile, 0o666, BYTES),
    };
    FileAttr {
        ino: inode,
        size,
        blocks: 8,
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind,
        perm,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

impl Filesystem for Served {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match name == "file" {
            true => reply.entry(&VALID, &about(FILE), Generation(0)),
            false => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&VALID, &about(inode));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let direct = FopenFlags::FOPEN_DIRECT_IO;
        let flags = match (self.0.opened.fetch_add(1, Ordering::Relaxed), self.1) {
            (0, _) => FopenFlags::empty(),
            (_, WaitsIn::Open | WaitsIn::Close) => direct,
            (_, WaitsIn::Mmap) => direct | FopenFlags::FOPEN_KEEP_CACHE,
        };
        reply.opened(FileHandle(0), flags);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        reply.data(&vec![0; size as usize]);
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: u64,
        _: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.0.owe(Owed::Write(reply));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        match self.1 {
            WaitsIn::Close => self.0.owe(Owed::Flush(reply)),
            WaitsIn::Open | WaitsIn::Mmap => reply.ok(),
        }
    }
}
