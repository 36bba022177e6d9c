//! What there is to know of a JVM and its host at one moment, without recording anything.
use super::{
    Roots,
    cgroup_limits::Limits,
    files::{Catalogue, Wanted},
    flags::{self, Named},
    gc_log,
    host_facts::host_fact,
    jvm_fact::jvm_fact_with_log,
    jvms::Jvm,
    process::ProcessDir,
};
use recording::Facts;

/// The JVM, with flags in files that it names, its GC log, its host and its limits: the facts that a
/// recording begins with.
///
/// Reads files of the JVM's file systems with the JVM's rights: not for the sampling thread. What
/// cannot be read stays empty.
#[must_use]
pub fn survey(roots: &Roots, jvm: &Jvm) -> Facts {
    let log = ProcessDir::open(roots, jvm.pid).ok().and_then(|dir| {
        let given = flags::read(&dir, jvm, Named::Read);
        gc_log::find(&dir, &given.flags).found()
    });
    let mut facts = Facts {
        jvm: Some(jvm_fact_with_log(roots, jvm, log.as_ref()).0),
        host: Some(host_fact(roots)),
        cgroup: Limits::default().read(roots, jvm.pid),
        ..Facts::default()
    };
    if let (Some(log), Ok(mut catalogue)) = (log, Catalogue::new(roots, jvm.pid)) {
        facts.files.extend(catalogue.want(Wanted::Open(log.key, log.path)));
    }
    facts
}
