//! Files that a JVM names, for root to read.
use crate::nobody::{self, Sleeper};
use recorder::{HostSources, Jvm, Roots};
use recording::{Coverage, Facts};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};
use testing::{runs, until};

/// In a file that only root may read; each word would be kept, of whatever kind the file is taken for.
const SECRET: &str = "-Xhunter2 -XX:+Hunter2 Hunter2\n+Hunter2\n";
const MARK: &str = "unter2";

/// A JVM of `nobody` that names a file in every way that there is, each of which could be read when
/// it started.
struct Named {
    home: tempfile::TempDir,
    jvm: Sleeper,
}

const FILES: [&str; 5] = ["args", "more", "launcher", "flags", "options"];

impl Named {
    fn start() -> Option<Named> {
        let jdk = nobody::jdk()?;
        let home = nobody::home();
        for (name, text) in [
            ("args", "-Xshare:auto -Xmx32m\n"),
            ("more", "-Xss1m\n"),
            ("launcher", "-Xms8m\n"),
            ("flags", "+UseSerialGC\n"),
            ("options", "-XX:MaxMetaspaceSize=64m\n"),
        ] {
            fs::write(home.path().join(name), text).unwrap();
        }
        let mut command = nobody::command(&jdk.tool("java"), home.path());
        command.env("JDK_JAVA_OPTIONS", "@launcher");
        command.args(["@args", "-XX:Flags=flags", "-XX:VMOptionsFile=options", "@more"]);
        let jvm = Sleeper::start(command, home.path());
        Some(Named { home, jvm })
    }

    /// Makes all that it names something else.
    fn replace(&self, with: impl Fn(&Path)) {
        for name in FILES {
            let path = self.home.path().join(name);
            fs::remove_file(&path).unwrap();
            with(&path);
        }
    }

    /// The whole output of `whypause ps` and `whypause record` about it.
    fn reported(&self) -> String {
        let roots = Roots::default();
        let listed = self.jvm.listed();
        let fact = recorder::jvm_fact(&roots, &listed);
        let chosen = recorder::jvm(&roots, self.jvm.pid()).unwrap();
        let by_name = recorder::select(&roots, Some(MARK), &recorder::Anybodys);
        assert!(!by_name.is_ok_and(|it| it.jvm.pid == self.jvm.pid()), "selected by a secret");
        format!("{listed:?} {fact:?} {chosen:?} {:?}", recorded(&chosen))
    }

    /// Nothing of a file that it may not read is reported, and its own words still are. The files that
    /// could be waited for never get a writer.
    #[track_caller]
    fn check(&self) {
        let reported = self.reported();
        assert!(!reported.contains(MARK), "{reported}");
        assert!(reported.contains("-XX:VMOptionsFile=options"), "{reported}");
        assert!(
            reported.contains("that may hold flags of the JVM could not be read"),
            "{reported}"
        );
    }
}

/// What is read outside the kernel's tracing.
fn recorded(jvm: &Jvm) -> (Facts, Coverage) {
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    let mut sources = HostSources::start(&Roots::default(), jvm);
    until("the JVM is described", || {
        sources.take(&mut facts, &mut coverage);
        facts.jvm.is_some()
    });
    sources.stop(&mut facts, &mut coverage);
    (facts, coverage)
}

#[test]
fn files_that_a_jvm_names_are_read_as_long_as_it_may_read_them_itself() {
    let Some(named) = Named::start() else { return };
    let listed = named.jvm.listed();
    assert_eq!(listed.main, "@args Sleep.java");
    let roots = Roots::default();
    let fact = recorder::jvm_fact(&roots, &listed);
    assert_eq!(fact.flags, ["-XX:Flags=flags", "-XX:VMOptionsFile=options"], "none is opened");
    let chosen = recorder::jvm(&roots, named.jvm.pid()).unwrap();
    assert_eq!(chosen.main, "Sleep.java");
    let flags = recorded(&chosen).0.jvm.unwrap().flags;
    for flag in ["-Xmx32m", "-Xss1m", "-Xms8m", "-XX:+UseSerialGC", "-XX:MaxMetaspaceSize=64m"] {
        assert!(flags.iter().any(|it| it == flag), "{flag} in {flags:?}");
    }
}

#[test]
fn a_file_of_root_behind_a_link_is_neither_listed_nor_recorded() {
    let Some(named) = Named::start() else { return };
    let vault = tempfile::tempdir().unwrap();
    fs::set_permissions(vault.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let secret = vault.path().join("secret");
    nobody::secret(&secret, SECRET);
    named.replace(|path| symlink(&secret, path).unwrap());
    named.check();
    // The very file of the report.
    named.replace(|path| symlink("/etc/shadow", path).unwrap());
    let shadow = fs::read_to_string("/etc/shadow").unwrap_or_default();
    let reported = named.reported();
    for hash in shadow.lines().filter_map(|it| it.split(':').nth(1)).filter(|it| it.len() > 8) {
        assert!(!reported.contains(hash));
    }
    for line in shadow.lines().filter(|it| it.len() > 8) {
        assert!(!reported.contains(line), "{line}");
    }
}

#[test]
fn fifos_devices_loops_and_files_without_an_end_are_not_waited_for() {
    let Some(named) = Named::start() else { return };
    named.replace(|path| {
        assert!(runs("mkfifo", [&path]));
    });
    named.check();
    named.replace(|path| symlink("/dev/zero", path).unwrap());
    named.check();
    named.replace(|path| symlink(path, path).unwrap());
    named.check();
    named.replace(|path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap());
    named.check();
    named.replace(|path| fs::create_dir(path).unwrap());
    named.check();
}

#[test]
fn procfs_of_the_recorder_is_not_taken_for_a_file_of_the_jvm() {
    let Some(named) = Named::start() else { return };
    for file in ["/proc/self/environ", "/proc/self/maps", "/proc/self/cmdline"] {
        named.replace(|path| symlink(file, path).unwrap());
        named.check();
    }
}
