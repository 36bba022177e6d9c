//! What a remedy is fitted to: the JVM, its host, and who writes.
use super::{refused, verify::Temporary};
use crate::{Failure, args::FixArgs, console::Console, interrupt::Interrupt, target};
use diagnose::{Diagnosis, Situation, what_if::CpuLimits};
use recorder::{HostSources, Jvm, Roots};
use recording::{Coverage, Facts, WriterFact};
use remedy::{Plan, Remedy, Target, Wishes};
use std::time::Duration;

/// How long writers are observed: a process that fills a file and then syncs it is seen only at the begin.
const WATCH_TIME: Duration = Duration::from_secs(10);

/// What was found.
pub(super) struct Found {
    jvm: Option<Jvm>,
    situation: Situation,
    facts: Facts,
    writers: Vec<WriterFact>,
    diagnosis: Option<Diagnosis>,
}

impl Found {
    /// Looks at the JVM that was named; for a remedy that is about no JVM, at none.
    pub(super) fn collect(
        args: &FixArgs,
        remedy: &Remedy,
        console: &Console,
    ) -> Result<Found, Failure> {
        let is_named = args.jvm.is_given();
        if !is_named && !args.paths.is_empty() {
            let (situation, facts) = (Situation::default(), Facts::default());
            return Ok(Found { jvm: None, situation, facts, writers: Vec::new(), diagnosis: None });
        }
        let jvm = target::running(&args.jvm, |it| console.say(it))?;
        let roots = Roots::default();
        let facts = recorder::survey(&roots, &jvm);
        let situation = Situation::of_facts(&facts);
        let writers = match remedy.id {
            // Who is named need not be looked for.
            "background-io" if args.process.is_none() && args.unit.is_none() => {
                writers(&roots, &jvm, console)
            }
            _ => Vec::new(),
        };
        Ok(Found { jvm: Some(jvm), situation, facts, writers, diagnosis: None })
    }

    /// The same, with what a recording of the JVM showed.
    pub(super) fn diagnosed(self, diagnosis: Diagnosis) -> Found {
        Found { diagnosis: Some(diagnosis), ..self }
    }

    /// The JVM, and what is known of it and its host.
    pub(super) fn jvm(&self) -> Option<(&Jvm, &Situation)> {
        self.jvm.as_ref().map(|it| (it, &self.situation))
    }

    /// `kafka.Kafka (pid 4242)`; empty where it is about no JVM.
    pub(super) fn whom(&self) -> String {
        self.jvm.as_ref().map_or_else(String::new, |it| format!("{} (pid {})", it.main, it.pid))
    }

    pub(super) fn plan(
        &self,
        remedy: &Remedy,
        args: &FixArgs,
        interrupt: &Interrupt,
    ) -> Result<Plan, Failure> {
        self.plan_with(remedy, args, None, interrupt)
    }

    /// The same with limits of CPU time that were chosen.
    pub(super) fn plan_with(
        &self,
        remedy: &Remedy,
        args: &FixArgs,
        cpu_limits: Option<CpuLimits>,
        interrupt: &Interrupt,
    ) -> Result<Plan, Failure> {
        let wishes = Wishes {
            process: args.process,
            unit: args.unit.clone(),
            bytes_per_second: args.limit,
            paths: args.paths.clone(),
            period: args.period,
            footprint_bytes: args.footprint,
            cpu_limits,
            group_limit_bytes: args.group_limit,
            hard: args.hard,
        };
        let target = Target {
            situation: &self.situation,
            diagnosis: self.diagnosis.as_ref(),
            jvm: self.jvm.as_ref(),
            log: self.facts.files.first(),
            writers: &self.writers,
            wishes: &wishes,
            roots: &Roots::default(),
            interrupt: interrupt.flag(),
        };
        remedy.plan(&target).map_err(refused)
    }

    /// The recording to compare with, where that is wanted.
    pub(super) fn before(
        &self,
        args: &FixArgs,
        interrupt: &Interrupt,
        console: &Console,
    ) -> Result<Option<(u32, Temporary)>, Failure> {
        match (args.verify, &self.jvm) {
            (Some(time), Some(jvm)) => {
                console.say(&format!("before: recording for {}", report::duration(time)));
                Ok(Some((jvm.pid, Temporary::record(jvm.pid, time, interrupt, console)?)))
            }
            (Some(_), None) => Err(Failure::input(
                "no JVM whose pauses could be compared",
                "name one with -p, or leave --verify out",
            )),
            (None, _) => Ok(None),
        }
    }
}

/// Who writes, for some seconds.
fn writers(roots: &Roots, jvm: &Jvm, console: &Console) -> Vec<WriterFact> {
    console.say(&format!("watching which processes write, for {}", report::duration(WATCH_TIME)));
    let mut sources = HostSources::start_writers(roots, jvm);
    let (mut facts, mut coverage) = (Facts::default(), Coverage::default());
    std::thread::sleep(WATCH_TIME);
    sources.take(&mut facts, &mut coverage);
    sources.stop(&mut facts, &mut coverage);
    facts.writers
}
