//! GC logs as text, for tests: log in, verdict out.
#[cfg(test)]
use crate::{Cause, Verdict, text};
use crate::{Diagnosis, InputSummary, Keep, LogDiagnosis};
use gclog::{LineSplitter, Parser};
use std::time::Duration;

/// The diagnosis of a log. Each pause adds up exactly.
#[track_caller]
pub fn diagnose(log: &str) -> Diagnosis {
    let diagnosis = read(log, Keep::All);
    for it in &diagnosis.pauses {
        let parts: Duration = it.parts.iter().map(|part| part.time).sum();
        assert_eq!(parts + it.unattributed, it.pause.duration, "a pause adds up exactly");
    }
    diagnosis
}

/// The diagnosis of a log, with some of its pauses.
pub fn read(log: impl AsRef<[u8]>, keep: Keep) -> Diagnosis {
    let (mut parser, mut diagnosis) = (Parser::new(), LogDiagnosis::new(keep));
    let mut splitter = LineSplitter::new();
    let mut line = |line: &[u8]| parser.line(line, &mut |event| diagnosis.event(event));
    splitter.push(log.as_ref(), &mut line);
    splitter.finish(&mut line);
    parser.finish(&mut |event| diagnosis.event(event));
    let (bytes, too_long) = (log.as_ref().len() as u64, splitter.too_long());
    let input = InputSummary::of_log("gc.log".into(), bytes, &parser.counts(), too_long);
    diagnosis.finish(InputSummary {
        wrapping: parser.wrapping(),
        application_dates: parser.application_dates(),
        ..input
    })
}

/// The verdict on `cause`: `absent`, or `present TIME in N`.
#[cfg(test)]
#[track_caller]
pub(crate) fn check(cause: &Cause, log: &str, expected: &str) {
    let diagnosis = diagnose(log);
    let watched = diagnosis.watched.iter().find(|it| it.cause.id == cause.id);
    let verdict = match &watched.expect("every cause has a verdict").verdict {
        Verdict::Absent => "absent".to_owned(),
        Verdict::Unknown(_) => "unknown".to_owned(),
        Verdict::Present => {
            let finding = diagnosis.findings.iter().find(|it| it.cause.id == cause.id);
            let finding = finding.expect("a finding is there");
            format!("present {} in {}", text::duration(finding.time), finding.pauses)
        }
    };
    assert_eq!(verdict, expected);
}

/// All that is said of a cause: its story and evidence, one a line.
#[cfg(test)]
#[track_caller]
pub(crate) fn reported(cause: &Cause, log: &str) -> String {
    let diagnosis = diagnose(log);
    let finding = diagnosis.findings.iter().find(|it| it.cause.id == cause.id);
    let finding = finding.expect("the cause struck");
    let mut lines = finding.story.clone();
    lines.extend(finding.evidence.iter().map(|it| format!("seen: {}", it.statement)));
    lines.join("\n")
}

/// What one pause of a JDK 17 log with G1 looks like. Times in milliseconds.
#[cfg(test)]
pub(crate) fn pause(at_ms: u64, id: u64, what: &str, took_ms: u64) -> String {
    format!(
        "[{}.{:03}s][info][gc] GC({id}) Pause {what} {took_ms}.000ms\n",
        at_ms / 1000,
        at_ms % 1000
    )
}

/// The line with the CPU times of a pause, in hundredths of a second.
#[cfg(test)]
pub(crate) fn cpu(at_ms: u64, id: u64, user: u64, sys: u64, real: u64) -> String {
    let seconds = |hundredths: u64| format!("{}.{:02}s", hundredths / 100, hundredths % 100);
    format!(
        "[{}.{:03}s][info][gc,cpu] GC({id}) User={} Sys={} Real={}\n",
        at_ms / 1000,
        at_ms % 1000,
        seconds(user),
        seconds(sys),
        seconds(real)
    )
}
