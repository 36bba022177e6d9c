//! The number that a gate asks about, as far as a run tells it.
use super::gate::{Argument, Gate};
use crate::{
    Cause, Count, Diagnosis, GcStatistics, MemoryStatistics, PauseStatistics, Quantiles, Stalls,
    Value, Verdict,
};
use std::time::Duration;

/// A number, or between which two it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) least: Value,
    /// `None` where nothing bounds it.
    pub(super) most: Option<Value>,
}

/// What the run tells, or what is missing, as a phrase.
pub(super) type Known = Result<Measured, String>;

fn exactly(value: Value) -> Known {
    Ok(Measured { least: value, most: Some(value) })
}

pub(super) fn measure(gate: &Gate, of: &Diagnosis) -> Known {
    let word = gate.metric.word();
    let of_pauses = ["count", "over", "stopped", "throughput", "unexplained", "max", "total"];
    if of_pauses.contains(&word) && !of.can_show_pauses() {
        let recorded = of.inputs.iter().any(|it| it.kind == "recording");
        let what = if recorded { "no source of the recording" } else { "no line of the log" };
        return Err(format!("{what} shows a pause"));
    }
    if let ("max", Some(cut)) = (word, of.cut_stop.filter(|it| *it > of.statistics.all.max)) {
        return Ok(Measured { least: Value::Time(cut), most: None });
    }
    if word == "max" && longest_is_cut(of) {
        // It was longer than what was recorded of it.
        return Ok(Measured { least: Value::Time(of.statistics.all.max), most: None });
    }
    if let Some(name) = word.strip_prefix("gc.") {
        let gc = gc(of)?;
        return lengths(name, gc.pauses, gc.percentiles);
    }
    match (word, gate.argument) {
        ("count", _) => events(gate, of, of.statistics.all.count),
        ("over", Argument::Time(limit)) => over(gate, of, limit),
        ("cause", Argument::Cause(id)) => cause(gate, of, id),
        ("stopped", _) => Ok(share_stopped(of)?).and_then(exactly),
        ("throughput", _) => match share_stopped(of)? {
            Value::Share(stopped) => exactly(Value::Share(1.0 - stopped)),
            other => exactly(other),
        },
        ("unexplained", _) => time_or_share(gate, of, of.statistics.unattributed),
        ("tts.max" | "tts.mean" | "tts.total", _) => reaching(word, of),
        ("stalls" | "stalls.total" | "stalls.threads", _) => stalls(word, gate, of),
        ("remark.max", _) => exactly(Value::Time(gc(of)?.remarks().max)),
        ("collections", _) => events(gate, of, gc(of)?.collections()),
        ("full", _) => events(gate, of, gc(of)?.of_kind("full").count),
        ("cycles", _) => events(gate, of, gc(of)?.old_cycles()),
        ("allocation" | "promotion" | "live" | "heap", _) => memory(word, gate, of),
        (name, _) => lengths(name, of.statistics.all, of.statistics.quantiles),
    }
}

/// Whether the longest pause is one of which the recording has a part.
fn longest_is_cut(of: &Diagnosis) -> bool {
    let longest = of.pauses.iter().map(|it| &it.pause).max_by_key(|it| it.duration);
    longest.is_some_and(|it| it.cut.is_part() && it.duration >= of.statistics.all.max)
}

fn gc(of: &Diagnosis) -> Result<&GcStatistics, String> {
    of.collections_seen().ok_or_else(|| "no line shows a collection".to_owned())
}

fn lengths(name: &str, all: Count, quantiles: Quantiles) -> Known {
    // That nothing was stopped is known; what half of nothing is, is not.
    let of_some = |it: Duration| match all.count {
        0 => Err("there is no pause at all".to_owned()),
        _ => exactly(Value::Time(it)),
    };
    match name {
        "max" => exactly(Value::Time(all.max)),
        "total" => exactly(Value::Time(all.total)),
        "mean" => of_some(all.mean().unwrap_or_default()),
        "p50" => of_some(quantiles.p50),
        "p90" => of_some(quantiles.p90),
        "p99" => of_some(quantiles.p99),
        "p99.9" => of_some(quantiles.p99_9),
        _ => Err(format!("nothing measures `{name}`")),
    }
}

fn span(of: &Diagnosis) -> Result<Duration, String> {
    match of.span.is_zero() {
        true => Err("the input does not show how long it covers".to_owned()),
        false => Ok(of.span),
    }
}

/// A number of events, or a number per time, in the form of the limit.
fn events(gate: &Gate, of: &Diagnosis, count: u64) -> Known {
    exactly(event_value(gate, of, count)?)
}

fn event_value(gate: &Gate, of: &Diagnosis, count: u64) -> Result<Value, String> {
    #[expect(clippy::cast_precision_loss, reason = "a rate is a quotient anyway")]
    match gate.limit {
        Value::PerSecond(_) => Ok(Value::PerSecond(count as f64 / span(of)?.as_secs_f64())),
        _ => Ok(Value::Count(count)),
    }
}

fn share_stopped(of: &Diagnosis) -> Result<Value, String> {
    let (stopped, span) = (of.statistics.all.total, span(of)?);
    if stopped > span {
        return Err("the pauses are longer than the time that the input covers".to_owned());
    }
    Ok(Value::Share(stopped.as_secs_f64() / span.as_secs_f64()))
}

/// A part of the stopped time, as a share of it where the limit is one.
fn time_or_share(gate: &Gate, of: &Diagnosis, time: Duration) -> Known {
    let stopped = of.statistics.all.total;
    match gate.limit {
        Value::Share(_) if stopped.is_zero() => exactly(Value::Share(0.0)),
        Value::Share(_) => exactly(Value::Share(time.as_secs_f64() / stopped.as_secs_f64())),
        _ => exactly(Value::Time(time)),
    }
}

/// Stalls, as far as threads were watched for them: of those for which there was no room nothing is known but
/// that there were some.
fn stalls(word: &str, gate: &Gate, of: &Diagnosis) -> Known {
    let stalls = stalls_of(of)?;
    if let (Value::Time(limit), "stalls", 0) = (gate.limit, word, stalls.count)
        && stalls.over > limit
    {
        // One that was shorter than what is recorded may be longer than the limit.
        let most = Some(Value::Time(stalls.over));
        return Ok(Measured { least: Value::Time(Duration::ZERO), most });
    }
    let least = match word {
        "stalls" => Value::Time(stalls.longest),
        "stalls.total" => Value::Time(stalls.time),
        _ => Value::Count(stalls.threads),
    };
    Ok(Measured { least, most: Some(least).filter(|_| of.coverage.dropped_stalls() == 0) })
}

fn stalls_of(of: &Diagnosis) -> Result<&Stalls, String> {
    of.stalls.as_ref().ok_or_else(|| {
        "stalls of threads were not recorded, which needs `whypause record` as root, and a JDK with \
         safepoint probes"
            .to_owned()
    })
}

/// A cause of stalls alone, which is no part of the stopped time: threads by time, a share of that of all
/// stalls, or how many.
fn cause_of_stalls(gate: &Gate, of: &Diagnosis, cause: &Cause) -> Known {
    let stalls = stalls_of(of)?;
    let finding = stalls.findings.iter().find(|it| it.cause.id == cause.id);
    let time = finding.map_or(Duration::ZERO, |it| it.time);
    let least = match gate.limit {
        Value::Count(_) => Value::Count(finding.map_or(0, |it| it.pauses)),
        Value::Share(_) if stalls.time.is_zero() => Value::Share(0.0),
        Value::Share(_) => Value::Share(time.as_secs_f64() / stalls.time.as_secs_f64()),
        _ => Value::Time(time),
    };
    Ok(Measured { least, most: Some(least).filter(|_| of.coverage.dropped_stalls() == 0) })
}

fn cause(gate: &Gate, of: &Diagnosis, id: &str) -> Known {
    let of_stalls = crate::causes().iter().find(|it| it.id == id && it.is_of_stalls_alone());
    if let Some(cause) = of_stalls {
        return cause_of_stalls(gate, of, cause);
    }
    let finding = of.findings.iter().find(|it| it.cause.id == id);
    let watched = of.watched.iter().find(|it| it.cause.id == id).map(|it| &it.verdict);
    if let (None, Some(Verdict::Unknown(missing))) = (finding, watched) {
        if missing.is_empty() {
            return Err("too much was lost or is unexplained to rule it out".to_owned());
        }
        let missing: Vec<&str> = missing.iter().map(|it| it.title()).collect();
        return Err(format!("it was not checked, which needs {}", missing.join(" and ")));
    }
    match gate.limit {
        Value::Count(_) => exactly(Value::Count(finding.map_or(0, |it| it.pauses))),
        _ => time_or_share(gate, of, finding.map_or(Duration::ZERO, |it| it.time)),
    }
}

fn reaching(word: &str, of: &Diagnosis) -> Known {
    let all = of.statistics.time_to_safepoint;
    // Before JDK 8 logs had lines of stops without this part of them.
    if all.total.is_zero() {
        return Err("there are no safepoint lines (`-Xlog:safepoint`)".to_owned());
    }
    match word {
        "tts.max" => exactly(Value::Time(all.max)),
        "tts.mean" => exactly(Value::Time(all.mean().unwrap_or_default())),
        "tts.total" => exactly(Value::Time(all.total)),
        _ => Err(format!("nothing measures `{word}`")),
    }
}

/// Of a long log only the longest pauses are at hand, and counts over a few lengths: where these do
/// not suffice, the number is known between two bounds.
fn over(gate: &Gate, of: &Diagnosis, limit: Duration) -> Known {
    let all = of.statistics.all.count;
    let kept = u64::try_from(of.pauses.len()).unwrap_or(u64::MAX);
    let listed = of.pauses.iter().filter(|it| it.pause.duration > limit).count();
    let listed = u64::try_from(listed).unwrap_or(u64::MAX);
    if kept >= all || listed < kept {
        return events(gate, of, listed);
    }
    let counted = || PauseStatistics::OVER.iter().zip(of.statistics.over);
    let least = counted().find(|((_, it), _)| *it >= limit).map_or(0, |(_, count)| count);
    let most = counted().filter(|((_, it), _)| *it <= limit).map(|(_, count)| count).next_back();
    let (least, most) = (least.max(listed), most.unwrap_or(all));
    let value = |count| event_value(gate, of, count);
    Ok(Measured { least: value(least)?, most: Some(value(most)?) })
}

fn memory(word: &str, gate: &Gate, of: &Diagnosis) -> Known {
    let it = of.memory.as_ref().ok_or_else(|| "there is no GC log with heap sizes".to_owned())?;
    match word {
        "allocation" => {
            let rate = it.allocation_rate.ok_or_else(no_rate)?;
            let least = Value::BytesPerSecond(rate);
            Ok(Measured { least, most: Some(least).filter(|_| it.allocation_is_exact) })
        }
        "promotion" => exactly(Value::BytesPerSecond(it.promotion_rate.ok_or_else(no_promotion)?)),
        "live" => {
            let live = it.live.ok_or_else(|| {
                "no full or mixed collection and no cycle showed what is live".to_owned()
            })?;
            size(gate, it, live.most)
        }
        "heap" => size(gate, it, it.most_used_bytes),
        _ => Err(format!("nothing measures `{word}`")),
    }
}

fn no_rate() -> String {
    "the input does not show how long it covers".to_owned()
}

fn no_promotion() -> String {
    "the log does not show what was promoted (`-Xlog:gc*`)".to_owned()
}

/// Bytes, or a share of the heap's limit.
fn size(gate: &Gate, of: &MemoryStatistics, bytes: u64) -> Known {
    #[expect(clippy::cast_precision_loss, reason = "a share is a quotient anyway")]
    match (gate.limit, of.max_heap_bytes.filter(|it| *it > 0)) {
        (Value::Share(_), None) => {
            Err("the log does not show the heap's limit (`-Xlog:gc*`)".to_owned())
        }
        (Value::Share(_), Some(limit)) => exactly(Value::Share(bytes as f64 / limit as f64)),
        _ => exactly(Value::Bytes(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{as_text::log as log_text, gates::metrics};

    #[test]
    fn a_metric_that_nothing_measures_is_not_taken_for_another() {
        let all = Count { count: 2, total: Duration::from_secs(3), max: Duration::from_secs(2) };
        assert!(lengths("p99.9", all, Quantiles::default()).is_ok());
        let reported = lengths("p98", all, Quantiles::default());
        assert_eq!(reported, Err("nothing measures `p98`".to_owned()));
    }

    #[test]
    fn every_metric_of_the_list_is_measured() {
        let pause = |at_ms, id, what| log_text::pause(at_ms, id, what, 20);
        let log = pause(1000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)")
            + "[1.001s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 1000 ns, At safepoint: 20000000 ns, Total: 20001000 ns\n"
            + &pause(5000, 2, "Full (System.gc()) 99M->9M(100M)");
        let diagnosis = log_text::diagnose(&log);
        let mut unknown = Vec::new();
        for metric in metrics() {
            let gate = Gate::parse(metric.example).expect("an example is a gate");
            if let Err(why) = measure(&gate, &diagnosis) {
                assert!(!why.starts_with("nothing measures"), "{}: {why}", metric.name);
                unknown.push(metric.name);
            }
        }
        // This log tells neither what was promoted nor the limit of the heap, and no log tells of stalls.
        let of_stalls = ["stalls", "stalls.total", "stalls.threads"];
        assert_eq!(unknown, [&of_stalls[..], &["promotion", "live", "heap"]].concat());
    }
}
