//! What `whypause explain --format json` said, as far as the lab looks at it.
//!
//! Fields that are missing are zero or empty: the JSON only ever grows, and an older or newer
//! program must not end an experiment.
use crate::LabError;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What time is counted as that no cause claims.
pub(crate) const UNATTRIBUTED: &str = "unattributed";

/// What a log may round the length of a collection by.
const ROUNDED_NS: u64 = 1_000_000;

/// The limits of `pauses.over`, in milliseconds.
const OVER: [(&str, u64); 5] =
    [("100ms", 100), ("250ms", 250), ("500ms", 500), ("1s", 1000), ("2s", 2000)];

/// The answer. All times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Explained {
    /// The clock of every `start_ns`.
    pub clock: String,
    /// Statistics over all stops.
    pub pauses: Pauses,
    /// The collections of its GC log, where there is one.
    pub gc: Option<Gc>,
    /// Causes that struck.
    pub causes: Vec<Cause>,
    /// Stopped time that no cause claims.
    pub unattributed_ns: u64,
    /// The pauses, longest first.
    pub longest: Vec<Pause>,
    /// Threads that were held up while the others ran; `None` where threads were not recorded.
    pub stalls: Option<Stalls>,
    /// Each known cause, and whether it was ruled out.
    pub watched: Vec<Watched>,
    /// What was lost, and what recording cost.
    pub coverage: Coverage,
}

/// A known cause, and whether it was ruled out.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Watched {
    /// Its id.
    pub cause: String,
    /// `present`, `absent` or `unknown`.
    pub verdict: String,
}

/// Statistics over all stops.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Pauses {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub total_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// How many were longer than `100ms`, `250ms`, …
    pub over: BTreeMap<String, u64>,
}

/// What was read of a GC log.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Gc {
    /// The pauses of collections, which lie in the stops.
    pub pauses: Pauses,
}

/// One cause over the whole recording.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Cause {
    /// Its id.
    pub id: String,
    /// `fault`, `symptom` or `ordinary`.
    pub nature: String,
    /// `measured` or `inferred`.
    pub certainty: String,
    /// In how many pauses.
    pub pauses: u64,
    /// Its time in all pauses.
    pub time_ns: u64,
    /// Its share of all stopped time, 0 to 1.
    pub share: f64,
    /// Its mechanisms, most time first.
    pub mechanisms: Vec<String>,
    /// Who did it, most to blame first.
    pub culprits: Vec<Culprit>,
    /// Of a symptom that a log shows: which causes it may be, most likely first.
    pub suspects: Vec<Suspect>,
}

/// A cause that a symptom may be.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Suspect {
    /// Its id.
    pub cause: String,
    /// Whether what speaks against it weighs more than what speaks for it.
    pub unlikely: bool,
}

/// Who did it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Culprit {
    /// Name of a process, thread, cgroup or file.
    pub name: String,
}

/// One pause.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Pause {
    /// `hiccup` where the JVM did not stop, but was not there either.
    pub kind: String,
    /// When it began.
    pub start_ns: u64,
    /// When it began, by date, as RFC 3339.
    pub start_wall: Option<String>,
    /// How long it lasted.
    pub duration_ns: u64,
    /// What it consists of.
    pub parts: Vec<Part>,
    /// What no cause claims.
    pub unattributed_ns: u64,
    /// Which side of it was not recorded (`begin`, `end`, `both`); none where all of it was.
    pub cut: Option<String>,
    /// The symptom that most of `unattributed_ns` shows, where a log shows any.
    pub symptom: Option<String>,
}

/// A cause's part of a pause.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Part {
    /// The cause's id.
    pub cause: String,
    /// Its time.
    pub time_ns: u64,
}

/// Threads that were held up while the others ran.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Stalls {
    /// How many episodes.
    pub episodes: u64,
    /// Their time, over all threads.
    pub time_ns: u64,
    /// The longest stall of a thread.
    pub max_ns: u64,
    /// Causes, with the number of episodes as `pauses`.
    pub causes: Vec<Cause>,
    /// Time that no cause claims.
    pub unattributed_ns: u64,
    /// The episodes, longest first.
    pub longest: Vec<Episode>,
}

/// Stalls for the same reason at the same time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Episode {
    /// When the first began.
    pub start_ns: u64,
    /// From then to the end of the last.
    pub duration_ns: u64,
    /// The time of all threads.
    pub time_ns: u64,
    /// The longest stall of a thread.
    pub max_ns: u64,
    /// The cause's id; `None` where no cause claims it.
    pub cause: Option<String>,
    /// Its threads by name.
    pub pools: Vec<Pool>,
    /// The thread that was held up and held up the others, where others waited for it.
    pub holder: Option<Holder>,
}

/// Threads with the same name but for its number.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Pool {
    /// The name, with `*` for the number.
    pub name: String,
}

/// A thread that others waited for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Holder {
    /// Its name, which the kernel cuts after 15 bytes.
    pub thread: String,
}

/// What was lost, and what recording cost.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// Events that the kernel could not hand over.
    pub lost_events: u64,
    /// Length of the recording.
    pub recorded_ns: u64,
    /// What it cost.
    pub cost: Cost,
}

/// What recording cost.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// In the kernel, where that is known.
    pub kernel_time_ns: Option<u64>,
    /// CPU time of the recorder's process.
    pub recorder_cpu_ns: u64,
    /// Largest resident memory of the recorder's process.
    pub recorder_rss_bytes: u64,
    /// CPU time of the JVM meanwhile.
    pub jvm_cpu_ns: u64,
}

impl Explained {
    /// Reads the answer.
    ///
    /// # Errors
    /// [`LabError::Program`] where it is not what `explain` prints, or contradicts itself.
    pub fn parse(json: &str) -> Result<Explained, LabError> {
        let wrong =
            |message: String| LabError::Program { program: "whypause explain".into(), message };
        let explained: Explained = serde_json::from_str(json)
            .map_err(|e| wrong(format!("its answer is not understood: {e}")))?;
        explained.contradiction().map_or(Ok(explained), |it| Err(wrong(it)))
    }

    /// What of the numbers cannot be: collections lie in the stops.
    fn contradiction(&self) -> Option<String> {
        let (stops, gc) = (&self.pauses, &self.gc.as_ref()?.pauses);
        let more = |gc: u64, stops: u64, times: u64| gc > stops + ROUNDED_NS * times;
        let is_more =
            more(gc.total_ns, stops.total_ns, gc.count) || more(gc.max_ns, stops.max_ns, 1);
        is_more.then(|| {
            format!(
                "its answer contradicts itself: collections of {} ns, up to {}, in stops of {} ns, up to {}",
                gc.total_ns, gc.max_ns, stops.total_ns, stops.max_ns
            )
        })
    }

    /// The same with its stalls in the place of its pauses: an episode is one pause.
    #[must_use]
    pub fn of_stalls(&self) -> Explained {
        let stalls = self.stalls.clone().unwrap_or_default();
        let longer = |ms: u64| {
            let longer = |it: &&Episode| it.max_ns > ms * 1_000_000;
            stalls.longest.iter().filter(longer).count() as u64
        };
        let pauses = Pauses {
            count: stalls.episodes,
            total_ns: stalls.time_ns,
            max_ns: stalls.max_ns,
            over: OVER.iter().map(|(name, ms)| ((*name).to_owned(), longer(*ms))).collect(),
        };
        Explained {
            clock: self.clock.clone(),
            pauses,
            causes: stalls.causes,
            unattributed_ns: stalls.unattributed_ns,
            longest: stalls.longest.iter().map(Episode::as_pause).collect(),
            coverage: self.coverage.clone(),
            ..Explained::default()
        }
    }

    /// The pauses of which all was recorded.
    #[must_use]
    pub fn whole(&self) -> Vec<Pause> {
        self.longest.iter().filter(|it| it.cut.is_none()).cloned().collect()
    }

    /// The time of a cause, but for pauses of which a part was not recorded.
    #[must_use]
    pub fn time_in_whole(&self, cause: &str) -> u64 {
        let cut = self.longest.iter().filter(|it| it.cut.is_some());
        let parts = cut.flat_map(|it| &it.parts).filter(|it| it.cause == cause);
        self.time_of(cause).saturating_sub(parts.map(|it| it.time_ns).sum())
    }

    /// What no cause claims, but for pauses of which a part was not recorded.
    #[must_use]
    pub fn unattributed_in_whole(&self) -> u64 {
        let cut = self.longest.iter().filter(|it| it.cut.is_some());
        self.unattributed_ns.saturating_sub(cut.map(|it| it.unattributed_ns).sum())
    }

    /// The time of a cause in all pauses.
    #[must_use]
    pub fn time_of(&self, cause: &str) -> u64 {
        self.causes.iter().filter(|it| it.id == cause).map(|it| it.time_ns).sum()
    }

    /// Whether this is the id of a cause that it calls a fault.
    #[must_use]
    pub fn is_fault(&self, cause: &str) -> bool {
        self.causes.iter().any(|it| it.id == cause && it.nature == "fault")
    }
}

impl Pool {
    /// Whether the thread with this name may be one of it: the kernel cuts names.
    #[must_use]
    pub fn may_have(&self, thread: &str) -> bool {
        thread.starts_with(self.name.split('*').next().unwrap_or_default())
    }
}

impl Episode {
    /// When it ended.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.duration_ns)
    }

    /// As a pause that is one part: the time of all threads.
    fn as_pause(&self) -> Pause {
        let part = |cause: &String| Part { cause: cause.clone(), time_ns: self.time_ns };
        Pause {
            kind: "stall".into(),
            start_ns: self.start_ns,
            duration_ns: self.duration_ns,
            parts: self.cause.iter().map(part).collect(),
            unattributed_ns: if self.cause.is_some() { 0 } else { self.time_ns },
            ..Pause::default()
        }
    }
}

impl Pause {
    /// The largest part: a cause's id, or `unattributed`.
    #[must_use]
    pub fn first(&self) -> &str {
        // of two that are equal the first listed counts, hence the strict comparison
        let mut first = (UNATTRIBUTED, self.unattributed_ns);
        for part in &self.parts {
            if part.time_ns > first.1 || (first.0 == UNATTRIBUTED && part.time_ns == first.1) {
                first = (&part.cause, part.time_ns);
            }
        }
        first.0
    }

    /// The time of its parts of which `wanted` holds.
    #[must_use]
    pub fn time_where(&self, wanted: impl Fn(&str) -> bool) -> u64 {
        self.parts.iter().filter(|it| wanted(&it.cause)).map(|it| it.time_ns).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_are_zero_and_new_ones_are_ignored() {
        let explained = Explained::parse(r#"{ "schema_version": 9, "moon": 1 }"#).unwrap();
        assert_eq!(explained, Explained::default());
        assert!(Explained::parse("error: no").is_err());
    }

    /// One that had begun before the recording was in the sums of collections, and in no stop.
    #[test]
    fn an_answer_with_more_collections_than_stops_is_refused() {
        let parse = |total: u64, max: u64| {
            Explained::parse(&format!(
                r#"{{"pauses":{{"count":2,"total_ns":9000000,"max_ns":5000000}},
                    "gc":{{"pauses":{{"count":2,"total_ns":{total},"max_ns":{max}}}}}}}"#
            ))
            .is_ok()
        };
        assert!(parse(11_000_000, 6_000_000));
        assert!(!parse(11_000_001, 6_000_000));
        assert!(!parse(11_000_000, 6_000_001));
    }

    #[test]
    fn the_largest_part_of_a_pause_comes_first() {
        let check = |parts: &[(&str, u64)], unattributed_ns, expected: &str| {
            let part = |it: &(&str, u64)| Part { cause: it.0.into(), time_ns: it.1 };
            let parts = parts.iter().map(part).collect();
            let pause = Pause { parts, unattributed_ns, ..Pause::default() };
            assert_eq!(pause.first(), expected);
        };
        check(&[("gc-work", 5), ("mapped-file-fault", 90)], 3, "mapped-file-fault");
        check(&[("gc-work", 5)], 6, "unattributed");
        check(&[("gc-work", 5)], 5, "gc-work");
        check(&[], 0, "unattributed");
    }

    #[test]
    fn pause_cut_by_the_recording_is_not_compared() {
        let it = Explained::parse(
            r#"{"causes":[{"id":"a","time_ns":9}],"unattributed_ns":7,"longest":[
                {"duration_ns":5,"parts":[{"cause":"a","time_ns":3}],"unattributed_ns":2},
                {"duration_ns":8,"parts":[{"cause":"a","time_ns":6}],"unattributed_ns":5,"cut":"end"}]}"#,
        )
        .unwrap();
        assert_eq!((it.time_of("a"), it.time_in_whole("a")), (9, 3));
        assert_eq!((it.unattributed_in_whole(), it.whole().len()), (2, 1));
    }

    #[test]
    fn episodes_of_stalls_are_pauses_of_one_part() {
        let it = Explained::parse(
            r#"{"pauses":{"count":1,"total_ns":9,"max_ns":9},"causes":[{"id":"gc-work"}],
                "stalls":{"over_ns":10000000,"episodes":2,"threads":9,"time_ns":820000000,
                "max_ns":100000001,"unattributed_ns":20000000,
                "causes":[{"id":"file-sync-blocked","nature":"fault","pauses":1,"time_ns":800000000}],
                "longest":[
                {"start_ns":5,"start_wall":null,"duration_ns":300000000,"time_ns":800000000,"max_ns":100000001,"threads":8,
                 "cause":"file-sync-blocked","certainty":"measured","mechanism":null,
                 "holder":{"tid":7,"thread":"holder","waiting_threads":3}},
                {"start_ns":9,"duration_ns":20000000,"time_ns":20000000,"max_ns":20000000,"cause":null,"holder":null}]}}"#,
        )
        .unwrap()
        .of_stalls();
        assert_eq!(
            (it.pauses.count, it.pauses.total_ns, it.pauses.max_ns),
            (2, 820_000_000, 100_000_001)
        );
        assert_eq!((it.pauses.over["100ms"], it.pauses.over["250ms"]), (1, 0));
        assert_eq!(it.time_of("file-sync-blocked"), 800_000_000);
        assert_eq!(it.time_of("gc-work"), 0);
        let firsts: Vec<_> = it.longest.iter().map(Pause::first).collect();
        assert_eq!(firsts, ["file-sync-blocked", "unattributed"]);
        let none = Explained::parse(r#"{"pauses":{"count":1},"stalls":null}"#).unwrap();
        assert_eq!(none.of_stalls().pauses.count, 0);
    }
}
