//! What is said at the end: what was skipped, what failed and how to have it again, and one sum.
use crate::job::Done;
use std::collections::BTreeMap;

/// Prints it. Whether all passed.
pub(crate) fn print(done: &[Done]) -> bool {
    let skipped = skipped(done);
    match skipped.is_empty() {
        true => println!("\n== nothing was skipped"),
        false => println!("\n== skipped, with the number of tests\n{skipped}"),
    }
    for it in done.iter().filter(|it| !it.passed()) {
        print_failed(it);
    }
    println!("\n{}", sum(done));
    done.iter().all(Done::passed)
}

/// Each reason, with the number of tests that gave it.
fn skipped(done: &[Done]) -> String {
    let mut count: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, reason) in done.iter().flat_map(|it| &it.output.skipped) {
        *count.entry(reason).or_default() += 1;
    }
    let lines: Vec<_> = count.into_iter().map(|(why, count)| format!("{count:6}  {why}")).collect();
    lines.join("\n")
}

fn print_failed(done: &Done) {
    let name = &done.job.name;
    if let Some(wrong) = &done.wrong {
        println!("\n== FAILED {name}: {wrong}");
    }
    for test in &done.output.failures {
        println!("\n== FAILED {name}: {test}");
        if done.job.is_test_program {
            done.lines_of(test).iter().for_each(|it| println!("   {it}"));
            println!("   again: {} --exact {test}", done.job.again);
        }
    }
    if done.wrong.is_some() || !done.job.is_test_program {
        done.last_lines().iter().for_each(|it| println!("   {it}"));
        println!("   again: {}", done.job.again);
    }
    println!("   all of its output: {}", done.job.log().display());
}

/// The line that decides, for people and for CI.
fn sum(done: &[Done]) -> String {
    let counts = done.iter().map(Done::counts);
    let (passed, failed) = counts.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    let bad: Vec<_> =
        done.iter().filter(|it| !it.passed()).map(|it| it.job.name.as_str()).collect();
    match bad.is_empty() {
        true => format!("{passed} passed, {failed} failed"),
        false => format!("{passed} passed, {failed} failed: {}", bad.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        job::{Job, Lane},
        output::Output,
    };
    use std::time::{Duration, Instant};

    fn done(name: &str, printed: &str, wrong: Option<&str>) -> Done {
        let mut output = Output::default();
        output.read(printed, Instant::now());
        let job = Job::command(name, Lane::Shared, &["true"]);
        Done { job, took: Duration::ZERO, output, wrong: wrong.map(str::to_owned) }
    }

    #[test]
    fn the_sum_is_of_all_that_decides() {
        let rust = done("lab", "test result: ok. 7 passed; 0 failed; 0 ignored\n", None);
        let lints = done("lints", "checked\n", None);
        assert_eq!(sum(&[rust, lints]), "8 passed, 0 failed");
    }

    #[test]
    fn a_crash_is_a_failure_though_all_results_are_good() {
        let java = done(
            "java",
            "test result: ok. 7 passed; 0 failed; 0 ignored\n",
            Some("it ended with 2"),
        );
        assert_eq!(sum(&[java]), "7 passed, 1 failed: java");
    }

    #[test]
    fn what_failed_is_named() {
        let page = done(
            "page",
            "FAIL  types\nthe page: test result: FAILED. 3 passed; 1 failed; 0\n",
            None,
        );
        let lab = done("lab", "test result: ok. 7 passed; 0 failed; 0 ignored\n", None);
        assert_eq!(sum(&[lab, page]), "10 passed, 1 failed: page");
    }

    #[test]
    fn a_check_that_was_skipped_has_not_passed() {
        let arm64 = done("arm64", "SKIPPED: no compiler\n", None);
        assert_eq!(sum(&[arm64]), "0 passed, 0 failed");
        let again = done("arm64", "SKIPPED: no compiler\n", None);
        assert_eq!(skipped(&[again]), "     1  no compiler");
    }
}
