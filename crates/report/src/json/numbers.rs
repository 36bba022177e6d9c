//! The numbers of the contract that the page draws.
use super::{build, count, log, schema, schema_log};
use crate::share;
use diagnose::Diagnosis;
use serde::Serialize;

/// See `Numbers` in `web/src/model.ts`: parts of the document, in its own shapes.
#[derive(Serialize)]
pub(crate) struct Numbers<'a> {
    clock: &'static str,
    span_ns: u64,
    throughput: Option<f64>,
    jvm: schema::Jvm<'a>,
    pauses: schema::Pauses,
    gc: Option<schema_log::Gc<'a>>,
    memory: Option<Memory<'a>>,
    coverage: schema::Coverage<'a>,
}

#[derive(Serialize)]
struct Memory<'a> {
    #[serde(flatten)]
    all: schema_log::Memory<'a>,
    /// Milliseconds since time 0 of the page, before, after, capacity.
    series: Vec<(f64, u64, u64, Option<u64>)>,
}

/// The numbers of a diagnosis, with times since `zero_ns`.
pub(crate) fn numbers(diagnosis: &Diagnosis, zero_ns: u64) -> Numbers<'_> {
    let memory = diagnosis.memory.as_ref().map(|it| {
        let mut all = log::memory(it);
        let series = std::mem::take(&mut all.series);
        #[expect(clippy::cast_precision_loss, reason = "to the microsecond")]
        let since = |at_ns: u64| (i128::from(at_ns) - i128::from(zero_ns)) as f64 / 1e6;
        Memory {
            all,
            series: series.into_iter().map(|it| (since(it.0), it.1, it.2, it.3)).collect(),
        }
    });
    Numbers {
        clock: build::clock(diagnosis.clock),
        span_ns: count::ns(diagnosis.span),
        throughput: share::throughput(diagnosis),
        jvm: build::jvm(&diagnosis.jvm),
        pauses: build::pauses(&diagnosis.statistics),
        gc: diagnosis.gc.as_ref().map(log::gc),
        memory,
        coverage: build::coverage(&diagnosis.coverage),
    }
}
