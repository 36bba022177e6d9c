//! What there is to know of a JVM and its host at one moment, without recording anything: what a hazard is to
//! know is read here.
//!
//! [`survey`] reads what does not change by the second. [`surveys`] looks at several JVMs twice, and so
//! also tells how busy their disks are, who writes, and whether their quotas are used up meanwhile. The
//! time between the two looks is waited for once, however many JVMs there are.
mod crew;
mod log;
mod mapped;
mod settings;

use super::{
    Roots,
    cgroup_limits::Limits,
    clocks,
    counters::Counters,
    files::{Catalogue, Wanted},
    flags::{self, Named},
    gc_log::{self, Search, standard_streams},
    host_facts::host_fact,
    jvm::Jvm,
    jvm_fact::jvm_fact_with_log,
    memory,
    outbox::Outbox,
    outputs::Outputs,
    process::{MAY_NOT_LIST_FILES, ProcessDir},
    writers::Writers,
};
use mapped::Mapped;
use recording::{Coverage, DeletedFile, Facts, HostSettings, Survey};
pub use settings::chosen;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Rows about the readers of the JVM's standard output; there are a few.
const OUTBOX_BYTES: usize = 256 * 1024;

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

/// The same of each of these JVMs, with its mapped files, where its standard streams lead, settings of
/// its memory and of the host, and what changes within `time`. `None` where the files that a JVM names did
/// not answer within two seconds.
///
/// What a JVM keeps locked is left out, and named in [`Survey::unseen`]. Reads files as [`survey`] does:
/// not for the sampling thread. Takes `time` and a few milliseconds for each JVM.
#[must_use]
pub fn surveys(roots: &Roots, jvms: &[Jvm], time: Duration) -> Vec<Option<Survey>> {
    let host = settings::host(roots);
    let mut inspected = crew::inspect(roots, jvms);
    let mut writers = Writers::new(roots);
    writers.scan(clocks::now());
    inspected.iter_mut().flatten().for_each(Inspection::sample);
    std::thread::sleep(time);
    inspected.iter_mut().flatten().for_each(Inspection::sample);
    let written = writers.scan(clocks::now());
    let finish = |inspected: Option<Inspection>| {
        let mut survey = inspected?.finish(roots);
        survey.host.clone_from(&host);
        survey.facts.writers.clone_from(&written);
        if writers.unreadable.count > 0 {
            let processes =
                if writers.unreadable.count == 1 { "process writes" } else { "processes write" };
            survey.unseen.push(format!(
                "what {} other {processes}, which could not be read",
                writers.unreadable.count
            ));
        }
        Some(survey)
    };
    inspected.into_iter().map(finish).collect()
}

/// Settings of the host alone, whether a JVM runs there or not. What cannot be read stays empty.
#[must_use]
pub fn host_settings(roots: &Roots) -> HostSettings {
    settings::host(roots)
}

/// A JVM that was looked at once.
struct Inspection {
    pid: u32,
    survey: Survey,
    limits: Limits,
    counters: Counters,
    devices: BTreeSet<String>,
}

impl Inspection {
    fn at(roots: &Roots, jvm: &Jvm) -> Inspection {
        let mut inspected = Inspection {
            pid: jvm.pid,
            survey: Survey::default(),
            limits: Limits::default(),
            counters: Counters::open(roots, jvm.pid),
            devices: BTreeSet::new(),
        };
        inspected.survey.facts.cgroup = inspected.limits.read(roots, jvm.pid);
        inspected.survey.facts.host = Some(host_fact(roots));
        match ProcessDir::open(roots, jvm.pid) {
            Ok(dir) => inspected.read(roots, jvm, &dir),
            Err(error) => inspected.survey.unseen.push(format!("the process: {error}")),
        }
        inspected.counters.watch_disks(&inspected.devices);
        inspected
    }

    fn read(&mut self, roots: &Roots, jvm: &Jvm, dir: &ProcessDir) {
        let given = flags::read(dir, jvm, Named::Read);
        let search = gc_log::find(dir, &given.flags);
        if let Search::Denied(_) = search {
            self.survey.unseen.push(format!("the GC log: {MAY_NOT_LIST_FILES}"));
        }
        let log = search.found();
        let (fact, unread) = jvm_fact_with_log(roots, jvm, log.as_ref());
        self.survey.facts.jvm = Some(fact);
        self.survey.unseen.extend(unread.into_iter().map(|it| format!("flags in {it}")));
        match &log {
            None => self.read_streams(roots, jvm, &standard_streams(&given.flags)),
            Some(log) => match log::lines(roots, jvm.pid, log.fd) {
                Some(lines) => self.survey.facts.log_lines = lines,
                None => self.survey.unseen.push("what the GC log says: it cannot be read".into()),
            },
        }
        if let Ok(mut catalogue) = Catalogue::new(roots, jvm.pid) {
            let open = log.and_then(|it| catalogue.want(Wanted::Open(it.key, it.path)));
            self.survey.facts.files.extend(open);
            self.read_mappings(jvm, dir, &mut catalogue);
            self.devices.clone_from(catalogue.devices());
        }
        let (memory, locked_bytes) = memory::of(roots, dir, clocks::now());
        self.survey.facts.memory.extend(memory);
        self.survey.memory = settings::memory(roots, dir, locked_bytes);
    }

    /// Where the log goes that is no file, and who can read it.
    fn read_streams(&mut self, roots: &Roots, jvm: &Jvm, gc_log: &[u32]) {
        if gc_log.is_empty() {
            return;
        }
        let outbox = Outbox::new(OUTBOX_BYTES);
        Outputs::new(roots, jvm, gc_log, &outbox).round();
        outbox.take(&mut self.survey.facts, &mut Coverage::default());
        // What was reported of a stream before its readers were searched is reported again after it.
        let outputs = std::mem::take(&mut self.survey.facts.outputs);
        let last: BTreeMap<u32, _> = outputs.into_iter().map(|it| (it.fd, it)).collect();
        self.survey.facts.outputs = last.into_values().collect();
    }

    fn read_mappings(&mut self, jvm: &Jvm, dir: &ProcessDir, catalogue: &mut Catalogue) {
        let mut found = Mapped::default();
        match found.read(dir) {
            Ok(()) => self.survey.mappings_read = true,
            Err(error) => self.survey.unseen.push(format!("its mapped files: {error}")),
        }
        let counters = found.counters.iter().map(|it| catalogue.mapped(it));
        self.survey.facts.files.extend(counters);
        for (file, mapped_bytes) in found.deleted(&jvm.java_home) {
            if let Some(fact) = catalogue.mapped_on_disk(file) {
                self.survey.deleted.push(DeletedFile { key: fact.key, mapped_bytes });
                self.survey.facts.files.push(fact);
            }
        }
    }

    /// By now it may be another group that is throttled.
    fn finish(mut self, roots: &Roots) -> Survey {
        let cgroup = self.limits.read(roots, self.pid);
        self.survey.facts.cgroup = cgroup.or(self.survey.facts.cgroup);
        self.survey
    }

    fn sample(&mut self) {
        let samples = self.counters.sample(clocks::now());
        self.survey.facts.samples.extend(samples);
    }
}
