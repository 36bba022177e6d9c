//! The first look at several JVMs, by a few threads: one whose files never answer holds up one of them.
use super::Inspection;
use crate::host::{Roots, jvm::Jvm};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

/// More would take the CPUs from the JVMs on a host with many.
const THREADS: usize = 4;
/// A survey takes milliseconds. After this time without progress the rest does not come.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks at each of them; `None` where that took too long. Who waits for a file then goes on waiting,
/// and is left behind.
pub(super) fn inspect(roots: &Roots, jvms: &[Jvm]) -> Vec<Option<Inspection>> {
    each(jvms, {
        let roots = roots.clone();
        move |jvm| Inspection::at(&roots, jvm)
    })
}

fn each<T, L>(all: &[T], inspect: impl Fn(&T) -> L + Send + Sync + 'static) -> Vec<Option<L>>
where
    T: Clone + Send + Sync + 'static,
    L: Send + 'static,
{
    let shared = Arc::new((all.to_vec(), inspect, AtomicUsize::new(0)));
    let (sender, reported) = channel();
    for _ in 0..THREADS.min(all.len()) {
        let (shared, sender): (_, Sender<(usize, L)>) = (shared.clone(), sender.clone());
        let work = move || {
            let (all, inspect, next) = &*shared;
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(it) = all.get(at) else { break };
                // Nobody may wait for it any more.
                if sender.send((at, inspect(it))).is_err() {
                    break;
                }
            }
        };
        // Where no thread can be started nothing is reported, as where none answers.
        let _ = thread::Builder::new().name("survey".into()).spawn(work);
    }
    drop(sender);
    let mut inspected: Vec<Option<L>> = all.iter().map(|_| None).collect();
    while let Ok((at, it)) = reported.recv_timeout(PATIENCE) {
        inspected[at] = Some(it);
    }
    inspected
}

#[cfg(test)]
mod tests {
    use super::each;
    use std::time::{Duration, Instant};

    #[test]
    fn one_that_never_answers_costs_its_own_answer_alone() {
        let begun = Instant::now();
        let inspect = |n: &u32| match n {
            3 => {
                std::thread::sleep(Duration::from_secs(20));
                0
            }
            n => n * 2,
        };
        let found = each(&[1, 2, 3, 4, 5, 6, 7, 8], inspect);
        let expected = [Some(2), Some(4), None, Some(8), Some(10), Some(12), Some(14), Some(16)];
        assert_eq!(found, expected);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn nothing_to_look_at_is_nothing_to_wait_for() {
        assert_eq!(each(&[0_u32; 0], |n| *n), []);
    }
}
