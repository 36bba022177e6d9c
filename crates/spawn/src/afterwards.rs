//! What is done when this process is gone, however it went.
use crate::{Error, Running};
use std::{ffi::OsStr, process::Stdio, time::Duration};

/// A shell that waits in a session of its own for the end of this value, or of this process, and runs
/// a script then. It holds the end of a pipe, and nothing else of ours.
///
/// It is for what the kernel does not undo with a process: a frozen file system, a mount, a group.
/// Make it before what it is to undo; a script that finds nothing to undo must do no harm.
#[derive(Debug)]
pub struct Afterwards {
    shell: Running,
    patience: Duration,
}

impl Afterwards {
    /// Has `script` run with these arguments, the first of which is `$1`. When the value goes, the
    /// script is waited for, `patience` at most.
    ///
    /// # Errors
    /// [`Error::Start`].
    pub fn run<A: AsRef<OsStr>>(
        script: &str,
        arguments: impl IntoIterator<Item = A>,
        patience: Duration,
    ) -> Result<Afterwards, Error> {
        let mut command = crate::command("sh");
        // reads until the pipe has no other end any more
        command.arg("-c").arg(format!("cat; {script}")).arg("sh").args(arguments);
        command.stdin(Stdio::piped()).current_dir("/");
        Ok(Afterwards { shell: Running::start_outliving(command)?, patience })
    }
}

impl Drop for Afterwards {
    fn drop(&mut self) {
        drop(self.shell.stdin());
        // one that takes longer goes on by itself
        let _ = self.shell.ends_within(self.patience);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{path::Path, time::Instant};

    const PATIENCE: Duration = Duration::from_secs(60);
    /// The file that this test program, started again, is to have removed when it is killed.
    const PART: &str = "SPAWN_TEST_AFTERWARDS";

    fn remove(file: &Path) -> Afterwards {
        Afterwards::run("rm \"$1\"", [file], PATIENCE).unwrap()
    }

    #[test]
    fn it_is_done_when_the_value_goes_and_not_before() {
        let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let afterwards = remove(&file);
        assert!(file.exists());
        drop(afterwards);
        assert!(!file.exists());
    }

    #[test]
    fn it_is_done_when_the_process_is_killed() {
        if let Some(file) = std::env::var_os(PART) {
            let _afterwards = remove(Path::new(&file));
            println!("waiting");
            loop {
                std::thread::park();
            }
        }
        let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let mut command = crate::command(std::env::current_exe().unwrap());
        let test = "afterwards::tests::it_is_done_when_the_process_is_killed";
        command.args(["--exact", "--nocapture", test]).env(PART, &*file);
        let mut part = Running::start_heard(command).unwrap();
        part.says("waiting", PATIENCE).unwrap();
        assert!(file.exists());
        part.kill().unwrap();
        let until = Instant::now() + PATIENCE;
        while file.exists() {
            assert!(Instant::now() < until, "it is not done");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
