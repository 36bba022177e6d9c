//! A JDK that belongs to `nobody`, who may change its files at will while a JVM runs from them.
use recorder::{Jvm, Options, Roots, Session};
use recording::{Coverage, Source, SourceState};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use std::{
    fs,
    os::unix::{fs::PermissionsExt, fs::chown, process::CommandExt},
    path::PathBuf,
    sync::mpsc::channel,
    thread,
};
use tempfile::TempDir;
use testing::{Jdk, JvmProcess, NOBODY, PATIENCE, busy, program, ready};

/// A JVM of `nobody`, of its own JDK. It is killed when the test ends.
pub(crate) struct OwnJvm {
    pub(crate) child: JvmProcess,
    home: TempDir,
}

impl OwnJvm {
    /// Starts one that collects often; says why not where none can be recorded here.
    pub(crate) fn start() -> Option<OwnJvm> {
        let jdk = crate::common::all().into_iter().next()?;
        let home = tempfile::tempdir_in("/dev/shm").unwrap();
        let jdk = give(jdk.copy(home.path()));
        let source = home.path().join("Alloc.java");
        fs::copy(program("Alloc"), &source).unwrap();
        // Only its user may look in there.
        let private = home.path().join("private");
        fs::create_dir(&private).unwrap();
        chown(&private, Some(NOBODY), Some(NOBODY)).unwrap();
        fs::set_permissions(&private, fs::Permissions::from_mode(0o700)).unwrap();
        let mut command = jdk.java();
        command
            .args(busy("-XX:+UseSerialGC"))
            .arg(format!("-Xlog:gc,safepoint:file={}", private.join("gc.log").display()))
            .arg(&source)
            .current_dir(home.path())
            .uid(NOBODY)
            .gid(NOBODY);
        Some(OwnJvm { child: ready(command), home })
    }

    pub(crate) fn jvm(&self) -> Jvm {
        recorder::jvm(&Roots::default(), self.child.id()).unwrap()
    }

    /// Where its library was when it started.
    pub(crate) fn libjvm(&self) -> PathBuf {
        self.home.path().join(Jdk::LIBJVM)
    }
}

/// Gives its directories, and the files by which a home is recognized, to `nobody`.
fn give(jdk: Jdk) -> Jdk {
    let own = |part: &str| chown(jdk.home.join(part), Some(NOBODY), Some(NOBODY)).unwrap();
    Jdk::FILES.into_iter().for_each(own);
    for part in Jdk::DIRECTORIES.into_iter().chain([""]) {
        own(part);
        fs::set_permissions(jdk.home.join(part), fs::Permissions::from_mode(0o755)).unwrap();
    }
    jdk
}

/// What a recording of `jvm` covers. With fewer rights (the documented ones) it cannot go through the
/// JVM's mappings, and has the library's path alone.
pub(crate) fn recorded(jvm: &Jvm, with_fewer_rights: bool) -> Coverage {
    let (sent, reported) = channel();
    let jvm = jvm.clone();
    thread::spawn(move || {
        if with_fewer_rights {
            let mut sets = capabilities(None).unwrap();
            let through = CapabilitySet::SYS_ADMIN | CapabilitySet::CHECKPOINT_RESTORE;
            sets.effective.remove(through);
            set_capabilities(None, sets).unwrap();
        }
        let mut session = Session::attach(&jvm, Options::default()).unwrap();
        session.step();
        let _ = sent.send(session.finish().coverage.unwrap());
    });
    // Nothing that nobody does may hold it up, however busy the machine is.
    reported.recv_timeout(PATIENCE).expect("the recorder hangs")
}

/// Whether the begin and end of stops are seen, or why not.
pub(crate) fn windows(coverage: &Coverage) -> Result<(), &str> {
    if coverage.has(Source::SafepointProbes) || coverage.has(Source::SafepointSymbols) {
        return Ok(());
    }
    match coverage.sources.get(&Source::SafepointProbes) {
        Some(SourceState::Missing(why)) => Err(why),
        _ => Err("nothing is said"),
    }
}
