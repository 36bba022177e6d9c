//! Whether an input could have shown a pause at all.
use crate::Error;
use diagnose::Diagnosis;
use recording::{Source, SourceState};

/// Says that a recording could not have seen a pause: it must not pass for one without pauses.
///
/// # Errors
///
/// What it lacks.
pub fn enough(diagnosis: &Diagnosis) -> Result<(), Error> {
    const WINDOWS: [Source; 4] = [
        Source::SafepointProbes,
        Source::SafepointSymbols,
        Source::SafepointCounters,
        Source::GcLog,
    ];
    let coverage = &diagnosis.coverage;
    let lacks = diagnosis.lacks_for_stops();
    let log_shows_stops = || lacks.is_none() && WINDOWS.iter().any(|source| coverage.has(*source));
    if diagnosis.statistics.all.count > 0 || log_shows_stops() {
        return Ok(());
    }
    if lacks == Some(Source::StopState) {
        let why = match coverage.sources.get(&Source::StopState) {
            Some(SourceState::Missing(why)) => why.as_str(),
            _ => "the recording does not say so",
        };
        return Err(Error::new(
            format!(
                "no pause was seen, and whether the JVM was stopped all the time is unknown ({why})"
            ),
            "record for longer: a running JVM has a stop sooner or later; a JVM that hangs does \
             not answer `jcmd PID Thread.print`",
        ));
    }
    let reason = WINDOWS.iter().find_map(|source| match coverage.sources.get(source) {
        Some(SourceState::Missing(reason) | SourceState::Partial(reason)) => {
            Some(format!("{}: {reason}", source.title()))
        }
        _ => None,
    });
    let reason = reason.unwrap_or_else(|| "the recording does not list its sources".to_owned());
    Err(Error::new(
        format!("no source that was recorded shows when the JVM was paused ({reason})"),
        "record as root with `--log-safepoints`, or let the JVM write a GC log: `-Xlog:gc*,safepoint:file=PATH`",
    ))
}
