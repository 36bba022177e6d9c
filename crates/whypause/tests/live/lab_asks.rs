//! The lab asks before it takes CPUs and memory from others.
use crate::{newest, one_lab};
use testing::Java;

/// A run that is over soon, and what it says that it does.
const SHORT_RUN: [&str; 6] = ["run", "late-java-thread", "--variants", "baseline", "-d", "1s"];
const UNDER_WAY: &str = "recording for 1 s";

#[test]
fn lab_refuses_to_run_beside_a_foreign_jvm_unless_forced() {
    let Some(jdk) = newest() else { return };
    let mut other = Java::busy(&jdk);
    let seen = format!("{} Alloc.java", other.pid());
    let said = |arguments: &[&str]| {
        let ran = one_lab::run(arguments);
        (ran.status.code(), String::from_utf8(ran.stderr).unwrap())
    };

    let (code, stderr) = said(&SHORT_RUN);
    assert_eq!(code, Some(2), "{stderr}");
    let line = stderr.lines().find(|it| it.starts_with("error: this host is in use: "));
    assert!(line.is_some_and(|it| it.contains(&seen)), "{stderr}");
    assert!(stderr.contains("hint: ") && stderr.contains("`--on-this-host`"), "{stderr}");
    assert!(!stderr.contains(UNDER_WAY), "{stderr}");

    let (code, stderr) = said(&[&SHORT_RUN[..], &["--on-this-host"]].concat());
    // whether the pauses of a loaded host are as short as they should be is another question
    assert!(matches!(code, Some(0 | 1)), "{code:?} {stderr}");
    let line = stderr.lines().find(|it| it.starts_with("on a host that is in use: "));
    assert!(line.is_some_and(|it| it.contains(&seen)), "{stderr}");
    assert!(stderr.contains(UNDER_WAY), "{stderr}");
    assert!(other.runs());
}
