//! What a remedy is.
use crate::{Action, Advice, Command, Plan, Refusal, Target};
use diagnose::{Cause, Diagnosis, Finding, Situation};

/// What a remedy would change here, or why nothing.
pub(crate) type MakePlan = fn(&Target<'_>) -> Result<Plan, Refusal>;

/// One way to end or shorten a kind of pause. One file under `remedies/` each.
pub struct Remedy {
    /// Its name in text, JSON, pages and commands. Never reused.
    pub id: &'static str,
    /// What it does, for people, as a heading.
    pub title: &'static str,
    /// What it does and what that costs, one sentence: it stands on the pages of its causes.
    pub summary: &'static str,
    /// The leading `//!` lines of the remedy's file.
    pub(crate) page: &'static str,
    /// What it comes to for one finding in one situation; nothing where it is no use there.
    pub(crate) advise: fn(&Situation, &Finding) -> Vec<Advice>,
    /// What it would change here; `None` where it cannot be applied by a program.
    pub(crate) plan: Option<MakePlan>,
    /// What `whypause fix` does for it beside a plan.
    pub works: Works,
    /// Whether `whypause fix` takes files for it, whose names may be numbers.
    pub takes_files: bool,
}

/// What `whypause fix` does for a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Works {
    /// It makes a plan of what the JVM and the host are now.
    Plan,
    /// It records first, and lets the recording run again under other limits of CPU time.
    WhatIf,
    /// It diagnoses first: the flags come from all findings, see [`flag_line`](crate::flag_line).
    Diagnosis,
    /// It tunes huge pages until stopped: [`tuner`](crate::tuner).
    Tuner,
    /// It goes on, and copies a log.
    Keeper,
}

impl Remedy {
    /// What a remedy is that says nothing else: only what most do without may be left to it.
    pub(crate) const BASE: Remedy = Remedy {
        id: "",
        title: "",
        summary: "",
        page: "",
        advise: |_, _| Vec::new(),
        plan: None,
        works: Works::Plan,
        takes_files: false,
    };

    /// What it comes to for one finding in one situation.
    pub(crate) fn advice(&self, situation: &Situation, finding: &Finding) -> Vec<Advice> {
        let mut advice = (self.advise)(situation, finding);
        if situation.is_native_image() {
            advice.retain(|it| is_of_native_image(&it.action));
        }
        let pid = situation.jvm.as_ref().map_or(0, |it| it.pid);
        for it in &mut advice {
            it.remedy = self.id;
            let is_ours = it.action.commands().iter().any(|it| it.argv()[0] == "whypause");
            let by_start = !it.action.jvm_flags().is_empty() || is_ours;
            if !by_start && self.can_be_applied() && pid != 0 {
                let fix = Command::new("whypause").args(["fix", self.id, "-p"]);
                it.apply = Some(fix.arg(pid.to_string()).arg("--apply"));
            }
        }
        advice
    }

    /// Whether a program can do it.
    #[must_use]
    pub fn can_be_applied(&self) -> bool {
        self.plan.is_some()
    }

    /// What it would change on this JVM and host. Changes nothing.
    ///
    /// # Errors
    /// Where it cannot be applied here, or is applied already.
    pub fn plan(&self, target: &Target<'_>) -> Result<Plan, Refusal> {
        match self.plan {
            Some(plan) => plan(target),
            None => Err(Refusal::new(
                format!("`{}` cannot be applied by a program", self.id),
                "`whypause explain` of a recording says what to do",
            )),
        }
    }

    /// The flags that it has this JVM start with the next time, by what was found of it or else by
    /// what is known of the JVM; empty where it is about no flags.
    #[must_use]
    pub fn start_flags(&self, diagnosis: &Diagnosis) -> Vec<String> {
        if self.works == Works::Diagnosis {
            return crate::flag_line(diagnosis).words();
        }
        let names_it = |cause: &Cause| cause.remedies.contains(&self.id);
        let found = diagnosis.findings.iter().find(|it| names_it(it.cause)).cloned();
        let finding = found.or_else(|| {
            let cause = diagnose::causes().iter().find(|it| names_it(it));
            cause.map(|it| Finding::of_cause(it))
        });
        let Some(finding) = finding else { return Vec::new() };
        let advice = self.advice(&diagnosis.situation, &finding);
        let flags = advice.iter().filter(|it| it.replaces.is_empty());
        flags.flat_map(|it| it.action.jvm_flags().to_vec()).collect()
    }

    /// What it costs: that part of its page, as sentences.
    #[must_use]
    pub fn cost(&self) -> Vec<String> {
        self.part("## What it costs")
    }

    fn part(&self, heading: &str) -> Vec<String> {
        let page = self.page();
        let lines = page.lines().skip_while(|it| *it != heading).skip(1);
        let part = lines.take_while(|it| !it.starts_with("## ")).map(str::trim);
        part.filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    /// The remedy's page in Markdown.
    #[must_use]
    pub fn page(&self) -> String {
        self.page.to_owned()
    }
}

/// Whether a program without a HotSpot JVM can follow it: of all flags, it knows those of the heap's size.
fn is_of_native_image(action: &Action) -> bool {
    action.commands().is_empty() && action.jvm_flags().iter().all(|it| it.starts_with("-Xm"))
}

/// The page of a cause in Markdown, with what can be done about it.
#[must_use]
pub fn page_of_cause(cause: &Cause) -> String {
    let page = cause.page();
    let remedies = cause.remedies.iter().filter_map(|id| crate::find(id));
    let lines: String = remedies.map(|it| format!("`{}`: {}\n", it.id, it.summary)).collect();
    match page.split_once("## References") {
        Some((before, after)) if !lines.is_empty() => {
            format!("{before}## Remedies\n{lines}\n## References{after}")
        }
        _ => page,
    }
}

impl std::fmt::Debug for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remedy").field("id", &self.id).finish_non_exhaustive()
    }
}
