//! The host, prepared for as many runs as one wants.
use crate::{
    Cleanup, Collector, InUse, Interrupt, Isolation, Jdk, LabError, Output, Stage, Takes, WorkDir,
    announcement, control_group, fast_disk, guardian::Guardian, isolation, work_dir, workloads,
};
use std::path::{Path, PathBuf};

/// What all runs share. Fields are dropped in this order: the clean-up while signals are still
/// caught and the directory is still locked.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) cleanup: Cleanup,
    /// Ended after the clean-up, which it would do if this process were killed.
    _guardian: Guardian,
    pub(crate) isolation: Option<Isolation>,
    /// The same for those who record it.
    pub(crate) recorders: Option<Isolation>,
    pub(crate) interrupt: Interrupt,
    pub(crate) fast: PathBuf,
    pub(crate) classes: PathBuf,
    pub(crate) dir: WorkDir,
}

impl Bench {
    /// Prepares it, for runs that take and change this. Where others use the host nothing is done,
    /// unless it is to be done `anyway`.
    pub(crate) fn open(
        anyway: bool,
        takes: Vec<Takes>,
        output: &mut Output<'_>,
    ) -> Result<Bench, LabError> {
        let interrupt = Interrupt::listen()?;
        let dir = WorkDir::open_when_clean(&work_dir::default_path(), &interrupt)?;
        // before the clean-up, so that it ends after that also where this fails
        let guardian = Guardian::start(&dir)?;
        let (mut cleanup, leftovers) = Cleanup::open(&dir)?;
        for leftover in leftovers {
            drop(writeln!(output.messages, "removed what a killed run left: {leftover}"));
        }
        if let Some(word) = cleanup.word_of_unread() {
            drop(writeln!(output.messages, "{word}"));
        }
        // after that, as a JVM that a killed run has left is not another one's
        check_in_use(anyway, &interrupt, output)?;
        announce(&mut cleanup, takes, &dir, output);
        control_group::enable(&mut cleanup)?;
        let isolation = match Isolation::create(&mut cleanup) {
            Ok(isolation) => Some(isolation),
            Err(LabError::CannotRun(reason)) => {
                let consequence = "other work on this host may lengthen pauses";
                drop(writeln!(output.messages, "no CPU isolation ({reason}): {consequence}"));
                None
            }
            Err(e) => return Err(e),
        };
        let recorders = match isolation {
            Some(_) => Some(Isolation::for_recorders(&mut cleanup)?),
            None => None,
        };
        let fast = fast_disk::mount(&mut cleanup, &dir)?;
        let classes = fast.join("classes");
        workloads::unpack(&classes)?;
        Ok(Bench {
            cleanup,
            _guardian: guardian,
            isolation,
            recorders,
            interrupt,
            fast,
            classes,
            dir,
        })
    }

    /// The host for one run, with a directory in memory of its own.
    pub(crate) fn stage<'a>(
        &'a mut self,
        jdk: &'a Jdk,
        collector: Collector,
        fast: &'a Path,
    ) -> Stage<'a> {
        Stage {
            cleanup: &mut self.cleanup,
            interrupt: &self.interrupt,
            isolation: self.isolation.as_ref(),
            dir: &self.dir,
            classes: &self.classes,
            fast,
            jdk,
            collector,
        }
    }
}

/// Looks whether others use this host: an error, or a word to the user where it is to be done anyway.
fn check_in_use(
    anyway: bool,
    interrupt: &Interrupt,
    output: &mut Output<'_>,
) -> Result<(), LabError> {
    match InUse::detect(interrupt)? {
        Some(seen) if !anyway => Err(LabError::InUse(seen.to_string())),
        Some(seen) => {
            drop(writeln!(output.messages, "on a host that is in use: {seen}"));
            Ok(())
        }
        None => Ok(()),
    }
}

/// Says what will be taken and changed; from then on nothing else is.
fn announce(cleanup: &mut Cleanup, takes: Vec<Takes>, dir: &WorkDir, output: &mut Output<'_>) {
    let weight = isolation::can_run().is_ok().then_some(Takes::CpuWeight);
    let of_every_run = [Takes::Recordings].into_iter().chain(weight);
    let all: Vec<_> = of_every_run.chain(takes).chain(control_group::to_enable()).collect();
    let title = "until it ends, this run takes and changes on this host:";
    for line in std::iter::once(title.to_owned()).chain(announcement::lines(&all, dir.path())) {
        drop(writeln!(output.messages, "{line}"));
    }
    cleanup.announce(all);
}
