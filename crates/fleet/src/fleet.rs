//! Partial sums of many hosts, merged as they arrive.
use crate::{
    attribute::{Attribute, attributes},
    host::{Host, UNEXPLAINED},
    names::Names,
    plausible,
};
use std::{
    collections::{BTreeMap, HashSet, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::Arc,
};
use table::{Hour, Jvm, Origin, SourceKind};

/// Inputs that could not be read, and hosts of which sums were left out, that are named.
const MOST_NAMED: usize = 1_000;
/// Ids of causes that this version does not know, and that keep their names.
const MOST_UNKNOWN_CAUSES: usize = 64;
/// What more of them are called.
const OTHER_CAUSE: &str = "other";

/// An input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Its path.
    pub path: String,
    /// Why, in words.
    pub why: String,
}

/// Sums that were left out because they cannot be true.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Implausible {
    /// The host that they are said to be of.
    pub host: String,
    /// What is wrong with the first.
    pub why: &'static str,
    /// How many there are.
    pub count: u64,
}

/// The sums of all hosts.
///
/// Memory is bounded by the hosts, their days and their different sets of attributes: of 5,000 hosts and 30 days
/// some hundred megabytes.
#[derive(Clone, Debug)]
pub struct Fleet {
    pub(crate) hosts: BTreeMap<String, Host>,
    pub(crate) causes: Names<String>,
    known_causes: usize,
    pub(crate) attributes: Names<Attribute>,
    pub(crate) profiles: Names<Profile>,
    pub(crate) unread: BTreeMap<String, String>,
    pub(crate) unread_count: u64,
    pub(crate) implausible: BTreeMap<String, (&'static str, u64)>,
    pub(crate) implausible_count: u64,
    /// Hashes of the paths of inputs.
    pub(crate) sources: HashSet<u64>,
    /// Time by number of the cause and by hour since 1970-01-01 UTC, over all hosts.
    pub(crate) hourly: BTreeMap<(u32, i64), u64>,
    /// The last profile that was asked for, as most hours of a JVM come together.
    last: Option<(Arc<Origin>, Arc<Jvm>, u32, u64)>,
}

/// What JVMs have in common for groups: attributes by their numbers, in order, and what kind of thing saw them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Profile {
    pub(crate) attributes: Vec<u32>,
    /// See [`Key::known_bit`](crate::Key).
    pub(crate) known: u8,
    pub(crate) kind: SourceKind,
}

impl Default for Fleet {
    fn default() -> Fleet {
        let mut causes = Names::default();
        // First, so that an input cannot take their place.
        for cause in diagnose::causes() {
            causes.number(cause.id.to_owned());
        }
        causes.number(OTHER_CAUSE.to_owned());
        causes.number(UNEXPLAINED.to_owned());
        let known_causes = causes.all().len();
        Fleet {
            hosts: BTreeMap::new(),
            causes,
            known_causes,
            attributes: Names::default(),
            profiles: Names::default(),
            unread: BTreeMap::new(),
            unread_count: 0,
            implausible: BTreeMap::new(),
            implausible_count: 0,
            sources: HashSet::new(),
            hourly: BTreeMap::new(),
            last: None,
        }
    }
}

impl Fleet {
    /// Without any host.
    #[must_use]
    pub fn new() -> Fleet {
        Fleet::default()
    }

    /// Adds an hour of a JVM. The order of hours makes no difference. Sums that cannot be true are left out, and
    /// counted.
    pub fn add(&mut self, hour: Hour) {
        self.sources.insert(hash(&hour.origin.source));
        if let Some(why) = plausible::complaint(&hour) {
            return self.leave_out(&hour.origin.host, why);
        }
        for id in hour.causes.keys().chain(hour.worst.iter().filter_map(|it| it.cause.as_ref())) {
            self.number_cause(id);
        }
        let (profile, jvm) = self.profile(&hour.origin, &hour.jvm);
        let causes = &self.causes;
        let other = || causes.find(OTHER_CAUSE).expect("it is there from the begin");
        let number = |id: &str| causes.find(id).unwrap_or_else(other);
        let host = self.hosts.entry(hour.origin.host.clone()).or_default();
        let is_timed = host.add(&hour, jvm, profile, &number);
        for (id, sum) in hour.causes.iter().filter(|_| is_timed) {
            let ns = self.hourly.entry((number(id), hour.hour.unwrap_or_default())).or_default();
            *ns = ns.saturating_add(sum.ns);
        }
    }

    /// Notes an input that could not be read.
    pub fn unread(&mut self, path: &str, why: &str) {
        self.unread_count += 1;
        if self.unread.len() < MOST_NAMED {
            self.unread.insert(path.to_owned(), why.to_owned());
        }
    }

    fn leave_out(&mut self, host: &str, why: &'static str) {
        self.implausible_count += 1;
        if self.implausible.len() < MOST_NAMED || self.implausible.contains_key(host) {
            self.implausible.entry(host.to_owned()).or_insert((why, 0)).1 += 1;
        }
    }

    fn number_cause(&mut self, id: &str) {
        if self.causes.find(id).is_none()
            && self.causes.all().len() < self.known_causes + MOST_UNKNOWN_CAUSES
        {
            self.causes.number(id.to_owned());
        }
    }

    /// The number of the profile, and a hash of the JVM.
    fn profile(&mut self, origin: &Arc<Origin>, jvm: &Arc<Jvm>) -> (u32, u64) {
        if let Some((last_origin, last_jvm, profile, hash)) = &self.last
            && Arc::ptr_eq(last_origin, origin)
            && Arc::ptr_eq(last_jvm, jvm)
        {
            return (*profile, *hash);
        }
        let all = attributes(origin, jvm);
        let known = all.iter().fold(0, |bits, it| bits | it.key.known_bit());
        let is_full = self.hosts.get(&origin.host).is_some_and(Host::has_all_profiles);
        let number = |it: Attribute| match is_full {
            // No new names come from a host that has brought so many.
            true => self.attributes.find(&it),
            false => Some(self.attributes.number(it)),
        };
        let numbers: Option<Vec<u32>> = all.into_iter().map(number).collect();
        let unknown = Profile { attributes: Vec::new(), known: 0, kind: origin.kind };
        let profile = match numbers {
            Some(mut numbers) => {
                numbers.sort_unstable();
                let profile = Profile { attributes: numbers, known, kind: origin.kind };
                let admits =
                    |it: u32| self.hosts.get(&origin.host).is_none_or(|own| own.admits(it));
                match self.profiles.find(&profile) {
                    Some(number) if admits(number) => number,
                    None if !is_full => self.profiles.number(profile),
                    _ => self.profiles.number(unknown),
                }
            }
            None => self.profiles.number(unknown),
        };
        let hash = hash(&(&origin.boot, jvm.as_ref()));
        self.last = Some((origin.clone(), jvm.clone(), profile, hash));
        (profile, hash)
    }
}

/// The same on each run: `DefaultHasher::new` has fixed keys.
fn hash(it: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    it.hash(&mut hasher);
    hasher.finish()
}
