//! The long pauses of an answer, where pauses of a certain length are asked for.
use crate::{counted, duration, options::LONG_PAUSE};
use diagnose::{Attribution, Cause, Counted, Diagnosis, PauseKind};
use std::time::Duration;

/// The pauses of that length and longer.
pub(super) struct Tail<'a> {
    over: Duration,
    long: Vec<&'a Attribution>,
    counted: Counted,
    /// Whether these are all: of a long log only the longest pauses are at hand.
    are_all: bool,
}

impl<'a> Tail<'a> {
    /// Those over `over`; `None` where there are none, or where no length was asked for.
    pub(super) fn asked_for(diagnosis: &'a Diagnosis, over: Duration) -> Option<Tail<'a>> {
        if over == LONG_PAUSE {
            return None;
        }
        let all = &diagnosis.pauses;
        let long: Vec<_> = all.iter().filter(|it| it.pause.duration >= over).collect();
        let are_all = long.len() < all.len() || all.len() as u64 == diagnosis.statistics.all.count;
        let counted = Counted::of(long.iter().copied());
        (!long.is_empty()).then_some(Tail { over, long, counted, are_all })
    }

    /// The sum of the squares of a cause's parts, in seconds squared.
    pub(super) fn squares(&self, cause: &'static Cause) -> f64 {
        self.counted.of_cause(cause).squares
    }

    /// Whether a cause is half of them, or more than what is unexplained.
    pub(super) fn is_most(&self, cause: &'static Cause) -> bool {
        let time = self.counted.of_cause(cause).parts.total;
        let is_half = time * 2 >= self.counted.all.total;
        !time.is_zero() && (is_half || time >= self.counted.unattributed)
    }

    /// `All 6 stops over 250 ms, 4.46 s of 4.59 s`: in how many of them a cause is most, and its time.
    pub(super) fn lead(&self, cause: &'static Cause) -> String {
        let is_hiccup = self.long.iter().any(|it| it.pause.kind == PauseKind::Hiccup);
        let what = if is_hiccup { "pause" } else { "stop" };
        let leads = |it: &&&Attribution| it.parts.first().is_some_and(|it| it.cause.id == cause.id);
        let (led, all) = (self.long.iter().filter(leads).count(), self.long.len());
        let of = |n: usize| counted(n as u64, what);
        let over = duration(self.over);
        let which = match (led == all, all) {
            _ if !self.are_all => {
                format!("{led} of the {} that are kept, all over {over}", of(all))
            }
            (true, 1) => format!("The only {what} over {over}"),
            (true, _) => format!("All {} over {over}", of(all)),
            (false, _) => format!("{led} of {} over {over}", of(all)),
        };
        let (time, total) = (self.counted.of_cause(cause).parts.total, self.counted.all.total);
        let time = match duration(time) == duration(total) {
            true => duration(total),
            false => format!("{} of {}", duration(time), duration(total)),
        };
        format!("{which}, {time}")
    }
}
