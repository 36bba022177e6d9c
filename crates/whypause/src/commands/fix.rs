//! `whypause fix`: remedies, planned, applied, checked and taken back.
mod flags;
mod found;
mod tune;
mod undo;
mod verify;
mod what_if;

use super::explain;
use crate::{
    Exit, Failure,
    args::{FixArgs, ListFormat},
    console::Console,
    interrupt::Interrupt,
    target,
};
use diagnose::Diagnosis;
use found::Found;
use recorder::Roots;
use remedy::{Change, Host, Plan, Refusal, Remedy, Store, StoreError, Undone, Value, Works};
use report::{Redactor, fix::Planned};
use std::{io, os::unix::fs::MetadataExt};

pub(crate) fn run(args: &FixArgs, console: &Console) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    if args.undo {
        return undo::run(args, &interrupt, console);
    }
    let Some(id) = &args.id else { return list(args, &interrupt, console) };
    let remedy = find(id)?;
    if args.foreground {
        return keep_here(args, remedy, &interrupt, console);
    }
    if !args.command.is_empty() {
        return verify::start_twice(args, remedy, &interrupt, console);
    }
    if remedy.works == Works::WhatIf {
        return what_if::run(args, remedy, &interrupt, console);
    }
    let from_diagnosis = remedy.works == Works::Diagnosis;
    if from_diagnosis && !args.apply {
        return flags::run(args, &interrupt, console);
    }
    if let (false, Some(_)) = (from_diagnosis, &args.from) {
        let message = format!("`{id}` cannot be derived from a log: --from lists what would help");
        return Err(Failure::input(message, "leave the remedy out, or name a JVM with -p"));
    }
    let mut found = Found::collect(args, remedy, console)?;
    if from_diagnosis {
        let Some(diagnosis) = diagnosed(args, &interrupt, console)? else {
            return Ok(Exit::Interrupted);
        };
        found = found.diagnosed(diagnosis);
    }
    if remedy.works == Works::Tuner && (args.apply || args.dry_run) {
        return tune::run(args, &found, &interrupt, console);
    }
    let plan = || found.plan(remedy, args, &interrupt);
    if args.dry_run {
        let hint = "without --apply nothing is changed either";
        return Err(Failure::input(format!("`{id}` has no dry run"), hint));
    }
    if args.apply {
        return apply(args, &found, remedy, &plan, &interrupt, console);
    }
    show(args, &found, remedy, &plan()?, &interrupt, console)
}

/// Shows a plan, and changes nothing.
fn show(
    args: &FixArgs,
    found: &Found,
    remedy: &'static Remedy,
    plan: &Plan,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let whom = found.whom();
    let host = Host { roots: &Roots::default(), interrupt: interrupt.flag() };
    // What it is now is reported as far as it can be read.
    let before: Vec<Option<Value>> = plan.changes.iter().map(|it| it.now(&host).ok()).collect();
    let planned = Planned { remedy, plan, whom: &whom, before: &before };
    match args.format {
        ListFormat::Text => {
            console.print(&report::fix::terminal::plan(&planned, &console.options()))?;
            console.say("nothing changed; add --apply to apply this plan");
        }
        ListFormat::Json => report::fix::json::plan(&planned, &mut io::stdout().lock())?,
    }
    Ok(Exit::Fine)
}

fn find(id: &str) -> Result<&'static Remedy, Failure> {
    remedy::find(id).ok_or_else(|| {
        let known: Vec<&str> =
            remedy::remedies().iter().filter(|it| it.can_be_applied()).map(|it| it.id).collect();
        Failure::input(
            format!("there is no remedy `{id}`"),
            format!("these can be applied: {}", known.join(", ")),
        )
    })
}

/// The diagnosis of a recording or a log made before, or of a recording made now. Nothing if
/// interrupted.
fn diagnosed(
    args: &FixArgs,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Option<Diagnosis>, Failure> {
    let recording;
    let path = match &args.from {
        Some(path) => path,
        None => {
            let jvm = target::running(&args.jvm, |it| console.say(it))?;
            let time = report::duration(args.duration);
            console.say(&format!("recording {} (pid {}) for {time}", jvm.main, jvm.pid));
            recording = verify::Temporary::record(jvm.pid, args.duration, interrupt, console)?;
            if interrupt.came() {
                return Ok(None);
            }
            &recording.path
        }
    };
    explain::one(path, &mut Redactor::new(false, None), console).map(Some)
}

/// What would help, by a recording that was made before or is made now.
fn list(args: &FixArgs, interrupt: &Interrupt, console: &Console) -> Result<Exit, Failure> {
    let Some(diagnosis) = diagnosed(args, interrupt, console)? else {
        return Ok(Exit::Interrupted);
    };
    let ranked = report::fix::rank(&diagnosis);
    match args.format {
        ListFormat::Text => {
            let text = report::fix::terminal::ranking(&diagnosis, &ranked, &console.options());
            console.print(&text)?;
            if remedy::flag_line(&diagnosis).flags.len() > 1 {
                console.say("all flags in one line: whypause fix g1-advice");
            }
        }
        ListFormat::Json => report::fix::json::ranking(&ranked, &mut io::stdout().lock())?,
    }
    Ok(Exit::Fine)
}

/// What is changed, with what an earlier run has left taken back.
fn store(host: &Host<'_>, console: &Console) -> Result<Store, Failure> {
    let places = undo::places()?;
    let abandoned = remedy::tuner::take_back_abandoned(&places, host).map_err(failure)?;
    if !abandoned.is_empty() {
        console.say("an earlier thp-tuner was killed; its changes are undone");
        undo::say_undone(&abandoned, console);
    }
    let mut store = Store::open(&places).map_err(failure)?;
    let undone = store.undo(remedy::Which::Interrupted, host);
    if !undone.is_empty() {
        console.say(match undone.failed.is_empty() {
            true => "an earlier run was interrupted; its changes are undone",
            false => "an earlier run was interrupted; not all of its changes could be undone",
        });
        undo::say_undone(&undone, console);
    }
    Ok(store)
}

fn apply(
    args: &FixArgs,
    found: &Found,
    remedy: &'static Remedy,
    plan: &dyn Fn() -> Result<Plan, Failure>,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    check(args, remedy, &plan()?)?;
    let before = found.before(args, interrupt, console)?;
    if interrupt.came() {
        console.say("interrupted: nothing is changed");
        return Ok(Exit::Interrupted);
    }
    let host = Host { roots: &Roots::default(), interrupt: interrupt.flag() };
    let mut store = store(&host, console)?;
    // Once more, now that no other run changes anything: one may have, since.
    let plan = &plan()?;
    check(args, remedy, plan)?;
    let swapped = swapped(plan, &host);
    let changed = store.apply(plan, &host, &mut |it| console.say(it));
    let changed = changed.map_err(|error| rolled_back(error, store.rolled_back(), console));
    drop(store);
    if let (Some(before), Some(after)) = (swapped, self::swapped(plan, &host)) {
        let [before, after] = [before, after].map(diagnose::text::memory);
        console.say(&format!("in swap: {before} before, {after} after"));
    }
    if !changed? {
        console.say("nothing to change");
    }
    for note in &plan.notes {
        console.say(note);
    }
    let undo = remedy::Command::new("whypause").args(["fix", "--undo", remedy.id]);
    if let Some(undo) = console.copyable(undo) {
        console.say(&format!("undo with: {undo}"));
    }
    match before {
        Some(before) => verify::after(args, &before, interrupt, console),
        None => Ok(Exit::Fine),
    }
}

/// Whether a plan can be carried out here, and compared.
fn check(args: &FixArgs, remedy: &Remedy, plan: &Plan) -> Result<(), Failure> {
    if let Some(needs) = plan.changes.iter().map(|it| it.needs()).find(|it| !it.are_met()) {
        return Err(Failure::input(
            format!("`fix {}` has to run as {needs}", remedy.id),
            "run it with sudo",
        ));
    }
    if args.verify.is_some() && plan.at_next_start {
        return Err(Failure::input(
            format!(
                "`{}` takes effect at the next start, so there is nothing to compare yet",
                remedy.id
            ),
            "apply it without --verify, or give the command that starts the JVM: -- COMMAND",
        ));
    }
    Ok(())
}

/// What of the JVM is in swap, in bytes, where the plan brings it back.
fn swapped(plan: &Plan, host: &Host<'_>) -> Option<u64> {
    let brings_back = |it: &Change| match it {
        Change::InMemory(it) => it.swapped_bytes(host).ok(),
        _ => None,
    };
    plan.changes.iter().find_map(brings_back)
}

/// `gc-log-keeper` in this process, as a service has it.
fn keep_here(
    args: &FixArgs,
    remedy: &Remedy,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let (true, [from, to]) = (remedy.works == Works::Keeper, args.paths.as_slice()) else {
        return Err(Failure::input(
            "only gc-log-keeper goes on in the foreground",
            "whypause fix gc-log-keeper /dev/shm/gc.log /var/log/kafka --apply --foreground",
        ));
    };
    // To whom it belongs now; whoever starts it again later looks again.
    let about = std::fs::symlink_metadata(from).map_err(|error| Failure::file(from, &error))?;
    let options = keeper::Options::new(from, to);
    let period = args.period.unwrap_or(options.period);
    let source_uid = Some(about.uid());
    let open_to = remedy::directory;
    let options = keeper::Options { period, source_uid, open_to, ..options };
    super::keep::keep(&options, interrupt, console, || Ok(()))
}

fn refused(refusal: Refusal) -> Failure {
    Failure::input(refusal.message, refusal.hint)
}

/// Why a plan was not carried out, with what became of the changes that were made before it failed.
fn rolled_back(error: StoreError, undone: &Undone, console: &Console) -> Failure {
    let (left, failed) = (undone.left.clone(), undone.failed.clone());
    undo::say_undone(&Undone { left, failed, ..Undone::default() }, console);
    let hint = match (undone.failed.is_empty(), undone.put_back.is_empty()) {
        (false, _) => {
            "not all changes made before it are undone; `whypause fix --undo` tries again"
        }
        (true, false) => {
            "the changes made before it are undone; `whypause fix --undo` checks again"
        }
        (true, true) => return failure(error),
    };
    match error {
        StoreError::Interrupted if undone.failed.is_empty() => failure(error),
        StoreError::Interrupted => Failure::Said {
            message: "interrupted".into(),
            hint: Some(hint.into()),
            exit: Exit::Interrupted,
        },
        error => Failure::input(error.to_string(), hint),
    }
}

fn failure(error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::Interrupted => {
            return Failure::Said {
                message: error.to_string(),
                hint: None,
                exit: Exit::Interrupted,
            };
        }
        StoreError::Busy => "wait for it to end",
        StoreError::Change { .. } | StoreError::NotTaken { .. } => {
            "the changes made before it are undone; `whypause fix --undo` checks again"
        }
        StoreError::Journal { .. } | StoreError::Unsafe(_) => "nothing is changed",
    };
    Failure::input(error.to_string(), hint)
}
