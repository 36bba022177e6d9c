//! The journal: a line before each change, and one when it is undone.
//!
//! A line that cannot be read is kept as it is, before all others: a later version may have written
//! it, or something on this host may still be as it says. Each change carries the boot in which it
//! was made, as most of them do not survive the next one, and what has their name then is another's.
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::PathBuf,
};

/// A journal larger than this is not read.
const MOST_READ_BYTES: u64 = 64 << 20;

/// Nothing is added to one that would be larger than this, so that what was written can always be read,
/// and taken back. It grows by some KiB per run, and is emptied when all is undone.
const MOST_WRITTEN_BYTES: u64 = 16 << 20;

/// A change is some KiB. What a JVM tells is part of some, and may be as long as it likes.
const LONGEST_LINE_BYTES: usize = 256 << 10;

/// One that is larger is written anew, with what is open alone.
const LARGE_BYTES: u64 = 1 << 20;

/// A new one for each boot (`man 4 random`).
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// What is kept of a change, so that it can be undone.
pub trait Undoable: Clone + Serialize + DeserializeOwned {
    /// Whether the change outlives a boot. One that does not is forgotten after the next.
    fn survives_a_boot(&self) -> bool;
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line<T> {
    /// Its number, the change, and the boot; journals of version 0.1 have no boot. A later line
    /// with the same number takes its place.
    Promise(u64, T, #[serde(default)] String),
    Done(u64),
}

/// The open file.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    boot: String,
    /// Lines that cannot be read; they come first.
    unread: Vec<Vec<u8>>,
}

/// A journal that was opened.
#[derive(Debug)]
pub struct Opened<T> {
    /// The journal.
    pub journal: Journal,
    /// Number and change of what is not undone.
    pub open: Vec<(u64, T)>,
    /// The next number that no line has.
    pub next: u64,
}

/// What the text of a journal says.
#[derive(Debug, PartialEq, Eq)]
struct Replayed<T> {
    /// Number, change and boot of what was not undone.
    open: Vec<(u64, T, String)>,
    unread: Vec<Vec<u8>>,
    /// The next number that no line has.
    next: u64,
    /// Whether all of it is needed, and every line is whole.
    is_clean: bool,
}

/// Whether a file belongs to this user, and no other process may write to it.
fn is_ours(file: &File) -> bool {
    file.metadata()
        .is_ok_and(|it| it.uid() == rustix::process::geteuid().as_raw() && it.mode() & 0o022 == 0)
}

impl Journal {
    /// Opens a journal, in a directory that no other user may write to. What an earlier boot has
    /// ended is left out.
    ///
    /// # Errors
    /// Where it cannot be read or written, or is not of this user alone.
    pub fn open<T: Undoable>(path: PathBuf) -> io::Result<Opened<T>> {
        let boot = std::fs::read_to_string(BOOT_ID).unwrap_or_default();
        Journal::open_in(path, boot.trim().to_owned())
    }

    fn open_in<T: Undoable>(path: PathBuf, boot: String) -> io::Result<Opened<T>> {
        let mut file = options().create(true).open(&path)?;
        if !is_ours(&file) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a journal of this user"));
        }
        if file.metadata()?.len() > MOST_READ_BYTES {
            return Err(too_large(format!("it has more than {} MiB", MOST_READ_BYTES >> 20)));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let replayed: Replayed<T> = Replayed::of(&text, &boot);
        let mut journal = Journal { file, path, boot, unread: replayed.unread };
        if !replayed.is_clean {
            journal.rewrite(&replayed.open)?;
        }
        let open = replayed.open.into_iter().map(|(id, undo, _)| (id, undo)).collect();
        Ok(Opened { journal, open, next: replayed.next })
    }

    /// Puts a journal with only these in its place, at once.
    fn rewrite<T: Undoable>(&mut self, open: &[(u64, T, String)]) -> io::Result<()> {
        let mut text = self.unread.join(&b'\n');
        if !text.is_empty() {
            text.push(b'\n');
        }
        for (id, undo, boot) in open {
            text.append(&mut line(&Line::Promise(*id, undo.clone(), boot.clone()))?);
        }
        let beside = self.path.with_extension("new");
        match std::fs::remove_file(&beside) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = options().create_new(true).open(&beside)?;
        file.write_all(&text)?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.path)?;
        self.file = file;
        Ok(())
    }

    /// Writes down a change that is about to be made, and waits until it is on the disk.
    ///
    /// # Errors
    /// Where it cannot be written. There is no half a line then.
    pub fn promise<T: Undoable>(&mut self, id: u64, undo: &T) -> io::Result<()> {
        self.promise_all([(id, undo)])
    }

    /// The same of several, at once: if this process is killed, all lines are there or none.
    ///
    /// # Errors
    /// As [`promise`](Journal::promise).
    pub fn promise_all<'a, T: Undoable + 'a>(
        &mut self,
        all: impl IntoIterator<Item = (u64, &'a T)>,
    ) -> io::Result<()> {
        let boot = &self.boot;
        let line = |(id, undo): (u64, &T)| Line::Promise(id, undo.clone(), boot.clone());
        let lines: Vec<Line<T>> = all.into_iter().map(line).collect();
        self.append(&lines)?;
        self.file.sync_data()
    }

    /// Writes down that a change was undone.
    ///
    /// # Errors
    /// Where it cannot be written; the next start undoes it again then.
    pub fn done(&mut self, id: u64) -> io::Result<()> {
        self.append(&[Line::<()>::Done(id)])
    }

    /// By one write.
    fn append<T: Serialize>(&mut self, all: &[Line<T>]) -> io::Result<()> {
        let before = self.file.metadata()?.len();
        let mut text = Vec::new();
        for what in all {
            let line = line(what)?;
            if line.len() > LONGEST_LINE_BYTES {
                let most = LONGEST_LINE_BYTES >> 10;
                return Err(too_large(format!("a change with more than {most} KiB")));
            }
            text.extend(line);
        }
        // That something was undone always has room.
        let adds = all.iter().any(|it| matches!(it, Line::Promise(..)));
        if adds && before + text.len() as u64 > MOST_WRITTEN_BYTES {
            let most = MOST_WRITTEN_BYTES >> 20;
            let why = format!("it would have more than {most} MiB: undo something first");
            return Err(too_large(why));
        }
        self.file.write_all(&text).inspect_err(|_| {
            // else the next line would be a part of this one
            let _ = self.file.set_len(before);
        })
    }

    /// Forgets all changes, as all are undone. Lines that cannot be read stay.
    pub fn forget(&mut self) {
        let bytes: usize = self.unread.iter().map(|it| it.len() + 1).sum();
        // where that fails the next start undoes nothing, once more
        let _ = self.file.set_len(bytes as u64);
    }

    /// Writes it anew with what is open alone, where the rest has become large.
    pub fn shorten<T: Undoable>(&mut self, open: &[(u64, T)]) {
        if self.file.metadata().is_ok_and(|it| it.len() > LARGE_BYTES) {
            let of_boot = |(id, undo): &(u64, T)| (*id, undo.clone(), self.boot.clone());
            let open: Vec<_> = open.iter().map(of_boot).collect();
            // Where that fails the long one is still right.
            let _ = self.rewrite(&open);
        }
    }

    /// What to say of lines that cannot be read, where there are some.
    #[must_use]
    pub fn word_of_unread(&self) -> Option<String> {
        let (lines, were) = match self.unread.len() {
            0 => return None,
            1 => ("1 line".to_owned(), "was"),
            many => (format!("{many} lines"), "were"),
        };
        let path = self.path.display();
        Some(format!(
            "{lines} of `{path}` cannot be read and {were} kept: what they are about may be left behind"
        ))
    }
}

fn too_large(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(0o600);
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    options
}

fn line<T: Serialize>(what: &Line<T>) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(what)?;
    text.push(b'\n');
    Ok(text)
}

impl<T: Undoable> Replayed<T> {
    fn of(text: &[u8], boot: &str) -> Replayed<T> {
        let is_clean = text.is_empty() || text.ends_with(b"\n");
        let mut replayed: Replayed<T> =
            Replayed { open: Vec::new(), unread: Vec::new(), next: 0, is_clean };
        let mut lines = text.split(|it| *it == b'\n').peekable();
        while let Some(line) = lines.next() {
            // one that was cut short by a crash was not followed by its change
            let is_cut = lines.peek().is_none();
            replayed.add(line, is_cut);
        }
        let another = |it: &String| !it.is_empty() && !boot.is_empty() && it != boot;
        let before = replayed.open.len();
        replayed.open.retain(|(_, undo, of)| undo.survives_a_boot() || !another(of));
        replayed.is_clean &= replayed.open.len() == before && replayed.unread.is_empty();
        replayed
    }

    fn add(&mut self, line: &[u8], is_cut: bool) {
        match serde_json::from_slice::<Line<T>>(line) {
            Ok(Line::Promise(id, undo, boot)) => {
                self.next = self.next.max(id.saturating_add(1));
                match self.open.iter_mut().find(|it| it.0 == id) {
                    Some(earlier) => *earlier = (id, undo, boot),
                    None => self.open.push((id, undo, boot)),
                }
            }
            Ok(Line::Done(done)) => self.open.retain(|(id, ..)| *id != done),
            Err(_) if is_cut || line.is_empty() => {}
            Err(_) => {
                let id = serde_json::from_slice::<serde_json::Value>(line).ok();
                let id = id.and_then(|it| it.get("promise")?.get(0)?.as_u64());
                self.next = self.next.max(id.map_or(0, |it| it.saturating_add(1)));
                self.unread.push(line.to_vec());
            }
        }
    }
}

/// The notes in memory, below the directory of this user: where there are some, what belongs to them is, too.
pub const NOTES: &str = "fix/changes";

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Undo {
        Remove { path: PathBuf },
        Kill { pid: i32 },
        Knob { from: String },
    }

    impl Undoable for Undo {
        fn survives_a_boot(&self) -> bool {
            matches!(self, Undo::Remove { .. })
        }
    }

    /// A journal with this text, opened in boot `now`: what is open, and what it holds afterwards.
    fn opened(text: &str) -> (Vec<(u64, Undo)>, u64, Option<String>, String) {
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = dir.path().join("journal");
        std::fs::write(&path, text).unwrap();
        let Opened { journal, open, next } = Journal::open_in(path.clone(), "now".into()).unwrap();
        let word = journal.word_of_unread();
        drop(journal);
        (open, next, word, std::fs::read_to_string(path).unwrap())
    }

    fn remove(path: &str) -> Undo {
        Undo::Remove { path: path.into() }
    }

    fn kill(pid: i32) -> Undo {
        Undo::Kill { pid }
    }

    fn promise(id: u64, undo: &Undo, boot: &str) -> String {
        let text = line(&Line::Promise(id, undo.clone(), boot.into())).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn what_does_not_survive_a_boot_is_left_out_and_files_are_not() {
        let knob = |from: &str| Undo::Knob { from: from.into() };
        let text = [
            promise(0, &remove("/a"), "before"),
            promise(1, &kill(7), "before"),
            promise(2, &knob("0"), "before"),
            promise(3, &kill(8), "now"),
        ];
        let (open, next, word, after) = opened(&text.concat());
        assert_eq!(open, [(0, remove("/a")), (3, kill(8))]);
        assert_eq!((next, word), (4, None));
        assert_eq!(after, text[0].clone() + &text[3], "the file is still of its boot");
    }

    #[test]
    fn a_later_line_with_the_same_number_takes_its_place() {
        let text = [promise(0, &kill(7), "now"), promise(1, &kill(8), "now")];
        let (open, ..) = opened(&format!("{}{}", text.concat(), promise(0, &kill(9), "now")));
        assert_eq!(open, [(0, kill(9)), (1, kill(8))]);
    }

    #[test]
    fn a_journal_without_boots_is_one_of_this_boot() {
        let text = "{\"promise\":[5,{\"remove\":{\"path\":\"/a\"}}]}\n";
        let (open, next, _, after) = opened(text);
        assert_eq!((open, next), (vec![(5, remove("/a"))], 6));
        assert_eq!(after, text);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_kept_and_the_others_are_read() {
        let later = "{\"promise\":[9,{\"moon\":{\"phase\":1}},\"now\"]}\n";
        let text = format!(
            "{}{later}nonsense\n{}",
            promise(0, &remove("/a"), "now"),
            promise(1, &kill(7), "now"),
        );
        let (open, next, word, after) = opened(&text);
        assert_eq!(open, [(0, remove("/a")), (1, kill(7))]);
        assert_eq!(next, 10, "no other line gets its number");
        assert!(word.unwrap().starts_with("2 lines of `"));
        assert!(after.starts_with(&format!("{later}nonsense\n{{\"promise\":[0,")), "{after}");
        assert_eq!(opened(&after).3, after);
    }

    #[test]
    fn lines_that_cannot_be_read_outlive_the_changes() {
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = dir.path().join("journal");
        let text = [b"\xff\xfe nonsense\n".to_vec(), promise(0, &remove("/a"), "now").into_bytes()];
        std::fs::write(&path, text.concat()).unwrap();
        let Opened { mut journal, next, .. } =
            Journal::open_in::<Undo>(path.clone(), "now".into()).unwrap();
        journal.promise(next, &remove("/b")).unwrap();
        journal.done(next).unwrap();
        journal.done(0).unwrap();
        journal.forget();
        assert_eq!(std::fs::read(&path).unwrap(), text[0]);
        journal.promise(2, &remove("/c")).unwrap();
        let Opened { open, .. } = Journal::open_in(path, "now".into()).unwrap();
        assert_eq!(open, [(2, remove("/c"))]);
    }

    #[test]
    fn a_planted_journal_is_not_written_to() {
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        let (precious, path) = (dir.path().join("precious"), dir.path().join("journal"));
        std::fs::write(&precious, "nonsense\n").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        assert!(Journal::open_in::<Undo>(path.clone(), "now".into()).is_err());
        // and where only its successor was planted
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "nonsense\n").unwrap();
        std::os::unix::fs::symlink(&precious, path.with_extension("new")).unwrap();
        Journal::open_in::<Undo>(path, "now".into()).unwrap();
        assert_eq!(std::fs::read(precious).unwrap(), b"nonsense\n");
    }
}
