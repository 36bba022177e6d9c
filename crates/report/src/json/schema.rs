//! The shape of the JSON. A field's doc comment is its meaning in the schema.
use super::{
    count::Count,
    longest::Longest,
    schema_log::{Gc, Memory},
    schema_pause::Pause,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the schema. Grows when a consumer of the old one would misread the new one.
pub const SCHEMA_VERSION: u32 = 1;

/// An answer of whypause about one input. All times are integer nanoseconds, all sizes bytes, all shares
/// numbers from 0 to 1; a value that is not known is null.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Document<'a> {
    pub(super) schema_version: u32,
    /// What stopped the application, for how long, by whom, and how sure that is: one or two
    /// sentences, the first line of the text.
    pub(super) verdict: String,
    pub(super) inputs: Vec<Input<'a>>,
    pub(super) jvm: Jvm<'a>,
    /// The clock of every `start_ns`: `monotonic`, `wall` or `uptime`.
    pub(super) clock: &'static str,
    pub(super) span_ns: u64,
    /// Share of the span in which application threads ran; `null` where the span is not known.
    pub(super) throughput: Option<f64>,
    pub(super) pauses: Pauses,
    pub(super) gc: Option<Gc<'a>>,
    /// The heap, from the GC log.
    pub(super) memory: Option<Memory<'a>>,
    /// Causes that struck, most time first.
    pub(super) causes: Vec<Cause<'a>>,
    pub(super) unattributed_ns: u64,
    /// What is known of the unattributed time, most first.
    pub(super) unexplained: Vec<Unexplained<'a>>,
    /// The longest pauses, longest first.
    #[schemars(with = "Vec<Pause>")]
    pub(super) longest: Longest<'a>,
    /// Threads that stood still while the JVM was not stopped; `null` where that was not recorded.
    pub(super) stalls: Option<Stalls<'a>>,
    /// The verdict on every cause that is known.
    pub(super) watched: Vec<Watched>,
    pub(super) coverage: Coverage<'a>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Input<'a> {
    pub(super) path: &'a str,
    pub(super) kind: &'static str,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    pub(super) lines_unrecognised: u64,
    /// Why lines were not recognised.
    pub(super) unrecognised: Unrecognised,
    /// Messages that the JVM says it dropped.
    pub(super) messages_dropped: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Unrecognised {
    /// No line of a JVM's log: text of the application, mostly.
    pub(super) foreign: u64,
    /// Damaged or cut short.
    pub(super) malformed: u64,
    /// A pause of a form that is not known.
    pub(super) unknown_pause: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Jvm<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) collector: Option<&'a str>,
    pub(super) main: Option<&'a str>,
    pub(super) pid: Option<u32>,
    pub(super) gc_threads: Option<u32>,
}

/// Stops and hiccups together.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Pauses {
    #[serde(flatten)]
    pub(super) all: Count,
    pub(super) mean_ns: u64,
    pub(super) p50_ns: u64,
    pub(super) p90_ns: u64,
    /// Of fewer than 100 pauses it is the longest of them by another name, and other formats leave it out.
    pub(super) p99_ns: u64,
    /// Likewise of fewer than 1000.
    pub(super) p99_9_ns: u64,
    #[schemars(with = "BTreeMap<String, u64>")]
    pub(super) over: Over,
    pub(super) time_to_safepoint: Count,
    /// Those of the pauses that are no stops: application threads did not run, though no safepoint
    /// was under way. Of an application's own log, all pauses that it noticed.
    pub(super) hiccups: Count,
}

/// How many pauses lasted longer, by threshold, in the order of the thresholds.
#[derive(Debug)]
pub(super) struct Over(pub(super) Vec<(&'static str, u64)>);

impl Serialize for Over {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Cause<'a> {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// `true` for a fault or a symptom of one, `false` for the ordinary cost of an operation.
    pub(super) fault: bool,
    /// `fault`, `symptom` (its time is part of `unattributed_ns`) or `ordinary`.
    pub(super) nature: &'static str,
    pub(super) certainty: &'static str,
    pub(super) pauses: u64,
    /// How many of `pauses` are hiccups.
    pub(super) hiccups: u64,
    pub(super) time_ns: u64,
    pub(super) longest_ns: u64,
    /// What threads lost outside the pauses, summed over them.
    pub(super) lost_outside_ns: u64,
    pub(super) share: f64,
    pub(super) mechanisms: Vec<&'static str>,
    /// Time of each of `mechanisms`.
    pub(super) mechanism_times: BTreeMap<&'static str, u64>,
    pub(super) place: Option<Place<'a>>,
    /// Sentences for people.
    pub(super) story: &'a [String],
    pub(super) culprits: Vec<Culprit<'a>>,
    pub(super) evidence: Vec<Evidence<'a>>,
    /// Of a symptom that a log shows: which causes it may be, most likely first, then the unlikely.
    pub(super) suspects: Vec<Suspect<'a>>,
    pub(super) remedies: Vec<Remedy<'a>>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Suspect<'a> {
    pub(super) cause: &'static str,
    /// Whether what speaks against it weighs more than what speaks for it.
    pub(super) unlikely: bool,
    /// What in this log speaks for it, most telling first.
    #[serde(rename = "for")]
    pub(super) speaks_for: &'a [String],
    /// What in this log speaks against it, most telling first.
    #[serde(rename = "against")]
    pub(super) speaks_against: &'a [String],
    /// What shows whether it is the cause.
    pub(super) test: &'static str,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Place<'a> {
    pub(super) thread: &'a str,
    pub(super) call: &'a str,
    pub(super) path: &'a str,
    pub(super) file_system: &'a str,
    pub(super) device: &'a str,
    /// Kernel functions, innermost first.
    pub(super) stack: &'a [String],
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Culprit<'a> {
    pub(super) kind: &'static str,
    pub(super) name: &'a str,
    pub(super) pid: Option<u32>,
    pub(super) statement: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Evidence<'a> {
    pub(super) source: &'static str,
    pub(super) certainty: &'static str,
    pub(super) statement: &'a str,
    pub(super) time_ns: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Remedy<'a> {
    pub(super) id: &'static str,
    /// `now`, `next-start` or `code`.
    pub(super) when: &'static str,
    /// As text for people: what is to be typed is quoted for a POSIX shell, a command a line.
    pub(super) action: String,
    /// The same as data: the commands, each with its arguments. Empty where it is something else;
    /// without what only text for people has (`| grep`).
    pub(super) commands: Vec<&'a [String]>,
    /// The words to add to the JVM's command line.
    pub(super) flags: &'a [String],
    /// Words on it now that go.
    pub(super) replaces: &'a [String],
    /// The value to write to a file of the kernel.
    pub(super) setting: Option<Setting<'a>>,
    pub(super) note: String,
    /// The command of this program that does it, with its arguments; empty where there is none.
    pub(super) apply: &'a [String],
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Setting<'a> {
    pub(super) path: &'a str,
    pub(super) value: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Unexplained<'a> {
    pub(super) what: &'a str,
    pub(super) time_ns: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Watched {
    pub(super) cause: &'static str,
    /// `present`, `absent` or `unknown`.
    pub(super) verdict: &'static str,
    /// For `unknown`: the sources that would have been needed.
    pub(super) missing: Vec<&'static str>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Coverage<'a> {
    /// Sources that ran for the whole recording.
    pub(super) sources: Vec<&'static str>,
    pub(super) lost_events: u64,
    pub(super) lost_stacks: u64,
    pub(super) lost_rows: u64,
    /// Sources that were asked for and did not run.
    pub(super) missing: Vec<Missing<'a>>,
    pub(super) notes: Vec<Note<'a>>,
    pub(super) recorded_ns: u64,
    /// Why the recording ended; `null` where the recorder was killed or there was none.
    pub(super) end: Option<&'a str>,
    pub(super) cost: Cost,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Missing<'a> {
    pub(super) source: &'static str,
    pub(super) reason: &'a str,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Note<'a> {
    pub(super) item: &'a str,
    pub(super) message: &'a str,
    pub(super) count: u64,
}

/// What recording cost.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Cost {
    pub(super) switches: u64,
    pub(super) kernel_time_ns: Option<u64>,
    pub(super) recorder_cpu_ns: u64,
    pub(super) recorder_rss_bytes: u64,
    pub(super) jvm_cpu_ns: u64,
}

/// Threads that could not go on though they wanted to, while the JVM was not stopped. They are in no pause.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Stalls<'a> {
    /// From how long on a thread that stands counts.
    pub(super) over_ns: u64,
    /// Stalls, each of one thread.
    pub(super) count: u64,
    /// Threads that had one.
    pub(super) threads: u64,
    /// Times at which threads stood for the same reason.
    pub(super) episodes: u64,
    /// Threads by time.
    pub(super) time_ns: u64,
    /// The longest stall of one thread.
    pub(super) max_ns: u64,
    /// Who waited for those threads, in none of the numbers above nor in `causes`.
    pub(super) waiting: Waiting,
    /// Causes, most time first: `pauses` counts stalls, and `time_ns` is threads by time.
    pub(super) causes: Vec<Cause<'a>>,
    pub(super) unattributed_ns: u64,
    /// The episodes with most time, in that order.
    pub(super) longest: Vec<Stall<'a>>,
}

/// Threads that waited for one that stood: for a lock that it had, or, idle, for what it hands on.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Waiting {
    /// How often one did.
    pub(super) count: u64,
    /// How many did; those that also stood by themselves are counted there.
    pub(super) threads: u64,
    /// Threads by time.
    pub(super) time_ns: u64,
    /// The longest.
    pub(super) max_ns: u64,
}

/// Threads that stood for the same reason at the same time. Where a long one goes on after it was reported, all of its
/// threads may be in `waiting`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Stall<'a> {
    pub(super) start_ns: u64,
    /// RFC 3339 in UTC.
    pub(super) start_wall: Option<String>,
    /// From the begin of its first stall to the end of its last.
    pub(super) duration_ns: u64,
    pub(super) stalls: u64,
    pub(super) threads: u64,
    /// Threads by time.
    pub(super) time_ns: u64,
    /// The longest stall of one thread.
    pub(super) max_ns: u64,
    /// Who waited for them.
    pub(super) waiting: Waiting,
    /// Id of the cause; `null` where none could claim most of it.
    pub(super) cause: Option<&'static str>,
    pub(super) certainty: &'static str,
    /// How exactly they were blocked: time by mechanism.
    pub(super) mechanism_times: BTreeMap<&'static str, u64>,
    /// Where the longest stood.
    pub(super) place: Place<'a>,
    pub(super) pools: Vec<Pool<'a>>,
    /// The thread whose stall others waited out; `null` where each stood by itself.
    pub(super) holder: Option<Holder<'a>>,
    pub(super) unattributed_ns: u64,
}

/// Threads with the same name but for its number.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Pool<'a> {
    pub(super) name: &'a str,
    pub(super) threads: u64,
    pub(super) time_ns: u64,
    pub(super) max_ns: u64,
    /// Those of it that waited for one that stood.
    pub(super) waiting: Waiting,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Holder<'a> {
    pub(super) tid: u32,
    pub(super) thread: &'a str,
    /// Threads that waited for it.
    pub(super) waiting_threads: u64,
    pub(super) waiting_ns: u64,
}
