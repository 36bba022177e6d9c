//! `whypause keep`: the process that copies a log, as `fix` starts it. Its working directory is the
//! log's, its standard output the directory that it copies to.
use crate::{Exit, Failure, args::KeepArgs, console::Console, interrupt::Interrupt};
use keeper::{Alive, Event, Keeper, Options, Outcome, Process};
use recorder::Roots;
use rustix::{
    fs::{FileType, Mode, OFlags, Stat, fstat, ftruncate},
    process::{Signal, geteuid, getppid, set_parent_process_death_signal},
};
use spawn::Identity;
use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsFd,
    path::Path,
    sync::Arc,
    time::Duration,
};

pub(crate) fn run(args: &KeepArgs, console: &Console) -> Result<Exit, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::input(error.to_string(), "");
    let to_held = io::stdout().as_fd().try_clone_to_owned()?;
    let descriptors =
        rustix::fs::open("/proc/self/fd", OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let descriptors = Arc::new(descriptors.map_err(io::Error::from)?);
    // Where the JVM's mounts are these need not be what they are here.
    let boot = keeper::boot();
    let nothing = File::open("/dev/null")?;
    let jvm = args.jvm.as_deref().and_then(process);
    let while_alive = jvm.map(Alive::of).transpose().map_err(|error| refused(&error))?;
    // Before anything of others is looked at, and while there is one thread.
    take_on(args, jvm, while_alive.as_ref()).map_err(|error| {
        refused(&format!("cannot give up the rights of uid {}: {error}", geteuid().as_raw()))
    })?;
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
        while_alive,
        to_held: Some(Arc::new(to_held)),
        descriptors: Some(descriptors),
        boot,
        ..Options::new(Path::new(".").join(&args.file), &args.to)
    };
    if args.once {
        return once(&options, console);
    }
    // Whoever started it waits for that, if it is still there.
    let begun = || {
        let _ = rustix::io::write(io::stdin(), remedy::BEGUN);
        Ok(rustix::stdio::dup2_stdin(&nothing)?)
    };
    keep(&options, &interrupt, console, begun)
}

/// Takes on what the JVM is and has; where that has ended, the user that it had. A log of this host is
/// copied by this user, with what of its rights has to do with files.
fn take_on(args: &KeepArgs, jvm: Option<Process>, alive: Option<&Alive>) -> io::Result<()> {
    let user = args.run_as.as_deref().and_then(|it| it.split_once(':'));
    let user = user.and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)));
    let Some((uid, gid)) = user else { return Identity::own().assume(None) };
    let roots = Roots::default();
    let parent = getppid();
    let stand_in = jvm
        .and_then(|it| recorder::jvm(&roots, it.pid).ok())
        .and_then(|it| recorder::stand_in_for(&roots, &it).ok())
        .filter(|it| it.identity.uid == uid && alive.is_some_and(|it| !it.has_ended()));
    // They have what this process is about to give up.
    recorder::end_readers();
    match stand_in {
        Some(it) => it.identity.assume(it.mounts.as_ref()),
        None => Identity::of_user(uid, gid).assume(None),
    }?;
    if args.once {
        // The kernel forgets that with the user (`commit_creds` of `kernel/cred.c`).
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() != parent {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    Ok(())
}

/// A file with what it says is emptied beyond this.
const MOST_SAID_BYTES: i64 = 64 << 10;

/// Bounds the log on standard error, so that repeated messages do not fill a disk.
fn bound_what_is_said() {
    let said = io::stderr();
    let is_large = |it: Stat| {
        FileType::from_raw_mode(it.st_mode) == FileType::RegularFile && it.st_size > MOST_SAID_BYTES
    };
    if fstat(&said).is_ok_and(is_large) {
        let _ = ftruncate(&said, 0);
    }
}

/// Copies until interrupted or the JVM has ended. Events are reported on standard error.
/// `begun` is called once everything is open.
pub(crate) fn keep(
    options: &Options,
    interrupt: &Interrupt,
    console: &Console,
    begun: impl FnOnce() -> io::Result<()>,
) -> Result<Exit, Failure> {
    let mut keeper =
        Keeper::open(options).map_err(|error| Failure::input(error.to_string(), ""))?;
    begun()?;
    let mut fails = false;
    let outcome = keeper.run(interrupt.flag(), &mut |event| {
        match &event {
            Event::Failing { .. } => fails = true,
            Event::Recovered { .. } => fails = false,
            _ => {}
        }
        bound_what_is_said();
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
            keeper.close();
            return Ok(Exit::Fine);
        }
    }
}

/// `PID:TICKS`.
fn process(text: &str) -> Option<Process> {
    let (pid, start_ticks) = text.split_once(':')?;
    Some(Process { pid: pid.parse().ok()?, start_ticks: start_ticks.parse().ok()? })
}
