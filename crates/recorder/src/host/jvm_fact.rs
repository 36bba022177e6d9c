//! Everything about the JVM in one row.
use super::{
    Roots, cgroup, collector,
    cpu_users::cpus_allowed,
    flags::{self, Given, Named},
    gc_log::{self, GcLogFile},
    jvm::Jvm,
    process::ProcessDir,
    version,
};
use recording::{JvmFact, masked_flag};

/// Threads whose names are read; the JVM's own come among the first.
const MAX_THREADS: usize = 16 * 1024;

/// Reads all there is to know about a JVM, but opens no argument file and no file of flags: what
/// stands in these is not reported. For lists of JVMs that the user did not choose.
///
/// Reads files of the JVM's file systems and its environment, with the JVM's rights: not for the
/// sampling thread. What cannot be read stays empty.
#[must_use]
pub fn jvm_fact(roots: &Roots, jvm: &Jvm) -> JvmFact {
    let dir = ProcessDir::open(roots, jvm.pid);
    let given = dir.as_ref().map(|dir| flags::read(dir, jvm, Named::Leave)).unwrap_or_default();
    let log = dir.ok().and_then(|dir| gc_log::find(&dir, &given.flags).found());
    with_flags(roots, jvm, log.as_ref(), given).0
}

/// The same of the JVM that is recorded: with the flags in files that it names, and with a GC log
/// that is known already. GC threads start when they are first needed, so a JVM that has just
/// started is worth a second look.
///
/// Also says what could hold more flags and could not be read.
pub(crate) fn jvm_fact_with_log(
    roots: &Roots,
    jvm: &Jvm,
    log: Option<&GcLogFile>,
) -> (JvmFact, Vec<String>) {
    let dir = ProcessDir::open(roots, jvm.pid);
    let given = dir.map(|dir| flags::read(&dir, jvm, Named::Read)).unwrap_or_default();
    with_flags(roots, jvm, log, given)
}

fn with_flags(
    roots: &Roots,
    jvm: &Jvm,
    log: Option<&GcLogFile>,
    given: Given,
) -> (JvmFact, Vec<String>) {
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
    let Ok(dir) = ProcessDir::open(roots, jvm.pid) else { return (fact, given.unread) };
    let version = version::read(&dir, jvm);
    let names = thread_names(&dir);
    fact.version = version.version;
    fact.vendor = version.vendor;
    fact.flags = given.flags;
    fact.collector = collector::collector(&fact.flags, &names).into();
    fact.gc_threads = collector::gc_threads(&fact.collector, &fact.flags, &names);
    fact.flags = fact.flags.iter().map(|it| masked_flag(it)).collect();
    fact.cgroup = cgroup::path_of(&dir, "cpu").map(|it| it.path).unwrap_or_default();
    fact.cpus_allowed = cpus_allowed(&dir);
    (fact, given.unread)
}

fn thread_names(dir: &ProcessDir) -> Vec<String> {
    let tids = dir.numbers("task").unwrap_or_default();
    let name = |tid: u32| dir.text(&format!("task/{tid}/comm"), 64).ok();
    tids.into_iter().take(MAX_THREADS).filter_map(name).map(|it| it.trim_end().to_owned()).collect()
}
