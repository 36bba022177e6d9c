//! Everything about the JVM in one row.
use super::{
    Roots, cgroup, collector, flags,
    gc_log::{self, GcLogFile},
    jvms::Jvm,
    process::ProcessDir,
    version,
};
use recording::JvmFact;

/// Threads whose names are read; the JVM's own come among the first.
const MAX_THREADS: usize = 16 * 1024;

/// Reads all there is to know about a JVM.
///
/// Reads files of the JVM's file systems and its environment: not for the sampling thread. What
/// cannot be read stays empty. GC threads start when they are first needed, so a JVM that has just
/// started is worth a second look.
#[must_use]
pub fn jvm_fact(roots: &Roots, jvm: &Jvm) -> JvmFact {
    let log = ProcessDir::open(roots, jvm.pid)
        .ok()
        .and_then(|dir| gc_log::find(&dir, &flags::read(&dir, jvm)).found());
    jvm_fact_with_log(roots, jvm, log.as_ref())
}

/// The same with a GC log that is known already.
pub(crate) fn jvm_fact_with_log(roots: &Roots, jvm: &Jvm, log: Option<&GcLogFile>) -> JvmFact {
    let mut fact = JvmFact {
        pid: jvm.pid,
        pid_in_namespace: jvm.pid_in_namespace,
        uid: jvm.uid,
        main: jvm.main.clone(),
        command_line: jvm.command_line.clone(),
        libjvm: jvm.libjvm.clone(),
        gc_log: log.map(|it| it.path.clone()).unwrap_or_default(),
        gc_log_file: log.map(|it| it.key),
        started: jvm.started,
        ..JvmFact::default()
    };
    let Ok(dir) = ProcessDir::open(roots, jvm.pid) else { return fact };
    let version = version::read(&dir, jvm);
    let names = thread_names(&dir);
    fact.version = version.version;
    fact.vendor = version.vendor;
    fact.flags = flags::read(&dir, jvm);
    fact.collector = collector::collector(&fact.flags, &names).into();
    fact.gc_threads = collector::gc_threads(&fact.collector, &fact.flags, &names);
    fact.cgroup = cgroup::place(&dir, "cpu").map(|it| it.path).unwrap_or_default();
    fact
}

fn thread_names(dir: &ProcessDir) -> Vec<String> {
    let tids = dir.numbers("task").unwrap_or_default();
    let name = |tid: u32| dir.text(&format!("task/{tid}/comm"), 64).ok();
    tids.into_iter().take(MAX_THREADS).filter_map(name).map(|it| it.trim_end().to_owned()).collect()
}
