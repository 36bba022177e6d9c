//! `whypause doctor`: hazards before they strike.
mod fail_on;
mod words;

use super::ps;
use crate::{
    Exit, Failure, accepted,
    args::{DoctorArgs, DoctorFormat},
    console::Console,
    target,
    users::Users,
};
use diagnose::{Exposure, Scope, examine};
use fail_on::FailOn;
use recorder::{Found, Jvm, JvmError, Roots, Selected, Stuck};
use recording::{HostFact, JvmFact, Recording, Survey};
use report::{
    Redactor,
    doctor::{Accepted, Checkup, Examined, json, sarif, terminal},
    ps::NotResponding,
};
use std::{
    fs,
    io::{self, Write},
    path::Path,
    time::Duration,
};

/// How long disks, quotas and writers are looked at.
const SURVEY_TIME: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &DoctorArgs, console: &Console) -> Result<Exit, Failure> {
    let accepted = accepted::all(&args.accepted, console)?;
    let fail_on = FailOn::parse(&args.fail_on)?;
    let checkup = match (&args.flags, &args.recording) {
        (Some(flags), _) => of_flags(flags, args, &accepted),
        (None, Some(path)) => of_recording(path, args, &accepted)?,
        (None, None) => of_host(args, &accepted)?,
    };
    let options = console.options();
    let mut out = io::stdout().lock();
    match args.format {
        DoctorFormat::Text => out.write_all(terminal::render(&checkup, &options).as_bytes())?,
        DoctorFormat::Json => json::write(&checkup, &mut out)?,
        DoctorFormat::Sarif => sarif::write(&checkup, &mut out)?,
    }
    out.flush()?;
    say_the_rest(&checkup, args, console);
    Ok(exit(&checkup, &fail_on))
}

/// What is no part of the answer.
fn say_the_rest(checkup: &Checkup, args: &DoctorArgs, console: &Console) {
    let nothing = checkup.jvms.is_empty() && checkup.not_responding.is_empty();
    if args.format == DoctorFormat::Text && nothing {
        console.say("no JVM found");
    }
    if checkup.unreadable > 0 {
        let processes = if checkup.unreadable == 1 { "process" } else { "processes" };
        let hint = if rustix::process::geteuid().is_root() { "" } else { ": try sudo" };
        console.say(&format!(
            "not inspected: {} {processes} of other users{hint}",
            checkup.unreadable
        ));
    }
}

/// A hazard that counts decides; else whether all could be looked at that was to be.
fn exit(checkup: &Checkup, fail_on: &FailOn) -> Exit {
    let counts = checkup.open().any(|it| fail_on.counts(it));
    let one_does_not_respond = !checkup.not_responding.is_empty();
    match (counts, one_does_not_respond) {
        (true, _) => Exit::Gate,
        (false, true) if fail_on.is_gate() || checkup.jvms.is_empty() => Exit::NotEnough,
        _ => Exit::Fine,
    }
}

fn of_flags(flags: &str, args: &DoctorArgs, accepted: &[Accepted]) -> Checkup {
    let mut survey = Survey::default();
    survey.facts.jvm = Some(JvmFact {
        version: args.jdk.clone().unwrap_or_default(),
        flags: words::flags(flags),
        ..JvmFact::default()
    });
    Redactor::new(args.redact, None).survey(&mut survey);
    let jvm = examined("these flags", &survey, Scope::Jvm, accepted);
    Checkup { jvms: vec![jvm], ..Checkup::default() }
}

fn of_recording(path: &Path, args: &DoctorArgs, accepted: &[Accepted]) -> Result<Checkup, Failure> {
    if fs::metadata(path).is_ok_and(|it| it.is_file()) {
        return Err(Failure::input(
            format!("`{}` is no recording", path.display()),
            "a GC log is explained by `whypause explain`; hazards are found in a recording, in flags, or in a running JVM",
        ));
    }
    let mut recording = Recording::open(path)?;
    Redactor::new(args.redact, None).recording(&mut recording);
    let input = recording.path.display().to_string();
    let survey = Survey { facts: recording.facts, ..Survey::default() };
    let jvm = examined(&input, &survey, Scope::Jvm, accepted);
    Ok(Checkup { jvms: vec![jvm], ..Checkup::default() })
}

fn of_host(args: &DoctorArgs, accepted: &[Accepted]) -> Result<Checkup, Failure> {
    let roots = Roots::default();
    let Found { jvms, unreadable, stuck } = chosen(args, &roots)?;
    let surveyed = recorder::surveys(&roots, &jvms, SURVEY_TIME);
    let without_answer_yet: Vec<&Jvm> =
        jvms.iter().zip(&surveyed).filter(|(_, it)| it.is_none()).map(|(jvm, _)| jvm).collect();
    let mut surveys: Vec<Survey> = surveyed.into_iter().flatten().collect();
    let host: HostFact = recorder::host_fact(&roots);
    let mut redactor = Redactor::new(args.redact, Some(&host.name));
    surveys.iter_mut().for_each(|it| redactor.survey(it));
    let mut of_host = Survey { host: recorder::host_settings(&roots), ..Survey::default() };
    of_host.facts.host = Some(host);
    redactor.survey(&mut of_host);
    let name = of_host.facts.host.as_ref().map_or_else(String::new, |it| it.name.clone());
    let users = Users::of_this_host();
    let mut not_responding: Vec<NotResponding> =
        stuck.iter().map(|it| ps::not_responding(it, &users)).collect();
    not_responding.iter_mut().for_each(|it| redactor.not_responding(it));
    for jvm in without_answer_yet {
        let mut it = without_answer(jvm, &users);
        it.name = redactor.main(&it.name);
        redactor.not_responding(&mut it);
        not_responding.push(it);
    }
    Ok(Checkup {
        jvms: surveys.iter().map(|it| examined("", it, Scope::Jvm, accepted)).collect(),
        host: Some(examined(&format!("host {name}"), &of_host, Scope::Host, accepted)),
        not_responding,
        unreadable,
    })
}

/// A JVM that can be read, but names files that cannot.
fn without_answer(jvm: &Jvm, users: &Users) -> NotResponding {
    NotResponding {
        pid: jvm.pid,
        user: users.name(jvm.uid),
        name: jvm.main.clone(),
        reason: "whose files do not answer in time".into(),
        ..NotResponding::default()
    }
}

/// The JVM that was asked for, or all of this host.
fn chosen(args: &DoctorArgs, roots: &Roots) -> Result<Found, Failure> {
    if !args.jvm.is_given() {
        return Ok(recorder::find_jvms(roots));
    }
    match target::select(&args.jvm)? {
        Ok(Selected { jvm, stuck }) => Ok(found(vec![jvm], stuck)),
        Err(JvmError::NotResponding { stuck }) => Ok(found(Vec::new(), vec![stuck])),
        Err(error) => Err(target::failure(error)),
    }
}

fn found(jvms: Vec<Jvm>, stuck: Vec<Stuck>) -> Found {
    Found { jvms, stuck, unreadable: 0 }
}

fn examined(input: &str, survey: &Survey, scope: Scope, accepted: &[Accepted]) -> Examined {
    let exposure = Exposure::new(survey);
    Examined::new(input, &exposure, examine(&exposure, scope), accepted)
}
