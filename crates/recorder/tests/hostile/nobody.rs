//! Processes of an untrusted user.
use recorder::{Jvm, Roots};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::Command,
};
use testing::{Jdk, JvmProcess, NOBODY, is_root, until};

/// Whether one can be started, with a JDK to choose from; otherwise prints `SKIPPED`.
pub(crate) fn jdk() -> Option<Jdk> {
    if is_root() {
        return Jdk::any();
    }
    println!("SKIPPED: not root");
    None
}

/// A directory in memory that belongs to `nobody`.
pub(crate) fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir_in("/dev/shm").unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    chown(home.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    home
}

/// A file that only root may read.
pub(crate) fn secret(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    chown(path, Some(0), Some(0)).unwrap();
}

/// A command that runs as `nobody`, with no group of root's, in this directory.
pub(crate) fn command(program: &Path, directory: &Path) -> Command {
    let mut command = spawn::command("setpriv");
    // The kernel forgets with the user that it is to end with the test.
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--pdeathsig", "KILL"]);
    command.arg(program).current_dir(directory);
    command
}

/// A JVM of `nobody` that sleeps until the value goes.
pub(crate) struct Sleeper(JvmProcess);

impl Sleeper {
    /// Waits until it can be found and sleeps.
    pub(crate) fn start(mut command: Command, directory: &Path) -> Sleeper {
        let ready = directory.join("ready");
        let text = "public class Sleep { public static void main(String[] a) throws Exception {
            new java.io.File(a[0]).createNewFile(); Thread.sleep(600_000); } }";
        fs::write(directory.join("Sleep.java"), text).unwrap();
        command.arg("Sleep.java").arg(&ready);
        let mut sleeper = Sleeper(JvmProcess::of(spawn::Running::start(command).unwrap()));
        until("the JVM sleeps", || {
            assert!(sleeper.0.ended().unwrap().is_none(), "the JVM ended");
            ready.exists()
        });
        sleeper
    }

    /// As it is found in a list of all, in which no file that it names is opened.
    pub(crate) fn listed(&self) -> Jvm {
        let mut jvms = recorder::find_jvms(&Roots::default()).jvms.into_iter();
        jvms.find(|it| it.pid == self.0.id()).unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}
