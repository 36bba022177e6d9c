//! What `make test` runs: every check and every test, with its progress, its limits and one sum.
//!
//! `scripts/test.sh` calls it, after what is missing was installed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is for people and CI")]
mod arguments;
mod build;
mod closing;
mod job;
mod lanes;
mod leftovers;
mod life;
mod output;
mod plan;
mod times;

use arguments::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::parse(std::env::args().skip(1)).and_then(|it| run(&it)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs all of it. Whether all of it passed.
fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let mut times = times::Times::load(times::FILE);
    let mut lanes = lanes::Lanes::new(arguments, &mut times);
    let before = leftovers::things();
    let checks = plan::quick_checks().into_iter().filter(|it| arguments.takes(&it.name));
    let (mut done, tests) = build::tests(arguments, &mut lanes, checks.collect())?;
    // Without programs there is nothing more to run; what is wrong is at the end of the output.
    if done.iter().filter(|it| it.job.name == build::COMPILING).all(job::Done::passed) {
        let jobs = plan::all(arguments, &tests);
        done.extend(lanes.step("tests and checks", jobs)?);
        done = plan::as_root(arguments, &mut lanes, done)?;
    }
    done.push(leftovers::check(&before));
    times.keep(&done)?;
    Ok(closing::print(&done))
}
