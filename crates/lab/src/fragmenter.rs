//! A process that leaves the host's memory free in small pieces only.
//!
//! It fills nearly all memory that is available with pages of its own and gives back every other
//! one: what is free then lies between them, and whoever needs 2 MiB in one piece must have pages
//! moved. It lasts until somebody has moved them, so each run needs a new one. The process asks to
//! be the first to be killed where memory runs out.
use crate::{Cleanup, Disturbance, Interrupt, LabError, Reason, Running, jvm};
use rustix::fs::{FallocateFlags, MemfdFlags};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// What it leaves for everybody else, the JVM of the experiment included.
const LEFT_MIB: u64 = 4096;

/// With less it would leave much of the host's memory as it is.
const LEAST_MIB: u64 = 6144;

const PAGE_BYTES: u64 = 4096;
/// Not zeros: the kernel may keep one page for many of those.
static BLOCK: [u8; 1 << 20] = [0x5a; 1 << 20];

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
    let line = meminfo.lines().find_map(|it| it.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let available = kib.unwrap_or(0) >> 10;
    let needed = LEFT_MIB + LEAST_MIB;
    if available >= needed {
        return Ok(available - LEFT_MIB);
    }
    let lacks = format!("{available} MiB of memory are available, and {needed} are needed");
    Err(Reason::new(lacks, "end what uses memory, or use a larger host"))
}

impl Fragmenter {
    /// Starts it and waits until memory is in pieces.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where too little memory is available, [`LabError::Program`] where
    /// the process fails or is killed.
    pub fn start(
        cleanup: &mut Cleanup,
        interrupt: &Interrupt,
        output: &Path,
    ) -> Result<Fragmenter, LabError> {
        let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let mib = enough(&meminfo).map_err(LabError::CannotRun)?;
        let program = std::env::current_exe().map_err(LabError::step("find this program"))?;
        let mut command = Command::new(program);
        command.args(VERB).arg(mib.to_string());
        let (stdout, said) = (output.join("fragmenter.out"), output.join("fragmenter.err"));
        let running = Running::start(cleanup, command, &stdout, &said)?;
        let mut fragmenter = Fragmenter { running, said };
        let ready = interrupt.wait(PATIENCE, || {
            fragmenter.keep_going(cleanup)?;
            Ok(jvm::read(&stdout).contains("ready=1").then_some(()))
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
        Err(failed(jvm::last_line(&self.said).unwrap_or_else(|| status.to_string())))
    }

    fn stop(&mut self, patience: Duration) {
        self.running.end(patience);
    }
}

/// What the process itself does: takes so many MiB, gives back every other page, says `ready=1` to
/// `ready`, and stays until it is killed.
///
/// # Errors
/// [`LabError::Step`] where the kernel refuses.
pub fn hold(mib: u64, ready: &mut dyn Write) -> Result<(), LabError> {
    std::fs::write("/proc/self/oom_score_adj", "1000")
        .map_err(LabError::step("ask to be killed first"))?;
    let memory = fragmented(mib).map_err(LabError::step("fragment the memory"))?;
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

/// A file in memory of so many MiB of which every other page is missing.
fn fragmented(mib: u64) -> io::Result<File> {
    let mut memory = File::from(rustix::fs::memfd_create("fragments", MemfdFlags::CLOEXEC)?);
    for _ in 0..mib {
        memory.write_all(&BLOCK)?;
    }
    let pages = mib * (BLOCK.len() as u64 / PAGE_BYTES);
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    for page in (0..pages).step_by(2) {
        rustix::fs::fallocate(&memory, hole, page * PAGE_BYTES, PAGE_BYTES)?;
    }
    Ok(memory)
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
