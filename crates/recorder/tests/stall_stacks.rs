//! Where in Java a thread stands that the kernel holds, on each JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::Java;
use recorder::{Options, Roots, Session, StallStacks, ThreadNames};
use recording::Facts;
use std::{sync::atomic::AtomicBool, time::Instant};
use testing::PATIENCE;

/// Facts of a JVM from `begin` until a stack has come.
fn record(java: &Java) -> Facts {
    let (roots, jvm) = (Roots::default(), java.jvm());
    ThreadNames::request(&roots, &jvm, &AtomicBool::new(false)).unwrap();
    let mut session = Session::attach(&jvm, Options::default()).unwrap();
    let mut stacks = StallStacks::start(&roots, &jvm).unwrap();
    let (mut all, end) = (Facts::default(), Instant::now() + PATIENCE);
    while all.java_stacks.is_empty() {
        assert!(Instant::now() < end, "no stack came");
        let mut facts = session.step().facts;
        stacks.apply(&mut facts, false);
        all.append(facts);
    }
    let mut last = session.finish();
    stacks.finish(&mut last);
    all.append(last);
    all
}

#[test]
fn the_frame_in_which_a_thread_stands_is_named_and_the_stop_for_it_left_out() {
    for jdk in common::all() {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = directory.path().join("pipe");
        let _unread = testing::pipe(&path);
        let java = Java::start(&jdk, &["-XX:+UseSerialGC"], "Pour", &[path.to_str().unwrap()]);
        let facts = record(&java);
        let stack = &facts.java_stacks[0];
        let in_write = |it: &String| it.starts_with("java.io.FileOutputStream.writeBytes");
        assert!(stack.frames.first().is_some_and(in_write), "JDK {:?}: {stack:?}", jdk.major);
        assert!(stack.frames.iter().any(|it| it.starts_with("Pour.lambda$main")), "{stack:?}");
        let thread = facts.threads.iter().find(|it| it.tid == stack.tid).unwrap();
        assert_eq!(thread.name, "pourer-1");
        let operations = facts.safepoints.iter().flat_map(|it| &it.operations);
        assert_eq!(operations.filter(|it| it.name == "PrintThreads").count(), 0);
        assert!(facts.coverage.unwrap().notes.iter().any(|it| it.item == "safepoints"));
    }
}
