//! Gates as JUnit XML, which every CI server reads: a suite for each input, a case for each gate.
use super::Checked;
use crate::value;
use diagnose::Outcome;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};

/// Writes the report. A gate that the input cannot judge is a skipped case.
///
/// # Errors
///
/// Those of `out`.
pub fn write(all: &[Checked], out: &mut dyn Write) -> io::Result<()> {
    let mut report = Report::new("whypause check");
    for of_input in all.chunk_by(|a, b| a.input == b.input) {
        let mut suite = TestSuite::new(of_input[0].input.as_str());
        suite.add_test_cases(of_input.iter().map(case));
        report.add_test_suite(suite);
    }
    report.serialize(out).map_err(io::Error::other)
}

fn case(it: &Checked) -> TestCase {
    let mut status = match it.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Unknown => TestCaseStatus::skipped(),
    };
    match it.outcome {
        Outcome::Passed => {}
        Outcome::Failed => {
            let limit = value::shown(it.limit);
            status.set_message(format!("{} is {}, limit {limit}", it.gate, it.actual()));
            status.set_type("gate");
            if let Some(blame) = &it.blame {
                status.set_description(blame.as_str());
            }
        }
        Outcome::Unknown => {
            status.set_message(it.missing.as_str());
        }
    }
    let mut case = TestCase::new(it.gate.as_str(), status);
    case.set_classname(it.input.as_str());
    case
}
