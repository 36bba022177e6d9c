//! What a fleet is to be: its hosts, what distinguishes them, and when which recording was made.
//!
//! Three sets of hosts have a fault each. Each set is spread over everything else that distinguishes hosts, and
//! the sets have hosts in common as chance has it.
use crate::{
    Options,
    clock::{BEGIN, DAY, END, SECOND, UPGRADE},
    log::Form,
    random::Random,
};
use anyhow::{Result, ensure};

/// The kernel that all hosts had, and which it was replaced by on some.
pub(crate) const KERNELS: [&str; 2] = ["6.8.0-41-generic", "6.8.0-45-generic"];
/// The deployment that allocates humongous objects.
pub(crate) const CANARY: &str = "canary-7";
/// The rack whose hypervisors run too many guests.
pub(crate) const STOLEN_RACK: &str = "r07";

const DEPLOYS: [&str; 2] = ["stable-5", "stable-6"];
const CLUSTERS: [&str; 4] = ["billing", "media", "orders", "search"];
const RACKS: usize = 10;
/// Of 200 hosts.
const UPGRADED: usize = 14;
const CANARIES: usize = 25;
const OUT_OF: usize = 200;
/// More would come too close to each other.
const MOST_RECORDINGS: u64 = 1000;
/// Stream of what is drawn for the fleet as a whole; those of hosts follow.
const FLEET: u64 = 0;

/// A host.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// Its place in the fleet, from 0.
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) cluster: &'static str,
    pub(crate) deploy: &'static str,
    pub(crate) rack: String,
    /// Whether it has the later kernel now.
    pub(crate) is_upgraded: bool,
    /// How its log is kept.
    pub(crate) form: Form,
    /// Which of the families of logs.
    pub(crate) family: usize,
    /// Its JVMs, one after the other.
    pub(crate) lives: Vec<Life>,
    /// By time.
    pub(crate) recordings: Vec<Planned>,
}

impl Host {
    /// The kernel that it has now.
    pub(crate) fn kernel(&self) -> &'static str {
        KERNELS[usize::from(self.is_upgraded)]
    }

    /// Whether it allocates humongous objects.
    pub(crate) fn is_canary(&self) -> bool {
        self.deploy == CANARY
    }

    /// Whether other guests take its CPUs.
    pub(crate) fn is_stolen_from(&self) -> bool {
        self.rack == STOLEN_RACK
    }
}

/// From the start of a JVM to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) start_ns: i64,
    pub(crate) end_ns: i64,
    /// When the host was started.
    pub(crate) boot_ns: i64,
    pub(crate) pid: u32,
    pub(crate) kernel: &'static str,
}

/// Which recording is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// One of the ordinary ones, by its place in their list.
    Ordinary(usize),
    /// The log's write waits for a journal commit.
    Journal,
    /// Another guest has the CPU.
    Steal,
}

/// A recording that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) what: What,
    /// When its longest stop begins.
    pub(crate) at_ns: i64,
}

/// Plans all hosts; there are this many ordinary recordings and families of logs, and these families have
/// humongous objects.
pub(crate) fn hosts(
    options: &Options,
    ordinary: usize,
    families: usize,
    humongous: &[usize],
) -> Result<Vec<Host>> {
    let count = options.hosts;
    ensure!(count > 0, "a fleet has at least one host");
    let most = options.recordings.div_ceil(count as u64);
    ensure!(most <= MOST_RECORDINGS, "at most {MOST_RECORDINGS} recordings for each host");
    let mut random = Random::new(options.seed, FLEET);
    let racks: Vec<usize> = (0..count).map(|it| it * RACKS / count).collect();
    let upgraded = spread(&mut random, &racks, scaled(count, UPGRADED));
    let canaries = spread(&mut random, &racks, scaled(count, CANARIES));
    let mut deck = Deck { cards: ordinary, left: Vec::new() };
    let host = |number: usize| {
        let mut own = Random::new(options.seed, number as u64 + 1);
        let deploy = match canaries[number] {
            true => CANARY,
            false => DEPLOYS[own.index(DEPLOYS.len())],
        };
        let family = match canaries[number] {
            true => humongous[own.index(humongous.len())],
            false => own.index(families),
        };
        let host = Host {
            number,
            name: format!("node-{:03}", number + 1),
            cluster: CLUSTERS[own.index(CLUSTERS.len())],
            deploy,
            rack: format!("r{:02}", racks[number] + 1),
            is_upgraded: upgraded[number],
            form: [Form::Plain, Form::Gzip, Form::Plain, Form::Rotated][own.index(4)],
            family,
            lives: Vec::new(),
            recordings: Vec::new(),
        };
        (host, own)
    };
    let mut planned: Vec<(Host, Random)> = (0..count).map(host).collect();
    let weights: Vec<u64> = planned.iter().map(|it| weight(&it.0)).collect();
    let shares = shares(options.recordings, weights.into_iter());
    for ((host, own), share) in planned.iter_mut().zip(shares) {
        let slots = slots(host, share);
        host.lives = lives(host, &slots, own);
        host.recordings = recordings(&slots, own, &mut || deck.draw(&mut random));
    }
    Ok(planned.into_iter().map(|it| it.0).collect())
}

/// As many of this many hosts as of 200, at least one.
fn scaled(count: usize, of_200: usize) -> usize {
    ((count * of_200 + OUT_OF / 2) / OUT_OF).max(1)
}

/// Chooses this many hosts, from each rack about as many.
fn spread(random: &mut Random, racks: &[usize], wanted: usize) -> Vec<bool> {
    let mut by_rack: Vec<Vec<usize>> =
        (0..RACKS).map(|rack| (0..racks.len()).filter(|it| racks[*it] == rack).collect()).collect();
    by_rack.iter_mut().for_each(|hosts| random.shuffle(hosts));
    random.shuffle(&mut by_rack);
    let deepest = by_rack.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..deepest).flat_map(|depth| by_rack.iter().filter_map(move |it| it.get(depth)));
    let mut chosen = vec![false; racks.len()];
    in_turn.take(wanted).for_each(|host| chosen[*host] = true);
    chosen
}

/// How many recordings a host has for seven of one without a fault: as many ordinary ones, and as many of each fault
/// while it has that.
fn weight(host: &Host) -> u64 {
    match (host.is_upgraded, host.is_stolen_from()) {
        (false, false) => 7,
        (false, true) => 14,
        (true, false) => 10,
        (true, true) => 17,
    }
}

/// How many of all recordings each host has, by weight.
fn shares(all: u64, weights: impl Iterator<Item = u64> + Clone) -> impl Iterator<Item = u64> {
    let sum: u64 = weights.clone().sum();
    let mut before = 0;
    weights.scan(0, move |weight, it| {
        *weight += it;
        let until = all * *weight / sum.max(1);
        let share = until - before;
        before = until;
        Some(share)
    })
}

/// Each card as often as any other: a new deck is begun when the last one is used up.
struct Deck {
    cards: usize,
    left: Vec<usize>,
}

impl Deck {
    fn draw(&mut self, random: &mut Random) -> usize {
        if self.left.is_empty() {
            self.left = (0..self.cards).collect();
            random.shuffle(&mut self.left);
        }
        self.left.pop().unwrap_or(0)
    }
}

/// A part of the week, which has one recording or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    begin_ns: i64,
    end_ns: i64,
    /// What is recorded in it.
    kind: Option<Kind>,
}

/// What a recording shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ordinary,
    Journal,
    Steal,
}

/// The slots of a host. Of one that gets another kernel, one begins when that is, and at least one recording is made
/// after that. What a host's faults are is recorded in turn with what is ordinary.
fn slots(host: &Host, count: u64) -> Vec<Slot> {
    let count = i64::try_from(count).unwrap_or(0);
    let always: &[Kind] = match host.is_stolen_from() {
        true => &[Kind::Steal, Kind::Ordinary],
        false => &[Kind::Ordinary],
    };
    if !host.is_upgraded {
        return even(BEGIN, END, count, always);
    }
    // Four days, and three more with the other kernel.
    let (of_before, of_all) = if host.is_stolen_from() { (8, 17) } else { (4, 10) };
    let before = (count * of_before / of_all).max(i64::from(count > 1));
    let after = [&[Kind::Journal], always].concat();
    [even(BEGIN, UPGRADE, before, always), even(UPGRADE, END, count - before, &after)].concat()
}

/// Slots of one length; one that has no recording where there is to be none.
fn even(begin_ns: i64, end_ns: i64, count: i64, kinds: &[Kind]) -> Vec<Slot> {
    let length = (end_ns - begin_ns) / count.max(1);
    let slot = |(number, kind): (i64, &Kind)| Slot {
        begin_ns: begin_ns + length * number,
        end_ns: begin_ns + length * (number + 1),
        kind: (count > 0).then_some(*kind),
    };
    (0..count.max(1)).zip(kinds.iter().cycle()).map(slot).collect()
}

/// The JVMs of a host: a restart is at the bound of two slots, where no recording is near.
fn lives(host: &Host, slots: &[Slot], random: &mut Random) -> Vec<Life> {
    let boot_ns = BEGIN - random.between(5 * DAY, 60 * DAY);
    let pid = |random: &mut Random| 2000 + u32::try_from(random.below(28_000)).unwrap_or(0);
    let first =
        Life { start_ns: BEGIN, end_ns: END, boot_ns, pid: pid(random), kernel: KERNELS[0] };
    let inner = slots.get(1..).unwrap_or_default();
    let (at, delay, boot_ns, kernel) = match host.is_upgraded {
        true => (Some(UPGRADE), 40 * SECOND, UPGRADE + 15 * SECOND, KERNELS[1]),
        false => {
            let restarts = random.one_of(3) && !inner.is_empty();
            let at = restarts.then(|| inner[random.index(inner.len())].begin_ns);
            (at, random.between(4 * SECOND, 20 * SECOND), boot_ns, KERNELS[0])
        }
    };
    match at {
        Some(at) => {
            let second =
                Life { start_ns: at + delay, end_ns: END, boot_ns, pid: pid(random), kernel };
            vec![Life { end_ns: at, ..first }, second]
        }
        None => vec![first],
    }
}

fn recordings(
    slots: &[Slot],
    random: &mut Random,
    ordinary: &mut dyn FnMut() -> usize,
) -> Vec<Planned> {
    let each = slots.iter().filter_map(|slot| {
        let tenth = (slot.end_ns - slot.begin_ns) / 10;
        let at_ns = random.between(slot.begin_ns + tenth, slot.end_ns - tenth);
        let what = match slot.kind? {
            Kind::Ordinary => What::Ordinary(ordinary()),
            Kind::Journal => What::Journal,
            Kind::Steal => What::Steal,
        };
        Some(Planned { what, at_ns })
    });
    each.collect()
}

#[cfg(test)]
mod tests;
