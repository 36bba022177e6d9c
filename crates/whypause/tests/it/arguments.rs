//! What can be typed, and what is said of what cannot.
use crate::{
    crafted::{safepoint, write},
    run::run,
};
use recording::{Coverage, Facts};

const COMMANDS: [&[&str]; 19] = [
    &[],
    &["record"],
    &["explain"],
    &["watch"],
    &["compare"],
    &["check"],
    &["ps"],
    &["cause"],
    &["lab"],
    &["lab", "list"],
    &["lab", "run"],
    &["lab", "clean"],
    &["completions"],
    &["man"],
    &["doctor"],
    &["fix"],
    &["lab", "matrix"],
    &["lab", "sweep"],
    &["schema"],
];

#[test]
fn every_help_begins_with_one_line_and_ends_with_examples() {
    for command in COMMANDS {
        let ran = run(&[command, &["--help"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let mut lines = ran.stdout.lines();
        let first = lines.next().expect("a line");
        assert!(!first.is_empty() && !first.ends_with('.'), "{first}");
        assert_eq!(lines.next(), Some(""), "{command:?}: one line first");
        let examples = ran.stdout.split_once("EXAMPLES:\n").expect("examples").1;
        let name = [&["whypause"], command].concat().join(" ");
        assert!(examples.contains(&name), "{name}: {examples}");
    }
}

#[test]
fn no_answer_advises_an_option_that_does_not_exist() {
    let parent = tempfile::tempdir().expect("a directory");
    let path = parent.path().join("rec");
    let safepoints = vec![safepoint(0, 50_000_000)];
    // Nothing was watched, so the answer says of every source how to watch it.
    let coverage = Some(Coverage::default());
    write(&path, [Facts { safepoints, coverage, ..Facts::default() }]);
    let said = run(&["explain", path.to_str().expect("UTF-8")]).stdout;
    assert!(said.contains("needs a JVM that writes a GC log"), "{said}");
    let help: String = COMMANDS.iter().map(|it| run(&[*it, &["--help"]].concat()).stdout).collect();
    let options = said.split(|c: char| c.is_whitespace() || "`,().".contains(c));
    for option in options.filter(|it| it.starts_with("--")) {
        assert!(help.contains(option), "{option}: {said}");
    }
}

#[test]
fn every_option_with_a_time_says_its_range() {
    for command in ["record", "explain", "watch"] {
        let help = run(&[command, "--help"]).stdout.replace('\n', " ");
        let times = help.matches("<TIME>").count();
        let ranges = help.matches("from ").count();
        assert!(times > 0 && ranges >= times, "{command}: {help}");
    }
}

#[test]
fn help_is_a_command_too() {
    assert!(run(&["--help"]).stdout.contains("\n  help "), "it is listed");
    for command in ["record", "explain", "cause"] {
        let ran = run(&["help", command]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{command}");
        assert_eq!(ran.stdout, run(&[command, "--help"]).stdout, "{command}");
    }
    assert_eq!(run(&["help"]).stdout, run(&["--help"]).stdout);
    assert_eq!(run(&["help", "frobnicate"]).code, 2);
}

#[test]
fn json_is_short_for_its_format_and_contradicts_the_others() {
    for command in COMMANDS {
        let help = run(&[command, &["--help"]].concat()).stdout;
        assert_eq!(help.contains("--format <"), help.contains("--json\n"), "{command:?}: {help}");
    }
    let flags = ["doctor", "--flags", "-Xmn1g"];
    let long = run(&[&flags[..], &["--format", "json"]].concat());
    for short in [&["--json"][..], &["--json", "--format", "json"], &["--format=json", "--json"]] {
        let ran = run(&[&flags[..], short].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, long.stdout.as_str()), "{short:?}");
    }
    let ran = run(&[&flags[..], &["--json", "--format", "sarif"]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let error = "error: `--json` and `--format sarif` contradict each other\n\
        hint: `--json` is the short form of `--format json`: leave one of them out\n";
    assert_eq!(ran.stderr, error);
}

#[test]
fn a_bare_number_means_the_process_of_that_id() {
    // No process has it: `/proc/sys/kernel/pid_max` is at most 4194304.
    const NONE: &str = "4194305";
    for command in ["record", "watch", "doctor", "fix"] {
        let [bare, option] = [&[command, NONE][..], &[command, "-p", NONE]].map(run);
        assert_eq!((bare.code, &bare.stdout), (option.code, &option.stdout), "{command}");
        assert_eq!(bare.stderr, option.stderr, "{command}");
        assert!(bare.stderr.contains(NONE), "{command}: {}", bare.stderr);
    }
    check_refused(&["record", "kafka.Kafka"], "not a process id");
    check_refused(&["fix", NONE, "--apply"], "is no remedy");
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join("4242")).expect("a directory");
    let mut command = crate::run::whypause(&["doctor", "4242"]);
    command.current_dir(dir.path());
    let ran = crate::run::ran(command);
    let error = "error: `4242` is a process id, and a file here has this name\n\
        hint: write -p 4242 for the process, ./4242 for the file\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, error));
}

fn check_refused(args: &[&str], part: &str) {
    let ran = run(args);
    assert_eq!(ran.code, 2, "{args:?}");
    assert_eq!(ran.stdout, "", "{args:?}");
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert!(ran.stderr.contains(part), "{}", ran.stderr);
}

#[test]
fn wrong_arguments_are_reported() {
    check_refused(&["record", "-p", "1", "-d", "10"], "`10` has no unit: write `10ms`");
    check_refused(&["record", "-p", "1", "-d", "99ms"], "must be from 100 ms to 7 d 00 h");
    check_refused(&["record", "-p", "1", "--match", "x"], "cannot be used with");
    check_refused(&["record", "-p", "1", "--", "java"], "cannot be used with");
    check_refused(&["record", "-p", "1", "--max-size", "1"], "`1` has no unit");
    check_refused(&["watch", "-p", "1", "--over", "999us"], "must be from 1 ms to 7 d 00 h");
    check_refused(&["explain", "x", "--over", "2 fortnights"], "use ns, us, ms, s, m, h or d");
    check_refused(&["record", "-p", "1", "-d", "8d"], "must be from 100 ms to 7 d 00 h");
    check_refused(
        &["explain", "x", "--format", "pdf"],
        "[possible values: text, json, markdown, html, perfetto, csv, parquet, arrow]",
    );
    check_refused(&["explain"], "required");
    check_refused(&["frobnicate"], "unrecognized subcommand");
}

#[test]
fn without_a_command_help_is_shown_and_it_is_an_error() {
    let ran = run(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("Usage: whypause"), "{}", ran.stderr);
}

#[test]
fn the_version_is_reported() {
    let ran = run(&["--version"]);
    assert_eq!(ran.stdout, format!("whypause {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn alerts_that_cannot_work_are_refused_at_once_and_no_secret_is_shown() {
    let check = |arguments: &[&str], message: &str, hint: &str| {
        let ran = run(&[&["watch", "-p", "no.such.Name"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: {message}")), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("hint: {hint}")), "{}", ran.stderr);
        assert!(!ran.stderr.contains("hush"), "{}", ran.stderr);
    };
    check(&["--exec", "no-such-program hush"], "no program `no-such-program` for `--exec`", "give");
    check(&["--exec", "sh -c 'hush"], "a quote in the command of `--exec` has no end", "words");
    check(&["--webhook", "hooks.example.com/hush"], "`--webhook`: this is no URL", "a file");
    check(&["--webhook", "ftp://host/hush"], "`--webhook`: only http:// and https://", "a file");
    check(&["--webhook", "@/nonexistent"], "cannot read the webhook's file", "its first line");
    check(&["--alert-every", "1m"], "`--alert-every` is about alerts", "give `--exec CMD`");
    check(
        &["--webhook", "http://h/hush", "--webhook-format", "pagerduty"],
        "PagerDuty takes a routing key",
        "set WHYPAUSE_PAGERDUTY_KEY",
    );
    check(
        &["--webhook", "http://h/hush", "--alert-over", "2ms"],
        "`--alert-over` is less than `--over`",
        "shorter pauses",
    );
}
