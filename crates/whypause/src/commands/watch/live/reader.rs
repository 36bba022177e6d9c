//! From the facts of a watch to what its page draws of the heap and the host.
use super::Live;
use crate::commands::window::Window;
use diagnose::{HeapLog, HeapPoint};
use recording::{Facts, MonoTime};
use report::html::readings::Read;
use std::time::Duration;

/// Readings of the last seconds are looked at again: a rate is that since the reading before, which is a second old, or ten where
/// reading takes its time.
const AGAIN: Duration = Duration::from_secs(15);

/// How often at most: some counters come five times a second.
const EVERY: Duration = Duration::from_millis(500);

/// What is read for the page of one JVM's watch.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    log: HeapLog,
    /// Not published yet.
    heap: Vec<HeapPoint>,
    has_news: bool,
    published: MonoTime,
}

impl Reader {
    /// Takes facts that are new, before the window of the last seconds does.
    pub(crate) fn take(&mut self, new: &Facts, window: &Window) {
        self.heap.extend(self.log.take(new, &window.readings(MonoTime(u64::MAX))));
        self.has_news |= !new.samples.is_empty() || !self.heap.is_empty();
    }

    /// Hands on what is new, now that the window has it.
    pub(crate) fn publish(
        &mut self,
        window: &Window,
        now: MonoTime,
        live: &Live,
        jvm: Option<&str>,
    ) {
        if !self.has_news || now < self.published + EVERY {
            return;
        }
        (self.has_news, self.published) = (false, now);
        let heap = std::mem::take(&mut self.heap);
        let near = window.readings(now - AGAIN);
        let wall_offset_ns = near.wall_offset().map(|it| it.offset_ns);
        live.readings(Read { host: diagnose::host_readings(&near), heap, wall_offset_ns }, jvm);
    }
}
