//! The notes on keepers, in our own directory, which no other user can change.
use super::{Keep, KeptLog};
use crate::{
    NOTES,
    change::{ChangeError, Process},
};
use rustix::fs::OFlags;
use std::{
    fs::{self, DirBuilder, File},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Number of bytes that are read of a keeper's messages, from the end.
const LAST_WORDS_BYTES: u64 = 4 << 10;

/// Of 255, which every file system takes; the rest is for what comes behind it.
const LONGEST_NAME_BYTES: usize = 240;

/// A name of ours for any other; no two have the same.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for byte in name.bytes() {
        match byte {
            b'-' | b'.' => plain.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => plain.push(char::from(byte)),
            _ => plain.push_str(&format!("_{byte:02x}")),
        }
    }
    plain
}

/// What is kept in mind of a keeper, in our own directory.
pub(super) struct Notes {
    process: PathBuf,
    /// Where it says what happens.
    pub(super) said: PathBuf,
}

impl Notes {
    pub(super) fn of(keep: &Keep) -> Result<Notes, ChangeError> {
        let directory = recording::directory_with(NOTES)
            .map_err(|error| ChangeError::Refused(error.to_string()))?
            .join("keepers");
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
        made.map_err(ChangeError::file(&directory))?;
        let of = match &keep.log {
            KeptLog::OfJvm { process, .. } => format!("{}-{}", process.pid, process.start_ticks),
            KeptLog::Here { directory, .. } => directory.clone(),
        };
        let name = plain(&format!("{of}-{}", keep.file));
        if name.len() > LONGEST_NAME_BYTES {
            return Err(ChangeError::Refused(format!("the name of `{}` is too long", keep.file)));
        }
        let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
        Ok(Notes { process: file("pid"), said: file("said") })
    }

    pub(super) fn write(&self, process: &Process) -> Result<(), ChangeError> {
        let text = format!("{} {}\n", process.pid, process.start_ticks);
        fs::write(&self.process, text).map_err(ChangeError::file(&self.process))
    }

    /// The process; it may have ended.
    pub(super) fn process(&self) -> Option<Process> {
        let text = fs::read_to_string(&self.process).ok()?;
        let (pid, start) = text.trim().split_once(' ')?;
        let (pid, start_ticks) = (pid.parse().ok()?, start.parse().ok()?);
        Some(Process { pid, start_ticks, name: "whypause keep".into() })
    }

    pub(super) fn last_word(&self) -> String {
        let text = end_of(&self.said).unwrap_or_default();
        text.lines().last().unwrap_or("it did not say why").to_owned()
    }

    /// What an earlier one has said is of no use any more.
    pub(super) fn forget_words(&self) {
        let _ = fs::remove_file(&self.said);
    }

    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.process);
        self.forget_words();
    }
}

/// The end of a file, as text.
fn end_of(file: &Path) -> io::Result<String> {
    let mut file = File::options().read(true).custom_flags(NOFOLLOW).open(file)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LAST_WORDS_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(LAST_WORDS_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

const NOFOLLOW: i32 = OFlags::NOFOLLOW.bits().cast_signed();

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn logs_whose_names_differ_in_a_blank_are_not_taken_for_one() {
        assert_eq!(plain("7-9-gc 1.log"), "7-9-gc_201.log");
        assert_eq!(plain("7-9-gc_1.log"), "7-9-gc_5f1.log");
        assert_eq!(plain("/var/log-gc.log"), "_2fvar_2flog-gc.log");
    }
}
