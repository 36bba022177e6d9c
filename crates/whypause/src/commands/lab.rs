//! `whypause lab`: pauses made on purpose.
mod demo;

use crate::{
    Exit, Failure,
    args::{
        LabCommand, LabDiskArgs, LabHoldArgs, LabListArgs, LabMatrixArgs, LabReproduceArgs,
        LabRunArgs, LabSweepArgs, ListFormat, Rights,
    },
    console::Console,
};
use ::lab::Privilege;
use std::io;

pub(crate) fn run(command: &LabCommand, console: &Console) -> Result<Exit, Failure> {
    match command {
        LabCommand::List(args) => list(args, console),
        LabCommand::Demo(args) => demo::run(args, console),
        LabCommand::Run(args) => run_scenario(args, console),
        LabCommand::Hold(args) => hold(args, console),
        LabCommand::Disk(args) => disk(args, console),
        LabCommand::Matrix(args) => matrix(args, console),
        LabCommand::Sweep(args) => sweep(args, console),
        LabCommand::Reproduce(args) => reproduce(args, console),
        LabCommand::Clean => clean(console),
        LabCommand::Fragment { mib } => {
            ::lab::fragmenter::hold(*mib, &mut io::stdout())?;
            Ok(Exit::Fine)
        }
        LabCommand::Guard { dir } => {
            ::lab::guardian::guard(dir)?;
            Ok(Exit::Fine)
        }
        LabCommand::ServeDisk { dir, bytes, lab, in_memory } => {
            let (dir, bytes, lab, most_mib) = (dir.clone(), *bytes, *lab, *in_memory);
            let served = ::lab::slow_file::Served { dir, bytes, lab, most_mib };
            ::lab::slow_file::serve(&served, &mut io::stdout())?;
            Ok(Exit::Fine)
        }
    }
}

fn list(args: &LabListArgs, console: &Console) -> Result<Exit, Failure> {
    let one = args.scenario.as_deref().map(::lab::scenario).transpose()?;
    let scenarios = one.as_ref().map_or(::lab::list(), std::slice::from_ref);
    if args.format == ListFormat::Json {
        console.print(&::lab::list_json(scenarios))?;
        return Ok(Exit::Fine);
    }
    // A page names the variants itself.
    let mut text =
        one.map_or_else(String::new, |it| report::page::render(it.page, console.style()));
    for scenario in scenarios {
        if one.is_none() {
            text += &format!("{}\n    {}\n", scenario.id, scenario.title);
        }
        for variant in scenario.variants {
            let lacks = (variant.can_run)().err();
            if one.is_none() || lacks.is_some() {
                text += &format!("    {:24}{}\n", variant.name, variant.what);
            }
            if let Some(reason) = lacks {
                text += &format!("{:28}cannot run here: {reason}\n", "");
            }
        }
        if let Err(reason) = (scenario.can_run)() {
            text += &format!("    cannot run here: {reason}\n");
        }
    }
    console.print(&text)?;
    Ok(Exit::Fine)
}

fn run_scenario(args: &LabRunArgs, console: &Console) -> Result<Exit, Failure> {
    let options = ::lab::RunOptions {
        variants: args.variants.clone(),
        jdks: args.jdk.clone(),
        recorded: args.duration,
        runs: args.runs,
        keep: args.keep.clone(),
        collector: args.collector.clone(),
        privilege: if args.unprivileged { Privilege::Unprivileged } else { Privilege::Privileged },
        format: format(args.format),
        verify_writes: args.verify_writes,
        ..::lab::RunOptions::new(&args.scenario)
    };
    let mut here = args.place.on_this_host;
    let outcome = run_here(console, &mut here, |on_this_host, output| {
        ::lab::run(&::lab::RunOptions { on_this_host, ..options.clone() }, output)
    })?;
    Ok(if outcome.passed { Exit::Fine } else { Exit::Gate })
}

fn hold(args: &LabHoldArgs, console: &Console) -> Result<Exit, Failure> {
    let options = ::lab::HoldOptions {
        scenario: args.scenario.clone(),
        variant: args.variant.clone(),
        jdk: args.jdk.clone(),
        collector: args.collector.clone(),
        time: args.duration,
        command: args.command.clone(),
        on_this_host: false,
    };
    let mut here = args.place.on_this_host;
    let ended = run_here(console, &mut here, |on_this_host, output| {
        ::lab::hold(&::lab::HoldOptions { on_this_host, ..options.clone() }, output)
    })?;
    Ok(if ended.is_none_or(|it| it.success()) { Exit::Fine } else { Exit::Gate })
}

fn disk(args: &LabDiskArgs, console: &Console) -> Result<Exit, Failure> {
    let options = ::lab::OnDiskOptions {
        write_bytes_per_s: args.write_limit,
        size_bytes: args.size,
        busy: args.busy,
        command: args.command.clone(),
        on_this_host: false,
    };
    let mut here = args.place.on_this_host;
    let ended = run_here(console, &mut here, |on_this_host, output| {
        ::lab::on_disk(&::lab::OnDiskOptions { on_this_host, ..options.clone() }, output)
    })?;
    Ok(if ended.success() { Exit::Fine } else { Exit::Gate })
}

fn matrix(args: &LabMatrixArgs, console: &Console) -> Result<Exit, Failure> {
    let options = ::lab::MatrixOptions {
        scenarios: args.scenarios.clone(),
        jdks: args.jdk.clone(),
        collectors: args.collectors.clone(),
        privileges: match args.rights {
            None => Privilege::ALL.to_vec(),
            Some(Rights::Privileged) => vec![Privilege::Privileged],
            Some(Rights::Unprivileged) => vec![Privilege::Unprivileged],
        },
        recorded: args.duration,
        runs: args.runs,
        short: args.short,
        variants: args.variants.clone(),
        results: args.results.clone(),
        within: args.within,
        keep: args.keep.clone(),
        format: format(args.format),
        on_this_host: false,
        program: None,
    };
    let mut here = args.place.on_this_host;
    let matrix = run_here(console, &mut here, |on_this_host, output| {
        let options = ::lab::MatrixOptions { on_this_host, ..options.clone() };
        ::lab::matrix::run(&options, output)
    })?;
    Ok(match matrix.left {
        0 if matrix.passed() => Exit::Fine,
        0 => Exit::Gate,
        _ => Exit::NotEnough,
    })
}

fn format(format: ListFormat) -> ::lab::Format {
    match format {
        ListFormat::Text => ::lab::Format::Text,
        ListFormat::Json => ::lab::Format::Json,
    }
}

/// Runs the lab. Where others use this host it asks at the terminal whether to run all the
/// same, and keeps a yes in `on_this_host`.
fn run_here<T>(
    console: &Console,
    on_this_host: &mut bool,
    mut run: impl FnMut(bool, &mut ::lab::Output<'_>) -> Result<T, ::lab::LabError>,
) -> Result<T, Failure> {
    let (mut results, mut messages) = (io::stdout(), io::stderr());
    let mut output = ::lab::Output {
        results: &mut results,
        messages: &mut messages,
        terminal: console.shows_progress(),
    };
    let ran = run(*on_this_host, &mut output);
    if let Err(refused @ ::lab::LabError::InUse(_)) = &ran {
        let question = format!("{refused}\nrun all the same, and perhaps slow others down?");
        if console.ask(&question) == Some(true) {
            *on_this_host = true;
            return Ok(run(true, &mut output)?);
        }
    }
    Ok(ran?)
}

fn sweep(args: &LabSweepArgs, console: &Console) -> Result<Exit, Failure> {
    let options = ::lab::SweepOptions {
        jdk: args.jdk.clone(),
        quick: args.quick,
        duration: args.duration,
        format: format(args.format),
        svg: args.svg.clone(),
        on_this_host: false,
    };
    let mut here = args.place.on_this_host;
    run_here(console, &mut here, |on_this_host, output| {
        ::lab::sweep(&::lab::SweepOptions { on_this_host, ..options.clone() }, output)
    })?;
    Ok(Exit::Fine)
}

fn reproduce(args: &LabReproduceArgs, console: &Console) -> Result<Exit, Failure> {
    let options = ::lab::ReproduceOptions {
        ids: args.parts.clone(),
        quick: args.quick,
        jdk: args.jdk.clone(),
        directory: args.output.clone(),
        on_this_host: false,
        program: None,
    };
    let mut here = args.place.on_this_host;
    let reproduced = run_here(console, &mut here, |on_this_host, output| {
        ::lab::reproduce(&::lab::ReproduceOptions { on_this_host, ..options.clone() }, output)
    })?;
    console.print(&format!("{}\n", reproduced.page.display()))?;
    for (id, why) in &reproduced.unable {
        console.say(&format!("not shown: {id}: {why}"));
    }
    for (id, why) in &reproduced.failed {
        console.say(&format!("failed: {id}: {why}"));
    }
    Ok(if reproduced.failed.is_empty() { Exit::Fine } else { Exit::Gate })
}

fn clean(console: &Console) -> Result<Exit, Failure> {
    let ::lab::Cleaned { removed, unread } = ::lab::clean()?;
    if removed.is_empty() && unread.is_none() {
        console.say("nothing was left behind");
    }
    for leftover in removed {
        console.say(&format!("removed: {leftover}"));
    }
    if let Some(word) = unread {
        console.say(&word);
    }
    Ok(Exit::Fine)
}
