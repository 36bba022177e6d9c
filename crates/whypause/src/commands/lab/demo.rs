//! `whypause lab demo`: two pauses made, explained, and gone; and a remedy applied.
use super::run_here;
use crate::{
    Exit, Failure,
    args::{AnswerFormat, ExplainArgs, JsonFlag, LabDemoArgs, OriginArgs, ZoneArgs},
    commands::explain,
    console::Console,
};
use lab::demo::{SHOWN, Shown};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub(super) fn run(args: &LabDemoArgs, console: &Console) -> Result<Exit, Failure> {
    let keep = directory(args.keep.as_deref())?;
    console.print(
        "\nTwo pauses that no GC setting explains, made on purpose on a slow disk in a file.\n\
         Everything the lab changes on this machine is undone at its end.\n",
    )?;
    let mut exit = Exit::Fine;
    let mut on_this_host = args.place.on_this_host;
    for shown in &SHOWN {
        if show(shown, &mut on_this_host, &keep, console)? != Exit::Fine {
            exit = Exit::Gate;
        }
    }
    if act(on_this_host, console)? != Exit::Fine {
        exit = Exit::Gate;
    }
    console.print(&format!(
        "\nThe recordings are in `{}`.\n\
         Next: whypause doctor, then whypause record -p PID -d 60s on a JVM of your own.\n",
        keep.display()
    ))?;
    Ok(exit)
}

/// Where to keep what is recorded: as given, or a new directory in memory.
fn directory(keep: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(keep) = keep else {
        let now = jiff::Zoned::now().strftime("demo-%Y%m%d-%H%M%S").to_string();
        return Ok(recording::new_directory(&recording::default_directory()?.path, &now)?);
    };
    let is_empty = match fs::read_dir(keep) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(Failure::file(keep, &error)),
    };
    if is_empty {
        return Ok(keep.to_owned());
    }
    Err(Failure::input(
        format!("`{}` is not empty", keep.display()),
        "give a directory that is new or empty",
    ))
}

/// Runs the fault and its fix, then explains both recordings.
fn show(
    shown: &Shown,
    on_this_host: &mut bool,
    keep: &Path,
    console: &Console,
) -> Result<Exit, Failure> {
    let Shown { scenario, the_fault, the_fix, .. } = shown;
    console
        .print(&format!("\n── {scenario} ──\nThe fault: {the_fault}\nThe fix:   {the_fix}\n"))?;
    let ran = run_here(console, on_this_host, |on_this_host, output| {
        lab::run(&lab::RunOptions { on_this_host, ..shown.options(keep) }, output)
    });
    // What was recorded is worth reading even if the run did not end as it should.
    for variant in shown.variants() {
        for recording in shown.recordings(keep, variant) {
            explain_one(variant, recording, console)?;
        }
    }
    Ok(if ran?.passed { Exit::Fine } else { Exit::Gate })
}

/// The program, the remedy and the JVM: applied, compared, and taken back while the JVM still runs.
const ACT: &str = r#""$0" fix "$1" -p "$2" --apply --verify 10s && echo && "$0" fix --undo "$1""#;

/// The first fault once more, and a remedy applied to the JVM while it runs.
fn act(on_this_host: bool, console: &Console) -> Result<Exit, Failure> {
    let (scenario, remedy) = (SHOWN[0].scenario, "gc-log-to-tmpfs");
    console.print(&format!(
        "\n── {scenario}, and a remedy while the JVM runs ──\n\
         The fault again, and `{remedy}` applied, compared, and undone.\n\n"
    ))?;
    let program = std::env::current_exe()?;
    let options = lab::HoldOptions {
        scenario: scenario.into(),
        variant: "fault".into(),
        jdk: None,
        collector: None,
        time: None,
        command: ["sh".into(), "-c".into(), ACT.into()]
            .into_iter()
            .chain([program.into_os_string(), remedy.into(), "%pid".into()])
            .collect(),
        on_this_host,
    };
    let mut here = on_this_host;
    let ended = run_here(console, &mut here, |on_this_host, output| {
        lab::hold(&lab::HoldOptions { on_this_host, ..options.clone() }, output)
    })?;
    Ok(if ended.is_some_and(|it| it.success()) { Exit::Fine } else { Exit::Gate })
}

fn explain_one(variant: &str, recording: PathBuf, console: &Console) -> Result<(), Failure> {
    let command = console.copyable(explain::command(&recording)).unwrap_or_default();
    console.print(&format!("\nWhat whypause says of `{variant}` ({command}):\n\n"))?;
    let args = ExplainArgs {
        at: None,
        paths: vec![recording],
        format: AnswerFormat::Report(report::Format::Text),
        table: None,
        origin: OriginArgs::default(),
        json: JsonFlag::default(),
        full: false,
        all_pauses: false,
        redact: false,
        over: None,
        zone: ZoneArgs::default(),
    };
    match explain::run(&args, console) {
        Err(Failure::OutputClosed) => Err(Failure::OutputClosed),
        // The run that it belongs to is judged by the lab.
        Err(failure) => {
            console.failure(&failure);
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}
