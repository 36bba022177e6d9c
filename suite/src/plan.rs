//! What is run, and what of it may run beside the rest.
use crate::{
    arguments::Arguments,
    build::{Part, TestProgram},
    job::{Done, Job, Lane},
    lanes::Lanes,
};
use std::{fs, path::Path};

/// Test programs that share nothing with others: they neither look at the whole host nor change it, and
/// nothing in them is measured. All that are not here have the host to themselves, one after the other.
const SHARE_NOTHING: [&str; 18] = [
    "diagnose",
    "gclog",
    "gclog logs",
    "keeper",
    "logset",
    "logset corpus",
    "recording",
    "remedy advice",
    "report",
    "report it",
    "serve",
    "serve push",
    "suite (program)",
    "testing",
    "whypause",
    "whypause (program)",
    "whypause it",
    "xtask (program)",
];

/// The test program in which pauses are made and their causes separated: any other load on the CPUs makes
/// some, too. Beside a browser and a build of the Java libraries, or beside the lints, it did not
/// hold its bars.
const ALONE: &str = "whypause scenarios";

/// What differs on arm64: registers, the numbers of system calls, and how a child is made. The rest is
/// compiled for it by `make cross`.
const ARM64: [&str; 3] = ["scripts/cross/check.sh", "recorder", "spawn"];

/// What takes seconds, and is said while the rest is compiled.
pub(crate) fn quick_checks() -> Vec<Job> {
    let check = |name| Job::command(name, Lane::Shared, &["scripts/lint.sh", name]);
    vec![check("format"), check("scripts")]
}

/// Everything that takes longer.
pub(crate) fn all(arguments: &Arguments, tests: &[TestProgram]) -> Vec<Job> {
    // What does not use all CPUs by itself comes first, and what compiles last, where nothing is known of how
    // long each takes.
    let mut jobs = vec![
        Job::command("java", Lane::Shared, &["scripts/java.sh"]),
        Job::command("page", Lane::Shared, &["scripts/web.sh"]),
    ];
    jobs.extend(tests.iter().map(|it| test_program(it, arguments)));
    jobs.extend(examples(arguments, tests));
    jobs.push(Job::command("lints", Lane::Shared, &["scripts/lint.sh", "lints"]));
    let python = ["scripts/wheel.sh", "--check", "--fleet"];
    jobs.push(Job::command("python", Lane::Shared, &python));
    jobs.push(Job::command("arm64", Lane::Shared, &ARM64));
    jobs.retain(|it| arguments.takes(&it.name));
    repeated(jobs, arguments.times)
}

/// The examples in comments, of the libraries that do not say that they have none: `--doc` asks rustdoc
/// about each that is named.
fn examples(arguments: &Arguments, tests: &[TestProgram]) -> Option<Job> {
    let words = ["cargo", "test", "--locked", "--doc"];
    let mut job = Job::command("examples in comments", Lane::Shared, &words);
    let libraries = tests.iter().filter(|it| it.part == Part::Library);
    let with_some: Vec<_> = libraries.filter(|it| may_have_examples(&it.folder)).collect();
    job.words.extend(with_some.iter().flat_map(|it| ["-p".into(), (&it.package).into()]));
    job.words.extend(arguments.features.iter().map(Into::into));
    (!with_some.is_empty()).then_some(job)
}

/// Whether a crate's Cargo.toml does not say `doctest = false`.
fn may_have_examples(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    !manifest.lines().any(|it| it.trim() == "doctest = false")
}

/// Each job this many times; all of them once, then all of them again.
fn repeated(jobs: Vec<Job>, times: u32) -> Vec<Job> {
    let named = |job: &Job, time| match time {
        1 => job.clone(),
        _ => Job { name: format!("{} #{time}", job.name), ..job.clone() },
    };
    (1..=times).flat_map(|time| jobs.iter().map(move |it| named(it, time))).collect()
}

fn test_program(program: &TestProgram, arguments: &Arguments) -> Job {
    let name = program.name();
    let lane = match name.as_str() {
        ALONE => Lane::Alone,
        name if SHARE_NOTHING.contains(&name) => Lane::Shared,
        _ => Lane::Host,
    };
    let features: String = arguments.features.iter().map(|it| format!(" {it}")).collect();
    let again = format!("cargo test {}{features} --", program.selection());
    let environment = vec![("CARGO_MANIFEST_DIR", program.folder.clone().into())];
    Job {
        words: vec![program.file.clone().into(), "--show-output".into()],
        environment,
        directory: program.folder.clone(),
        again,
        is_test_program: true,
        ..Job::command(&name, lane, &["-"])
    }
}

/// Runs the test programs again as root of which something was skipped, where this is not root and can
/// be; what they say then counts.
///
/// # Errors
/// Where one cannot be started.
pub(crate) fn as_root(
    arguments: &Arguments,
    lanes: &mut Lanes<'_>,
    done: Vec<Done>,
) -> anyhow::Result<Vec<Done>> {
    if !arguments.sudo {
        return Ok(done);
    }
    let needs_root = |it: &Done| it.job.is_test_program && !it.output.skipped.is_empty();
    let (again, mut all): (Vec<Done>, Vec<Done>) = done.into_iter().partition(needs_root);
    let jobs = again.into_iter().map(|it| with_sudo(it.job)).collect();
    all.extend(lanes.step("the tests that need root, as root", jobs)?);
    Ok(all)
}

fn with_sudo(mut job: Job) -> Job {
    let sudo = ["sudo", "-n", "-E"].map(Into::into);
    job.words.splice(0..0, sudo);
    job
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments;

    fn program(package: &str, part: Part) -> TestProgram {
        TestProgram { package: package.into(), part, folder: "/p".into(), file: "/t/x".into() }
    }

    #[test]
    fn what_is_not_known_to_share_nothing_has_the_host() {
        let arguments = arguments::parse(std::iter::empty()).unwrap();
        let lane = |package, part| test_program(&program(package, part), &arguments).lane;
        assert_eq!(lane("gclog", Part::Library), Lane::Shared);
        assert_eq!(lane("whypause", Part::Tests("it".into())), Lane::Shared);
        assert_eq!(lane("whypause", Part::Tests("live".into())), Lane::Host);
        assert_eq!(lane("new", Part::Library), Lane::Host);
        assert_eq!(lane("whypause", Part::Tests("scenarios".into())), Lane::Alone);
    }

    #[test]
    fn one_test_alone_is_a_command_to_copy() {
        let words = ["--", "--no-default-features"].map(str::to_owned);
        let arguments = arguments::parse(words.into_iter()).unwrap();
        let job = test_program(&program("lab", Part::Library), &arguments);
        assert_eq!(job.again, "cargo test -p lab --lib --no-default-features --");
    }

    #[test]
    fn what_is_run_often_is_run_in_turns() {
        let jobs = ["a", "b"].map(|it| Job::command(it, Lane::Host, &["true"])).to_vec();
        let names: Vec<_> = repeated(jobs, 2).into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a", "b", "a #2", "b #2"]);
    }

    #[test]
    fn examples_are_looked_for_where_there_may_be_some() {
        let folder = |name| Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(name);
        assert!(may_have_examples(&folder("gclog")));
        assert!(!may_have_examples(&folder("spawn")));
    }
}
