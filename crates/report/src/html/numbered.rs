//! Causes by their place in the list of the page.
use diagnose::{Cause, Class, Nature};
use serde::Serialize;
use std::collections::BTreeMap;

/// The causes that a page speaks of, each with its number.
#[derive(Default)]
pub(super) struct Numbered {
    causes: Vec<&'static Cause>,
    places: BTreeMap<&'static str, usize>,
}

impl Numbered {
    /// The number of a cause.
    pub(super) fn of(&mut self, cause: &'static Cause) -> usize {
        let Numbered { causes, places } = self;
        *places.entry(cause.id).or_insert_with(|| {
            causes.push(cause);
            causes.len() - 1
        })
    }

    /// Those that have a number.
    pub(super) fn all(&self) -> &[&'static Cause] {
        &self.causes
    }

    pub(super) fn with_pages(self) -> Vec<CauseInfo> {
        let with_page = |cause: &'static Cause| cause_info(cause, chapters(&cause.page()));
        self.causes.into_iter().map(with_page).collect()
    }

    /// The causes without their pages.
    pub(super) fn brief(self) -> Vec<CauseInfo> {
        self.causes.into_iter().map(|cause| cause_info(cause, Vec::new())).collect()
    }
}

#[derive(Debug, Serialize)]
pub(super) struct CauseInfo {
    id: &'static str,
    title: &'static str,
    short: &'static str,
    class: &'static str,
    nature: &'static str,
    page: Vec<Chapter>,
}

#[derive(Debug, Serialize)]
pub(super) struct Chapter {
    heading: String,
    lines: Vec<String>,
}

fn cause_info(cause: &'static Cause, page: Vec<Chapter>) -> CauseInfo {
    CauseInfo {
        id: cause.id,
        title: cause.title,
        short: cause.short,
        class: class(cause),
        nature: cause.nature.id(),
        page,
    }
}

/// The chapters of a page: its title, which is shown already, is left out.
pub(super) fn chapters(markdown: &str) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for line in markdown.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            chapters.push(Chapter { heading: heading.to_owned(), lines: Vec::new() });
        } else if let Some(chapter) = chapters.last_mut()
            && !line.trim().is_empty()
        {
            chapter.lines.push(line.trim().to_owned());
        }
    }
    chapters
}

/// The colour of a cause, which those of one kind share.
pub(super) fn class(cause: &Cause) -> &'static str {
    match cause.class {
        _ if cause.nature == Nature::Symptom => "unexplained",
        Class::Disk => "disk",
        Class::CpuQuota => "quota",
        // The host, or its hypervisor, took the CPUs: nothing that runs on it did.
        Class::CpuContention if ["cpu-steal", "host-stood-still"].contains(&cause.id) => "steal",
        Class::CpuContention => "cpu",
        Class::Memory | Class::KernelLock => "memory",
        Class::LateThread => "late",
        Class::Stopped => "outside",
        Class::Collector => "gc",
        Class::VmOperation => "vm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_chapters_on_the_page() {
        for cause in diagnose::causes() {
            let chapters = chapters(&cause.page());
            assert!(chapters.iter().any(|it| it.heading == "What happens"), "{}", cause.id);
            assert!(chapters.iter().all(|it| !it.lines.is_empty()), "{}", cause.id);
        }
    }

    #[test]
    fn a_symptom_has_the_colour_of_what_is_not_explained() {
        let of = |id: &str| class(diagnose::causes().iter().find(|it| it.id == id).unwrap());
        assert_eq!(of("inverted-parallelism"), "unexplained");
        assert_eq!(of("gc-log-write-blocked"), "disk");
        assert_eq!(of("gc-work"), "gc");
        assert_eq!(
            ["cfs-throttling", "cpu-contention", "cpu-steal"].map(of),
            ["quota", "cpu", "steal"],
            "three causes that are remedied in three places"
        );
    }
}
