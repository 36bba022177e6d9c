//! `whypause fix cfs-advice`: what other limits of CPU time would have made of a recording.
use super::{Found, apply, show, verify::Temporary};
use crate::{
    Exit, Failure,
    args::{FixArgs, ListFormat},
    console::Console,
    interrupt::Interrupt,
    target,
};
use diagnose::what_if::{self, CpuLimits, Demand, Tried, WhatIf};
use recording::Recording;
use remedy::Remedy;
use std::{io, path::Path, time::Duration};

/// As much of a long recording is let run again as takes some seconds.
const MOST: Duration = Duration::from_secs(300);

pub(super) fn run(
    args: &FixArgs,
    remedy: &'static Remedy,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let recorded;
    let path: &Path = match &args.from {
        Some(path) => path,
        None => {
            let jvm = target::running(&args.jvm, |it| console.say(it))?;
            let time = report::duration(args.duration);
            console.say(&format!("recording {} (pid {}) for {time}", jvm.main, jvm.pid));
            recorded = Temporary::record(jvm.pid, args.duration, interrupt, console)?;
            if interrupt.came() {
                return Ok(Exit::Interrupted);
            }
            &recorded.path
        }
    };
    let recording = Recording::open(path)?;
    // A model of many CPUs takes longer.
    let threads = recording.facts.jvm.as_ref().map_or(1, |it| it.gc_threads);
    let most = MOST / (threads / 8).max(1);
    let demand = Demand::of(&recording.facts, most).map_err(|missing| {
        let hint = "record the JVM with `whypause record`, under its quota";
        Failure::input(missing.to_string(), hint)
    })?;
    let requested = requested_limits(args, demand.today());
    let requested = requested.and_then(|it| what_if::try_limits(&demand, it));
    let Some(found) = what_if::what_if(&demand) else {
        console.say("the quota is no limit here: nothing is throttled in the model");
        return Ok(Exit::Fine);
    };
    print(args, &found, requested.as_ref(), console)?;
    // A running JVM keeps its GC threads.
    let chosen = requested.as_ref().or(found.without_restart()).or(found.advice());
    let Some(chosen) = chosen.filter(|_| args.jvm.is_given()) else {
        return Ok(Exit::Fine);
    };
    drop(recording);
    plan(args, remedy, &chosen.limits, interrupt, console)
}

/// The limits that were asked for, in place of those of today.
fn requested_limits(args: &FixArgs, today: CpuLimits) -> Option<CpuLimits> {
    if args.quota.is_none() && args.burst.is_none() && args.gc_threads.is_none() {
        return None;
    }
    let with_quota = args.quota.map_or(today, |it| today.with_milli_cpus(it));
    Some(CpuLimits {
        burst: args.burst.unwrap_or(today.burst),
        gc_threads: args.gc_threads.unwrap_or(today.gc_threads),
        ..with_quota
    })
}

fn print(
    args: &FixArgs,
    found: &WhatIf,
    requested: Option<&Tried>,
    console: &Console,
) -> Result<(), Failure> {
    match args.format {
        ListFormat::Text => {
            console.print(&report::fix::what_if::text(found, requested, &console.options()))
        }
        ListFormat::Json => {
            Ok(report::fix::what_if::json(found, requested, &mut io::stdout().lock())?)
        }
    }
}

fn plan(
    args: &FixArgs,
    remedy: &'static Remedy,
    limits: &CpuLimits,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let found = Found::collect(args, remedy, console)?;
    let plan = || found.plan_with(remedy, args, Some(*limits), interrupt);
    if args.apply {
        return apply(args, &found, remedy, &plan, interrupt, console);
    }
    match (plan(), args.format) {
        (Ok(plan), ListFormat::Text) => show(args, &found, remedy, &plan, interrupt, console),
        // There is one document, and it says what is to be done.
        (_, ListFormat::Json) => Ok(Exit::Fine),
        (Err(failure), ListFormat::Text) => Err(failure),
    }
}
