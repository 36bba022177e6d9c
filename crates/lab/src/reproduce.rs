//! The figures and tables of the documents that this program grew from, made again on this host. Another one
//! is a part in `reproduce/`, listed here.
//!
//! A part is one document's experiment. Each is written as soon as it is done: `ID.md`, its figures
//! as SVG and its numbers as JSON; the page is put together from all parts that are there, so a run
//! that is interrupted loses nothing, and parts can be made one by one.
mod cgroup;
mod g1;
mod hsperfdata;
mod kafka;
mod lab;
mod log;
mod page;
mod paper_gc_log;
mod paper_huge_pages;
mod paper_logging;
mod paper_memory;
mod part;

use crate::{
    Jdk, LabError, Output, Reason, Takes, bench::Bench, jdks, output::Progress, run, workloads,
};
use lab::Lab;
use part::Part;
use std::{path::PathBuf, time::Duration};

/// The oldest JDK whose GC log has the clock that the figures are drawn over.
const OLDEST_JDK: u32 = 9;

/// In the order of the page.
static PARTS: [&Part; 8] = [
    &paper_memory::PART,
    &paper_huge_pages::PART,
    &paper_gc_log::PART,
    &paper_logging::PART,
    &cgroup::PART,
    &hsperfdata::PART,
    &kafka::PART,
    &g1::PART,
];

/// What to make, and where to.
#[derive(Clone, Debug)]
pub struct ReproduceOptions {
    /// Ids of parts; all where empty.
    pub ids: Vec<String>,
    /// Shorter runs, and fewer of them.
    pub quick: bool,
    /// Feature release or path of the JDK; 17, or the newest, where `None`.
    pub jdk: Option<String>,
    /// The directory; created where it does not exist.
    pub directory: PathBuf,
    /// Whether to run although others use this host.
    pub on_this_host: bool,
    /// The program that is run as a user would run it; this one where `None`.
    pub program: Option<PathBuf>,
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reproduced {
    /// The page.
    pub page: PathBuf,
    /// Parts that were made.
    pub made: Vec<&'static str>,
    /// Parts that this host cannot show, and why.
    pub unable: Vec<(&'static str, String)>,
    /// Parts that failed, and why.
    pub failed: Vec<(&'static str, String)>,
}

/// The ids of all parts, with their titles.
#[must_use]
pub fn parts() -> Vec<(&'static str, &'static str)> {
    PARTS.iter().map(|it| (it.id, it.title)).collect()
}

/// Makes the parts. Everything that is changed on the host is undone when it returns.
///
/// # Errors
/// Any [`LabError`] that concerns more than one part. A part that fails is reported on the page.
pub fn reproduce(
    options: &ReproduceOptions,
    output: &mut Output<'_>,
) -> Result<Reproduced, LabError> {
    let chosen = choose(&options.ids)?;
    let jdk = jdk(options.jdk.as_deref())?;
    workloads::can_run().map_err(LabError::CannotRun)?;
    let program = run::program(options.program.as_deref())?;
    let pages = page::Pages::open(&options.directory, &jdk, options.quick)?;
    let mut reproduced = Reproduced { page: pages.path(), ..Reproduced::default() };
    let mut able = Vec::new();
    for part in chosen {
        match (part.can_run)() {
            Ok(()) => able.push(part),
            Err(reason) => {
                pages.unable(part, &reason)?;
                reproduced.unable.push((part.id, reason.lacks));
            }
        }
    }
    if able.is_empty() {
        return Ok(reproduced);
    }
    let takes: Vec<Takes> = able.iter().flat_map(|it| (it.takes)(&jdk, options.quick)).collect();
    let mut bench = Bench::open(options.on_this_host, takes, output)?;
    let seconds = able.iter().map(|it| if options.quick { it.seconds.0 } else { it.seconds.1 });
    let expected = Duration::from_secs(seconds.map(u64::from).sum());
    let mut progress = Progress::start(output, expected);
    progress.say(&format!("about {} minutes", expected.as_secs().div_ceil(60)));
    let quick = options.quick;
    let mut lab =
        Lab { bench: &mut bench, progress: &mut progress, jdk: &jdk, quick, program: &program };
    let all = able.into_iter().try_for_each(|part| one(part, &mut lab, &pages, &mut reproduced));
    let cleaned = bench.cleanup.undo_all();
    drop(progress);
    all?;
    cleaned?;
    Ok(reproduced)
}

/// Makes one part, and writes it down.
fn one(
    part: &'static Part,
    lab: &mut Lab<'_, '_, '_>,
    pages: &page::Pages<'_>,
    reproduced: &mut Reproduced,
) -> Result<(), LabError> {
    lab.progress.say(&format!("{}: {}", part.id, part.title));
    let mark = lab.bench.cleanup.mark();
    let made = (part.make)(lab);
    lab.bench.cleanup.undo_to(mark)?;
    match made {
        Ok(made) => {
            pages.made(part, &made)?;
            reproduced.made.push(part.id);
        }
        Err(LabError::Interrupted) => return Err(LabError::Interrupted),
        Err(error) => {
            let why = error.to_string();
            lab.progress.say(&format!("{}: {why}", part.id));
            pages.failed(part, &why)?;
            reproduced.failed.push((part.id, why));
        }
    }
    Ok(())
}

fn choose(ids: &[String]) -> Result<Vec<&'static Part>, LabError> {
    if ids.is_empty() {
        return Ok(PARTS.to_vec());
    }
    let unknown = ids.iter().find(|id| !PARTS.iter().any(|it| it.id == id.as_str()));
    if let Some(id) = unknown {
        let known: Vec<_> = PARTS.iter().map(|it| it.id).collect();
        return Err(LabError::Usage {
            message: format!("no part of a document is called `{id}`"),
            hint: format!("there are {}", known.join(", ")),
        });
    }
    // in the order of the page, each once
    Ok(PARTS.iter().copied().filter(|it| ids.iter().any(|id| id == it.id)).collect())
}

fn jdk(word: Option<&str>) -> Result<Jdk, LabError> {
    let words: Vec<_> = word.map(str::to_owned).into_iter().collect();
    let found = jdks::select(&words)?.into_iter().next();
    match found {
        Some(jdk) if jdk.major >= OLDEST_JDK => Ok(jdk),
        Some(jdk) => Err(LabError::CannotRun(Reason::new(
            format!(
                "the GC log of JDK {} lacks the clock that figures are drawn over",
                jdk.label()
            ),
            format!("give one from JDK {OLDEST_JDK} on with --jdk"),
        ))),
        None => Err(LabError::CannotRun(Reason::new("there is no JDK", ""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chosen_by_id_in_the_order_of_the_page() {
        let ids = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
            choose(&words).map(|it| it.iter().map(|it| it.id).collect::<Vec<_>>())
        };
        assert_eq!(ids(&["kafka-4614", "paper-gc-log"]).unwrap(), ["paper-gc-log", "kafka-4614"]);
        assert_eq!(ids(&[]).unwrap().len(), PARTS.len());
        let error = ids(&["moon"]).unwrap_err();
        assert_eq!(error.to_string(), "no part of a document is called `moon`");
        assert!(error.hint().unwrap().contains("cgroup-quota"));
    }

    #[test]
    fn ids_are_distinct_and_in_kebab_case() {
        for (at, part) in PARTS.iter().enumerate() {
            assert!(PARTS[..at].iter().all(|it| it.id != part.id), "{}", part.id);
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(part.id.chars().all(kebab), "{}", part.id);
        }
    }
}
