//! The stories of the post on moving from CMS to G1, as logs before and after.
use super::{
    lab::Lab,
    log::{Counts, counts},
    part::{Made, Part, table},
};
use crate::{
    Jdk, LabError, Reason, Takes, jdks,
    jvm::{GcLog, JvmCommand},
    workloads::Workload,
};
use serde_json::json;

const HEAP_MIB: u32 = 768;

/// CMS was in JDKs up to 13; the oldest that runs the workloads is 8.
const WITH_CMS: std::ops::RangeInclusive<u32> = 8..=13;

pub(super) static PART: Part = Part {
    id: "g1-post",
    title: "G1 post: humongous objects, references, fragmentation",
    original: "\
Humongous objects: collections that humongous allocations caused disappeared with regions of 8 MiB instead of 2 MiB.
References: one slow reference processing (101.3 ms instead of 4.0 ms) made eden shrink from 2872 to 216 MiB; `G1NewSizePercent=40` and `ParallelRefProcEnabled` ended that.
Fragmentation: CMS with a heap of 4 GB had promotion failures and pauses of 2.8 s; G1 had none.",
    can_run: || Ok(()),
    takes: |_: &Jdk, _| vec![Takes::Heap { mib: HEAP_MIB }],
    seconds: (40, 80),
    make,
};

/// Name, workload, its arguments, and flags of the JVM.
type Run = (&'static str, Workload, &'static [&'static str], &'static [&'static str]);

/// Objects of 600 KiB: more than half of a region of 1 MiB, and less than half of one of 8 MiB.
const LARGE: &[&str] = &["size=614400", "rate=150", "queue=150", "drop=75"];
const REFERENCES: &[&str] = &["rate=2000"];

const RUNS: [Run; 4] = [
    ("regions of 1 MiB", Workload::AllocLoad, LARGE, &["-XX:G1HeapRegionSize=1m"]),
    ("regions of 8 MiB", Workload::AllocLoad, LARGE, &["-XX:G1HeapRegionSize=8m"]),
    ("one thread for references", Workload::WeakRefs, REFERENCES, &["-XX:-ParallelRefProcEnabled"]),
    (
        "several threads for references",
        Workload::WeakRefs,
        REFERENCES,
        &["-XX:+ParallelRefProcEnabled"],
    ),
];

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let time = lab.time(6, 15);
    let mut all: Vec<(&str, Counts)> = Vec::new();
    for (at, (name, workload, arguments, flags)) in RUNS.into_iter().enumerate() {
        lab.progress.step(name);
        let seen = lab.alone(&format!("g1-{at}"), time, |stage| {
            let owned = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect();
            let command = stage.command(workload);
            let gc_log = GcLog { detailed: true, ..command.gc_log.clone() };
            let command = JvmCommand {
                heap_mib: HEAP_MIB,
                young_mib: 0,
                arguments: owned(arguments),
                flags: owned(flags),
                gc_log,
                ..command
            };
            stage.java(&command)
        })?;
        all.push((name, counts(&seen.log)));
    }
    let ms = |ns: u64| format!("{}.{} ms", ns / 1_000_000, ns / 100_000 % 10);
    let row = |(name, it): &(&str, Counts)| {
        vec![
            (*name).to_owned(),
            it.collections().to_string(),
            it.of("G1 Humongous Allocation").to_string(),
            it.cycles.to_string(),
            ms(it.longest_ns),
            ms(it.references_longest_ns),
            ms(it.references_ns),
        ]
    };
    let header = [
        "run",
        "collections",
        "caused by a humongous allocation",
        "concurrent cycles",
        "longest pause",
        "longest reference processing",
        "in all",
    ];
    Ok(Made {
        setup: format!(
            "G1 with a heap of {HEAP_MIB} MiB and two GC threads, {} s each; objects of 600 KiB for the first two, 400,000 weak references a second for the others. Events are counted in the GC logs.",
            time.as_secs()
        ),
        ours: table(&header, &all.iter().map(row).collect::<Vec<_>>()),
        differs: format!(
            "The first run sets regions of 1 MiB where the post had 2 MiB; the shrinking of eden is not shown. {} {}",
            references_said(&all),
            without_cms().lacks
        ),
        numbers: json!(
            all.iter().map(|(name, it)| json!({ "run": name, "counts": it })).collect::<Vec<_>>()
        ),
        pictures: Vec::new(),
    })
}

/// Whether several threads helped, in a sentence.
fn references_said(all: &[(&str, Counts)]) -> &'static str {
    let in_all = |at: usize| all.get(at).map_or(0, |it| it.1.references_ns);
    if in_all(3) < in_all(2) {
        "Several threads processed references in less time than one, as in the post."
    } else {
        "Unlike in the post, several threads did not process references in less time than one."
    }
}

/// Why CMS is not shown.
fn without_cms() -> Reason {
    let found = jdks::found();
    let here: Vec<_> = found.iter().map(Jdk::label).collect();
    let lacks = match found.iter().any(|it| WITH_CMS.contains(&it.major)) {
        true => "Fragmentation of CMS is not made by this version of the lab, which starts no CMS."
            .into(),
        false => format!(
            "Fragmentation of CMS needs a JDK {} to {}; this host has {}.",
            WITH_CMS.start(),
            WITH_CMS.end(),
            here.join(" and ")
        ),
    };
    Reason::new(lacks, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_less_time_is_said_to_be_less() {
        let check = |one, several, expected: &str| {
            let of = |references_ns| ("run", Counts { references_ns, ..Counts::default() });
            let said = references_said(&[of(0), of(0), of(one), of(several)]);
            assert!(said.starts_with(expected), "{said}");
        };
        check(10, 9, "Several");
        check(10, 10, "Unlike");
    }
}
