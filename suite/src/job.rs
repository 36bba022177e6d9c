//! One thing that is run to its end: a test program, a check, a script.
use crate::{
    arguments::Arguments,
    leftovers,
    life::{self, Life},
    output::{self, Output},
    times::seconds,
};
use anyhow::Context;
use spawn::{Afterwards, Running};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Where the output of each job is kept.
pub(crate) const LOGS: &str = "target/test-logs";

/// Below this size no part of an output is left out where it is read for people.
const SHOWN_LINES: usize = 60;

/// What a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// All of the host: whatever runs beside it is in what it measures. Nothing runs beside such a job.
    Alone,
    /// The host: its CPUs are measured, or what there is once on a host is changed. One such job at a time.
    Host,
    /// Nothing that others could miss, but CPU time.
    Shared,
}

/// What is to be run.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// What it is called, in all that is printed.
    pub(crate) name: String,
    /// What it takes.
    pub(crate) lane: Lane,
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
    /// Variables of its environment.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// Where it is run.
    pub(crate) directory: PathBuf,
    /// Where its standard output goes, if not to its log.
    pub(crate) answers: Option<PathBuf>,
    /// What to type to have this alone again, and what comes before the name of a test of it.
    pub(crate) again: String,
    /// Whether its tests have names by which one of them can be run.
    pub(crate) is_test_program: bool,
}

impl Job {
    /// A script or another command, run in the project's folder.
    pub(crate) fn command(name: &str, lane: Lane, words: &[&str]) -> Job {
        Job {
            name: name.to_owned(),
            lane,
            words: words.iter().map(OsString::from).collect(),
            environment: Vec::new(),
            directory: PathBuf::from("."),
            answers: None,
            again: words.join(" "),
            is_test_program: false,
        }
    }

    /// Where its output is kept.
    pub(crate) fn log(&self) -> PathBuf {
        let name: String =
            self.name.chars().map(|it| if it.is_alphanumeric() { it } else { '-' }).collect();
        Path::new(LOGS).join(format!("{name}.log"))
    }
}

/// A job that runs.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) job: Job,
    pub(crate) begun: Instant,
    pub(crate) output: Output,
    running: Running,
    life: Life,
    log: File,
    printed: u64,
    /// Exists while the job's process group is to be killed when this process is gone.
    armed: PathBuf,
    _afterwards: Afterwards,
}

/// A job that is over.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) job: Job,
    pub(crate) took: Duration,
    pub(crate) output: Output,
    /// What is wrong beside failed tests: it was killed, or ended badly without saying why.
    pub(crate) wrong: Option<String>,
}

impl Done {
    pub(crate) fn passed(&self) -> bool {
        self.wrong.is_none() && self.output.failed == 0 && self.output.failures.is_empty()
    }

    /// Passed and failed: tests, or the job itself where it has none.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let named = u32::try_from(self.output.failures.len()).unwrap_or(u32::MAX);
        let failed = self.output.failed.max(named);
        match (self.output.results, &self.wrong) {
            (_, Some(_)) => (self.output.passed, failed.max(1)),
            (0, None) if failed == 0 && self.output.skipped.is_empty() => (1, 0),
            (_, None) => (self.output.passed, failed),
        }
    }

    /// The end of what it printed.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        let whole = self.whole();
        output::last(whole.lines().filter(|it| !it.trim().is_empty()), SHOWN_LINES)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    /// The end of what one of its tests printed.
    pub(crate) fn lines_of(&self, test: &str) -> Vec<String> {
        let whole = self.whole();
        output::of_test(&whole, test, SHOWN_LINES).into_iter().map(str::to_owned).collect()
    }

    fn whole(&self) -> String {
        let bytes = fs::read(self.job.log()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Active {
    /// Starts it.
    ///
    /// # Errors
    /// Where it cannot be started, or its log cannot be written.
    pub(crate) fn start(job: Job, now: Instant) -> anyhow::Result<Active> {
        let path = job.log();
        let log =
            File::create(&path).with_context(|| format!("cannot write `{}`", path.display()))?;
        // What only takes CPU time leaves it to the job that has the host.
        let polite: &[&str] = if job.lane == Lane::Shared { &["nice", "-n", "10"] } else { &[] };
        let mut words = polite.iter().map(OsStr::new).chain(job.words.iter().map(AsRef::as_ref));
        let mut command = spawn::command(words.next().context("a job without a program")?);
        command.args(words).current_dir(&job.directory).envs(job.environment.clone());
        command.env(leftovers::MARK, leftovers::mark()).env(leftovers::JOB, &job.name);
        command.stdout(match &job.answers {
            Some(answers) => File::create(answers)?,
            None => log.try_clone()?,
        });
        command.stderr(log);
        let running = Running::start(command)?;
        // A compiler does not end with cargo, nor Maven with the script that started it.
        let armed = std::path::absolute(path.with_extension("armed"))?;
        fs::write(&armed, "")?;
        let (group, mark) = (running.id().to_string(), leftovers::mark());
        let kill = "[ -e \"$2\" ] || exit 0; rm -f \"$2\"; kill -s KILL -- \"-$3\"; ";
        let of = [mark.as_ref(), armed.as_os_str(), group.as_ref()];
        let script = format!("{kill}{}", leftovers::KILL_MARKED);
        let afterwards = Afterwards::run(&script, of, Duration::from_secs(5))?;
        Ok(Active {
            begun: now,
            output: Output::default(),
            running,
            life: Life::begin(now),
            log: File::open(&path)?,
            printed: 0,
            armed,
            _afterwards: afterwards,
            job,
        })
    }

    /// Reads what it printed since the last time, and says what is wrong if it hangs.
    ///
    /// # Errors
    /// Where its log cannot be read.
    pub(crate) fn check_progress(
        &mut self,
        arguments: &Arguments,
        now: Instant,
    ) -> anyhow::Result<Option<String>> {
        self.read(now)?;
        let computed = life::computed_below(self.running.id());
        let silent = self.life.silent(now, self.printed, computed);
        let (most, patience) = (arguments.test_limit, arguments.patience());
        let late: Vec<_> = self.output.slow(now).filter(|it| it.1 >= most).map(|it| it.0).collect();
        let wrong = if !late.is_empty() {
            format!("not over after {}: {}", seconds(most), late.join(", "))
        } else if silent >= patience {
            let running = self.output.slow(now).map(|it| it.0).collect::<Vec<_>>().join(", ");
            let running = if running.is_empty() { String::new() } else { format!(": {running}") };
            format!("neither printed nor computed anything for {}{running}", seconds(patience))
        } else {
            return Ok(None);
        };
        Ok(Some(wrong))
    }

    fn read(&mut self, now: Instant) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        self.log.read_to_end(&mut bytes)?;
        self.printed += bytes.len() as u64;
        self.output.read(&String::from_utf8_lossy(&bytes), now);
        Ok(())
    }

    /// Whether it is over, and how it ended, if not as it should.
    ///
    /// # Errors
    /// Where the kernel does not say, or its log cannot be read.
    pub(crate) fn ended(&mut self, now: Instant) -> anyhow::Result<Option<Option<String>>> {
        let Some(status) = self.running.ended()? else { return Ok(None) };
        self.read(now)?;
        self.output.read("\n", now);
        let is_told = self.output.failed > 0 || !self.output.failures.is_empty();
        let is_silent = self.job.is_test_program && self.output.results == 0;
        let wrong = match status.success() {
            true if is_silent => Some("it ended without a result".to_owned()),
            // libtest's own way to say that a test failed
            false if !is_told || (self.job.is_test_program && status.code() != Some(101)) => {
                Some(format!("it ended with {status}"))
            }
            _ => None,
        };
        Ok(Some(wrong))
    }

    /// Kills it, with all that it started, where it is not over.
    pub(crate) fn over(mut self, wrong: Option<String>, now: Instant) -> Done {
        self.running.kill();
        // The number of the group may be somebody else's from now on.
        let _ = fs::remove_file(&self.armed);
        Done { took: now - self.begun, output: self.output, wrong, job: self.job }
    }
}
