//! When huge pages are switched off and on again: a function of what was measured, with all its thresholds.
//!
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions",
//! 2016, sections 3.3 and 3.4, has three switches, each with a measure of its own. Here each has two
//! thresholds, and stays as it is for some rounds, so that none goes back and forth.
use recorder::MemorySample;
use std::time::Duration;

/// One of the switches, a file below `/sys/kernel/mm/transparent_hugepage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub enum Control {
    /// Whether memory comes in huge pages at all.
    Enabled,
    /// Whether who needs memory makes room for a huge page itself.
    Defrag,
    /// Whether `khugepaged` makes room when it puts small pages together.
    Khugepaged,
}

impl Control {
    /// In the order in which they are decided.
    pub const ALL: &'static [Control] = <Control as strum::VariantArray>::VARIANTS;

    /// Its name, as in `/sys/kernel/mm/transparent_hugepage`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Control::Enabled => "enabled",
            Control::Defrag => "defrag",
            Control::Khugepaged => "khugepaged/defrag",
        }
    }

    /// Its file.
    #[must_use]
    pub fn file(self) -> String {
        format!("/sys/kernel/mm/transparent_hugepage/{}", self.name())
    }

    /// The value that switches it off.
    #[must_use]
    pub fn off(self) -> &'static str {
        match self {
            Control::Enabled | Control::Defrag => "never",
            Control::Khugepaged => "0",
        }
    }
}

/// What happened from one look at the memory to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Memory that the JVM could still take, in bytes.
    pub available_bytes: u64,
    /// Whether that is what is left of a control group's limit.
    pub of_group: bool,
    /// What the JVM may need in all, in bytes.
    pub footprint_bytes: u64,
    /// What it may still take: its footprint, less what of it is in memory.
    pub missing_bytes: u64,
    /// Pages that threads which needed memory looked at, in a second: of the host or of the JVM's
    /// control groups, whichever is more.
    pub scanned_per_s: u64,
    /// CPU time of `khugepaged`, in thousandths of a core.
    pub khugepaged_permille: u64,
}

impl Measured {
    /// Of two looks and the time between them.
    #[must_use]
    pub fn between(
        before: &MemorySample,
        after: &MemorySample,
        time: Duration,
        footprint_bytes: u64,
    ) -> Measured {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        let share = |part: u64, of: u64| {
            let part = u128::from(part) * u128::from(of) / u128::from(nanos);
            u64::try_from(part).unwrap_or(u64::MAX)
        };
        let host = after.scanned.saturating_sub(before.scanned);
        let group = after.group_scanned.saturating_sub(before.group_scanned);
        let cpu = before.khugepaged.zip(after.khugepaged);
        let cpu = cpu.map_or(Duration::ZERO, |(before, after)| after.saturating_sub(before));
        Measured {
            available_bytes: after.available_bytes,
            of_group: after.of_group,
            footprint_bytes,
            missing_bytes: footprint_bytes.saturating_sub(after.resident_bytes),
            scanned_per_s: share(host.max(group), 1_000_000_000),
            khugepaged_permille: share(u64::try_from(cpu.as_nanos()).unwrap_or(u64::MAX), 1_000),
        }
    }

    /// What must be available so that huge pages stay on, in bytes: what the JVM may still take, and
    /// an eighth of its footprint.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        self.missing_bytes.saturating_add(self.footprint_bytes / 8)
    }

    /// What must be available before they are switched on again: another eighth.
    #[must_use]
    pub fn enough_bytes(&self) -> u64 {
        self.missing_bytes.saturating_add(self.footprint_bytes / 4)
    }

    /// The numbers that switched self.
    pub(super) fn why(&self, control: Control) -> String {
        let memory = diagnose::text::memory;
        match control {
            Control::Enabled => format!(
                "{} of memory available{}, {} wanted (the JVM may take {} more)",
                memory(self.available_bytes),
                if self.of_group { " in its control group" } else { "" },
                memory(if self.available_bytes < self.least_bytes() {
                    self.least_bytes()
                } else {
                    self.enough_bytes()
                }),
                memory(self.missing_bytes),
            ),
            Control::Defrag => {
                format!("direct scanning of {} pages per second", self.scanned_per_s)
            }
            Control::Khugepaged => {
                let (whole, tenth) = (self.khugepaged_permille / 10, self.khugepaged_permille % 10);
                format!("khugepaged takes {whole}.{tenth} % of a core")
            }
        }
    }

    fn level(&self, control: Control) -> Level {
        let of = |is_bad: bool, is_good: bool| match (is_bad, is_good) {
            (true, _) => Level::Bad,
            (false, true) => Level::Good,
            (false, false) => Level::Between,
        };
        match control {
            Control::Enabled => of(
                self.available_bytes < self.least_bytes(),
                self.available_bytes >= self.enough_bytes(),
            ),
            Control::Defrag => {
                of(self.scanned_per_s >= MUCH_SCANNED, self.scanned_per_s <= LITTLE_SCANNED)
            }
            Control::Khugepaged => {
                of(self.khugepaged_permille >= MUCH_CPU, self.khugepaged_permille <= LITTLE_CPU)
            }
        }
    }
}

/// Pages in a second: 40 MiB of them looked at by threads that needed memory, and a tenth of that.
const MUCH_SCANNED: u64 = 10_000;
const LITTLE_SCANNED: u64 = 1_000;
/// Thousandths of a core. `khugepaged` sleeps nearly all the time unless it finds much to do.
const MUCH_CPU: u64 = 200;
const LITTLE_CPU: u64 = 50;

/// Rounds for which a switch stays on at least: 10 s with the usual period of 2 s.
const STAYS_ON: u32 = 5;
/// Rounds for which it stays off at least: half a minute. What it switched off is what was measured,
/// so that it looks good at once.
const STAYS_OFF: u32 = 15;
/// If it has to go off again within this many rounds (5 minutes), it stays off for twice as long
/// the next time, and at most for [`STAYS_OFF_AT_MOST`] rounds (10 minutes).
const RELAPSE: u32 = 150;
const STAYS_OFF_AT_MOST: u32 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Bad,
    Between,
    Good,
}

/// One switch over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Switch {
    control: Control,
    is_off: bool,
    /// Rounds since it was last switched; as good as for ever, where it never was.
    rounds: u32,
    stays_off: u32,
}

impl Switch {
    /// One that is on.
    pub(super) fn new(control: Control) -> Switch {
        Switch { control, is_off: false, rounds: u32::MAX, stays_off: STAYS_OFF }
    }

    /// One more round: whether it is to be switched, and to off.
    pub(super) fn round(&mut self, measured: &Measured) -> Option<bool> {
        self.rounds = self.rounds.saturating_add(1);
        match (self.is_off, measured.level(self.control)) {
            (false, Level::Bad) => (self.rounds >= STAYS_ON).then_some(true),
            (true, Level::Good) => (self.rounds >= self.stays_off).then_some(false),
            _ => None,
        }
    }

    /// It was switched.
    pub(super) fn switched(&mut self) {
        if !self.is_off {
            let again = self.rounds < RELAPSE;
            self.stays_off =
                if again { (self.stays_off * 2).min(STAYS_OFF_AT_MOST) } else { STAYS_OFF };
        }
        self.is_off = !self.is_off;
        self.rounds = 0;
    }

    pub(super) fn is_off(&self) -> bool {
        self.is_off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// Whether these numbers switch it: one that is on, and one that is off, each for long enough.
    fn check(control: Control, measured: &Measured, expected: (bool, bool)) {
        let mut on = Switch::new(control);
        let off = on.round(measured) == Some(true);
        let mut switch = Switch { is_off: true, ..Switch::new(control) };
        let goes_on = switch.round(measured) == Some(false);
        assert_eq!((off, goes_on), expected, "{measured:?}");
    }

    #[test]
    fn memory_that_the_jvm_already_has_need_not_be_available() {
        let of = |available, resident| {
            let sample = MemorySample {
                available_bytes: available,
                resident_bytes: resident,
                ..MemorySample::default()
            };
            Measured::between(&sample, &sample, Duration::from_secs(2), 8 * GIB)
        };
        // Nothing of it is there yet: the paper's rule, with room above.
        check(Control::Enabled, &of(9 * GIB - 1, 0), (true, false));
        check(Control::Enabled, &of(9 * GIB, 0), (false, false));
        check(Control::Enabled, &of(10 * GIB - 1, 0), (false, false));
        check(Control::Enabled, &of(10 * GIB, 0), (false, true));
        // All of it is there.
        check(Control::Enabled, &of(GIB - 1, 8 * GIB), (true, false));
        check(Control::Enabled, &of(GIB, 8 * GIB), (false, false));
        check(Control::Enabled, &of(2 * GIB, 9 * GIB), (false, true));
    }

    #[test]
    fn direct_scanning_has_two_thresholds() {
        let of = |scanned_per_s| Measured { scanned_per_s, ..Measured::default() };
        check(Control::Defrag, &of(10_000), (true, false));
        check(Control::Defrag, &of(9_999), (false, false));
        check(Control::Defrag, &of(1_001), (false, false));
        check(Control::Defrag, &of(1_000), (false, true));
    }

    #[test]
    fn khugepaged_has_two_thresholds() {
        let of = |khugepaged_permille| Measured { khugepaged_permille, ..Measured::default() };
        check(Control::Khugepaged, &of(200), (true, false));
        check(Control::Khugepaged, &of(199), (false, false));
        check(Control::Khugepaged, &of(51), (false, false));
        check(Control::Khugepaged, &of(50), (false, true));
    }

    #[test]
    fn rates_are_those_of_the_time_between() {
        let before = MemorySample {
            scanned: 100,
            group_scanned: 0,
            khugepaged: Some(Duration::from_millis(10)),
            ..MemorySample::default()
        };
        let after = MemorySample {
            scanned: 300,
            group_scanned: 3_000,
            khugepaged: Some(Duration::from_millis(310)),
            ..before
        };
        let measured = Measured::between(&before, &after, Duration::from_millis(1_500), 0);
        assert_eq!((measured.scanned_per_s, measured.khugepaged_permille), (2_000, 200));
        // It has just come back, with another id and no past.
        let none = MemorySample { khugepaged: None, ..before };
        let measured = Measured::between(&none, &after, Duration::from_secs(1), 0);
        assert_eq!(measured.khugepaged_permille, 0);
        let measured = Measured::between(&after, &before, Duration::ZERO, 0);
        assert_eq!((measured.scanned_per_s, measured.khugepaged_permille), (0, 0));
    }

    /// In which rounds it is switched, by what is measured in each.
    fn switches(scanned: impl Fn(u32) -> u64, rounds: u32) -> Vec<u32> {
        let mut switch = Switch::new(Control::Defrag);
        let mut switched = Vec::new();
        for n in 0..rounds {
            let measured = Measured { scanned_per_s: scanned(n), ..Measured::default() };
            if switch.round(&measured).is_some() {
                switch.switched();
                switched.push(n);
            }
        }
        switched
    }

    #[test]
    fn it_is_switched_off_at_once_and_on_after_half_a_minute() {
        assert_eq!(switches(|n| if n < 3 { 0 } else { 50_000 }, 100), [3]);
        assert_eq!(switches(|n| if n == 3 { 50_000 } else { 0 }, 200), [3, 18]);
        assert_eq!(switches(|n| if n == 3 { 50_000 } else { 1_001 }, 200), [3]);
    }

    #[test]
    fn what_is_only_good_while_it_is_off_is_tried_ever_more_rarely() {
        let mut off = false;
        let mut switch = Switch::new(Control::Defrag);
        let mut switched = Vec::new();
        for n in 0..3_000 {
            let scanned_per_s = if off { 0 } else { 50_000 };
            if switch.round(&Measured { scanned_per_s, ..Measured::default() }).is_some() {
                switch.switched();
                off = !off;
                switched.push(n);
            }
        }
        let gaps: Vec<u32> = switched.windows(2).map(|it| it[1] - it[0]).collect();
        // off for 15, on for 5, off for 30, …
        assert_eq!(gaps[..9], [15, 5, 30, 5, 60, 5, 120, 5, 240]);
        assert!(gaps[9..].iter().all(|it| matches!(it, 5 | 300)), "{gaps:?}");
    }

    #[test]
    fn a_relapse_after_five_minutes_is_none() {
        let bad = |bad: &'static [u32]| move |n| if bad.contains(&n) { 50_000 } else { 0 };
        // Off in 0 to 15; on again, and off within 150 rounds, or just not.
        assert_eq!(switches(bad(&[0, 164]), 400), [0, 15, 164, 194]);
        assert_eq!(switches(bad(&[0, 165]), 400), [0, 15, 165, 180]);
    }
}
