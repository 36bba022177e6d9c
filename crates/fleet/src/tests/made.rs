//! Fleets made up of numbers that look random: each host has its own load, and lengths of pauses have heavy tails.
use crate::{Answer, Fleet, UNEXPLAINED, answer};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use table::{CauseSum, Hour, Jvm, Lengths, Origin, SourceKind, Worst};

/// 2026-03-02, a Monday, in days since 1970.
pub(super) const FIRST_DAY: i64 = 20_514;
pub(super) const HOUR_NS: u64 = 3_600_000_000_000;
const MS: f64 = 1e6;
/// What strikes hosts by itself.
const CAUSES: [&str; 6] = [
    "gc-work",
    "full-gc",
    "humongous-allocation",
    "inverted-parallelism",
    "cpu-contention",
    "gc-log-write-blocked",
];

/// Numbers that look random (Steele, Lea and Flood's SplitMix).
#[derive(Clone, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1, neither of them.
    pub(super) fn unit(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 33).expect("31 bits")) / f64::from(1_u32 << 31)
            + f64::EPSILON
    }

    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// How often it happens where it happens this often on average.
    fn poisson(&mut self, mean: f64) -> u64 {
        let (limit, mut product, mut count) = ((-mean).exp(), self.unit(), 0);
        while product > limit {
            product *= self.unit();
            count += 1;
        }
        count
    }
}

/// How a fleet is.
#[derive(Clone)]
pub(super) struct Made<'a> {
    pub(super) seed: u64,
    pub(super) hosts: u64,
    pub(super) days: i64,
    /// Labels with two to six values each, which mean nothing.
    pub(super) labels: u64,
    /// Hours of this host on this day.
    pub(super) hours: &'a dyn Fn(u64, i64) -> u64,
    /// More that is known of a host on a day.
    pub(super) origin: &'a dyn Fn(u64, i64, &mut Origin, &mut Jvm),
    /// More pauses of a cause in an hour of a host on a day: how many of how many milliseconds.
    pub(super) more: &'a dyn Fn(u64, i64) -> Option<(&'static str, f64, f64)>,
    /// How many times as many pauses as usual a day has, on all hosts.
    pub(super) load: &'a dyn Fn(i64) -> f64,
    /// Tail of lengths: at 1 or less a mean does not exist.
    pub(super) tail: f64,
}

pub(super) fn made(seed: u64) -> Made<'static> {
    Made {
        seed,
        hosts: 200,
        days: 7,
        labels: 30,
        hours: &|_, _| 2,
        origin: &|_, _, _, _| {},
        more: &|_, _| None,
        load: &|_| 1.0,
        tail: 1.1,
    }
}

pub(super) fn name(host: u64) -> String {
    format!("host-{host:03}")
}

impl Made<'_> {
    pub(super) fn answer(&self) -> Answer {
        answer(&self.fleet())
    }

    pub(super) fn fleet(&self) -> Fleet {
        let mut fleet = Fleet::new();
        self.hours().into_iter().for_each(|it| fleet.add(it));
        fleet
    }

    pub(super) fn hours(&self) -> Vec<Hour> {
        let mut random = Random(self.seed);
        let values: Vec<u64> = (0..self.labels).map(|_| 2 + random.below(5)).collect();
        (0..self.hosts).flat_map(|host| self.hours_of(host, &values, &mut random)).collect()
    }

    fn hours_of(&self, host: u64, values: &[u64], random: &mut Random) -> Vec<Hour> {
        let labels: BTreeMap<String, String> = values
            .iter()
            .enumerate()
            .map(|(n, values)| (format!("label-{n}"), random.below(*values).to_string()))
            .collect();
        let load = random.normal().exp();
        let mut hours = Vec::new();
        for day in 0..self.days {
            let (mut origin, mut jvm) = (Origin::default(), Jvm::default());
            origin.host = name(host);
            origin.labels.clone_from(&labels);
            origin.kind = SourceKind::Recording;
            origin.source = format!("/logs/{}/{day}", name(host));
            (self.origin)(host, day, &mut origin, &mut jvm);
            let (origin, jvm) = (Arc::new(origin), Arc::new(jvm));
            for of_day in 0..i64::try_from((self.hours)(host, day)).expect("few") {
                let mut hour = hour(&origin, &jvm, (FIRST_DAY + day) * 24 + of_day);
                for cause in CAUSES {
                    let count = random.poisson(2.0 * load * (self.load)(day));
                    (0..count).for_each(|_| {
                        add(&mut hour, cause, 5.0 * MS * random.unit().powf(-1.0 / self.tail))
                    });
                }
                if let Some((cause, count, ms)) = (self.more)(host, day) {
                    let count = random.poisson(count);
                    (0..count).for_each(|_| {
                        add(&mut hour, cause, ms * MS * random.unit().powf(-1.0 / self.tail))
                    });
                }
                hours.push(hour);
            }
        }
        hours
    }
}

pub(super) fn hour(origin: &Arc<Origin>, jvm: &Arc<Jvm>, hour: i64) -> Hour {
    Hour {
        origin: origin.clone(),
        jvm: jvm.clone(),
        coverage: Arc::default(),
        hour: Some(hour),
        covered_ns: HOUR_NS,
        recorded_ns: if origin.kind == SourceKind::Log { 0 } else { HOUR_NS },
        pauses: 0,
        stopped_ns: 0,
        longest_ns: 0,
        lengths: Lengths::default(),
        causes: BTreeMap::new(),
        unexplained_ns: 0,
        culprits: Vec::new(),
        worst: Vec::new(),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made up, and cut off")]
fn add(hour: &mut Hour, cause: &str, ns: f64) {
    add_ns(hour, cause, ns.min(1e12) as u64);
}

pub(super) fn add_ns(hour: &mut Hour, cause: &str, ns: u64) {
    hour.pauses += 1;
    hour.stopped_ns += ns;
    hour.longest_ns = hour.longest_ns.max(ns);
    hour.lengths.add(ns);
    if cause == UNEXPLAINED {
        hour.unexplained_ns += ns;
        return;
    }
    let sum: &mut CauseSum = hour.causes.entry(cause.to_owned()).or_default();
    sum.pauses += 1;
    sum.ns += ns;
    sum.longest_ns = sum.longest_ns.max(ns);
    if hour.worst.first().is_none_or(|it| it.duration_ns < ns) {
        hour.worst = vec![Worst {
            start_ns: hour.hour.map(|it| it * 3_600_000_000_000 + 60_000_000_000),
            duration_ns: ns,
            cause: Some(cause.to_owned()),
            certainty: Some("measured".to_owned()),
            mechanism: (cause == "gc-log-write-blocked").then(|| "journal-commit".to_owned()),
            culprit: Some(("process".to_owned(), "backup".to_owned())),
            file: None,
            source: hour.origin.source.clone(),
        }];
    }
}

/// A line for each finding: which cause, of which hosts, since which day.
pub(super) fn lines(answer: &Answer) -> Vec<String> {
    let line = |it: &crate::Finding| {
        let group = it.group.as_ref().map_or("all hosts".to_owned(), |it| {
            let key = it.attribute.key.label().unwrap_or(it.attribute.key.id());
            format!("{} of {} hosts of {key}={}", it.affected, it.hosts, it.attribute.value)
        });
        let since = it.since.map_or(String::new(), |it| format!(" since day {}", it - FIRST_DAY));
        format!("{} {} on {group}{since}", it.direction.id(), it.cause)
    };
    answer.findings.iter().map(line).collect()
}

/// `count` different hosts of `hosts`.
pub(super) fn some(seed: u64, count: usize, hosts: u64) -> BTreeSet<u64> {
    let mut random = Random(seed ^ 0xdead_beef);
    let mut some = BTreeSet::new();
    while some.len() < count {
        some.insert(random.below(hosts));
    }
    some
}

/// How many fleets of a kind are made: as many as are asked for, or these.
pub(super) fn fleets(usually: u64) -> u64 {
    let asked = std::env::var("WHYPAUSE_FLEETS").ok();
    asked.and_then(|it| it.parse().ok()).unwrap_or(usually)
}
