//! Recordings at their new place.
use super::*;
use crate::{
    Options,
    clock::{BEGIN, DAY},
    log::Families,
    plan,
};

/// Those of a real recording of CPU contention.
pub(super) fn facts() -> Facts {
    let path = crate::testdata().join("recordings/cpu-contention/recording");
    Recording::open(&path).expect("a recording").facts
}

#[test]
fn all_templates_can_be_used() {
    let templates = Templates::read(&crate::testdata()).expect("templates");
    for it in templates.ordinary.iter().chain([&templates.journal, &templates.steal]) {
        assert!(it.stop.length_ns > 50_000_000, "{}", it.folder);
        assert!(!it.piece.says("Humongous Allocation"), "{}", it.folder);
    }
}

#[test]
fn what_is_written_says_its_new_host_and_time_everywhere() {
    let testdata = crate::testdata();
    let (templates, families) =
        (Templates::read(&testdata).expect("templates"), Families::read(&testdata).expect("logs"));
    let options = Options { hosts: 1, recordings: 0, ..Options::default() };
    let host = &plan::hosts(&options, 7, 3, &[1]).expect("a plan")[0];
    let life = &host.lives[0];
    let at_ns = BEGIN + DAY + 123_456_789;
    let init = &families.all()[host.family].init;
    let moved = templates.journal.moved((host, life), init, at_ns, 700);
    let directory = tempfile::tempdir().expect("a directory");
    let name = moved.write(directory.path()).expect("written");
    assert_eq!(name, "20261121T000000.123Z_1576ms_pause_gc-log-write-blocked");
    let read = Recording::open(&directory.path().join(name)).expect("a recording").facts;
    let (jvm, is) = (read.jvm.as_ref().expect("a JVM"), read.host.as_ref().expect("a host"));
    assert_eq!(
        (jvm.pid, is.name.as_str(), is.kernel.as_str()),
        (life.pid, "node-001", life.kernel)
    );
    assert!(read.threads.iter().any(|it| it.tid == life.pid));
    let offset = read.wall_offset().expect("an offset").offset_ns;
    let longest = read.safepoints.iter().max_by_key(|it| it.end_probe.since(it.begin));
    let begin = longest.expect("a stop").begin.0.cast_signed();
    assert_eq!(begin + offset, at_ns);
    let texts: Vec<String> =
        read.log_blocks().flat_map(|it| it.to_vec()).map(|it| it.text).collect();
    assert!(texts[0].starts_with("[2026-11-20T00:00:00.0"), "{}", texts[0]);
    assert!(
        texts.iter().any(|it| it.starts_with("[2026-11-20T23:59:5") && it.contains(" GC(700) "))
    );
    assert_eq!(texts.iter().filter(|it| it.contains("2026-11-22T22")).count(), 0);
}
