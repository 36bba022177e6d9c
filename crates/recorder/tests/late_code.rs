//! The code that keeps a thread from stopping is named, on each JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, newest};
use recorder::{CodeNames, Options, Roots, Session, ThreadNames};
use recording::{Facts, Source};
use std::time::Instant;
use testing::{PATIENCE, busy};

const SAMPLES: usize = 20;

fn step(session: &mut Session, names: &mut CodeNames, all: &mut Facts) {
    let mut facts = session.step().facts;
    names.apply(&mut facts);
    all.append(facts);
}

/// Records until the late thread was seen often enough, and until a thread dump has come.
fn record(java: &Java) -> Facts {
    let (roots, jvm) = (Roots::default(), java.jvm());
    let never = std::sync::atomic::AtomicBool::new(false);
    ThreadNames::request(&roots, &jvm, &never).unwrap();
    let mut names = CodeNames::start(&roots, &jvm).unwrap();
    let options = Options { late_code: true, ..Options::default() };
    let mut session = Session::attach(&jvm, options).unwrap();
    let mut all = Facts::default();
    let end = Instant::now() + PATIENCE;
    let asked = loop {
        step(&mut session, &mut names, &mut all);
        if let Some(asked) = names.request_stacks() {
            break asked;
        }
        assert!(Instant::now() < end, "no thread was late");
    };
    while !asked.is_finished() {
        assert!(Instant::now() < end, "no thread dump came");
        step(&mut session, &mut names, &mut all);
    }
    let mut last = session.finish();
    names.finish(&mut last);
    all.append(last);
    asked.add_to(&mut all);
    all
}

/// Whether the thread whose Java stack is reported was looked at while that stop waited for it.
fn is_seen_in_dump(facts: &Facts) -> bool {
    facts.java_stacks.iter().any(|stack| {
        let mut samples = facts.code.iter().filter(|it| it.tid == stack.tid);
        samples.any(|it| stack.reaching.contains(it.at))
    })
}

#[test]
fn the_method_and_its_callers_are_named() {
    for jdk in common::all() {
        let java = Java::start(&jdk, &busy("-XX:+UseParallelGC"), "Late", &[]);
        // The one thread dump of a recording may find the thread between two loops, where it stops at
        // once and is not sampled; on a busy host it often does. Then another recording is made.
        let end = Instant::now() + PATIENCE;
        let recordings = std::iter::repeat_with(|| record(&java));
        let facts = recordings.take_while(|_| Instant::now() < end).find(is_seen_in_dump);
        let facts = facts.expect("the thread is looked at in the stop of the dump");
        let name = format!("JDK {:?}", jdk.major);
        assert!(facts.coverage.as_ref().unwrap().has(Source::LateCode), "{name}");
        let counter = facts.threads.iter().find(|it| it.name == "counter").unwrap().tid;
        let samples: Vec<_> = facts.code.iter().filter(|it| it.tid == counter).collect();
        let named = samples.iter().filter(|it| it.method == "Late.count(D)V").count();
        println!("{name}: {named} of {} samples", samples.len());
        assert!(
            samples.len() >= SAMPLES / 2 && named * 10 >= samples.len() * 9,
            "{name}: {samples:?}"
        );
        let operations = facts.safepoints.iter().flat_map(|it| &it.operations);
        assert_eq!(operations.filter(|it| it.name == "PrintThreads").count(), 0, "{name}");
        let stack = facts.java_stacks.iter().find(|it| it.tid == counter).unwrap();
        assert!(stack.frames.iter().any(|it| it.starts_with("Late.lambda$main")), "{stack:?}");
    }
}

#[test]
fn nothing_is_looked_at_unasked() {
    let Some(jdk) = newest() else { return };
    let java = Java::start(&jdk, &busy("-XX:+UseParallelGC"), "Late", &[]);
    let facts = common::record(&java.jvm(), Options::default(), |it| it.safepoints.len() >= 5);
    assert!(facts.safepoints.len() >= 5);
    assert!(facts.code.is_empty());
    assert!(!facts.coverage.unwrap().sources.contains_key(&Source::LateCode));
}
