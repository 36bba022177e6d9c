//! `whypause fix thp-tuner`: in this process, until interrupted or the JVM has ended.
use super::{failure, found::Found, undo};
use crate::{
    Exit, Failure,
    args::{FixArgs, ListFormat},
    console::Console,
    interrupt::Interrupt,
};
use recorder::{MemoryWatch, Roots};
use remedy::{
    Host, StoreError,
    tuner::{self, Outcome, Round, Tuner, TunerError, Tuning},
};
use std::time::Duration;

/// The paper's.
const PERIOD: Duration = Duration::from_secs(2);

pub(super) fn run(
    args: &FixArgs,
    found: &Found,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let (jvm, situation) = found.jvm().ok_or_else(|| Failure::input("no JVM named", "-p PID"))?;
    if args.verify.is_some() {
        return Err(Failure::input(
            "`thp-tuner` runs until stopped, so there is no before and after",
            "compare two recordings of your own: whypause compare",
        ));
    }
    if args.apply && !rustix::process::geteuid().is_root() {
        let message = "`fix thp-tuner` has to run as root";
        return Err(Failure::input(message, "run it with sudo, or try it with --dry-run"));
    }
    let tuning = Tuning {
        footprint_bytes: tuner::footprint(situation, args.footprint).map_err(super::refused)?,
        period: args.period.unwrap_or(PERIOD),
        dry_run: args.dry_run,
    };
    let roots = Roots::default();
    let host = Host { roots: &roots, interrupt: interrupt.flag() };
    let places = undo::places()?;
    let on = |control, now: &str| tuner::value_when_on(situation, control, now);
    let started = Tuner::start(host, &places, tuning, on, &mut |undone| {
        if !undone.is_empty() {
            console.say("an earlier thp-tuner was killed; its changes are undone");
            undo::say_undone(undone, console);
        }
    });
    let mut tuner = started.map_err(not_started)?;
    let mut watch = MemoryWatch::open(&roots, jvm)
        .map_err(|error| Failure::input(format!("cannot watch memory: {error}"), ""))?;
    let (main, pid) = (&jvm.main, jvm.pid);
    let period = report::duration(tuning.period);
    console
        .say(&format!("tuning huge pages for {main} (pid {pid}) every {period}; Ctrl-C ends it"));
    let mut written = Ok(());
    let outcome = tuner.run(&mut || watch.sample(), &mut |round| {
        say_round(round, args.dry_run, console);
        // Where no process reads the lines any more it goes on: it was not started for them.
        if written.is_ok() {
            written = print(round, args.format, console);
        }
    });
    let undone = tuner.end().map_err(|error| {
        Failure::input(
            format!("could not undo: {error}"),
            "`whypause fix --undo thp-tuner` tries it again",
        )
    })?;
    let outcome = outcome.map_err(|error| Failure::input(error.to_string(), ""))?;
    console.say(match outcome {
        Outcome::Stopped => "stopped",
        Outcome::JvmEnded => "the JVM has exited",
        Outcome::TakenBack => "everything was undone by `whypause fix --undo`: stopped",
        Outcome::NothingLeft => "every setting was changed by someone else: stopped",
    });
    undo::say_undone(&undone, console);
    Ok(Exit::Fine)
}

fn not_started(error: TunerError) -> Failure {
    match error {
        TunerError::Store(error @ StoreError::Busy) => failure(error),
        TunerError::Another => Failure::input(error.to_string(), "stop that one first"),
        TunerError::Off => Failure::input(
            error.to_string(),
            "start the JVM with -XX:+UseTransparentHugePages, and they are switched on for it",
        ),
        TunerError::Store(_) => Failure::input(error.to_string(), ""),
    }
}

/// What was done, for people.
fn say_round(round: &Round, is_dry: bool, console: &Console) {
    let would = if is_dry { "would change " } else { "" };
    for it in &round.switched {
        let (name, from, to, why) = (it.control.name(), &it.from, &it.to, &it.why);
        console.say(&format!("{would}{name}: {from} -> {to}: {why}"));
    }
    for (control, value) in &round.lost {
        let name = control.name();
        console.say(&format!("{name} is {value}: changed by someone else, left alone from now on"));
    }
    if let Some(why) = &round.failed {
        console.say(&format!("not changed, tried again: {why}"));
    }
}

/// A line of numbers for each decision.
fn print(round: &Round, format: ListFormat, console: &Console) -> Result<(), Failure> {
    let at = jiff::Timestamp::now();
    console.print(&match format {
        ListFormat::Text => report::fix::terminal::tuned(at, round),
        ListFormat::Json => report::fix::json::tuned(at, round)?,
    })
}
