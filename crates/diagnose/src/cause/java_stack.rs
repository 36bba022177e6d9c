//! What a Java stack says.
use crate::{Certainty, Evidence};
use recording::{JavaStackFact, Source};
use std::time::Duration;

/// Frames of a Java stack that are reported.
const MOST_FRAMES: usize = 6;

/// `the thread stood in a.B.force(B.java:3) ← a.C.append(C.java:7)`; `None` of a stack without frames.
pub(crate) fn evidence(stack: &JavaStackFact, who: &str) -> Option<Evidence> {
    let frames: Vec<_> =
        stack.frames.iter().take(MOST_FRAMES).map(|it| without_module(it)).collect();
    (!frames.is_empty()).then(|| Evidence {
        source: Source::LateCode,
        certainty: Certainty::Measured,
        statement: format!("{who} in {}", frames.join(" ← ")),
        time: Duration::ZERO,
    })
}

/// `a.B.sum(B.java:3)` of `a.B.sum(java.base@17.0.15/B.java:3)`.
fn without_module(frame: &str) -> String {
    match frame.split_once('(') {
        Some((method, place)) => {
            format!("{method}({}", place.rsplit('/').next().unwrap_or(place))
        }
        None => frame.to_owned(),
    }
}
