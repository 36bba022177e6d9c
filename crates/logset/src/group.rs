//! Which files make one set.
use crate::{
    LogSet, Note,
    candidate::Candidate,
    name::Name,
    order::{Member, order},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

/// Where more are missing between two numbers, they mean something else.
const MOST_MISSING: usize = 100;

/// A candidate, and how it came here.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) candidate: Candidate,
    /// The number of the argument that named it.
    pub(crate) argument: usize,
}

/// Puts files of one place whose names differ only in what rotation adds into one set each. Sets
/// are in the order of the arguments, and those of one argument in the order of names.
pub(crate) fn group(given: Vec<Given>) -> Vec<LogSet> {
    let mut groups: Vec<(Key, Vec<Candidate>)> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for Given { candidate, argument } in given {
        let stem = Name::parse(&candidate.file_name).stem;
        let next = groups.len();
        let at = *places.entry((candidate.place.clone(), stem.clone())).or_insert(next);
        if at == next {
            let place = candidate.place.clone();
            groups.push((Key { argument, place, stem }, Vec::new()));
        }
        let files = &mut groups[at].1;
        // Named twice, it is read once.
        if files.iter().all(|it| it.file.shown != candidate.file.shown) {
            files.push(candidate);
        }
    }
    groups.sort_by(|(a, _), (b, _)| a.cmp(b));
    groups.into_iter().map(|(key, files)| set(&key, files)).collect()
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    argument: usize,
    place: String,
    stem: String,
}

fn set(key: &Key, files: Vec<Candidate>) -> LogSet {
    let members: Vec<Member> = files.iter().map(member).collect();
    let order = without_copies(&members, order(&members));
    let mut notes = Vec::new();
    if order.len() < files.len() {
        let text = "left out packed files that are also there unpacked";
        notes.push(Note::new(text, ""));
    }
    let name = match &files[..] {
        [only] => only.file.shown.clone(),
        // The top of an archive: `logs.zip:gc.log`.
        _ if key.place.ends_with(':') => [&*key.place, &key.stem].concat(),
        _ => Path::new(&key.place).join(&key.stem).display().to_string(),
    };
    let utc_offset_min = order.iter().find_map(|&at| members[at].begin.utc_offset_min);
    let mut files: Vec<_> = files.into_iter().map(|it| Some(it.file)).collect();
    let files = order.into_iter().filter_map(|at| files[at].take()).collect();
    let missing = missing(&members);
    LogSet { name, argument: key.argument, files, notes, utc_offset_min, missing }
}

/// Rotation numbers its files one after the other, those of each date by themselves.
fn missing(members: &[Member]) -> Vec<u32> {
    let mut numbers: BTreeMap<&[u64], BTreeSet<u32>> = BTreeMap::new();
    for Member { name, .. } in members {
        if let Some(number) = name.number {
            numbers.entry(&name.date).or_default().insert(number);
        }
    }
    let between = numbers.values().flat_map(|there| {
        let (first, last) = (there.first().copied(), there.last().copied());
        let all = first.unwrap_or(0)..last.unwrap_or(0);
        let gone: Vec<u32> = all.filter(|it| !there.contains(it)).take(MOST_MISSING + 1).collect();
        if gone.len() > MOST_MISSING { Vec::new() } else { gone }
    });
    between.collect()
}

fn member(candidate: &Candidate) -> Member {
    Member { name: Name::parse(&candidate.file_name), begin: candidate.begin.clone() }
}

/// `gc.log.1.gz` beside `gc.log.1`, begun at the same time, is its copy: the compressing program has not
/// removed the original yet.
fn without_copies(members: &[Member], order: Vec<usize>) -> Vec<usize> {
    let is_copy = |&at: &usize| {
        let this = &members[at];
        let plain = Name { packed: false, ..this.name.clone() };
        this.name.packed && members.iter().any(|it| it.name == plain && it.begin == this.begin)
    };
    order.into_iter().filter(|at| !is_copy(at)).collect()
}
