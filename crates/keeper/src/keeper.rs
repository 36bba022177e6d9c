//! Round after round: what was appended to the log goes to the copy.
use crate::{
    Event, KeeperError, Options, Outcome, Round,
    liveness::Alive,
    pack::{Packer, TEXT_BYTES},
    print::crc,
    record::Position,
    source::{Next, Source},
    target::{Opened, Target, Written},
};
use rustix::event::{Timespec, poll};
use std::{
    io,
    os::unix::ffi::OsStrExt,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Bytes of a log read in one round at most: a log that grows without end must not keep a
/// processor busy.
const ROUND_BYTES: u64 = 256 << 20;
/// The least bound of all copies, in bytes: a few entries that cannot be packed.
const LEAST_BYTES: u64 = 4 << 20;
/// How much later a request to end is noticed at most.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Number of files visited in one round at most: a whole ring of HotSpot
/// (`LogFileOutput::MaxRotationFileCount`).
const FILES_A_ROUND: u32 = 1001;
/// How often a directory is looked at in one round whose files change their names all the time.
const TRIES: u32 = 8;

/// Copies one log.
#[derive(Debug)]
pub struct Keeper {
    options: Options,
    /// Checksum of the log's name.
    name: u32,
    alive: Option<Alive>,
    /// Whether the JVM had ended when the last round began, so that no end of it is to be awaited.
    over: bool,
    source: Source,
    packer: Packer,
    buffer: Box<[u8]>,
    /// `None` where it could not be written to; it is opened anew in the next round.
    target: Option<Target>,
    /// The file system of the target.
    device: u64,
    written: Option<Written>,
    events: Vec<Event>,
}

impl Keeper {
    /// Opens the target, repairs what a killed keeper has left there, and goes on where that ended.
    /// The log need not be there yet.
    ///
    /// # Errors
    /// Each of [`KeeperError`] but [`KeeperError::Gone`].
    pub fn open(options: &Options) -> Result<Keeper, KeeperError> {
        if options.max_bytes < LEAST_BYTES {
            let least = LEAST_BYTES >> 20;
            return Err(KeeperError::Option(format!("all copies need {least} MiB or more")));
        }
        if options.period.is_zero() {
            return Err(KeeperError::Option("the period must not be 0".to_owned()));
        }
        let uid = options.source_uid.unwrap_or_else(|| rustix::process::geteuid().as_raw());
        let mut source =
            Source::new(options.from.clone(), uid, options.boot, options.descriptors.clone())?;
        let base = options.from.file_name().unwrap_or_default();
        let packer = Packer::new(options.compression).map_err(|it| cannot_pack(options, it))?;
        let Opened { target, position, events } = Target::open(options, None, None)?;
        if let Some(position) = position {
            source.resume(position);
        }
        Ok(Keeper {
            name: crc(base.as_bytes()),
            alive: options.while_alive.clone(),
            over: false,
            source,
            packer,
            buffer: vec![0; TEXT_BYTES].into(),
            device: target.device(),
            written: None,
            target: Some(target),
            events,
            options: options.clone(),
        })
    }

    /// Copies what was appended since the last round. All of it is on the disk when this returns.
    ///
    /// # Errors
    /// [`KeeperError`]. Nothing is lost by that: the next round begins where the last entry ended.
    pub fn round(&mut self) -> Result<Round, KeeperError> {
        // Before anything is read: what it wrote last is there then.
        self.over = self.alive.as_ref().is_some_and(Alive::has_ended);
        let mut round = Round::default();
        let copied = self.reach_target().and_then(|()| self.copy(&mut round));
        if let Err(error) = copied {
            self.give_up_target(&error);
            self.events.extend(self.source.events());
            return Err(error);
        }
        self.events.extend(self.source.events());
        round.ended = self.over && !round.is_behind;
        Ok(round)
    }

    /// What has happened since this was asked last.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Makes a round each period until `stop` is set or the JVM has ended, and a last one then.
    /// Trouble with the log or the target is reported once and does not end it.
    pub fn run(&mut self, stop: &AtomicBool, report: &mut dyn FnMut(Event)) -> Outcome {
        let mut trouble: Option<String> = None;
        let mut failed_rounds = 0;
        loop {
            let begin = Instant::now();
            let stopping = stop.load(Ordering::Relaxed);
            let result = self.round();
            self.events().into_iter().for_each(&mut *report);
            let mut ended = false;
            match result {
                Ok(round) => {
                    ended = round.ended;
                    if trouble.take().is_some() {
                        report(Event::Recovered { rounds: std::mem::take(&mut failed_rounds) });
                    }
                }
                Err(error) => {
                    failed_rounds += 1;
                    let words = Some(error.to_string());
                    if trouble != words {
                        report(Event::Failing { error });
                    }
                    trouble = words;
                }
            }
            if ended || stopping {
                self.close();
                return if ended { Outcome::Ended } else { Outcome::Stopped };
            }
            self.wait(begin + self.options.period, stop);
        }
    }

    /// Lets go of the directory with the copies; its lock is removed.
    pub fn close(&mut self) {
        if let Some(target) = self.target.take() {
            target.close();
        }
    }

    fn wait(&self, until: Instant, stop: &AtomicBool) {
        // Its end makes the next round the last one, at once, also where it came during this round.
        // Where a round that knew of it failed, it is no hurry.
        while !stop.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now()).min(POLL_INTERVAL);
            if left.is_zero() {
                return;
            }
            match self.alive.as_ref().filter(|_| !self.over) {
                Some(alive) if alive.ends_within(left) => return,
                Some(_) => {}
                None => wait_for_a_signal(left),
            }
        }
    }

    /// Makes sure that the target is the one that it was, or opens it anew.
    fn reach_target(&mut self) -> Result<(), KeeperError> {
        if let Some(target) = &self.target {
            if target.is_there()? {
                return Ok(());
            }
            self.written = target.written();
            // Before it is opened anew: it holds the lock.
            self.target = None;
        }
        let Opened { target, position, events } =
            Target::open(&self.options, Some(self.device), self.written)?;
        self.events.extend(events);
        self.target = Some(target);
        // All that this keeper has copied is on a disk. Only another keeper can be further.
        if let Some(position) = position.filter(|it| self.is_ahead(it)) {
            self.source.resume(position);
        }
        Ok(())
    }

    fn is_ahead(&self, position: &Position) -> bool {
        position.sequence > self.source.position().sequence
    }

    fn give_up_target(&mut self, error: &KeeperError) {
        if matches!(error, KeeperError::Source { .. } | KeeperError::Refused { .. }) {
            return;
        }
        if let Some(target) = self.target.take() {
            self.written = target.written().or(self.written);
        }
        // What is rotated away meanwhile is to be reported.
        let _ = self.source.next();
    }

    fn copy(&mut self, round: &mut Round) -> Result<(), KeeperError> {
        let mut unsettled = 0;
        for _ in 0..FILES_A_ROUND {
            let next = self.source.next()?;
            self.drain(round)?;
            if matches!(next, Next::Nothing | Next::Open) {
                round.is_behind = round.copied_bytes >= ROUND_BYTES;
                return Ok(());
            }
            // The file that is open may not have been read to its end then.
            if round.copied_bytes >= ROUND_BYTES || unsettled > TRIES {
                break;
            }
            // Where the next one was renamed meanwhile, it is found under its other name.
            let went_on = next == Next::Whole && self.source.advance()?;
            unsettled += u32::from(!went_on);
        }
        round.is_behind = true;
        Ok(())
    }

    /// Copies what is in the file that is open.
    fn drain(&mut self, round: &mut Round) -> Result<(), KeeperError> {
        while round.copied_bytes < ROUND_BYTES {
            let read = self.source.read(&mut self.buffer)?;
            if read == 0 {
                return Ok(());
            }
            let text = whole_lines(&self.buffer[..read], read == self.buffer.len());
            let position = self.source.after(text);
            let entry = self.packer.entry(self.name, &position, text);
            let entry = entry.map_err(|it| cannot_pack(&self.options, it))?;
            let Some(target) = &mut self.target else { return Ok(()) };
            self.events.extend(target.append(&entry)?);
            self.source.commit(position, text);
            round.copied_bytes += text.len() as u64;
            round.written_bytes += entry.len() as u64;
            if read < self.buffer.len() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Waits for this time, or for a signal.
fn wait_for_a_signal(time: Duration) {
    let _ = poll(&mut [], Timespec::try_from(time).ok().as_ref());
}

/// Of text that goes on, what ends with a line: a copy may end with it, and each is a log that can be
/// read alone.
fn whole_lines(text: &[u8], goes_on: bool) -> &[u8] {
    let end = text.iter().rposition(|&it| it == b'\n').filter(|_| goes_on);
    end.map_or(text, |it| &text[..=it])
}

fn cannot_pack(options: &Options, source: io::Error) -> KeeperError {
    KeeperError::Target { what: "compress for", path: options.to.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Process, liveness::start_ticks};
    use std::fs;

    const PATIENCE: Duration = Duration::from_secs(300);

    /// How long a keeper waits after a round, if its JVM ended before that round or after it.
    fn waited(ended_before_the_round: bool, period: Duration) -> Duration {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("gc.log");
        fs::write(&from, "[0.1s][info][gc] GC(0)\n").unwrap();
        let mut command = spawn::command("sleep");
        command.arg("600");
        let mut jvm = spawn::Running::start(command).unwrap();
        let pid = jvm.id();
        let process = Process { pid, start_ticks: start_ticks(pid).unwrap() };
        let to = folder.path().join("copy");
        fs::create_dir(&to).unwrap();
        let options = Options {
            while_alive: Some(Alive::of(process).unwrap()),
            period,
            ..Options::new(from, to)
        };
        let mut keeper = Keeper::open(&options).unwrap();
        if ended_before_the_round {
            jvm.kill().unwrap();
            assert!(keeper.round().unwrap().ended);
        } else {
            assert!(!keeper.round().unwrap().ended);
            jvm.kill().unwrap();
        }
        let begin = Instant::now();
        keeper.wait(begin + period, &AtomicBool::new(false));
        begin.elapsed()
    }

    #[test]
    fn a_jvm_that_ends_after_a_round_made_the_last_one_wait_out_the_period() {
        assert!(waited(false, PATIENCE) < PATIENCE);
    }

    #[test]
    fn an_end_that_a_round_has_seen_is_not_awaited_again() {
        let period = Duration::from_millis(300);
        assert!(waited(true, period) >= period, "it would go round and round");
    }
}
