//! The stop that is under way when a recording by samples begins, and while it goes on.
use super::{SampledSession, StopCounters, fact};
use crate::{
    Jvm,
    host::now,
    stop_state::{StopState, StopStateReader},
};
use recording::{Facts, MonoTime, Source, SourceState};
use std::{fs::File, sync::Arc, time::Duration};

impl SampledSession {
    /// The recording begins, in a stop where the JVM is in one already.
    ///
    /// That is once its state can be read: of what was before, the threads were not looked at, and nothing
    /// could be said of it but its length. So they are all looked at in this very moment.
    pub(super) fn begin(&mut self, jvm: &Jvm, libjvm: &Result<Arc<File>, String>) {
        let reader =
            StopStateReader::open(&self.options.roots, jvm, libjvm, !self.options.one_of_many);
        let at = now();
        self.begin_at(at);
        let counts = self.counters.as_ref().and_then(StopCounters::read);
        if let Some(counts) = counts {
            // The first reading: nothing comes of it.
            let _ = self.stops.sample(at, counts);
        }
        let reported = match reader {
            Ok(mut reader) => {
                if let Some(state) = reader.read().filter(|it| it.is_stop()) {
                    self.stops.assume(state == StopState::Stopped);
                }
                SourceState::Recorded
            }
            Err(why) => SourceState::Missing(why),
        };
        self.coverage.sources.insert(Source::StopState, reported);
        self.watch.first_round(at, (&self.quota, &mut self.keep));
    }

    fn begin_at(&mut self, at: MonoTime) {
        self.started = at;
        self.roles.watched_since(at);
        self.next.round = at;
        self.next.last_round = at;
    }

    /// Since when the stop under way is recorded; `None` where there is none.
    #[must_use]
    pub fn stopped_since(&self) -> Option<MonoTime> {
        self.stops.under_way(now()).map(|it| it.interval.start)
    }

    /// The stop that is under way for at least `least`, as facts that are not final.
    pub fn under_way(&mut self, least: Duration) -> Option<Facts> {
        let at = now();
        let stop = self.stops.under_way(at).filter(|it| at.since(it.interval.start) >= least)?;
        let vm_tid = self.watch.vm_tid().unwrap_or(0);
        Some(Facts { safepoints: vec![fact(stop, vm_tid)], ..Facts::default() })
    }
}
