//! `whypause keep`: the process that copies a log, as `fix` starts it. Its working directory is the
//! log's, its standard output the directory that it copies to.
use crate::{Exit, Failure, args::KeepArgs, console::Console, interrupt::Interrupt};
use keeper::{Event, Keeper, Options, Outcome, Process};
use std::{
    io::{self, Read},
    path::Path,
    time::Duration,
};

/// Standard output, as a directory.
const TARGET: &str = "/proc/self/fd/1/.";

pub(crate) fn run(args: &KeepArgs, console: &Console) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    // Whoever started it is gone where there is no word, and nobody would ever end it.
    let mut word = Vec::new();
    io::stdin().lock().take(remedy::GO.len() as u64).read_to_end(&mut word)?;
    if word != remedy::GO {
        return Err(Failure::input("`keep` is started by `whypause fix`", ""));
    }
    let options = Options {
        period: Duration::from_millis(args.period_ms.max(1)),
        source_uid: args.source_uid,
        while_alive: args.jvm.as_deref().and_then(process),
        ..Options::new(Path::new(".").join(&args.file), TARGET)
    };
    if args.once {
        return once(&options, console);
    }
    keep(&options, &interrupt, console)
}

/// Copies until somebody wants an end or the JVM has ended. What happens is reported on standard error.
pub(crate) fn keep(
    options: &Options,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut keeper =
        Keeper::open(options).map_err(|error| Failure::input(error.to_string(), ""))?;
    let mut fails = false;
    let outcome = keeper.run(interrupt.flag(), &mut |event| {
        match &event {
            Event::Failing { .. } => fails = true,
            Event::Recovered { .. } => fails = false,
            _ => {}
        }
        console.say(&event.to_string());
    });
    if fails {
        return Err(Failure::input("part of the log is not copied", ""));
    }
    console.say(match outcome {
        Outcome::Stopped => "stopped: the whole log is copied",
        Outcome::Ended => "the JVM has exited; its whole log is copied",
    });
    Ok(Exit::Fine)
}

/// Copies what is not copied yet.
fn once(options: &Options, console: &Console) -> Result<Exit, Failure> {
    let failed = |error: keeper::KeeperError| Failure::input(error.to_string(), "");
    let mut keeper = Keeper::open(options).map_err(failed)?;
    loop {
        let round = keeper.round().map_err(failed)?;
        keeper.events().iter().for_each(|it| console.say(&it.to_string()));
        if !round.is_behind {
            return Ok(Exit::Fine);
        }
    }
}

/// `PID:TICKS`.
fn process(text: &str) -> Option<Process> {
    let (pid, start_ticks) = text.split_once(':')?;
    Some(Process { pid: pid.parse().ok()?, start_ticks: start_ticks.parse().ok()? })
}
