//! A directory in which a watch keeps recordings of single pauses: `DIR/JVM/NAME`, each of them a sealed
//! recording.
//!
//! What is decided by is in the names (`20261130T041233.512Z_1900ms_pause_gc-log-write-blocked`), so that nothing
//! is opened to list them or to choose which ones go.
mod shelf;
mod store;
#[cfg(test)]
mod tests;

use jiff::{Timestamp, tz::TimeZone};
pub use shelf::KeptLimits;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
pub use store::KeptStore;

/// What a kept recording was kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray)]
pub enum KeptKind {
    /// All Java threads were stopped.
    Pause,
    /// Threads stood while the JVM ran.
    Stall,
    /// A person asked for the last seconds.
    Asked,
}

impl KeptKind {
    /// How it is written in names and in JSON. Never changes once released.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            KeptKind::Pause => "pause",
            KeptKind::Stall => "stall",
            KeptKind::Asked => "asked",
        }
    }

    fn from_id(id: &str) -> Option<KeptKind> {
        <KeptKind as strum::VariantArray>::VARIANTS.iter().copied().find(|it| it.id() == id)
    }
}

/// A recording that is kept, or may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The JVM, as its directory is called.
    pub jvm: String,
    /// What for.
    pub kind: KeptKind,
    /// When the pause or stall began, to the millisecond; of one that was asked for, when that was.
    pub at: Timestamp,
    /// How long it was, to the millisecond; of one that was asked for, zero.
    pub length: Duration,
    /// Id of its first cause; `unexplained` where it has none.
    pub cause: String,
    /// Bytes that its files take on the disk.
    pub bytes: u64,
}

/// How the begin is written in a name, in UTC: digits that sort by time.
const SECOND: &str = "%Y%m%dT%H%M%S";
/// Longest id of a cause in a name.
const MOST_CAUSE: usize = 64;
/// Longest name of a JVM.
const MOST_JVM: usize = 80;

impl Kept {
    /// `20261130T041233.512Z_1900ms_pause_gc-log-write-blocked`
    #[must_use]
    pub fn name(&self) -> String {
        let at = self.at.to_zoned(TimeZone::UTC);
        let (second, ms) = (at.strftime(SECOND), at.millisecond());
        let (length, kind) = (self.length.as_millis(), self.kind.id());
        format!("{second}.{ms:03}Z_{length}ms_{kind}_{}", self.cause)
    }

    /// The one of that name and size; `None` where the name was given by something else.
    #[must_use]
    pub fn named(jvm: &str, name: &str, bytes: u64) -> Option<Kept> {
        let (at, rest) = name.split_once("Z_")?;
        let (second, ms) = at.split_once('.')?;
        let (length, rest) = rest.split_once("ms_")?;
        let (kind, cause) = rest.split_once('_')?;
        let is_id = |it: char| it.is_ascii_lowercase() || it == '-';
        if cause.is_empty() || cause.len() > MOST_CAUSE || !cause.chars().all(is_id) {
            return None;
        }
        let second = jiff::civil::DateTime::strptime(SECOND, second).ok()?;
        let second = second.to_zoned(TimeZone::UTC).ok()?.timestamp();
        let it = Kept {
            jvm: jvm.to_owned(),
            kind: KeptKind::from_id(kind)?,
            at: second.checked_add(Duration::from_millis(ms.parse().ok()?)).ok()?,
            length: Duration::from_millis(length.parse().ok()?),
            cause: cause.to_owned(),
            bytes,
        };
        // What is written in another form was not written here.
        (it.name() == name).then_some(it)
    }

    /// Where it is in a directory of kept ones.
    #[must_use]
    pub fn path(&self, directory: &Path) -> PathBuf {
        directory.join(&self.jvm).join(self.name())
    }
}

/// What the directory of a JVM is called: of its main class or jar what is harmless in a path, so that no JVM
/// chooses where something is written.
#[must_use]
pub fn directory_of(main: &str) -> String {
    let harmless = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
    let name: String = main.chars().map(|it| if harmless(it) { it } else { '_' }).collect();
    // A name that begins with a dot is none of a JVM here.
    let name = name.trim_start_matches(['.', '-']);
    match name.len() {
        0 => "jvm".to_owned(),
        // The end of a class's name says most.
        length => name[length.saturating_sub(MOST_JVM)..].trim_start_matches(['.', '-']).to_owned(),
    }
}

/// Whether a directory is one of a JVM.
fn is_of_jvm(name: &str) -> bool {
    directory_of(name) == name
}

/// All that are kept in a directory, or in that of one JVM in it, by time; `None` where there is none.
/// Opens no recording.
#[must_use]
pub fn kept_in(directory: &Path) -> Option<Vec<(PathBuf, Kept)>> {
    let mut all = store::list(directory);
    if all.is_empty()
        && let (Some(above), Some(name)) = (directory.parent(), directory.file_name())
    {
        // `kept/orders` alone has no parent that could be listed.
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        let jvm = name.to_string_lossy();
        all = store::of_jvm(above, &jvm).into_iter().map(|it| (it.path(above), it)).collect();
    }
    all.sort_by(|(_, a), (_, b)| (a.at, &a.jvm, a.length).cmp(&(b.at, &b.jvm, b.length)));
    (!all.is_empty()).then_some(all)
}
