//! The control group whose quota of CPU time is used up.
use crate::{Culprit, CulpritKind, cause::os_evidence, facts::index::Index, text};

/// The control group whose CPU quota binds.
pub(crate) fn cgroup_quota(index: &Index<'_>) -> Option<Culprit> {
    let cgroup = os_evidence::cgroup(index)?;
    let quota = text::duration(cgroup.cpu_quota?);
    let period = text::duration(cgroup.cpu_period);
    let cpus = text::cpus(cgroup.milli_cpus()?);
    let name = if cgroup.cpu_path.is_empty() { "the group" } else { cgroup.cpu_path.as_str() };
    let threads = match index.jvm.map_or(0, |jvm| jvm.gc_threads) {
        0 => String::new(),
        1 => " and the JVM has 1 GC thread".into(),
        threads => format!(" and the JVM has {threads} GC threads"),
    };
    Some(Culprit {
        kind: CulpritKind::Cgroup,
        name: name.into(),
        pid: None,
        statement: format!("{name} may use {quota} of CPU time every {period} ({cpus}){threads}"),
    })
}
