//! The program on a real JVM, from attaching to the explanation. Needs root, BTF and a JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod alerts;
mod all_jvms;
mod capabilities;
mod doctor;
mod huge;
mod keep;
mod lab_asks;
mod lab_disk;
mod lab_killed;
mod metrics;
mod one_lab;
mod page;
mod page_faults;
mod receiver;
mod record;
mod rights;
mod rows;
mod secrets;
mod stalls;
mod stopped_recorder;
mod stops;

use testing::Jdk;

/// The newest JDK, if a JVM can be recorded here at all; otherwise says why not.
fn newest() -> Option<Jdk> {
    testing::Jdk::newest(cfg!(feature = "bpf"))
}
