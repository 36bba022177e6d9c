//! What the GC log of a run says when it is explained alone, judged by the privileged recording of
//! the same run, which knows each pause.
use crate::{
    Class,
    explained::{Explained, Pause},
    result::LONG,
};
use serde::{Deserialize, Serialize};

/// Starts of one pause differ by this much at most: a log has the time at which a line was written.
const SAME_START_NS: u64 = 30_000_000;
/// Lengths of one pause differ by 10 % and this much at most.
const SAME_LENGTH_NS: u64 = 5_000_000;
/// Number of likely suspects that are read.
const FIRST: usize = 2;

/// What the GC log alone says of the pauses of 50 ms and more, judged by the recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FromLog {
    /// Pauses that the recording gives to a cause with a class, and that are in the log.
    pub judged: Vec<Judged>,
    /// Pauses whose largest part is ordinary work, or that the recording does not explain: they
    /// say nothing of suspects.
    pub ordinary: u64,
    /// Pauses with a cause that are not in the log.
    pub not_found: u64,
    /// Hiccups: application threads did not run, though no safepoint was under way, which no log
    /// shows.
    pub hiccups: u64,
    /// Pauses that the recording cuts, so that neither length nor cause is known.
    pub cut: u64,
    /// Why the log could not be explained; none where it was.
    pub failed: Option<String>,
}

/// A pause in the log, and what is true of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judged {
    /// The largest part in the recording.
    pub cause: String,
    /// Its length in the recording.
    pub duration_ns: u64,
    /// What of it the recording does not give to work of the JVM itself.
    pub wait_ns: u64,
    /// What of it the log does not give to work of the JVM itself.
    pub unexplained_ns: u64,
    /// The symptom that the log shows.
    pub symptom: Option<String>,
    /// What the log suspects first: the fault that it names, if any, then the likely suspects of
    /// the symptom; two at most.
    pub suspects: Vec<String>,
    /// How the log denies the true cause; none where it does not.
    pub refuted: Option<Refuted>,
}

/// How a log denies the true cause of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refuted {
    /// It is among the unlikely suspects.
    Unlikely,
    /// It is ruled out for the whole log.
    Absent,
    /// The pause is called a fault of another class.
    OtherFault,
}

impl FromLog {
    /// A log that could not be explained.
    #[must_use]
    pub(crate) fn failed(message: String) -> FromLog {
        FromLog { failed: Some(message), ..FromLog::default() }
    }

    /// Looks up each long pause of `recorded` in `log`.
    #[must_use]
    pub(crate) fn judge(recorded: &Explained, log: &Explained) -> FromLog {
        let clock = Clock::of(recorded, log);
        let mut result = FromLog::default();
        let is_long = |it: &&Pause| u128::from(it.duration_ns) >= LONG.as_nanos();
        for pause in recorded.longest.iter().filter(is_long) {
            if pause.kind == "hiccup" {
                result.hiccups += 1;
            } else if pause.cut.is_some() {
                result.cut += 1;
            } else if Class::of(pause.first()).is_none() {
                result.ordinary += 1;
            } else if let Some(in_log) = clock.find(pause, log) {
                result.judged.push(Judged::of(pause, in_log, log));
            } else {
                result.not_found += 1;
            }
        }
        result
    }
}

impl Judged {
    fn of(recorded: &Pause, in_log: &Pause, log: &Explained) -> Judged {
        let cause = recorded.first();
        let fault = Some(in_log.first()).filter(|it| log.is_fault(it));
        let symptom = log.causes.iter().find(|it| Some(&it.id) == in_log.symptom.as_ref());
        let suspects = symptom.map_or(&[][..], |it| &it.suspects);
        let likely = suspects.iter().filter(|it| !it.unlikely).map(|it| it.cause.as_str());
        let absent = |it: &crate::explained::Watched| it.cause == cause && it.verdict == "absent";
        let refuted = if suspects.iter().any(|it| it.unlikely && it.cause == cause) {
            Some(Refuted::Unlikely)
        } else if log.watched.iter().any(absent) {
            Some(Refuted::Absent)
        } else {
            fault.filter(|it| !Class::same(it, cause)).map(|_| Refuted::OtherFault)
        };
        Judged {
            cause: cause.to_owned(),
            duration_ns: recorded.duration_ns,
            wait_ns: waited(recorded),
            unexplained_ns: waited(in_log),
            symptom: in_log.symptom.clone(),
            suspects: fault.into_iter().chain(likely).take(FIRST).map(str::to_owned).collect(),
            refuted,
        }
    }

    /// Whether a suspect that is read is of the class of the true cause.
    #[must_use]
    pub fn right_class(&self) -> bool {
        self.suspects.iter().any(|it| Class::same(it, &self.cause))
    }

    /// Whether the time that the log leaves unexplained is what the pause waited, within a tenth
    /// of the pause.
    #[must_use]
    pub fn right_wait(&self) -> bool {
        self.unexplained_ns.abs_diff(self.wait_ns) <= self.duration_ns / 10
    }
}

/// What of a pause is not work of the JVM itself. Causes without a class are such work, ordinary or
/// not (`gc-work`, `full-gc`), but for a wait that has no class because no scenario makes it.
fn waited(pause: &Pause) -> u64 {
    let is_work = |it: &str| Class::of(it).is_none() && it != "mmap-lock-contention";
    pause.duration_ns.saturating_sub(pause.time_where(is_work))
}

/// The clock that both a recording and a log have.
#[derive(Clone, Copy, Debug)]
enum Clock {
    Monotonic,
    Wall,
}

impl Clock {
    /// The log of JDK 8 has no monotonic clock, only dates.
    fn of(recorded: &Explained, log: &Explained) -> Clock {
        match [recorded, log].iter().all(|it| it.clock == "monotonic") {
            true => Clock::Monotonic,
            false => Clock::Wall,
        }
    }

    fn start(self, pause: &Pause) -> Option<i128> {
        match self {
            Clock::Monotonic => Some(pause.start_ns.into()),
            Clock::Wall => {
                let at: jiff::Timestamp = pause.start_wall.as_ref()?.parse().ok()?;
                Some(at.as_nanosecond())
            }
        }
    }

    /// The same pause in the log: the one that starts nearest of those with its start and length.
    fn find<'a>(self, pause: &Pause, log: &'a Explained) -> Option<&'a Pause> {
        let start = self.start(pause)?;
        let long = pause.duration_ns / 10 + SAME_LENGTH_NS;
        let same_length = |it: &&Pause| it.duration_ns.abs_diff(pause.duration_ns) <= long;
        let distances = log.longest.iter().filter(same_length).filter_map(|it| {
            let distance = self.start(it)?.abs_diff(start);
            (distance <= u128::from(SAME_START_NS)).then_some((distance, it))
        });
        distances.min_by_key(|it| it.0).map(|it| it.1)
    }
}

#[cfg(test)]
mod tests;
