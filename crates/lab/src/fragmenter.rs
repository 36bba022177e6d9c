//! A process that leaves the host's memory free in small pieces only.
//!
//! It fills nearly all memory that is available with pages of its own and gives back every other
//! one: what is free then lies between them. What is still free in one piece it takes, too, so
//! an allocation of 2 MiB in one piece must have pages moved. It lasts until they have been moved,
//! so each run needs a new one. The process asks to be the first to be killed where memory runs
//! out.
use crate::{
    Cleanup, Disturbance, Interrupt, LabError, Reason, Running, Takes, huge_pages, large_blocks,
    mapping::Mapping, small_file,
};
use rustix::fs::{FallocateFlags, MemfdFlags};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// What it does not fill: with less, the kernel would have to free memory while it is filled.
const LEFT_MIB: u64 = 4096;

/// With less it would leave much of the host's memory as it is.
const LEAST_MIB: u64 = 6144;

const PAGE_BYTES: u64 = 4096;

/// How often each page that stays is mapped, as the memory of a database that many processes share:
/// moving a page means to find and change each mapping of it.
const MAPPINGS: u32 = 8;

/// One fault maps all pages that are there in a piece of this size around it (`fault_around_bytes`
/// of Linux `mm/memory.c`).
const AROUND_BYTES: usize = 64 << 10;

/// What is written at a time.
const BLOCK_BYTES: usize = 1 << 20;
/// Not zeros: the kernel may keep one page for many of those.
const FILLING: u8 = 0x5a;

/// How long it may take on a slow host; some 2 s per GiB are usual.
const PATIENCE: Duration = Duration::from_secs(180);

/// The verb of this program that is such a process.
pub const VERB: [&str; 2] = ["lab", "fragment"];

/// The running process.
#[derive(Debug)]
pub struct Fragmenter {
    running: Running,
    said: PathBuf,
}

/// Whether there is enough memory to fragment.
///
/// # Errors
/// How much there is.
pub fn can_run() -> Result<(), Reason> {
    enough(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default()).map(|_| ())
}

/// How many MiB to take.
fn enough(meminfo: &str) -> Result<u64, Reason> {
    let available = large_blocks::available_mib(meminfo);
    let needed = LEFT_MIB + LEAST_MIB;
    if available >= needed {
        return Ok(available - LEFT_MIB);
    }
    let lacks = format!("{available} MiB of memory are available, and {needed} are needed");
    Err(Reason::new(lacks, "end what uses memory, or use a larger host"))
}

impl Fragmenter {
    /// Starts it and waits until memory is in pieces. Until the end of the run the kernel does not
    /// put it in order unasked, and huge pages are for those who ask; whether those may make room,
    /// the caller sets then.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where too little memory is available, [`LabError::Program`] where
    /// the process fails or is killed, [`LabError::Step`] where the kernel refuses a setting.
    pub fn start(
        cleanup: &mut Cleanup,
        interrupt: &Interrupt,
        output: &Path,
    ) -> Result<Fragmenter, LabError> {
        cleanup.needs(&Takes::Fragments)?;
        let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let mib = enough(&meminfo).map_err(LabError::CannotRun)?;
        large_blocks::leave_in_pieces(cleanup)?;
        huge_pages::set(cleanup, "madvise", "never")?;
        let program = std::env::current_exe().map_err(LabError::step("find this program"))?;
        let mut command = spawn::command(program);
        command.args(VERB).arg(mib.to_string());
        let (stdout, said) = (output.join("fragmenter.out"), output.join("fragmenter.err"));
        let running = Running::start(cleanup, command, &stdout, &said)?;
        let mut fragmenter = Fragmenter { running, said };
        let ready = interrupt.wait(PATIENCE, || {
            fragmenter.keep_going(cleanup)?;
            Ok(small_file::read(&stdout).contains("ready=1").then_some(()))
        })?;
        match ready {
            Some(()) => Ok(fragmenter),
            None => Err(failed(format!("not done after {} s", PATIENCE.as_secs()))),
        }
    }
}

fn failed(message: String) -> LabError {
    LabError::Program { program: "the fragmenter".into(), message }
}

impl Disturbance for Fragmenter {
    fn keep_going(&mut self, _: &mut Cleanup) -> Result<(), LabError> {
        let Some(status) = self.running.ended()? else { return Ok(()) };
        Err(failed(small_file::last_line(&self.said).unwrap_or_else(|| status.to_string())))
    }

    fn stop(&mut self, patience: Duration) {
        self.running.end(patience);
    }
}

/// The body of the process: takes this many MiB, gives back every other page, takes what is left
/// in one piece, says `ready=1` to `ready`, and stays until it is killed.
///
/// # Errors
/// [`LabError::Step`] where the kernel refuses.
pub fn hold(mib: u64, ready: &mut dyn Write) -> Result<(), LabError> {
    std::fs::write("/proc/self/oom_score_adj", "1000")
        .map_err(LabError::step("ask to be killed first"))?;
    let memory = fragmented(mib).map_err(LabError::step("fragment the memory"))?;
    map_kept(&memory, mib).map_err(LabError::step("map the memory"))?;
    large_blocks::take().map_err(LabError::step("take what is left in one piece"))?;
    ready
        .write_all(b"ready=1\n")
        .and_then(|()| ready.flush())
        .map_err(LabError::step("say that it is done"))?;
    loop {
        std::thread::park();
        // a spurious end of the wait must not give the memory back
        std::hint::black_box(&memory);
    }
}

/// A file in memory of this many MiB of which every other page is missing.
fn fragmented(mib: u64) -> io::Result<File> {
    let mut memory = File::from(rustix::fs::memfd_create("fragments", MemfdFlags::CLOEXEC)?);
    let block = vec![FILLING; BLOCK_BYTES];
    for _ in 0..mib {
        memory.write_all(&block)?;
    }
    let pages = mib * (BLOCK_BYTES as u64 / PAGE_BYTES);
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    for page in (0..pages).step_by(2) {
        rustix::fs::fallocate(&memory, hole, page * PAGE_BYTES, PAGE_BYTES)?;
    }
    Ok(memory)
}

/// Maps the pages that were not given back; touching the others would bring them back.
fn map_kept(memory: &File, mib: u64) -> io::Result<()> {
    let bytes = usize::try_from(mib * BLOCK_BYTES as u64).map_err(io::Error::other)?;
    let second = usize::try_from(PAGE_BYTES).map_err(io::Error::other)?;
    for _ in 0..MAPPINGS {
        let mapping = Mapping::shared(memory, bytes)?;
        (second..bytes).step_by(AROUND_BYTES).for_each(|kept| mapping.read(kept));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn every_other_page_is_given_back() {
        let memory = fragmented(2).unwrap();
        // in blocks of 512 bytes
        assert_eq!(memory.metadata().unwrap().blocks(), (1 << 20) / 512);
        assert_eq!(memory.metadata().unwrap().len(), 2 << 20);
        map_kept(&memory, 2).unwrap();
        assert_eq!(memory.metadata().unwrap().blocks(), (1 << 20) / 512, "mapping fills no hole");
    }

    #[test]
    fn a_host_with_little_memory_is_left_alone() {
        let check = |mib: u64| {
            let meminfo = format!("MemFree: 1 kB\nMemAvailable:   {} kB\n", mib << 10);
            enough(&meminfo).map_err(|it| it.to_string())
        };
        assert_eq!(check(10_240), Ok(6144));
        assert_eq!(check(17_000), Ok(12_904));
        let lacks = "10239 MiB of memory are available, and 10240 are needed";
        assert_eq!(check(10_239), Err(lacks.to_owned()));
        assert!(enough("").is_err());
    }
}
