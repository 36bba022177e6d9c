//! The lab's slow disk for another program: `whypause lab disk`.
use crate::{
    BackgroundWriter, Disturbance, LabError, Output, Reason, Running, SlowDisk, Takes,
    background_writer::Writing,
    bench::Bench,
    output::Progress,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    stage::END_PATIENCE,
};
use std::{ffi::OsString, path::Path, process::ExitStatus, time::Duration};

/// What stands for the directory on the disk in a command.
const DIR: &str = "%dir";

/// No command is waited for longer.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// The smallest disk: below it a file system has hardly room for its journal.
const LEAST_MIB: u64 = 64;

/// The other process keeps six files: they take a third of the disk, or less.
const FILES_ON_DISK: u64 = 18;

/// What to run, and on which disk.
#[derive(Clone, Debug)]
pub struct OnDiskOptions {
    /// Bytes that the disk writes in a second.
    pub write_bytes_per_s: u64,
    /// Its size, in bytes; what is not zero on it is held in memory.
    pub size_bytes: u64,
    /// Whether another process writes to it as fast as it can.
    pub busy: bool,
    /// Program and arguments; `%dir` in them stands for the directory on the disk.
    pub command: Vec<OsString>,
    /// Whether to run although others use this host.
    pub on_this_host: bool,
}

impl OnDiskOptions {
    fn disk(&self) -> Result<DiskOptions, LabError> {
        let mib = u32::try_from(self.size_bytes >> 20).unwrap_or(u32::MAX);
        if u64::from(mib) < LEAST_MIB {
            return Err(LabError::Usage {
                message: format!("a disk of {mib} MiB is too small"),
                hint: format!("the smallest is {LEAST_MIB} MiB"),
            });
        }
        Ok(DiskOptions {
            size_bytes: u64::from(mib) << 20,
            file_system: FileSystem::Ext4,
            mount_options: "commit=1",
            stable_writes: false,
            unwritten_bytes: None,
            stored_mib: mib,
            queue: slow_disk::SHORT_QUEUE,
        })
    }
}

/// Makes the disk, runs the command, and answers how it ended. Everything that was changed on the
/// host is undone when it returns, however it returns.
///
/// # Errors
/// Any [`LabError`].
pub fn on_disk(options: &OnDiskOptions, output: &mut Output<'_>) -> Result<ExitStatus, LabError> {
    let disk = options.disk()?;
    if options.command.is_empty() {
        return Err(LabError::CannotRun(Reason::new("no command to run", "give one after --")));
    }
    slow_disk::can_store(disk.stored_mib).map_err(LabError::CannotRun)?;
    let mut bench = Bench::open(options.on_this_host, vec![Takes::Disk(disk)], output)?;
    let mut progress = Progress::start(output, Duration::ZERO);
    let ran = run(options, disk, &mut bench, &mut progress);
    progress.step("cleaning up");
    let cleaned = bench.cleanup.undo_all();
    drop(progress);
    let ended = ran?;
    cleaned?;
    Ok(ended)
}

fn run(
    options: &OnDiskOptions,
    disk: DiskOptions,
    bench: &mut Bench,
    progress: &mut Progress<'_, '_>,
) -> Result<ExitStatus, LabError> {
    progress.step("making the disk");
    let Bench { cleanup, interrupt, dir, fast, .. } = bench;
    let disk = SlowDisk::create(cleanup, dir, "slow", disk)?;
    let mut writer = match options.busy {
        true => {
            let file_mib = (options.size_bytes >> 20) / FILES_ON_DISK;
            let file_mib = u32::try_from(file_mib).unwrap_or(u32::MAX);
            let usual = Writing::default();
            let how = Writing { file_mib: file_mib.min(usual.file_mib), ..usual };
            let said = fast.join("dd.err");
            Some(BackgroundWriter::start(cleanup, how, disk.mount_point(), &said)?)
        }
        false => None,
    };
    disk.limit(Limit::WriteBytes(options.write_bytes_per_s))?;
    progress.say(&format!("the disk is mounted on {}", disk.mount_point().display()));
    let mut running = start(options, cleanup, disk.mount_point())?;
    let ended = interrupt.wait(LONGEST, || {
        if let Some(writer) = &mut writer {
            writer.keep_going(cleanup)?;
        }
        running.ended()
    });
    // Nothing that is under way ends otherwise before the disk allows.
    cleanup.lift_limits();
    running.end(END_PATIENCE);
    if let Some(writer) = &mut writer {
        writer.stop(END_PATIENCE);
    }
    ended?.ok_or(LabError::Interrupted)
}

/// What the command writes goes where the lab writes.
fn start(
    options: &OnDiskOptions,
    cleanup: &mut crate::Cleanup,
    dir: &Path,
) -> Result<Running, LabError> {
    let words = options.command.iter().map(|it| in_dir(it, dir)).collect::<Vec<_>>();
    let (program, arguments) = words.split_first().expect("a command that was looked at");
    let mut command = spawn::command(program);
    command.args(arguments);
    Running::start_here(cleanup, command)
}

/// A word of the command, with the directory in it.
fn in_dir(word: &OsString, dir: &Path) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(DIR, &dir.display().to_string()).into(),
        None => word.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(size_bytes: u64) -> OnDiskOptions {
        let command = vec!["true".into()];
        let write_bytes_per_s = 5 << 20;
        OnDiskOptions { write_bytes_per_s, size_bytes, busy: false, command, on_this_host: true }
    }

    #[test]
    fn the_directory_is_put_wherever_it_is_named() {
        let word = |text: &str| in_dir(&text.into(), Path::new("/lab/slow"));
        assert_eq!(word("of=%dir/x"), "of=/lab/slow/x");
        assert_eq!(word("%dir:%dir"), "/lab/slow:/lab/slow");
        assert_eq!(word("%di r"), "%di r");
    }

    #[test]
    fn both_sides_of_the_smallest_disk() {
        let error = options((LEAST_MIB << 20) - 1).disk().unwrap_err();
        assert_eq!(error.to_string(), "a disk of 63 MiB is too small");
        let disk = options((LEAST_MIB << 20) + 7).disk().unwrap();
        assert_eq!((disk.size_bytes, disk.stored_mib), (64 << 20, 64));
    }
}
