//! `watch --wait`: one JVM after the other, for days, with few rights.
//!
//! Attaching takes rights that nothing else takes, and must be possible again for the next JVM. So this
//! process keeps them and does nothing: it reads no file that others have made, and starts two programs
//! by turns. One gives up its rights and waits for a JVM; the other one attaches to that, and gives up
//! its rights then. What was asked for they get as arguments (`words`): an option that is not there is lost.
use super::{Watch, alerts::Alerts, published::Addresses};
use crate::{
    Exit, Failure,
    args::{ListFormat, Part, WatchArgs},
    target,
};
use recorder::JvmError;
use report::text::clean;
use spawn::Running;
use std::{
    env,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// How often it is polled whether the other program has ended, or an interrupt came.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long the other program may take to end when it is asked to: it may have to ask its JVM.
const END_PATIENCE: Duration = Duration::from_secs(30);

/// What the process does that keeps its rights.
pub(super) fn watch_each(watch: &Watch<'_>) -> Result<Exit, Failure> {
    loop {
        let mut finder = start(watch, Part::Find, None)?;
        let found = finish(watch, &mut finder)?;
        let said = String::from_utf8(finder.stdout()).unwrap_or_default();
        let Some(pid) = said.trim().parse::<u32>().ok().filter(|_| found == 0) else {
            return Ok(exit_of(found));
        };
        let mut watcher = start(watch, Part::One, Some(pid))?;
        let ended = finish(watch, &mut watcher)?;
        if ended != i32::from(Exit::NextJvm.code()) || watch.end().is_some() {
            return Ok(exit_of(ended));
        }
    }
}

/// What the process does that waits for a JVM.
pub(super) fn find(watch: &Watch<'_>) -> Result<Exit, Failure> {
    recorder::keep_search_rights()?;
    let say = |why: &JvmError| {
        target::waiting(why).iter().for_each(|it| watch.console.say(it));
        if let Some(live) = watch.published.live() {
            live.end(&clean(&why.to_string()), true);
        }
    };
    if let Some(jvm) = target::awaited(&watch.args.jvm, || watch.end().is_some(), say)? {
        watch.console.print(&format!("{}\n", jvm.pid))?;
    }
    Ok(Exit::Fine)
}

/// The other program has printed its message already; its exit code becomes ours.
fn exit_of(code: i32) -> Exit {
    match code {
        0 | 4 => Exit::Fine,
        3 => Exit::NotEnough,
        130 => Exit::Interrupted,
        _ => Exit::Usage,
    }
}

fn start(watch: &Watch<'_>, part: Part, pid: Option<u32>) -> Result<Running, Failure> {
    let mut command = spawn::command(env::current_exe()?);
    command.args(["--color", watch.console.colour()]);
    command.args(words(watch.args, part, pid, watch.published.addresses(), watch.until));
    command.args(watch.args.kept.words());
    command.args(watch.args.rows.words());
    command.stderr(Stdio::inherit());
    watch.published.give(&mut command)?;
    Alerts::give(watch.args, part, &mut command);
    started(command, part)
        .map_err(|error| Failure::input(format!("cannot start a part of the watch: {error}"), ""))
}

fn started(mut command: Command, part: Part) -> Result<Running, spawn::Error> {
    match part {
        Part::Find => Running::start_answering(command),
        Part::One => {
            command.stdout(Stdio::inherit());
            Running::start(command)
        }
    }
}

/// Waits for its end; asks for it on an interrupt.
fn finish(watch: &Watch<'_>, running: &mut Running) -> Result<i32, Failure> {
    let failed = |error: spawn::Error| Failure::input(error.to_string(), "");
    let mut wishes = watch.wishes.count();
    let status = loop {
        if std::mem::replace(&mut wishes, watch.wishes.count()) != wishes {
            running.wish();
        }
        if let Some(status) = running.ends_within(POLL_INTERVAL).map_err(failed)? {
            break Some(status);
        }
        if watch.end().is_some() {
            break running.end(END_PATIENCE);
        }
    };
    Ok(status.and_then(|it| it.code()).unwrap_or(i32::from(Exit::Usage.code())))
}

/// The arguments of a part.
fn words(
    args: &WatchArgs,
    part: Part,
    pid: Option<u32>,
    addresses: Addresses,
    until: Option<Instant>,
) -> Vec<String> {
    let name = args.jvm.pattern().map(str::to_owned);
    let which = pid.map(|it| it.to_string()).or(name);
    let mut words = vec!["watch".to_owned()];
    words.extend(which.map(|it| format!("--pid={it}")));
    // As it was given: a number is also that of a user of a container.
    words.extend(args.jvm.whose.user.as_ref().map(|it| format!("--user={}", it.given)));
    words.extend(args.jvm.whose.service.as_ref().map(|it| format!("--service={it}")));
    words.extend(["--part".into(), if part == Part::Find { "find" } else { "one" }.into()]);
    let millis = |time: Duration, least: u128| format!("{}ms", time.as_millis().max(least));
    words.extend(["--over".into(), millis(args.over, 1)]);
    let stalls =
        if args.stalls_over.is_zero() { "none".into() } else { millis(args.stalls_over, 1) };
    words.extend(["--stalls-over".into(), stalls]);
    if let Some(until) = until {
        words.extend(["-d".into(), millis(until.saturating_duration_since(Instant::now()), 100)]);
    }
    words.extend(args.zone.words());
    words.extend(args.alerts.words());
    if let Some(address) = addresses.page {
        words.extend(["--serve".into(), address.to_string()]);
    }
    if let Some(address) = addresses.metrics {
        words.extend(["--metrics".into(), address.to_string()]);
    }
    if let Some(target) = &args.otlp {
        words.extend(["--otlp".into(), target.to_string()]);
    }
    for (flag, given) in [
        ("--json", args.format == ListFormat::Json),
        ("--redact", args.redact),
        ("--without-ebpf", args.collect.without_ebpf),
        ("--ask-jvm", args.collect.ask_jvm),
        ("--log-safepoints", args.collect.log_safepoints),
    ] {
        words.extend(given.then(|| flag.to_owned()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command as Verb};
    use clap::Parser;

    /// The arguments of a part for this command line.
    fn arguments(asked: &str, part: Part, pid: Option<u32>) -> String {
        let cli = Cli::try_parse_from(asked.split(' ')).unwrap();
        let Verb::Watch(args) = cli.command else { panic!("{asked}") };
        let addresses = Addresses {
            page: args.serve.map(serve::Address::socket),
            metrics: args.metrics.map(serve::Address::socket),
        };
        let words = words(&args, part, pid, addresses, None);
        let again = Cli::try_parse_from(["whypause".to_owned()].iter().chain(&words));
        assert!(again.is_ok(), "{again:?}");
        words.join(" ")
    }

    #[test]
    fn a_part_is_told_all_that_was_asked_for() {
        let asked = "whypause watch --wait --match kafka.Kafka --over 200ms --stalls-over 10ms --redact --ask-jvm";
        assert_eq!(
            arguments(asked, Part::Find, None),
            "watch --pid=kafka.Kafka --part find --over 200ms --stalls-over 10ms --redact --ask-jvm"
        );
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --part one --over 200ms --stalls-over 10ms --redact --ask-jvm"
        );
        let asked = "whypause watch --wait --match orders --metrics 9464 --otlp http://c";
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --part one --over 50ms --stalls-over 10ms --metrics 127.0.0.1:9464 \
             --otlp http://c:4318/v1/metrics"
        );
        let asked = "whypause watch --wait --match orders --json --exec=notify --alert-every 1m \
                     --alert-over 1s --webhook @/etc/hook --webhook-format slack";
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --part one --over 50ms --stalls-over 10ms --exec=notify \
             --webhook=@/etc/hook --webhook-format=slack --alert-every=60000ms --alert-over=1000ms --json"
        );
        let asked = "whypause watch --wait --match orders --webhook https://h/secret";
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --part one --over 50ms --stalls-over 10ms"
        );
        let asked = "whypause watch --wait --user 7 --service kafka";
        assert_eq!(
            arguments(asked, Part::Find, None),
            "watch --user=7 --service=kafka.service --part find --over 50ms --stalls-over 10ms"
        );
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --user=7 --service=kafka.service --part one --over 50ms --stalls-over 10ms"
        );
        let asked = "whypause watch --wait --user root";
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --user=root --part one --over 50ms --stalls-over 10ms"
        );
        let asked = "whypause watch --wait --match orders --serve 0";
        assert_eq!(
            arguments(asked, Part::One, Some(42)),
            "watch --pid=42 --part one --over 50ms --stalls-over 10ms --serve 127.0.0.1:0"
        );
        let asked = "whypause watch --wait -p -x --without-ebpf --log-safepoints";
        let asked = asked.replace("-p -x", "--pid=-x");
        assert_eq!(
            arguments(&asked, Part::Find, None),
            "watch --pid=-x --part find --over 50ms --stalls-over 10ms --without-ebpf --log-safepoints"
        );
    }
}
