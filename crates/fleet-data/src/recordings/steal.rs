//! A recording of CPU contention, as it would have been if another guest had had the CPUs.
//!
//! To the guest's scheduler a thread is on a CPU while the hypervisor runs another guest there: what was a wait for a
//! CPU becomes time on one, all of it taken. The host counts it as steal time, and no thread waits any more.
use recording::{Facts, SafepointTotals, ThreadSlice, ThreadState};
use std::time::Duration;

const STEAL: &str = "cpu.steal_ms";
/// The counters of waits for a CPU.
const WAITS: &str = "psi.cpu.";
/// The kernel counts in ticks of this.
const TICK_MS: u64 = 10;

/// Turns each wait for a CPU into stolen time.
pub(crate) fn from_contention(facts: &mut Facts) {
    let stolen: Vec<(u64, Duration)> = facts.slices.iter_mut().filter_map(steal).collect();
    for it in &mut facts.safepoints {
        on_cpu(&mut it.reaching);
        on_cpu(&mut it.operating);
    }
    facts.cpu_users.clear();
    let first = |name: &str| facts.samples.iter().find(|it| it.counter.starts_with(name));
    let steal_before = first(STEAL).map_or(0, |it| it.value);
    let mut waits_before = std::collections::BTreeMap::new();
    for it in &mut facts.samples {
        if it.counter == STEAL {
            let until = stolen.iter().filter(|(end, _)| *end <= it.at.0).map(|(_, time)| *time);
            let ms = u64::try_from(until.sum::<Duration>().as_millis()).unwrap_or(u64::MAX);
            it.value = steal_before + ms / TICK_MS * TICK_MS;
        } else if it.counter.starts_with(WAITS) {
            it.value = *waits_before.entry(it.counter.clone()).or_insert(it.value);
        }
    }
}

/// When the slice ends, and how much of it another guest had, where it did.
fn steal(it: &mut ThreadSlice) -> Option<(u64, Duration)> {
    match it.state {
        ThreadState::Runnable => it.taken = it.interval.duration(),
        ThreadState::OnCpu => it.taken += it.merged_wait,
        _ => return None,
    }
    it.state = ThreadState::OnCpu;
    it.cpu_holder = None;
    it.merged_wait = Duration::ZERO;
    Some((it.interval.end.0, it.taken))
}

fn on_cpu(it: &mut SafepointTotals) {
    it.on_cpu += std::mem::take(&mut it.runnable);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_waits_for_a_cpu_and_no_time_is_lost() {
        let mut facts = crate::recordings::tests::facts();
        let time = |facts: &Facts, state: ThreadState| -> Duration {
            let slices = facts.slices.iter().filter(|it| it.state == state);
            slices.map(|it| it.interval.duration()).sum()
        };
        let [on_cpu, waits] =
            [ThreadState::OnCpu, ThreadState::Runnable].map(|it| time(&facts, it));
        from_contention(&mut facts);
        assert_eq!(time(&facts, ThreadState::Runnable), Duration::ZERO);
        assert_eq!(time(&facts, ThreadState::OnCpu), on_cpu + waits);
        let taken: Duration = facts.slices.iter().map(|it| it.taken).sum();
        assert!(taken >= waits && !waits.is_zero());
        let steal: Vec<u64> =
            facts.samples.iter().filter(|it| it.counter == STEAL).map(|it| it.value).collect();
        assert!(steal.is_sorted() && steal.last() > steal.first(), "{steal:?}");
    }
}
