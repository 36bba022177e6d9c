//! Makes all of it: hosts on all CPUs, each from the first line to the last one.
use crate::{
    Options,
    clock::{BEGIN, END, SECOND, UPGRADE, iso, timestamp},
    damage,
    log::{Families, Family, Form, HostLog, LogFile, ORDINARY_ONES},
    plan::{self, Host, KERNELS, Life, Planned},
    random::Random,
    recordings::{Template, Templates},
    truth::{Fault, HostTruth, RecordingTruth, Truth},
};
use anyhow::{Context, Result};
use std::{
    fs,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Bytes of all logs together, as text.
    pub log_bytes: u64,
    /// Number of recordings.
    pub recordings: usize,
    /// Number of damaged copies.
    pub damaged: usize,
}

/// Streams of what is drawn for the logs begin here; those of the plan are below.
const LOGS: u64 = 1 << 32;
/// Between two pieces, and before and behind a recording, there is at least this.
const LEAST_GAP_NS: i64 = 200_000_000;
/// However few bytes a log is to have, one piece comes after this.
const MOST_GAP_NS: i64 = 4 * 3600 * SECOND;

/// Makes a fleet in a new directory, and calls `on_host` with the number of hosts that are complete.
///
/// # Errors
///
/// Where the directory exists or cannot be made, `testdata` cannot be read, or something cannot be written. What was
/// written before stays.
pub fn make(options: &Options, on_host: &(dyn Fn(usize) + Sync)) -> Result<Written> {
    let (families, templates) =
        (Families::read(&options.testdata)?, Templates::read(&options.testdata)?);
    let has_humongous = |it: &usize| !families.all()[*it].humongous.is_empty();
    let humongous: Vec<usize> = (0..families.all().len()).filter(has_humongous).collect();
    let hosts = plan::hosts(options, templates.ordinary.len(), families.all().len(), &humongous)?;
    create(&options.directory)?;
    fs::write(options.directory.join("hosts.csv"), inventory(&hosts))
        .context("cannot write `hosts.csv`")?;
    let canaries = hosts.iter().filter(|it| it.is_canary()).count() as u64;
    let shares = hosts.len() as u64 + canaries * (ORDINARY_ONES - 1);
    let share = options.log_bytes / shares.max(1);
    let fleet = Fleet { options, share, families: &families, templates: &templates };
    let made = fleet.hosts(&hosts, on_host)?;
    let damaged = damage::make(options, &made)?;
    let written = Written {
        log_bytes: made.iter().map(|it| it.log_bytes).sum(),
        recordings: made.iter().map(|it| it.recordings.len()).sum(),
        damaged: damaged.len(),
    };
    let truth = Truth {
        seed: options.seed,
        begin: timestamp(BEGIN).to_string(),
        end: timestamp(END).to_string(),
        faults: faults(&hosts),
        hosts: made,
        damaged,
    };
    let text = serde_json::to_string_pretty(&truth).context("cannot write `truth.json`")?;
    fs::write(options.directory.join("truth.json"), text + "\n")
        .context("cannot write `truth.json`")?;
    Ok(written)
}

fn create(directory: &Path) -> Result<()> {
    fs::create_dir(directory).with_context(|| format!("cannot create `{}`", directory.display()))
}

fn inventory(hosts: &[Host]) -> String {
    let mut text = String::from("host,cluster,kernel,deploy,rack\n");
    for it in hosts {
        let row = [&it.name, it.cluster, it.kernel(), it.deploy, &it.rack];
        text += &(row.join(",") + "\n");
    }
    text
}

fn faults(hosts: &[Host]) -> Vec<Fault> {
    let names = |has: fn(&Host) -> bool| {
        hosts.iter().filter(|it| has(it)).map(|it| it.name.clone()).collect()
    };
    vec![
        Fault {
            cause: "gc-log-write-blocked",
            mechanism: Some("journal-commit"),
            attribute: "kernel",
            value: KERNELS[1],
            shown_by: "recordings",
            since: timestamp(UPGRADE).to_string(),
            hosts: names(|it| it.is_upgraded),
        },
        Fault {
            cause: "humongous-allocation",
            mechanism: None,
            attribute: "deploy",
            value: plan::CANARY,
            shown_by: "log",
            since: timestamp(BEGIN).to_string(),
            hosts: names(Host::is_canary),
        },
        Fault {
            cause: "cpu-steal",
            mechanism: None,
            attribute: "rack",
            value: plan::STOLEN_RACK,
            shown_by: "recordings",
            since: timestamp(BEGIN).to_string(),
            hosts: names(Host::is_stolen_from),
        },
    ]
}

/// What all hosts are made from.
struct Fleet<'a> {
    options: &'a Options,
    /// Bytes of the log of a host without humongous objects.
    share: u64,
    families: &'a Families,
    templates: &'a Templates,
}

impl Fleet<'_> {
    /// Makes all hosts, on as many threads as there are CPUs; each holds one recording at a time.
    fn hosts(&self, hosts: &[Host], on_host: &(dyn Fn(usize) + Sync)) -> Result<Vec<HostTruth>> {
        for directory in ["logs", "kept"] {
            create(&self.options.directory.join(directory))?;
        }
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let made: Mutex<Vec<Option<Result<HostTruth>>>> =
            Mutex::new(hosts.iter().map(|_| None).collect());
        let work = || {
            while let Some(host) = hosts.get(next.fetch_add(1, Relaxed)) {
                let result = self.host(host).with_context(|| host.name.clone());
                let failed = result.is_err();
                made.lock().unwrap_or_else(PoisonError::into_inner)[host.number] = Some(result);
                if failed {
                    // The others end with what they are at.
                    next.store(hosts.len(), Relaxed);
                }
                on_host(done.fetch_add(1, Relaxed) + 1);
            }
        };
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, usize::from);
            (0..threads.min(hosts.len())).for_each(|_| _ = scope.spawn(work));
        });
        made.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
    }

    fn host(&self, host: &Host) -> Result<HostTruth> {
        let family = &self.families.all()[host.family];
        let logs = self.options.directory.join("logs").join(format!("host={}", host.name));
        let kept = self.options.directory.join("kept").join(format!("host={}", host.name));
        create(&logs)?;
        create(&kept)?;
        let bytes = self.share * if host.is_canary() { ORDINARY_ONES } else { 1 };
        let file = LogFile::create(&logs, host.form, bytes)?;
        let mut making = Making {
            host,
            family,
            templates: self.templates,
            kept: &kept,
            log: HostLog::new(file, family, host.is_canary()),
            random: Random::new(self.options.seed, LOGS + host.number as u64),
            bytes,
            recorded_bytes_left: host
                .recordings
                .iter()
                .map(|it| self.templates.of(it.what).piece.bytes)
                .sum(),
            recordings: Vec::new(),
        };
        for life in &host.lives {
            making.life(life)?;
        }
        let log_bytes = making.log.bytes();
        let file = making.log.finish()?;
        // A rotated log is its directory.
        let log = if host.form == Form::Rotated { logs } else { file };
        Ok(HostTruth {
            host: host.name.clone(),
            log: below(&self.options.directory, &log),
            form: host.form,
            log_bytes,
            starts: host.lives.iter().map(|it| timestamp(it.start_ns).to_string()).collect(),
            recordings: making.recordings,
        })
    }
}

fn below(directory: &Path, path: &Path) -> String {
    path.strip_prefix(directory).unwrap_or(path).display().to_string()
}

/// One host that is being made.
struct Making<'a> {
    host: &'a Host,
    family: &'a Family,
    templates: &'a Templates,
    kept: &'a Path,
    log: HostLog<'a>,
    random: Random,
    /// What its log is to have in the end.
    bytes: u64,
    /// What of that the lines of recordings take that are not made yet.
    recorded_bytes_left: u64,
    recordings: Vec<RecordingTruth>,
}

impl Making<'_> {
    /// From the start of a JVM to its end: ordinary pieces, and in between those of the recordings.
    fn life(&mut self, life: &Life) -> Result<()> {
        self.log.start_jvm(life.start_ns)?;
        let mut now_ns = life.start_ns + LEAST_GAP_NS;
        let of_life = |it: &&Planned| (life.start_ns..life.end_ns).contains(&it.at_ns);
        for planned in self.host.recordings.iter().filter(of_life) {
            let template = self.templates.of(planned.what);
            let begin_ns = template.piece_begin_ns(planned.at_ns);
            self.ordinary(now_ns, begin_ns)?;
            self.recording(life, template, planned)?;
            now_ns = begin_ns + template.piece.length_ns + LEAST_GAP_NS;
        }
        self.ordinary(now_ns, life.end_ns)
    }

    /// Ordinary pieces between these times, as many as lead to the bytes that are wanted in the end.
    fn ordinary(&mut self, mut now_ns: i64, until_ns: i64) -> Result<()> {
        loop {
            let piece = self.log.choose(&mut self.random);
            let left = self.bytes.saturating_sub(self.log.bytes() + self.recorded_bytes_left);
            let mean_ns = i128::from(END - now_ns) * i128::from(piece.bytes)
                / i128::from(left.max(piece.bytes));
            let mean_ns = i64::try_from(mean_ns).unwrap_or(MOST_GAP_NS).min(MOST_GAP_NS);
            let gap_ns = self.random.between(mean_ns / 2, mean_ns / 2 * 3 + 1).max(LEAST_GAP_NS);
            let begin_ns = now_ns + gap_ns;
            let end_ns = begin_ns + piece.length_ns;
            if end_ns + LEAST_GAP_NS >= until_ns {
                return Ok(());
            }
            self.log.piece(piece, begin_ns)?;
            now_ns = end_ns;
        }
    }

    fn recording(&mut self, life: &Life, template: &Template, planned: &Planned) -> Result<()> {
        let collection = self.log.next_collection();
        let place = (self.host, life);
        let moved = template.moved(place, &self.family.init, planned.at_ns, collection);
        let name = moved.write(self.kept)?;
        let begin_ns = template.piece_begin_ns(planned.at_ns);
        self.log.piece(&template.piece, begin_ns)?;
        self.recorded_bytes_left = self.recorded_bytes_left.saturating_sub(template.piece.bytes);
        let stop = template.stop;
        self.recordings.push(RecordingTruth {
            path: format!("kept/host={}/{name}", self.host.name),
            cause: template.cause,
            template: template.folder,
            at: timestamp(planned.at_ns).to_string(),
            stop_ns: stop.length_ns,
            log_line_at: iso(begin_ns + stop.line_ns),
            log_stop_ns: stop.logged_ns,
            kernel: life.kernel,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// All files of a fleet, by their path below its directory.
    fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
        let (mut files, mut left) = (BTreeMap::new(), vec![directory.to_owned()]);
        while let Some(next) = left.pop() {
            for entry in fs::read_dir(next).expect("listed") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => left.push(path),
                    false => {
                        files.insert(below(directory, &path), fs::read(&path).expect("read"));
                    }
                }
            }
        }
        files
    }

    fn fleet(seed: u64) -> BTreeMap<String, Vec<u8>> {
        let place = tempfile::tempdir().expect("a directory");
        let options = Options {
            directory: place.path().join("fleet"),
            hosts: 3,
            log_bytes: 300 << 10,
            recordings: 6,
            damage_millionths: 1_000_000,
            long_line_bytes: 4096,
            seed,
            ..Options::default()
        };
        let written = make(&options, &|_| {}).expect("a fleet");
        assert_eq!((written.recordings, written.damaged), (6, 9));
        let error = make(&options, &|_| {}).expect_err("it is there");
        assert!(format!("{error:#}").starts_with("cannot create"));
        files(&options.directory)
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let (one, same, other) = (fleet(1), fleet(1), fleet(2));
        assert!(one.keys().eq(same.keys()));
        let differ: Vec<&String> = one.keys().filter(|it| one[*it] != same[*it]).collect();
        assert_eq!(differ, Vec::<&String>::new());
        assert_ne!(one["truth.json"], other["truth.json"]);
    }
}
