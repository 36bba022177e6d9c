//! JVMs to look at, and what they run.
use crate::{PATIENCE, jdk::Jdk, program};
use spawn::{Afterwards, Running};
use std::{
    fs,
    ops::{Deref, DerefMut},
    path::Path,
    process::Command,
};

/// Flags for many short collections: dozens in a second, with the program `Alloc`.
#[must_use]
pub fn busy(collector: &str) -> Vec<&str> {
    vec![
        collector,
        "-Xmx128m",
        "-Xms128m",
        "-Xmn32m",
        "-XX:ParallelGCThreads=2",
        "-XX:CICompilerCount=2",
    ]
}

/// The command of a JVM that is [`busy`] with the program `Alloc`.
#[must_use]
pub fn busy_command(jdk: &Jdk) -> Command {
    let mut command = jdk.java();
    command.args(busy("-XX:+UseG1GC")).arg(program("Alloc"));
    command
}

/// The socket, and the file that asks for one, of a JVM that is gone: in `/tmp`, and that file also
/// where the JVM ran. A JVM in a container has a `/tmp` of its own, that goes with it.
const FORGET: &str = r#"rm -f "/tmp/.java_pid$1" "/tmp/.attach_pid$1" "$2/.attach_pid$1""#;

/// The process of a JVM. It is killed when the value goes, or this process.
///
/// To attach to a JVM makes a socket, which a JVM that is killed cannot remove, and a JVM of another
/// user that gets its id later could not be attached to. So it is removed here.
#[derive(Debug)]
pub struct JvmProcess {
    // In this order: first it ends.
    child: Running,
    _forget: Afterwards,
}

impl JvmProcess {
    /// What becomes a JVM, or is one, in the directory of this process.
    #[must_use]
    #[track_caller]
    pub fn of(child: Running) -> JvmProcess {
        JvmProcess::in_directory(child, Path::new("."))
    }

    /// The same in another directory. Its own is not asked for: there are processes here that never
    /// answer.
    #[must_use]
    #[track_caller]
    pub fn in_directory(child: Running, directory: &Path) -> JvmProcess {
        let id = child.id().to_string();
        let directory = std::path::absolute(directory).unwrap();
        let forget = Afterwards::run(FORGET, [Path::new(&id), &directory], PATIENCE).unwrap();
        JvmProcess { child, _forget: forget }
    }
}

impl Deref for JvmProcess {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.child
    }
}

impl DerefMut for JvmProcess {
    fn deref_mut(&mut self) -> &mut Running {
        &mut self.child
    }
}

/// Starts what becomes or starts a JVM, and waits until that says that it is ready. What it says is
/// kept in memory. It is killed when the value goes.
#[must_use]
#[track_caller]
pub fn ready(command: Command) -> JvmProcess {
    let directory = command.get_current_dir().unwrap_or(Path::new(".")).to_owned();
    let mut child = JvmProcess::in_directory(Running::start_heard(command).unwrap(), &directory);
    child.says("ready", PATIENCE).unwrap();
    // A JVM of another user that was killed with this id may have left its socket, which only root
    // can remove. Nobody has attached to this one yet.
    let _ = fs::remove_file(format!("/tmp/.java_pid{}", child.id()));
    child
}

/// A JVM; killed when the value goes.
#[derive(Debug)]
pub struct Java {
    /// Its process.
    pub child: JvmProcess,
}

impl Java {
    /// Waits until it is [`ready`].
    #[must_use]
    #[track_caller]
    pub fn start_by(command: Command) -> Java {
        Java { child: ready(command) }
    }

    /// One that runs a [`program`] with these flags.
    #[must_use]
    #[track_caller]
    pub fn start(jdk: &Jdk, flags: &[&str], name: &str) -> Java {
        let mut command = jdk.java();
        command.args(flags).arg(program(name));
        Java::start_by(command)
    }

    /// One that collects dozens of times a second.
    #[must_use]
    #[track_caller]
    pub fn busy(jdk: &Jdk) -> Java {
        Java::start_by(busy_command(jdk))
    }

    /// Its process id, as an argument.
    #[must_use]
    pub fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Whether it has not ended.
    pub fn runs(&mut self) -> bool {
        self.child.ended().unwrap().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::net::UnixListener, path::PathBuf};

    #[test]
    fn of_a_jvm_that_is_killed_nothing_is_left_that_was_made_to_attach_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let mut command = spawn::command("sleep");
        command.arg("600").current_dir(directory.path());
        let mut jvm = JvmProcess::in_directory(Running::start(command).unwrap(), directory.path());
        let id = jvm.id();
        let of_attaching = [
            PathBuf::from(format!("/tmp/.java_pid{id}")),
            PathBuf::from(format!("/tmp/.attach_pid{id}")),
            directory.path().join(format!(".attach_pid{id}")),
        ];
        drop(UnixListener::bind(&of_attaching[0]).unwrap());
        of_attaching[1..].iter().for_each(|it| fs::write(it, "").unwrap());
        jvm.kill().unwrap();
        assert!(of_attaching.iter().all(|it| it.exists()), "whoever looks at it then finds it");
        drop(jvm);
        assert!(!of_attaching.iter().any(|it| it.exists()));
    }
}
