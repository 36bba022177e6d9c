//! The process that serves the file.
//!
//! One thread reads the kernel's requests and never waits. Two others, one for reads and one for
//! writes, take them in turn, wait for as long as each is to take, and answer. A fourth takes
//! limits, and a fifth lifts them when the lab is gone.
use super::{
    DATA, IMAGE,
    blocks::Blocks,
    pace::{self, Direction, Pace},
};
use crate::{
    LabError,
    cleanup::{CONTROL, MOUNT_POINT},
    disk::Limit,
};
use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyWrite, Request, Session, WriteFlags,
};
use rustix::{fs::FallocateFlags, mm::MlockAllFlags};
use std::{
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    os::unix::{
        fs::{FileExt, OpenOptionsExt},
        net::{UnixListener, UnixStream},
    },
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    time::{Duration, Instant, UNIX_EPOCH},
};

/// What the server says once the file is there.
pub(super) const READY: &str = "ready=1";

/// Largest request: as large as those of the loop device above.
const MOST_WRITTEN: u32 = 128 << 10;

/// Requests that the kernel hands over without an answer to those before: as many as the loop
/// device has. With [`MOST_WRITTEN`] no more than 8 MiB are held here.
const UNDER_WAY: u16 = 64;

const FILE: INodeNo = INodeNo(2);

/// What the kernel knows of the file stays so.
const FOR_EVER: Duration = Duration::from_secs(24 * 3600);

/// How long one who sets a limit may take to say which.
const WORD_PATIENCE: Duration = Duration::from_secs(1);

/// What to serve.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Served {
    /// The directory of the file, in which everything else is, too.
    pub dir: PathBuf,
    /// Size of the file.
    pub bytes: u64,
    /// The lab's process: when it has ended, all limits are lifted.
    pub lab: u32,
    /// How many MiB other than zero are kept in memory at most; in a file beside where `None`.
    pub most_mib: Option<u32>,
}

/// What the process itself does: serves the file until it is unmounted, and says so to `ready`
/// once the file is there.
///
/// # Errors
/// [`LabError::Step`] where the kernel refuses.
pub fn serve(served: &Served, ready: &mut dyn Write) -> Result<(), LabError> {
    let step = |doing: &str| LabError::step(format!("{doing} for `{}`", served.dir.display()));
    // half a server would keep the kernel waiting: without any it answers with errors
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        say(panic);
        std::process::abort();
    }));
    stand_apart().map_err(step("keep the server's memory from being swapped"))?;
    let pace = Arc::new(Pace::default());
    let listener = UnixListener::bind(served.dir.join(CONTROL));
    let listener = listener.map_err(step("make a socket"))?;
    let storage = Arc::new(Storage::create(served).map_err(step("make room"))?);
    let work = |direction| start_worker(direction, Arc::clone(&pace), Arc::clone(&storage));
    let disk = Disk {
        bytes: served.bytes,
        reads: work(Direction::Read).map_err(step("start a thread"))?,
        writes: work(Direction::Write).map_err(step("start a thread"))?,
        storage: Arc::clone(&storage),
    };
    let mut config = Config::default();
    config.mount_options =
        vec![MountOption::FSName("whypause-lab".into()), MountOption::NoExec, MountOption::NoAtime];
    let session = Session::new(disk, served.dir.join(MOUNT_POINT), &config);
    let session = session.map_err(step("mount the file system"))?;
    start_control(listener, Arc::clone(&pace)).map_err(step("start a thread"))?;
    start_watch(served.lab, pace).map_err(step("start a thread"))?;
    writeln!(ready, "{READY}").and_then(|()| ready.flush()).map_err(step("say that it is done"))?;
    session.run().map_err(step("serve the file"))
}

/// Neither load nor a lack of memory on the host is to make the disk slower than its limits,
/// and memory must never be freed by writing to this disk in order to write to this disk.
fn stand_apart() -> io::Result<()> {
    // In a container root may lack the capabilities for these (CAP_SYS_RESOURCE, CAP_SYS_NICE). What
    // it holds is bounded, so no memory is freed by killing it, and all who wait for it would fail.
    let _ = rustix::process::configure_io_flusher_behavior(true);
    let _ = rustix::process::setpriority_process(None, -20);
    let _ = std::fs::write("/proc/self/oom_score_adj", "-1000");
    let all = MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT;
    Ok(rustix::mm::mlockall(all)?)
}

/// What the file holds.
enum Storage {
    Memory(Mutex<Blocks>),
    Disk(File),
}

impl Storage {
    fn create(served: &Served) -> io::Result<Storage> {
        if let Some(most_mib) = served.most_mib {
            let blocks = Blocks::new(served.bytes, (most_mib as usize) << 20);
            return Ok(Storage::Memory(Mutex::new(blocks)));
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(0o600);
        let file = file.open(served.dir.join(DATA))?;
        file.set_len(served.bytes)?;
        Ok(Storage::Disk(file))
    }

    fn read(&self, offset: u64, data: &mut [u8]) -> io::Result<()> {
        match self {
            Storage::Memory(blocks) => {
                blocks.lock().unwrap_or_else(PoisonError::into_inner).read(offset, data);
                Ok(())
            }
            Storage::Disk(file) => file.read_exact_at(data, offset),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        match self {
            Storage::Memory(blocks) => {
                blocks.lock().unwrap_or_else(PoisonError::into_inner).write(offset, data)
            }
            Storage::Disk(file) => file.write_all_at(data, offset),
        }
    }

    fn clear(&self, offset: u64, bytes: u64) -> io::Result<()> {
        match self {
            Storage::Memory(blocks) => {
                blocks.lock().unwrap_or_else(PoisonError::into_inner).clear(offset, bytes);
                Ok(())
            }
            Storage::Disk(file) => {
                let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                Ok(rustix::fs::fallocate(file, hole, offset, bytes)?)
            }
        }
    }
}

/// A read or a write whose turn comes when those before it are done.
struct Work {
    arrived: Instant,
    offset: u64,
    what: What,
}

enum What {
    Read(u32, ReplyData),
    Write(Vec<u8>, ReplyWrite),
}

impl Work {
    fn bytes(&self) -> u64 {
        match &self.what {
            What::Read(bytes, _) => u64::from(*bytes),
            What::Write(data, _) => data.len() as u64,
        }
    }

    fn finish(self, storage: &Storage) {
        match self.what {
            What::Read(bytes, reply) => {
                let mut data = vec![0; bytes as usize];
                match storage.read(self.offset, &mut data) {
                    Ok(()) => reply.data(&data),
                    Err(e) => reply.error(e.into()),
                }
            }
            What::Write(data, reply) => match storage.write(self.offset, &data) {
                Ok(()) => reply.written(u32::try_from(data.len()).unwrap_or(0)),
                Err(e) => reply.error(e.into()),
            },
        }
    }
}

fn start_worker(
    direction: Direction,
    pace: Arc<Pace>,
    storage: Arc<Storage>,
) -> io::Result<Sender<Work>> {
    let (queue, turns): (_, Receiver<Work>) = mpsc::channel();
    let name = match direction {
        Direction::Read => "disk-reads",
        Direction::Write => "disk-writes",
    };
    start_thread(name, move || {
        let mut free = Instant::now();
        for work in turns {
            free = pace.wait(direction, work.bytes(), pace::turn(direction, free, work.arrived));
            work.finish(&storage);
        }
    })?;
    Ok(queue)
}

fn start_thread(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run).map(drop)
}

fn start_control(listener: UnixListener, pace: Arc<Pace>) -> io::Result<()> {
    start_thread("disk-control", move || {
        for stream in listener.incoming().flatten() {
            // one who says nothing sensible gets no answer
            let _ = obey(&stream, &pace);
        }
    })
}

fn obey(mut stream: &UnixStream, pace: &Pace) -> io::Result<()> {
    stream.set_read_timeout(Some(WORD_PATIENCE))?;
    let mut line = String::new();
    BufReader::new(io::Read::take(stream, 1024)).read_line(&mut line)?;
    let limit: Option<Limit> = serde_json::from_str(&line)?;
    pace.set(limit);
    stream.write_all(b".")
}

/// Lifts the limits when the lab has ended, so that what others still have on the disk can complete.
fn start_watch(lab: u32, pace: Arc<Pace>) -> io::Result<()> {
    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        process::{Pid, PidfdFlags, pidfd_open},
    };
    const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };
    start_thread("disk-watch", move || {
        let pid = i32::try_from(lab).ok().and_then(Pid::from_raw);
        if let Some(process) = pid.and_then(|it| pidfd_open(it, PidfdFlags::empty()).ok()) {
            let mut ended = [PollFd::new(&process, PollFlags::IN)];
            let mut wait = || rustix::io::retry_on_intr(|| poll(&mut ended, Some(&POLL_INTERVAL)));
            // anything but a time that is over is an end
            while wait() == Ok(0) && !is_killed(lab) {}
        }
        pace.set(None);
    })
}

/// Whether a process ends, and has not ended only because a thread of it waits: perhaps for this very
/// disk.
fn is_killed(pid: u32) -> bool {
    let status = crate::small_file::read(std::path::Path::new(&format!("/proc/{pid}/status")));
    let state = status.lines().find_map(|it| it.strip_prefix("State:"));
    state.is_none_or(|it| it.trim().starts_with(['Z', 'X']))
}

/// The file system: a directory with one file.
struct Disk {
    bytes: u64,
    reads: Sender<Work>,
    writes: Sender<Work>,
    storage: Arc<Storage>,
}

impl Disk {
    fn about(&self, inode: INodeNo) -> Option<FileAttr> {
        let (kind, perm, size) = match inode {
            INodeNo::ROOT => (FileType::Directory, 0o700, 0),
            FILE => (FileType::RegularFile, 0o600, self.bytes),
            _ => return None,
        };
        Some(FileAttr {
            ino: inode,
            size,
            blocks: size / 512,
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
        })
    }
}

impl Filesystem for Disk {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // one that can do less does it one request after the other
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.set_max_write(MOST_WRITTEN);
        let _ = config.set_max_background(UNDER_WAY);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.about(FILE) {
            Some(about) if parent == INodeNo::ROOT && name == IMAGE => {
                reply.entry(&FOR_EVER, &about, Generation(0));
            }
            _ => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.about(inode) {
            Some(about) => reply.attr(&FOR_EVER, &about),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        // without a page cache of its own: that of the file system above is enough
        let direct = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(0), direct);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let size = u64::from(size).min(self.bytes.saturating_sub(offset));
        let what = What::Read(u32::try_from(size).unwrap_or(0), reply);
        // the worker lives as long as this
        drop(self.reads.send(Work { arrived: Instant::now(), offset, what }));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let what = What::Write(data.to_vec(), reply);
        drop(self.writes.send(Work { arrived: Instant::now(), offset, what }));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        // whatever was answered is kept
        reply.ok();
    }

    /// The loop device's "discard" and "write zeros", which take no time on a disk.
    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let zeros = FallocateFlags::PUNCH_HOLE | FallocateFlags::ZERO_RANGE;
        let mode = FallocateFlags::from_bits_retain(mode.cast_unsigned());
        if !mode.intersects(zeros) {
            return reply.error(Errno::EOPNOTSUPP);
        }
        match self.storage.clear(offset, length) {
            Ok(()) => reply.ok(),
            Err(e) => reply.error(e.into()),
        }
    }
}
