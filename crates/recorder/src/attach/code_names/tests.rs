//! What is reported of late threads, and how often the JVM gets a request for it.
use super::*;

fn list() -> Answer {
    Ok(CodeList::parse("1 4 0 a.B.sum()V [0x100, 0x100 - 0x200]", vec![(0x100, 0x300)]))
}

fn at(ms: u64) -> MonoTime {
    MonoTime(ms * 1_000_000)
}

fn late(ms: u64, address: u64) -> CodeFact {
    CodeFact { tid: 7, at: at(ms), address, method: String::new() }
}

/// One that is requested through the first and answered through the second.
fn names() -> (CodeNames, Receiver<()>, SyncSender<Answer>) {
    let (requests, requested) = sync_channel(1);
    let (answer, answers) = sync_channel(1);
    (CodeNames::new(Roots::default(), Jvm::default(), requests, answers), requested, answer)
}

/// What is handed over at this time, as `address method`.
fn reported(names: &mut CodeNames, ms: u64, facts: Vec<CodeFact>) -> Vec<String> {
    names.waiting.extend(facts);
    let mut reported = Facts::default();
    names.hand_over(at(ms), &mut reported);
    if names.may_request(at(ms)) {
        names.request(at(ms));
    }
    reported.code.iter().map(|it| format!("{:#x} {}", it.address, it.method)).collect()
}

#[test]
fn a_look_waits_for_the_answer_that_names_it() {
    let (mut names, requested, _) = names();
    assert!(
        reported(&mut names, 200, vec![late(10, 0x100), late(11, 0x200), late(12, 0x300)])
            .is_empty()
    );
    assert_eq!(requested.try_recv(), Ok(()));
    names.take(list(), at(201));
    let expected = ["0x100 a.B.sum()V", "0x200 "];
    assert_eq!(reported(&mut names, 230, vec![]), expected, "native code is no Java");
    assert!(names.waiting.is_empty());
}

#[test]
fn the_jvm_is_not_asked_while_a_thread_is_late() {
    let (mut names, requested, _) = names();
    reported(&mut names, 109, vec![late(10, 0x100)]);
    assert!(requested.try_recv().is_err());
    reported(&mut names, 110, vec![]);
    assert!(requested.try_recv().is_ok());
}

#[test]
fn where_threads_come_late_without_end_the_jvm_is_asked_all_the_same() {
    let (mut names, requested, _) = names();
    reported(&mut names, 1009, (10..1009).map(|ms| late(ms, 0x100)).collect());
    assert!(requested.try_recv().is_err());
    reported(&mut names, 1010, vec![]);
    assert!(requested.try_recv().is_ok());
}

/// The JVM gets a request at 200 ms, answers then, and gets the next from `again_ms` on.
#[track_caller]
fn check_rest(answered_ms: u64, answer: Answer, again_ms: u64) {
    let (mut names, requested, _) = names();
    reported(&mut names, 200, vec![late(10, 0x100)]);
    requested.recv().unwrap();
    names.take(answer, at(answered_ms));
    reported(&mut names, again_ms - 1, vec![late(again_ms - 200, 0x300)]);
    assert!(requested.try_recv().is_err());
    reported(&mut names, again_ms, vec![]);
    assert!(requested.try_recv().is_ok());
}

#[test]
fn the_jvm_is_asked_once_in_ten_seconds_at_most() {
    check_rest(210, list(), 10_200);
}

#[test]
fn a_jvm_whose_answer_takes_long_is_asked_less_often() {
    check_rest(300, list(), 20_200);
}

#[test]
fn a_jvm_that_was_stopped_is_asked_again() {
    check_rest(210, Err(ConnectionError::Broken("timed out".into())), 10_200);
}

#[test]
fn an_old_list_is_not_believed() {
    let (mut names, requested, _) = names();
    reported(&mut names, 200, vec![late(10, 0x100)]);
    requested.recv().unwrap();
    names.take(list(), at(201));
    assert_eq!(reported(&mut names, 60_199, vec![late(60_000, 0x100)]).len(), 2);
    assert!(reported(&mut names, 60_200, vec![late(60_001, 0x100)]).is_empty());
    assert!(requested.try_recv().is_ok());
}

#[test]
fn a_jvm_that_refuses_is_not_asked_again_and_nothing_is_made_up() {
    let (mut names, requested, _) = names();
    reported(&mut names, 200, vec![late(10, 0x100)]);
    requested.recv().unwrap();
    names.take(Err(ConnectionError::Refused("unknown command".into())), at(201));
    assert!(reported(&mut names, 210, vec![]).is_empty());
    assert!(reported(&mut names, 90_000, vec![late(80_000, 0x100)]).is_empty());
    assert!(requested.try_recv().is_err());
    assert_eq!(names.unnamed, 2);
}

#[test]
fn at_the_end_what_can_be_named_is_and_the_rest_is_counted() {
    let (names, requested, answer) = names();
    let jvm = thread::spawn(move || {
        requested.recv().unwrap();
        answer.send(list()).unwrap();
    });
    let future = MonoTime(now().0 + 60_000_000_000);
    let mut facts = Facts {
        code: vec![late(1, 0x100), CodeFact { at: future, ..late(2, 0x250) }],
        coverage: Some(recording::Coverage::default()),
        ..Facts::default()
    };
    names.finish(&mut facts);
    jvm.join().unwrap();
    let methods: Vec<_> = facts.code.iter().map(|it| it.method.as_str()).collect();
    assert_eq!(methods, ["a.B.sum()V"]);
    assert_eq!(facts.coverage.unwrap().notes[0].count, 1);
}

#[test]
fn a_tenth_of_a_second_makes_a_late_thread() {
    let (mut names, _asked, _) = names();
    names.requested = Some(at(100));
    names.take(list(), at(101));
    reported(&mut names, 200, (0..19).map(|ms| late(ms, 0x100)).collect());
    assert!(names.late_threads().is_empty());
    reported(&mut names, 200, vec![late(20, 0x100)]);
    assert_eq!(names.late_threads(), BTreeSet::from([7]));
}
