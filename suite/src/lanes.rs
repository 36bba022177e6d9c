//! Runs the jobs of a step, as many at a time as the host has room for.
use crate::{
    arguments::Arguments,
    job::{Active, Done, Job, Lane},
    times::{Times, seconds},
};
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// How often jobs are looked at.
const PERIOD: Duration = Duration::from_millis(50);

/// How often it is looked at what they computed, which reads all of `/proc`.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// After this time without news the running jobs are printed.
const SAY: Duration = Duration::from_secs(30);

/// The steps there are: what is missing comes before, in `scripts/test.sh`.
const STEPS: u32 = 3;

/// Runs steps, and tells how that goes.
#[derive(Debug)]
pub(crate) struct Lanes<'a> {
    arguments: &'a Arguments,
    times: &'a mut Times,
    /// Number of jobs at once that take no more than CPU time, which they leave to the one that has the host.
    cpus: usize,
    step: u32,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(arguments: &'a Arguments, times: &'a mut Times) -> Lanes<'a> {
        let cpus = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Lanes { arguments, times, cpus, step: 1 }
    }

    /// Runs these jobs, the longest first, and returns them with their verdicts.
    ///
    /// # Errors
    /// Where one cannot be started or its output cannot be read.
    pub(crate) fn step(&mut self, title: &str, jobs: Vec<Job>) -> anyhow::Result<Vec<Done>> {
        self.step += 1;
        let steps = STEPS.max(self.step);
        let last = self.times.of(&format!("step: {title}"));
        let last =
            last.map_or_else(String::new, |it| format!(" (last time here: {})", seconds(it)));
        println!("\n== step {} of {steps}: {title}{last}", self.step);
        let begun = Instant::now();
        let done = self.run(jobs)?;
        let took = begun.elapsed();
        println!("   {}", seconds(took));
        if done.iter().all(Done::passed) && self.arguments.only.is_empty() {
            self.times.took(&format!("step: {title}"), took);
        }
        Ok(done)
    }

    fn run(&self, mut jobs: Vec<Job>) -> anyhow::Result<Vec<Done>> {
        // What was never run may take long. What runs alone comes first, or it would wait for a gap.
        let time = |it: &Job| self.times.of(&it.name).unwrap_or(Duration::MAX);
        jobs.sort_by_key(|it| std::cmp::Reverse((it.lane == Lane::Alone, time(it))));
        let total = jobs.len();
        let mut waiting = VecDeque::from(jobs);
        let (mut active, mut done): (Vec<Active>, Vec<Done>) = (Vec::new(), Vec::new());
        let (mut checked, mut said) = (Instant::now(), Instant::now());
        while !waiting.is_empty() || !active.is_empty() {
            while let Some(next) = self.next(&waiting, &active) {
                let job = waiting.remove(next).expect("it was found there");
                active.push(Active::start(job, Instant::now())?);
            }
            std::thread::sleep(PERIOD);
            let now = Instant::now();
            let checks = now - checked >= CHECK_INTERVAL;
            if checks {
                checked = now;
            }
            for number in (0..active.len()).rev() {
                let it = &mut active[number];
                let wrong = match it.ended(now)? {
                    None if checks => it
                        .check_progress(self.arguments, now)?
                        .map(|why| Some(format!("killed: {why}"))),
                    other => other,
                };
                if let Some(wrong) = wrong {
                    let over = active.remove(number).over(wrong, now);
                    self.print_done(&over, done.len() + 1, total);
                    done.push(over);
                    said = now;
                }
            }
            if now - said >= SAY {
                said = now;
                active.iter().for_each(|it| self.print_active(it, now));
            }
        }
        Ok(done)
    }

    /// The job that can begin, if one can.
    fn next(&self, waiting: &VecDeque<Job>, active: &[Active]) -> Option<usize> {
        let in_lane = |lane| active.iter().filter(|it| it.job.lane == lane).count();
        if in_lane(Lane::Alone) > 0 {
            return None;
        }
        let has_room = |job: &Job| match job.lane {
            Lane::Alone => active.is_empty(),
            Lane::Host => in_lane(Lane::Host) == 0,
            Lane::Shared => in_lane(Lane::Shared) < self.cpus,
        };
        waiting.iter().position(has_room)
    }

    fn print_done(&self, done: &Done, number: usize, total: usize) {
        let (passed, failed) = done.counts();
        let verdict = if done.passed() { "ok" } else { "FAILED" };
        let mut what = format!("{passed} passed");
        if failed > 0 {
            what += &format!(", {failed} failed");
        }
        if !done.output.skipped.is_empty() {
            what += &format!(", {} skipped", done.output.skipped.len());
        }
        let last = self.times.of(&done.job.name);
        let last = last.map_or_else(String::new, |it| format!(", last time {}", seconds(it)));
        let width = total.to_string().len();
        println!(
            "   {number:width$}/{total} {verdict:6} {:28} {what:28} {}{last}",
            done.job.name,
            seconds(done.took)
        );
        done.output.failures.iter().for_each(|it| println!("      FAILED {it}"));
        if let Some(wrong) = &done.wrong {
            println!("      {wrong}");
        }
    }

    fn print_active(&self, active: &Active, now: Instant) {
        let name = &active.job.name;
        let last = self.times.of(name);
        let last = last.map_or_else(String::new, |it| format!(" of {} the last time", seconds(it)));
        let slow: Vec<_> = active.output.slow(now).map(|it| it.0).collect();
        let at = match slow.is_empty() {
            true => active.output.last_line.clone(),
            false => slow.join(", "),
        };
        let at: String = at.chars().take(80).collect();
        println!("     … {name}, for {}{last}: {at}", seconds(now - active.begun));
    }
}
