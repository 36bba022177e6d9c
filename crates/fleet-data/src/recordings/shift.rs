//! Moves the facts of a recording to another time, another process and another host.
use recording::{Clock, Facts, Interval, MonoTime, ThreadSlice};

/// Ids below are those of the kernel's own threads, and stay.
const FIRST_ID: u32 = 1000;
/// Ids from here on stay, too: by default a kernel gives none.
const END_ID: u32 = 32_768;

/// How times and ids of processes and threads change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    /// What is added to each time on the monotonic clock.
    pub(crate) time_ns: i64,
    /// What is added to each id, around the range of ids.
    ids: u32,
}

impl Shift {
    /// One by which process `from` becomes `to`.
    pub(crate) fn new(time_ns: i64, from: u32, to: u32) -> Shift {
        let range = END_ID - FIRST_ID;
        let place = |id: u32| id.saturating_sub(FIRST_ID) % range;
        Shift { time_ns, ids: (place(to) + range - place(from)) % range }
    }

    fn id(self, id: &mut u32) {
        if (FIRST_ID..END_ID).contains(id) {
            *id = FIRST_ID + (*id - FIRST_ID + self.ids) % (END_ID - FIRST_ID);
        }
    }

    fn time(self, at: &mut MonoTime) {
        at.0 = at.0.saturating_add_signed(self.time_ns);
    }

    fn interval(self, it: &mut Interval) {
        self.time(&mut it.start);
        self.time(&mut it.end);
    }

    fn slice(self, it: &mut ThreadSlice) {
        self.interval(&mut it.interval);
        self.id(&mut it.tid);
        it.woken_by.as_mut().into_iter().for_each(|id| self.id(id));
        it.cpu_holder.as_mut().into_iter().for_each(|holder| self.id(&mut holder.0));
        if let Some(by) = &mut it.released_by {
            self.id(&mut by.pid);
            self.id(&mut by.tid);
        }
    }

    /// Moves everything but the lines of the log, whose times are in their text, too.
    pub(crate) fn facts(self, facts: &mut Facts) {
        self.jvm(facts);
        for it in &mut facts.clocks {
            self.time(&mut it.measured);
            // The other clock goes on as it did.
            if it.from == Clock::Monotonic {
                it.offset_ns = it.offset_ns.saturating_sub(self.time_ns);
            }
        }
        for it in &mut facts.safepoints {
            self.time(&mut it.begin);
            it.resumed.as_mut().into_iter().for_each(|at| self.time(at));
            self.time(&mut it.end_probe);
            self.id(&mut it.vm_tid);
            it.operations.iter_mut().for_each(|it| self.interval(&mut it.interval));
        }
        facts.slices.iter_mut().for_each(|it| self.slice(it));
        self.threads(facts);
        self.surroundings(facts);
    }

    fn jvm(self, facts: &mut Facts) {
        let Some(jvm) = &mut facts.jvm else { return };
        let before = jvm.pid;
        self.id(&mut jvm.pid);
        self.id(&mut jvm.pid_in_namespace);
        self.time(&mut jvm.started);
        // The JVM's file of counters has its process id as its name.
        let (from, to) = (format!("/{before}"), format!("/{}", jvm.pid));
        for file in facts.files.iter_mut().filter(|it| it.path.contains("hsperfdata_")) {
            if let Some(directory) = file.path.strip_suffix(&from) {
                file.path = format!("{directory}{to}");
            }
        }
    }

    fn threads(self, facts: &mut Facts) {
        for it in &mut facts.threads {
            self.id(&mut it.tid);
            self.time(&mut it.first_seen);
        }
        for it in &mut facts.kernel_work {
            self.id(&mut it.tid);
            self.interval(&mut it.interval);
        }
        for it in &mut facts.code {
            self.id(&mut it.tid);
            self.time(&mut it.at);
        }
        for it in &mut facts.java_stacks {
            self.id(&mut it.tid);
            self.interval(&mut it.reaching);
        }
    }

    fn surroundings(self, facts: &mut Facts) {
        facts.samples.iter_mut().for_each(|it| self.time(&mut it.at));
        for it in &mut facts.writers {
            self.interval(&mut it.interval);
            self.id(&mut it.pid);
        }
        for it in &mut facts.memory {
            self.time(&mut it.at);
            self.id(&mut it.pid);
        }
        for it in &mut facts.cpu_users {
            self.interval(&mut it.interval);
            self.id(&mut it.pid);
        }
        facts.outputs.iter_mut().for_each(|it| self.time(&mut it.at));
        for it in &mut facts.output_readers {
            self.time(&mut it.at);
            self.id(&mut it.pid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_distinct_and_those_of_the_kernel_stay() {
        let shift = Shift::new(0, 16_236, 2_500);
        let moved = |mut id: u32| {
            shift.id(&mut id);
            id
        };
        assert_eq!([16_236, 16_240, 70, 40_000].map(moved), [2_500, 2_504, 70, 40_000]);
        let mut all: Vec<u32> = (FIRST_ID..END_ID).map(moved).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(FIRST_ID..END_ID));
    }

    #[test]
    fn times_move_and_the_wall_clock_stays_with_them() {
        let mut facts = crate::recordings::tests::facts();
        let before = facts.clone();
        Shift::new(5, 1000, 1000).facts(&mut facts);
        assert_eq!(facts.safepoints[0].begin.0, before.safepoints[0].begin.0 + 5);
        assert_eq!(facts.slices[0].interval.start.0, before.slices[0].interval.start.0 + 5);
        let wall = |it: &Facts| {
            let offset = it.wall_offset().expect("an offset").offset_ns;
            i64::try_from(it.safepoints[0].begin.0).expect("a time") + offset
        };
        assert_eq!(wall(&facts), wall(&before));
        Shift::new(-5, 1000, 1000).facts(&mut facts);
        assert_eq!(facts, before);
    }
}
