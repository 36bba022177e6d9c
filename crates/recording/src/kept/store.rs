//! The directory of kept recordings: each appears whole under its name, and goes whole.
//!
//! One is written under a name that begins with `.new-` and renamed when it is sealed; one that goes is renamed to
//! `.gone-` first. What a process that was killed left under such a name is removed when the next one is
//! kept. Several watches may share a directory.
use super::{Kept, KeptLimits, is_of_jvm, shelf};
use crate::{Facts, Limits, RecordingError, Writer, directory::Directory};
use jiff::Timestamp;
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Names of what is not there yet, and of what is going.
const NEW: &str = ".new-";
const GONE: &str = ".gone-";
/// What is left under such a name for this long is of a process that was killed.
const LEFT_BEHIND: Duration = Duration::from_secs(60);
/// A file takes whole blocks of a disk.
const BLOCK: u64 = 4096;
/// The part of the room that one recording may take while it is written, its two forms together,
const PART_OF_ROOM: u64 = 8;
/// and the least and the most that it is: all recordings take some.
const ROOM_FOR_ONE: std::ops::RangeInclusive<u64> = 2 << 20..=64 << 20;
/// JVMs, and recordings of one, that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// A directory of kept recordings, to write to.
#[derive(Clone, Debug)]
pub struct KeptStore {
    path: PathBuf,
    limits: KeptLimits,
    /// What was there when it was last looked at.
    all: Vec<Kept>,
}

impl KeptStore {
    /// The least room that a store can do with: 16 MiB.
    pub const LEAST_BYTES: u64 = 8 * *ROOM_FOR_ONE.start();

    /// Opens the directory, or makes it with mode 0700; what is too much or too old goes at once.
    ///
    /// # Errors
    ///
    /// Those of [`Writer::create`]: where its parent is missing, or another user can change it or one above it.
    pub fn open(path: &Path, limits: KeptLimits) -> Result<KeptStore, RecordingError> {
        let path =
            std::path::absolute(path).map_err(|error| RecordingError::io(path, "find", error))?;
        Directory::make(&path)?;
        let mut store = KeptStore { path, limits, all: Vec::new() };
        store.refresh(0)?;
        Ok(store)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many there were when it was last written to.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.all.len() as u64
    }

    /// Whether this one would stay if it were written now, with as many bytes as those that are there have
    /// on average. Looks at no disk.
    #[must_use]
    pub fn would_keep(&self, new: &Kept) -> bool {
        let sum: u64 = self.all.iter().map(|it| it.bytes).sum();
        let new =
            Kept { bytes: sum.checked_div(self.all.len() as u64).unwrap_or(0), ..new.clone() };
        let mut all = self.all.clone();
        all.push(new.clone());
        let limits = KeptLimits { bytes: self.limits.bytes - self.room_for_one(), ..self.limits };
        !shelf::surplus(&all, limits, Timestamp::now()).contains(&new)
    }

    /// Writes one, without a sync: that would make others wait for the disk. Makes room before; with all the
    /// directory has never more bytes than the limit. Where it stays, the recording.
    ///
    /// # Errors
    ///
    /// Where it cannot be written; nothing of it stays then.
    pub fn keep(&mut self, new: &Kept, facts: &Facts) -> Result<PathBuf, RecordingError> {
        let room = self.room_for_one();
        self.refresh(room)?;
        if let Some(it) = self.all.iter().find(|it| it.name() == new.name() && it.jvm == new.jvm) {
            // Another watch of the same JVM was faster.
            return Ok(it.path(&self.path));
        }
        let of_jvm = Directory::make(&self.path.join(&new.jvm))?;
        let written = write(&of_jvm, new, facts, room);
        // Also where it failed: of what was begun nothing stays.
        self.refresh(0)?;
        written
    }

    /// Looks at what is there, and removes what is too much beside `room` for another one.
    fn refresh(&mut self, room: u64) -> Result<(), RecordingError> {
        self.remove_left();
        self.all = list(&self.path).into_iter().map(|(_, it)| it).collect();
        let limits = KeptLimits { bytes: self.limits.bytes.saturating_sub(room), ..self.limits };
        let mut result = Ok(());
        for it in shelf::surplus(&self.all, limits, Timestamp::now()) {
            match self.remove(&it) {
                Ok(()) => self.all.retain(|other| *other != it),
                Err(error) => result = Err(error),
            }
        }
        result
    }

    fn remove(&self, it: &Kept) -> Result<(), RecordingError> {
        let of_jvm = Directory::make(&self.path.join(&it.jvm))?;
        let (name, gone) = (it.name(), format!("{GONE}{}", it.name()));
        // From here on it is none of those that are kept, whatever happens.
        of_jvm.rename(&name, &gone)?;
        of_jvm.remove_recording(&gone)
    }

    /// Removes what a process that was killed has left.
    fn remove_left(&self) {
        let is_old = |path: &Path| {
            let changed = fs::symlink_metadata(path).and_then(|it| it.modified());
            changed.is_ok_and(|it| {
                SystemTime::now().duration_since(it).is_ok_and(|it| it >= LEFT_BEHIND)
            })
        };
        for jvm in names(&self.path).into_iter().filter(|it| is_of_jvm(it)) {
            let path = self.path.join(&jvm);
            let is_left = |name: &String| {
                (name.starts_with(NEW) || name.starts_with(GONE)) && is_old(&path.join(name))
            };
            for name in names(&path).iter().filter(|it| is_left(it)) {
                // One that is being written is locked, and one of another user is not touched.
                let _ = Directory::make(&path).and_then(|it| it.remove_recording(name));
            }
        }
    }

    fn room_for_one(&self) -> u64 {
        (self.limits.bytes / PART_OF_ROOM).clamp(*ROOM_FOR_ONE.start(), *ROOM_FOR_ONE.end())
    }
}

/// Writes a recording into the directory of its JVM under another name, and gives it its own when it is whole.
fn write(
    of_jvm: &Directory,
    new: &Kept,
    facts: &Facts,
    room: u64,
) -> Result<PathBuf, RecordingError> {
    let name = new.name();
    // Live and sealed it is there twice for a moment.
    let limits = Limits { max_bytes: room / 2, sync: false, ..Limits::default() };
    let mut writer = Writer::create_new(of_jvm.path(), &format!("{NEW}{name}"), limits)?;
    let begun = writer.path().file_name().map(|it| it.to_string_lossy().into_owned());
    let begun = begun.unwrap_or_default();
    let sealed = writer.write(facts).and_then(|()| writer.seal());
    let whole = sealed.and_then(|summary| match summary.unsealed.into_iter().next() {
        Some((file, why)) => Err(of_jvm.error(&file, "write", std::io::Error::other(why))),
        None => Ok(()),
    });
    let placed = whole.and_then(|()| match of_jvm.rename_new(&begun, &name) {
        // Another watch of the same JVM was faster.
        Err(_) if of_jvm.path().join(&name).is_dir() => of_jvm.remove_recording(&begun),
        placed => placed,
    });
    if placed.is_err() {
        let _ = of_jvm.remove_recording(&begun);
    }
    placed.map(|()| of_jvm.path().join(name))
}

/// All in a directory.
pub(super) fn list(directory: &Path) -> Vec<(PathBuf, Kept)> {
    let jvms = names(directory).into_iter().filter(|it| is_of_jvm(it));
    let all = jvms.flat_map(|jvm| of_jvm(directory, &jvm));
    all.map(|it| (it.path(directory), it)).collect()
}

/// Those of one JVM.
pub(super) fn of_jvm(directory: &Path, jvm: &str) -> Vec<Kept> {
    let path = directory.join(jvm);
    let kept = |name: String| {
        let it = Kept::named(jvm, &name, 0)?;
        Some(Kept { bytes: bytes(&path.join(&name))?, ..it })
    };
    names(&path).into_iter().filter_map(kept).collect()
}

/// What the files of a recording take on a disk; `None` where it is none.
fn bytes(recording: &Path) -> Option<u64> {
    let files: Vec<u64> = fs::read_dir(recording)
        .ok()?
        .filter_map(|it| it.ok()?.metadata().ok())
        .filter(fs::Metadata::is_file)
        .map(|it| it.len().div_ceil(BLOCK) * BLOCK)
        .collect();
    (!files.is_empty()).then(|| BLOCK + files.iter().sum::<u64>())
}

/// Names of directories in a directory; links are none.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let directories = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
    directories.filter_map(|it| it.file_name().into_string().ok()).collect()
}
