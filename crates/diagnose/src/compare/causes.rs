//! The causes of two runs beside each other.
use super::{
    row::{CauseRow, Significance},
    significance::{self, Moments},
};
use crate::{Cause, Diagnosis, Finding, Verdict};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

/// Every cause that claimed time in one of the runs, most time per hour first.
pub(super) fn all(before: &Diagnosis, after: &Diagnosis) -> Vec<CauseRow> {
    let mut rows: Vec<CauseRow> =
        crate::causes().iter().filter_map(|cause| row(cause, before, after)).collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.before.max(it.after)));
    rows
}

fn row(cause: &'static Cause, before: &Diagnosis, after: &Diagnosis) -> Option<CauseRow> {
    let (a, b) = (finding(cause, before), finding(cause, after));
    if a.or(b).is_none() || a.into_iter().chain(b).all(|it| it.time.is_zero()) {
        return None;
    }
    let times = (per_hour(cause, before), per_hour(cause, after));
    let significance = match times {
        (None, _) | (_, None) => Significance::Unknown("not checked"),
        _ => significance::sums((moments(a), before.span), (moments(b), after.span)),
    };
    let pauses = |it: Option<&Finding>| it.map_or(0, |it| it.pauses);
    let pauses = (pauses(a), pauses(b));
    Some(CauseRow { cause, before: times.0, after: times.1, pauses, significance })
}

fn finding<'a>(cause: &Cause, of: &'a Diagnosis) -> Option<&'a Finding> {
    of.findings.iter().find(|it| it.cause.id == cause.id)
}

fn moments(it: Option<&Finding>) -> Moments {
    it.map_or_else(Moments::default, |it| Moments {
        count: it.pauses,
        sum: it.time.as_secs_f64(),
        squares: it.squares,
    })
}

/// `None` where the run could not have seen it, or its time is not known.
fn per_hour(cause: &Cause, of: &Diagnosis) -> Option<Duration> {
    let unknown = |it: &crate::Watched| matches!(it.verdict, Verdict::Unknown(_));
    let unseen = of.watched.iter().any(|it| it.cause.id == cause.id && unknown(it));
    match finding(cause, of) {
        None => (!unseen).then_some(Duration::ZERO),
        Some(it) => per(it.time, of.span, HOUR),
    }
}

/// `time` in `span` as time in `unit`; `None` without a span.
pub(super) fn per(time: Duration, span: Duration, unit: Duration) -> Option<Duration> {
    let nanos = (time.as_nanos().checked_mul(unit.as_nanos())?).checked_div(span.as_nanos())?;
    Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
}
