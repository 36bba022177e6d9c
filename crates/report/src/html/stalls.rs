//! Threads that stood while the JVM ran: what was found, and the episodes with their stalls one by one.
//! `web/src/stalls/` draws them.
use super::{
    finding::{self, Finding},
    numbered::Numbered,
    times::us,
};
use crate::{
    clean::{MOST_NAME, MOST_PATH, clean, clean_name},
    view::{self, StallsView},
};
use diagnose::{Diagnosis, StallMember, StalledThread};
use recording::MonoTime;
use serde::Serialize;
use std::{cmp::Reverse, collections::BTreeMap, time::Duration};

/// Episodes on a page; of more, those with least time are left out.
const MOST_EPISODES: usize = 500;
/// Stalls on a page, one by one; of more, the shortest are left out, but for the longest of each episode.
const MOST_MEMBERS: usize = 4_000;
/// Stalls of one episode in an event of a live page.
const MOST_LIVE_MEMBERS: usize = 64;

/// See `Stalls` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct Stalls<'a> {
    heading: &'a str,
    findings: Vec<Finding<'a>>,
    rest: Option<&'a str>,
    episode_count: u64,
    #[serde(flatten)]
    episodes: Episodes,
}

/// See `Episodes` in `web/src/model.ts`.
#[derive(Default, Serialize)]
pub(super) struct Episodes {
    threads: Vec<Thread>,
    pools: Vec<String>,
    places: Vec<Place>,
    episodes: Vec<Episode>,
}

#[derive(Serialize)]
struct Thread {
    tid: u32,
    name: String,
    pool: usize,
}

/// Where the longest stall of an episode was.
#[derive(PartialEq, Serialize)]
struct Place {
    thread: String,
    call: String,
    file: String,
    file_system: String,
    device: String,
    stack: Vec<String>,
    /// What the stack shows that it waited for, and which frame does.
    waits_for: &'static str,
    marked: Option<usize>,
}

#[derive(Serialize)]
struct Episode {
    start_us: f64,
    length_us: f64,
    stalls: u64,
    threads: u64,
    time_us: f64,
    longest_us: f64,
    unexplained_us: f64,
    told: String,
    pools: String,
    cause: Option<usize>,
    certainty: &'static str,
    mechanisms: Vec<(&'static str, f64)>,
    place: usize,
    holder: Option<usize>,
    members: Vec<u64>,
    left_out: u64,
}

/// Those of a diagnosis whose page begins at `zero_ns`.
pub(super) fn of<'a>(
    diagnosis: &diagnose::Stalls,
    view: &'a StallsView<'a>,
    zero_ns: u64,
    causes: &mut Numbered,
) -> Stalls<'a> {
    let mut largest: Vec<_> = diagnosis.episodes.iter().collect();
    largest.sort_by_key(|it| (Reverse(it.weight()), it.interval.start_ns));
    largest.truncate(MOST_EPISODES);
    largest.sort_by_key(|it| it.interval.start_ns);
    Stalls {
        heading: &view.heading,
        findings: view.findings.iter().map(|it| finding::finding(it, causes)).collect(),
        rest: view.rest.as_deref(),
        episode_count: diagnosis.episode_count,
        episodes: episodes(&largest, &diagnosis.named, zero_ns, MOST_MEMBERS, causes),
    }
}

/// One episode, which begins at time 0. `diagnosis` is of it alone.
pub(super) fn one(
    diagnosis: &Diagnosis,
    episode: &diagnose::Episode,
    causes: &mut Numbered,
) -> Episodes {
    let nothing = BTreeMap::new();
    let named = diagnosis.stalls.as_ref().map_or(&nothing, |it| &it.named);
    let zero_ns = episode.interval.start_ns;
    episodes(&[episode], named, zero_ns, MOST_LIVE_MEMBERS, causes)
}

fn episodes(
    all: &[&diagnose::Episode],
    named: &BTreeMap<u32, StalledThread>,
    zero_ns: u64,
    most: usize,
    causes: &mut Numbered,
) -> Episodes {
    let mut made = Episodes::default();
    let mut listed = Listed { named, places: BTreeMap::new() };
    for (it, members) in all.iter().zip(longest(all, most)) {
        let episode = episode(it, &members, zero_ns, &mut made, &mut listed, causes);
        made.episodes.push(episode);
    }
    made
}

/// The stalls of each episode that are kept, in order of time.
fn longest<'a>(all: &[&'a diagnose::Episode], most: usize) -> Vec<Vec<&'a StallMember>> {
    let mut found = Vec::new();
    for (at, it) in all.iter().enumerate() {
        let mut members: Vec<_> = it.members.iter().enumerate().collect();
        members.sort_by_key(|it| Reverse(it.1.length));
        let members = members.into_iter().enumerate();
        found.extend(members.map(|(rank, (nth, member))| (rank > 0, at, nth, member)));
    }
    found.sort_by_key(|it| (it.0, Reverse(it.3.length)));
    found.truncate(most);
    found.sort_by_key(|it| (it.1, it.2));
    let mut kept = vec![Vec::new(); all.len()];
    for (_, at, _, member) in found {
        kept[at].push(member);
    }
    kept
}

/// The threads that are listed already.
struct Listed<'a> {
    named: &'a BTreeMap<u32, StalledThread>,
    places: BTreeMap<u32, usize>,
}

impl Listed<'_> {
    fn thread(&mut self, tid: u32, made: &mut Episodes) -> usize {
        if let Some(place) = self.places.get(&tid) {
            return *place;
        }
        let unknown = || format!("thread {tid}");
        let (name, pool) = match self.named.get(&tid) {
            Some(it) => (clean_name(&it.name, MOST_NAME), clean_name(&it.pool, MOST_NAME)),
            None => (unknown(), unknown()),
        };
        let pool = place_of(&mut made.pools, pool);
        made.threads.push(Thread { tid, name, pool });
        self.places.insert(tid, made.threads.len() - 1);
        made.threads.len() - 1
    }
}

/// Where `it` is in the list, to which it is added where it is not there yet.
fn place_of<T: PartialEq>(all: &mut Vec<T>, it: T) -> usize {
    all.iter().position(|other| *other == it).unwrap_or_else(|| {
        all.push(it);
        all.len() - 1
    })
}

fn episode(
    it: &diagnose::Episode,
    members: &[&StallMember],
    zero_ns: u64,
    made: &mut Episodes,
    listed: &mut Listed<'_>,
    causes: &mut Numbered,
) -> Episode {
    let start_ns = it.interval.start_ns;
    let whole = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let mut flat = Vec::with_capacity(members.len() * 5);
    for member in members {
        let at = member.interval.start.since(MonoTime(start_ns));
        let [thread, holder] = [member.tid, member.holder].map(|it| listed.thread(it, made) as u64);
        flat.extend([
            thread,
            holder,
            whole(at),
            whole(member.interval.duration()),
            whole(member.length),
        ]);
    }
    let extent = it.extent();
    let holder = it.holder.as_ref().map(|it| listed.thread(it.tid, made));
    Episode {
        start_us: us(Duration::from_nanos(start_ns.saturating_sub(zero_ns))),
        length_us: us(it.interval.duration),
        stalls: extent.stalls,
        threads: extent.threads,
        time_us: us(extent.time),
        longest_us: us(extent.longest),
        unexplained_us: us(it.unattributed),
        told: view::told(it),
        pools: view::pools(it),
        cause: it.cause.map(|it| causes.of(it)),
        certainty: it.certainty.id(),
        mechanisms: it.mechanisms.iter().map(|it| (it.phrase, us(it.time))).collect(),
        place: place_of(&mut made.places, place(it)),
        holder,
        left_out: (it.stalls + it.waiting.stalls).saturating_sub(members.len() as u64),
        members: flat,
    }
}

fn place(it: &diagnose::Episode) -> Place {
    let place = &it.place;
    Place {
        thread: clean_name(&place.thread, MOST_NAME),
        call: clean(&place.call),
        file: clean_name(&place.path, MOST_PATH),
        file_system: clean_name(&place.file_system, MOST_NAME),
        device: clean_name(&place.device, MOST_NAME),
        stack: place.stack.iter().map(|it| clean_name(it, MOST_NAME)).collect(),
        waits_for: it.proof.map(|it| it.phrase).unwrap_or_default(),
        marked: it.proof.map(|it| it.frame),
    }
}
