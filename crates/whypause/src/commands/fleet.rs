//! `whypause fleet`: what many hosts have in common, from their logs, recordings and rows.
mod inventory;
mod sql;

use crate::{
    Exit, Failure,
    args::{FleetArgs, FleetFormat},
    console::Console,
};
use fleet::Fleet;
use indicatif::{ProgressBar, ProgressStyle};
use input::HostInputs;
use inventory::Inventory;
use report::Options;
use std::{
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};
use table::{Hour, Origin, Sink, Table, Tables};

/// How progress looks.
const BAR: &str = "{bar:30} {pos} of {len} hosts  {eta} left";

pub(crate) fn run(args: &FleetArgs, console: &Console) -> Result<Exit, Failure> {
    if let Some(query) = &args.sql {
        return Err(sql::ask(args, query));
    }
    let write = writing(args.format)?;
    let inventory = args.inventory.as_deref().map(Inventory::read).transpose()?;
    let found = input::hosts(&args.paths)?;
    let mut fleet = Fleet::new();
    let own = args.inventory.as_ref().and_then(|it| it.canonicalize().ok());
    for (path, error) in found.unusable.iter().filter(|it| !is_file(own.as_deref(), &it.0)) {
        fleet.unread(&path.display().to_string(), &error.to_string());
    }
    let reading = Reading {
        fleet: Mutex::new(fleet),
        own,
        inventory: inventory.unwrap_or_default(),
        bar: progress(found.hosts.len(), console),
    };
    reading.all(&found.hosts);
    reading.bar.finish_and_clear();
    let fleet = reading.fleet.into_inner().unwrap_or_else(PoisonError::into_inner);
    let answer = fleet::answer(&fleet);
    if answer.totals.pauses == 0 && answer.totals.covered_ns == 0 {
        return Err(nothing(args, &answer));
    }
    if let Some(words) = reading.inventory.mismatch(answer.hosts.iter().map(|it| &*it.host)) {
        console.say(&words);
    }
    let options = Options { full: args.full, ..console.options_in(args.zone.of(None)) };
    write(&answer, &options, console)?;
    Ok(Exit::Fine)
}

/// Writes an answer.
type Write = fn(&fleet::Answer, &Options, &Console) -> Result<(), Failure>;

/// What writes an answer in this format.
fn writing(format: FleetFormat) -> Result<Write, Failure> {
    Ok(match format {
        FleetFormat::Text => {
            |answer, options, console| console.print(&report::fleet::text(answer, options))
        }
        FleetFormat::Json => |answer, _, console| console.print(&report::fleet::json(answer)),
        FleetFormat::Html => |answer, options, _| {
            let mut out = BufWriter::new(io::stdout().lock());
            report::fleet::html(answer, options, &mut out)?;
            Ok(out.flush()?)
        },
        FleetFormat::Csv => {
            let hint = "say which: `--sql 'from worst_hosts'`; `--json` has all of the answer";
            return Err(Failure::input("`--format csv` is of a table", hint));
        }
    })
}

/// Whether a path is of this file.
fn is_file(file: Option<&Path>, path: &Path) -> bool {
    file.is_some_and(|file| path.canonicalize().is_ok_and(|it| it == file))
}

/// Nothing of what was given shows pauses.
fn nothing(args: &FleetArgs, answer: &fleet::Answer) -> Failure {
    let hint =
        "give a directory of GC logs, of recordings, or of rows that `whypause explain` wrote";
    let paths: Vec<String> = args.paths.iter().map(|it| format!("`{}`", it.display())).collect();
    let why = answer.unread.first().map(|it| format!(": {}", it.why)).unwrap_or_default();
    Failure::input(format!("there is nothing about pauses in {}{why}", paths.join(", ")), hint)
}

fn progress(hosts: usize, console: &Console) -> ProgressBar {
    if !console.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(BAR).expect("the template is valid; a test draws it");
    ProgressBar::new(hosts as u64).with_style(style)
}

/// Reads hosts, as many at once as there are CPUs.
struct Reading {
    fleet: Mutex<Fleet>,
    /// The file of the inventory, which may lie beside what it is about and is no input.
    own: Option<PathBuf>,
    inventory: Inventory,
    bar: ProgressBar,
}

impl Reading {
    fn all(&self, hosts: &[HostInputs]) {
        let next = AtomicUsize::new(0);
        let threads = thread::available_parallelism().map_or(1, usize::from).min(hosts.len());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(host) = hosts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.host(host);
                        self.bar.inc(1);
                    }
                });
            }
        });
    }

    fn host(&self, of: &HostInputs) {
        let mut hours = Hours { reading: self, last: None };
        table::host(of, &Origin::default(), Tables::only(Table::Hours), &mut hours);
    }

    fn unread(&self, path: &str, why: &str) {
        if is_file(self.own.as_deref(), Path::new(path)) {
            return;
        }
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner).unread(path, why);
    }
}

/// Takes the sums of one host.
struct Hours<'a> {
    reading: &'a Reading,
    /// The origin that came last, and what it is with the inventory: most hours in a row have the same.
    last: Option<(Arc<Origin>, Arc<Origin>)>,
}

impl Sink for Hours<'_> {
    fn takes_batches(&self) -> bool {
        false
    }

    fn hour(&mut self, mut hour: Hour) {
        let filled = match &self.last {
            Some((of, filled)) if Arc::ptr_eq(of, &hour.origin) => filled.clone(),
            _ => {
                let mut origin = (*hour.origin).clone();
                self.reading.inventory.fill(&mut origin);
                let filled = Arc::new(origin);
                self.last = Some((hour.origin, filled.clone()));
                filled
            }
        };
        hour.origin = filled;
        self.reading.fleet.lock().unwrap_or_else(PoisonError::into_inner).add(hour);
    }

    fn unread(&mut self, source: &str, error: &input::Error) {
        self.reading.unread(source, &error.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_can_be_drawn() {
        assert!(ProgressStyle::with_template(BAR).is_ok());
    }
}
