//! What one recording of one run showed, and the file that keeps it.
//!
//! A matrix takes an hour. Each run is added to a file as it ends, one JSON object per line, and a
//! matrix that finds a run in its file does not repeat it.
use crate::{
    Collector, JudgedBy, LabError, Privilege, Role, RunResult,
    result::{FromLog, LONG, Long, Stalled, may_lack_stalls},
    scenarios,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{Read, Write},
    path::Path,
    time::Duration,
};

/// What a run was of. Two runs with the same key are repetitions of nothing: the same run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The scenario's id.
    pub scenario: String,
    /// The variant's name.
    pub variant: String,
    /// Version of the JDK.
    pub jdk: String,
    /// The collector.
    pub collector: Collector,
    /// With which rights it was recorded.
    pub privilege: Privilege,
    /// Which repetition, from 1.
    pub run: u32,
}

/// When and by what a recording was made: a file of results may hold those of several builds.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Made {
    /// The day, as `2026-11-22`, in UTC; empty where an older version wrote it.
    #[serde(default)]
    pub measured: String,
    /// Version and commit of the program, as in `0.1.0 (1a2b3c4d5e6f)`; likewise.
    #[serde(default)]
    pub build: String,
}

impl Made {
    /// Now, by this program.
    #[must_use]
    pub fn now() -> Made {
        Made { measured: crate::host::today(), build: crate::host::build() }
    }
}

/// One recording of one run. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// What it was of.
    #[serde(flatten)]
    pub key: Key,
    /// What the variant is for.
    pub role: Role,
    /// Feature release of the JDK.
    pub jdk_feature: u32,
    /// All stopped time.
    pub stopped_ns: u64,
    /// What of it no cause claims.
    pub unattributed_ns: u64,
    /// The longest stop.
    pub longest_ns: u64,
    /// The longest time that a 1 ms sleep inside the workload was late.
    #[serde(alias = "felt_longest_ns")]
    pub observed_longest_ns: u64,
    /// Pauses of 50 ms and more, with the cause that is first in them.
    pub long: Vec<Long>,
    /// Causes that were named and are not ordinary work, with their time.
    pub named: BTreeMap<String, u64>,
    /// Symptoms that were named, with the time that they leave unexplained. They name no culprit.
    pub symptoms: BTreeMap<String, u64>,
    /// CPU time that the hypervisor took from this host meanwhile, as the kernel counts it.
    pub stolen_ns: u64,
    /// Events that the recorder lost.
    pub lost_events: u64,
    /// What the GC log alone says, judged by this recording; none without privilege, and where an
    /// older version wrote it.
    #[serde(default)]
    pub from_log: Option<FromLog>,
    /// Calls that the workload measured, where stalls are looked at; all else is of stalls then, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Stalled>,
    /// Causes of stalls that are not ordinary work, and `unattributed`, with their time, in a scenario that is
    /// judged by its pauses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named_in_stalls: BTreeMap<String, u64>,
    /// When and by what it was made.
    #[serde(flatten)]
    pub made: Made,
}

impl Key {
    /// The cause that the scenario makes; its own id where this version does not know it.
    pub(super) fn cause(&self) -> &str {
        scenarios::find(&self.scenario).map_or(&self.scenario, |it| it.cause)
    }

    /// What the scenario is judged by.
    pub(super) fn judged_by(&self) -> JudgedBy {
        scenarios::find(&self.scenario).map_or(JudgedBy::Pauses, |it| it.judged_by)
    }
}

impl Seen {
    /// What `result` says, as far as the matrix needs it.
    #[must_use]
    pub fn of(result: &RunResult) -> Seen {
        let of_nature = |nature: &str| -> BTreeMap<String, u64> {
            let named = result.causes.iter().filter(|it| it.nature == nature);
            named.map(|it| (it.id.clone(), ns(it.time))).collect()
        };
        // What the workload itself measured is no false alarm.
        let is_true = |id: &str| {
            result.role != Role::Fault && result.stalled.as_ref().is_some_and(|it| it.confirms(id))
        };
        Seen {
            key: Key {
                scenario: result.scenario.to_owned(),
                variant: result.variant.to_owned(),
                jdk: result.jdk.clone(),
                collector: result.collector,
                privilege: result.privilege,
                run: result.run,
            },
            role: result.role,
            jdk_feature: result.jdk_feature,
            stopped_ns: ns(result.total),
            unattributed_ns: ns(result.unattributed),
            longest_ns: ns(result.longest),
            observed_longest_ns: ns(result.observed_longest),
            long: result.long.clone(),
            named: of_nature("fault").into_iter().filter(|it| !is_true(&it.0)).collect(),
            symptoms: of_nature("symptom"),
            stolen_ns: ns(result.stolen),
            lost_events: result.lost_events,
            from_log: result.from_log.clone(),
            stalled: result.stalled.clone(),
            named_in_stalls: result.named_in_stalls.clone(),
            made: Made::now(),
        }
    }

    /// Whether a fault was to strike and the application observed nothing of it.
    #[must_use]
    pub fn did_not_strike(&self) -> bool {
        self.role == Role::Fault
            && self.observed_longest_ns < ns(LONG)
            && self.longest_ns < ns(LONG)
    }

    /// Whether stalls are to be judged and the recording has none, though it could have them.
    pub(super) fn lacks_stalls(&self) -> bool {
        let has_them =
            self.stalled.is_some() || may_lack_stalls(self.key.privilege, self.jdk_feature);
        self.key.judged_by() == JudgedBy::Stalls && !has_them
    }
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// All runs so far, in memory and, where one was asked for, in a file.
#[derive(Debug)]
pub(crate) struct Journal {
    file: Option<File>,
    pub(crate) seen: Vec<Seen>,
}

impl Journal {
    /// Opens the file and reads what is in it. A last line that was cut is left out, and written
    /// over by the run that it was of.
    pub(crate) fn open(path: Option<&Path>) -> Result<Journal, LabError> {
        let Some(path) = path else { return Ok(Journal { file: None, seen: Vec::new() }) };
        let doing = || format!("open `{}`", path.display());
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(LabError::step(doing()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(LabError::step(doing()))?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let seen = read(&text[..whole]).map_err(|line| LabError::Usage {
            message: format!("line {line} of `{}` is not a run of a matrix", path.display()),
            hint: "give another file, or remove that line".into(),
        })?;
        file.set_len(whole as u64).map_err(LabError::step(doing()))?;
        Ok(Journal { file: Some(file), seen })
    }

    /// Whether this run is there already.
    pub(crate) fn has(&self, key: &Key) -> bool {
        self.seen.iter().any(|it| it.key == *key)
    }

    /// Adds a run.
    pub(crate) fn add(&mut self, seen: Seen) -> Result<(), LabError> {
        if let Some(file) = &mut self.file {
            let line = serde_json::to_string(&seen).map_err(std::io::Error::from);
            let written = line.and_then(|line| file.write_all((line + "\n").as_bytes()));
            written.map_err(LabError::step("write the results"))?;
        }
        self.seen.push(seen);
        Ok(())
    }
}

/// One run for each line; where one is none, its number.
fn read(text: &str) -> Result<Vec<Seen>, usize> {
    let lines = text.lines().enumerate();
    lines.map(|(at, line)| serde_json::from_str(line).map_err(|_| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(run: u32) -> Seen {
        Seen {
            key: Key {
                scenario: "swap-in".into(),
                variant: "fault".into(),
                jdk: "17.0.15".into(),
                collector: Collector::Parallel,
                privilege: Privilege::Unprivileged,
                run,
            },
            role: Role::Fault,
            jdk_feature: 17,
            stopped_ns: 5,
            unattributed_ns: 1,
            longest_ns: 4,
            observed_longest_ns: 3,
            long: vec![Long { duration_ns: 4, first: "swap-in".into() }],
            named: BTreeMap::new(),
            symptoms: BTreeMap::new(),
            stolen_ns: 0,
            lost_events: 0,
            from_log: None,
            stalled: None,
            named_in_stalls: BTreeMap::new(),
            made: Made::now(),
        }
    }

    #[test]
    fn a_run_of_a_version_that_did_not_say_what_it_was_is_read() {
        let line = serde_json::to_string(&Seen { made: Made::default(), ..seen(1) }).unwrap();
        let old = line.replace(",\"measured\":\"\",\"build\":\"\"", "");
        assert_ne!(line, old);
        assert_eq!(read(&old), Ok(vec![Seen { made: Made::default(), ..seen(1) }]));
    }

    #[test]
    fn runs_in_the_file_survive_a_restart_and_a_cut_last_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runs.jsonl");
        let mut journal = Journal::open(Some(&path)).unwrap();
        journal.add(seen(1)).unwrap();
        journal.add(seen(2)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut journal = Journal::open(Some(&path)).unwrap();
        assert_eq!(journal.seen, [seen(1)]);
        assert!(journal.has(&seen(1).key) && !journal.has(&seen(2).key));
        journal.add(seen(2)).unwrap();
        assert_eq!(Journal::open(Some(&path)).unwrap().seen, [seen(1), seen(2)]);
    }

    #[test]
    fn a_file_that_is_no_matrix_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.txt");
        std::fs::write(&path, "milk\neggs").unwrap();
        let error = Journal::open(Some(&path)).unwrap_err().to_string();
        assert!(error.starts_with("line 1 of `"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "milk\neggs");
    }
}
