//! The flags of one diagnosis as one line: what each finding asks for, put together without
//! contradiction, each flag with the numbers that speak for it.
//!
//! The flags come from the remedies of the findings, as they are advised one by one ([`PARTS`]); here
//! they are only joined: a flag has one value, none comes twice, and those of another collector go.
mod choice;

use crate::{Advice, AdviceWhen, action};
pub use choice::OtherCollector;
use choice::other_collector;
use diagnose::{Detail, Diagnosis, Finding, text};

/// The remedies whose flags are put together, those first whose flags count where two of them ask for
/// the same one.
const PARTS: [&str; 7] = [
    "concurrent-collector",
    "g1-region-size",
    "g1-young-floor",
    "g1-earlier-cycles",
    "g1-reserve",
    "parallel-references",
    "generational-zgc",
];

/// Without it the JVM refuses every experimental flag.
const UNLOCK: &str = "-XX:+UnlockExperimentalVMOptions";

/// A flag of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFlag {
    /// As it is typed.
    pub flag: String,
    /// The remedy that it is of.
    pub remedy: &'static str,
    /// The cause that it is for, by its id.
    pub cause: &'static str,
    /// Why, with the numbers of the input: one sentence with its full stop.
    pub why: String,
}

/// All flags of one diagnosis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagLine {
    /// In the order in which they are typed: what unlocks others comes before them.
    pub flags: Vec<LineFlag>,
    /// Flags given now that go.
    pub replaces: Vec<String>,
    /// Another collector, with what speaks for and against it; not a part of the line.
    pub other_collector: Option<OtherCollector>,
}

impl FlagLine {
    /// The flags, a word each.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.flags.iter().map(|it| it.flag.clone()).collect()
    }
}

/// Puts the flags of all findings together.
#[must_use]
pub fn flag_line(diagnosis: &Diagnosis) -> FlagLine {
    let mut all = crate::advise(diagnosis);
    all.truncate(diagnosis.findings.len());
    let mut line = FlagLine { other_collector: other_collector(diagnosis), ..FlagLine::default() };
    for part in PARTS {
        for (finding, advice) in diagnosis.findings.iter().zip(&all) {
            let of_part = |it: &&Advice| it.remedy == part && it.when == AdviceWhen::NextStart;
            for it in advice.iter().filter(of_part) {
                add(&mut line, diagnosis, finding, it);
            }
        }
    }
    line
}

fn add(line: &mut FlagLine, diagnosis: &Diagnosis, finding: &Finding, advice: &Advice) {
    let switched = ["-XX:+UseG1GC".to_owned()];
    let flags = match (advice.remedy, advice.action.jvm_flags()) {
        // From JDK 21 on two collectors are advised in words; the first of them needs no more memory.
        ("concurrent-collector", []) => &switched[..],
        (_, flags) => flags,
    };
    for flag in flags {
        let name = action::flag_name(flag);
        let is_there = |it: &LineFlag| action::flag_name(&it.flag) == name;
        let is_given = diagnosis.situation.holds(flag);
        if is_given || line.flags.iter().any(is_there) {
            continue;
        }
        line.flags.push(LineFlag {
            flag: flag.clone(),
            remedy: advice.remedy,
            cause: finding.cause.id,
            why: why(flag, advice, diagnosis, finding),
        });
    }
    for it in &advice.replaces {
        if !line.replaces.contains(it) {
            line.replaces.push(it.clone());
        }
    }
    // Wherever the flag came from that it unlocks.
    line.flags.sort_by_key(|it| it.flag != UNLOCK);
}

/// Why a flag, with the numbers.
fn why(flag: &str, advice: &Advice, diagnosis: &Diagnosis, finding: &Finding) -> String {
    if flag == UNLOCK {
        return "The JVM refuses experimental flags without it.".into();
    }
    if flag == "-XX:-G1UseAdaptiveIHOP" {
        return "G1 would take the threshold only for a first guess and set its own.".into();
    }
    let seen = match &finding.detail {
        Detail::Humongous(Some(it)) => {
            let region = it.region_size_bytes.map_or_else(
                || "a region".to_owned(),
                |it| format!("a region of {}", text::memory(it)),
            );
            let largest = it.largest_bytes;
            let largest = largest.map(|it| format!(", the largest of {}", text::memory(it)));
            let largest = largest.unwrap_or_default();
            format!("{} for objects of more than half of {region}{largest}", struck(finding))
        }
        Detail::EdenShrunk { from_bytes } => {
            let heap = diagnosis.situation.max_heap_bytes;
            let heap = heap.map(|it| format!(" of a heap of {}", text::memory(it)));
            format!(
                "eden had {}{} before a slow reference phase cut it, with {} before it had grown back",
                text::memory(*from_bytes),
                heap.unwrap_or_default(),
                struck(finding)
            )
        }
        _ => format!("{}: {}", finding.cause.title.to_lowercase(), struck(finding)),
    };
    let seen = sentence(&seen);
    let named = format!("in place of {}: ", advice.replaces.join(" "));
    match advice.note.strip_prefix(&named).unwrap_or(&advice.note) {
        "" => format!("{seen}."),
        note => format!("{seen}; {note}."),
    }
}

/// `12 pauses (300 ms in all, up to 50 ms)`.
fn struck(finding: &Finding) -> String {
    let longest = text::duration(finding.longest);
    match finding.pauses {
        1 => format!("1 pause ({longest})"),
        n => format!("{n} pauses ({} in all, up to {longest})", text::duration(finding.time)),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |it| it.to_uppercase().collect::<String>() + letters.as_str())
}
