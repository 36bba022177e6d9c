//! A directory for all tests of a program.
use crate::PATIENCE;
use spawn::Afterwards;
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const REMOVE: &str = "rm -rf --one-file-system \"$1\"";

/// A directory on a disk, where every user may read. It is for a `static`, whose value never goes: the
/// directory goes with the process.
#[derive(Debug)]
pub struct CommonDirectory {
    directory: tempfile::TempDir,
    _afterwards: Afterwards,
}

impl CommonDirectory {
    /// A new one, which is empty.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it makes something on a disk")]
    pub fn new() -> CommonDirectory {
        let mut named = tempfile::Builder::new();
        named.prefix("whypause-test-").permissions(fs::Permissions::from_mode(0o755));
        let directory = named.tempdir_in("/var/tmp").unwrap();
        let afterwards = Afterwards::run(REMOVE, [directory.path()], PATIENCE).unwrap();
        CommonDirectory { directory, _afterwards: afterwards }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::until;
    use std::{path::PathBuf, sync::LazyLock};

    /// Tells this program, started again, to write there where its directory is.
    const PART: &str = "TESTING_TEST_DIRECTORY";

    static COMMON: LazyLock<CommonDirectory> = LazyLock::new(CommonDirectory::new);

    #[test]
    fn what_a_static_had_made_stayed_when_the_tests_had_ended() {
        if let Some(answer) = std::env::var_os(PART) {
            fs::write(COMMON.path().join("file"), "").unwrap();
            fs::write(answer, COMMON.path().to_str().unwrap()).unwrap();
            return;
        }
        let answer = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let mut command = spawn::command(std::env::current_exe().unwrap());
        let test = "directory::tests::what_a_static_had_made_stayed_when_the_tests_had_ended";
        command.args(["--exact", test]).env(PART, &*answer);
        assert!(spawn::run(command, PATIENCE).unwrap().status.success());
        let made = PathBuf::from(fs::read_to_string(&answer).unwrap());
        assert!(made.starts_with("/var/tmp"), "{}", made.display());
        until("the directory is gone", || !made.exists());
    }
}
