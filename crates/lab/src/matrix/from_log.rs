//! How often the GC logs alone lead to the right causes: pure counting.
use super::seen::{Key, Seen};
use crate::{
    Collector, Privilege,
    result::{FromLog, Judged},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Of a thousand pauses this many must have a cause of the right class among the first two suspects.
const RIGHT_CLASS: u64 = 800;

/// Counts of pauses of 50 ms and more whose cause the recording knows and that are in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LogCount {
    /// How many.
    pub pauses: u64,
    /// Of these, how many of which the log denies the true cause.
    pub refuted: u64,
    /// Of these, how many have a cause of the true class among the first two suspects.
    pub right_class: u64,
    /// Of these, how many are unexplained for as long as they waited, within a tenth of the pause.
    pub right_wait: u64,
    /// The causes suspected first, with how many pauses each.
    pub suspects: BTreeMap<String, u64>,
}

impl LogCount {
    fn add(&mut self, pause: &Judged) {
        self.pauses += 1;
        self.refuted += u64::from(pause.refuted.is_some());
        self.right_class += u64::from(pause.right_class());
        self.right_wait += u64::from(pause.right_wait());
        let first = pause.suspects.first().map_or("none", String::as_str);
        *self.suspects.entry(first.to_owned()).or_default() += 1;
    }
}

/// Pauses of one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogRow {
    /// The largest part of each in the recording.
    pub cause: String,
    /// What the log says.
    #[serde(flatten)]
    pub count: LogCount,
}

/// Pauses with one JDK and collector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogSurroundings {
    /// Feature release of the JDK.
    pub jdk_feature: u32,
    /// The collector.
    pub collector: Collector,
    /// What the log says.
    #[serde(flatten)]
    pub count: LogCount,
}

/// What the GC logs of all recordings with privilege say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LogTally {
    /// Recordings whose log was explained alone.
    pub measured: u64,
    /// Recordings whose log was not: it is missing, or an older version made them.
    pub not_measured: u64,
    /// Logs that could not be explained, one line each.
    pub failed: Vec<String>,
    /// Pauses left out: hiccups, which no log shows.
    pub hiccups: u64,
    /// Pauses left out: cut by the recording.
    pub cut: u64,
    /// Pauses left out: ordinary work first, or not explained by the recording.
    pub ordinary: u64,
    /// Pauses left out: with a cause, and not in the log.
    pub not_found: u64,
    /// By true cause.
    pub causes: Vec<LogRow>,
    /// By JDK and collector.
    pub surroundings: Vec<LogSurroundings>,
    /// All of them.
    pub total: LogCount,
}

impl LogTally {
    /// Judges what the GC logs alone say by the privileged recordings.
    pub(super) fn of(seen: &[Seen]) -> LogTally {
        let mut tally = LogTally::default();
        let mut causes: BTreeMap<String, LogCount> = BTreeMap::new();
        let mut surroundings: BTreeMap<(u32, Collector), LogCount> = BTreeMap::new();
        for it in seen.iter().filter(|it| it.key.privilege == Privilege::Privileged) {
            let Some(log) = &it.from_log else {
                tally.not_measured += 1;
                continue;
            };
            tally.add(&it.key, log);
            for pause in &log.judged {
                tally.total.add(pause);
                causes.entry(pause.cause.clone()).or_default().add(pause);
                surroundings.entry((it.jdk_feature, it.key.collector)).or_default().add(pause);
            }
        }
        let row = |(cause, count)| LogRow { cause, count };
        tally.causes = causes.into_iter().map(row).collect();
        let row =
            |((jdk_feature, collector), count)| LogSurroundings { jdk_feature, collector, count };
        tally.surroundings = surroundings.into_iter().map(row).collect();
        tally
    }

    fn add(&mut self, key: &Key, log: &FromLog) {
        self.measured += 1;
        self.hiccups += log.hiccups;
        self.cut += log.cut;
        self.ordinary += log.ordinary;
        self.not_found += log.not_found;
        if let Some(message) = &log.failed {
            let Key { scenario, variant, jdk, run, .. } = key;
            self.failed.push(format!(
                "{scenario}, {variant}, JDK {jdk}, run {run}: the GC log was not explained: {message}"
            ));
        }
    }

    /// What is not as it must be, one line each.
    pub(super) fn shortfalls(&self) -> Vec<String> {
        let mut found = Vec::new();
        let LogCount { pauses, refuted, right_class, .. } = self.total;
        if refuted > 0 {
            let of = self.causes.iter().filter(|it| it.count.refuted > 0);
            let of: Vec<_> = of.map(|it| format!("`{}` {}", it.cause, it.count.refuted)).collect();
            let of = of.join(", ");
            found.push(format!(
                "true cause not refuted, from the GC log alone: {refuted} of {pauses} are ({of}), \
                 none may be"
            ));
        }
        if right_class * 1000 < pauses * RIGHT_CLASS {
            let percent = RIGHT_CLASS / 10;
            found.push(format!(
                "right class among the first two suspects, from the GC log alone: {right_class} of \
                 {pauses}, at least {percent} % are demanded"
            ));
        }
        found.extend(self.failed.iter().cloned());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Refuted;

    /// One line for each run: `CAUSE N [refuted] [wait NS] suspects CAUSE…`, or `none`, `failed`;
    /// pauses of 1000 ns that the log leaves unexplained.
    fn seen(text: &str) -> Seen {
        let words: Vec<_> = text.split(' ').collect();
        let line = r#"{"scenario":"swap-in","variant":"fault","jdk":"17.0.15","collector":"g1",
            "privilege":"privileged","run":1,"role":"fault","jdk_feature":17,"stopped_ns":0,
            "unattributed_ns":0,"longest_ns":50000000,"observed_longest_ns":0,"long":[],
            "named":{},"symptoms":{},"stolen_ns":0,"lost_events":0}"#;
        let mut seen: Seen = serde_json::from_str(line).unwrap();
        let after = |key: &str| {
            let at = words.iter().position(|it| *it == key);
            at.map_or(&[][..], |at| &words[at + 1..])
        };
        let wait = after("wait").first().map_or(1000, |it| it.parse().unwrap());
        seen.from_log = match words[0] {
            "none" => None,
            "failed" => Some(FromLog::failed("no pauses in it".into())),
            cause => {
                let judged = Judged {
                    cause: cause.to_owned(),
                    duration_ns: 1000,
                    wait_ns: wait,
                    unexplained_ns: 1000,
                    symptom: None,
                    suspects: after("suspects").iter().map(|it| (*it).to_owned()).collect(),
                    refuted: words.contains(&"refuted").then_some(Refuted::Unlikely),
                };
                let judged = vec![judged; words[1].parse().unwrap()];
                Some(FromLog {
                    judged,
                    hiccups: 4,
                    cut: 1,
                    ordinary: 2,
                    not_found: 3,
                    failed: None,
                })
            }
        };
        seen
    }

    fn tally(texts: &[&str]) -> LogTally {
        LogTally::of(&texts.iter().map(|it| seen(it)).collect::<Vec<_>>())
    }

    fn shortfalls(texts: &[&str]) -> String {
        tally(texts).shortfalls().join("; ")
    }

    #[test]
    fn not_one_true_cause_may_be_refuted() {
        assert_eq!(shortfalls(&["swap-in 1000 suspects swap-in"]), "");
        assert_eq!(
            shortfalls(&["swap-in 1 refuted suspects swap-in", "swap-in 999 suspects swap-in"]),
            "true cause not refuted, from the GC log alone: 1 of 1000 are (`swap-in` 1), none may be"
        );
    }

    #[test]
    fn four_of_5_pauses_need_the_right_class_in_the_first_two_suspects() {
        let right = "swap-in 4 suspects mapped-file-fault direct-reclaim";
        assert_eq!(shortfalls(&[right, "swap-in 1 suspects cfs-throttling"]), "");
        assert_eq!(
            shortfalls(&[right, "swap-in 2 suspects"]),
            "right class among the first two suspects, from the GC log alone: 4 of 6, at least \
             80 % are demanded"
        );
    }

    #[test]
    fn unexplained_log_is_a_shortfall_but_an_untried_one_is_not() {
        assert_eq!(shortfalls(&["none"]), "");
        assert_eq!(
            shortfalls(&["failed"]),
            "swap-in, fault, JDK 17.0.15, run 1: the GC log was not explained: no pauses in it"
        );
        let tally = tally(&["none", "none", "failed"]);
        assert_eq!((tally.measured, tally.not_measured), (1, 2));
    }

    #[test]
    fn pauses_are_counted_by_their_true_cause_and_by_surroundings() {
        let tally = tally(&[
            "swap-in 2 wait 900 suspects swap-in late-java-thread",
            "swap-in 1 wait 899 suspects",
            "cpu-contention 1 suspects cfs-throttling cpu-steal",
        ]);
        let row = |it: &LogCount| (it.pauses, it.right_class, it.right_wait);
        let causes: Vec<_> =
            tally.causes.iter().map(|it| (it.cause.as_str(), row(&it.count))).collect();
        assert_eq!(causes, [("cpu-contention", (1, 1, 1)), ("swap-in", (3, 2, 2))]);
        let counts: Vec<_> = tally.surroundings.iter().map(|it| row(&it.count)).collect();
        assert_eq!(counts, [(4, 3, 3)]);
        assert_eq!(row(&tally.total), (4, 3, 3));
        let firsts = [("cfs-throttling", 1), ("none", 1), ("swap-in", 2)];
        let firsts = firsts.map(|(cause, pauses)| (cause.to_owned(), pauses));
        assert_eq!(tally.total.suspects, BTreeMap::from(firsts));
        let left_out = [tally.hiccups, tally.cut, tally.ordinary, tally.not_found];
        assert_eq!(left_out, [12, 3, 6, 9]);
    }

    #[test]
    fn without_privilege_nothing_is_judged() {
        let mut it = seen("swap-in 1 refuted suspects");
        it.key.privilege = Privilege::Unprivileged;
        assert_eq!(LogTally::of(&[it]), LogTally::default());
    }
}
