//! Flags that contradict each other, that this JDK does not know any more, or that do less than they seem to.
use super::{
    flag_table::{Fate, fate},
    jdk_flags::{self, Wrong},
};
use crate::{
    Exposure, HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed},
    text,
};
use recording::VmFlag;

pub(super) static ALL: [HazardKind; 6] = [
    HazardKind {
        id: "flags-refused",
        title: "The JVM does not start with these flags",
        subject: "flags",
        about: "With these flags the JVM ends while it starts, with one line on standard error. It strikes at the next restart, not before.",
        scope: Scope::Jvm,
        check: refused,
    },
    HazardKind {
        id: "flags-ignored",
        title: "Flags that do nothing",
        subject: "obsolete flags",
        about: "This JDK accepts the flags with a warning and ignores them. What they once did does not happen, and the JDK after it does not start with them.",
        scope: Scope::Jvm,
        check: ignored,
    },
    HazardKind {
        id: "young-size-fixed",
        title: "A young generation of fixed size with a pause target",
        subject: "pause target",
        about: "G1 keeps its pause target by making the young generation smaller or larger. Where a flag fixes the size, it cannot, and the target is not kept.",
        scope: Scope::Jvm,
        check: young_size_fixed,
    },
    HazardKind {
        id: "pretouch-in-pauses",
        title: "A heap that grows is touched in pauses",
        subject: "heap size",
        about: "With AlwaysPreTouch the JVM touches the pages of the heap when it gets them. A heap that starts small gets most of them later, when a collection makes it larger, while the application is stopped.",
        scope: Scope::Jvm,
        check: pretouch_in_pauses,
    },
    HazardKind {
        id: "ihop-adapts",
        title: "A start of marking that G1 changes by itself",
        subject: "start of marking",
        about: "From JDK 9 on G1 takes InitiatingHeapOccupancyPercent for its first cycles alone and then decides by what it measured. Marking may begin later than the flag says.",
        scope: Scope::Jvm,
        check: ihop_adapts,
    },
    HazardKind {
        id: "gc-log-unbounded",
        title: "A GC log without rotation",
        subject: "GC log size",
        about: "Before JDK 9 a GC log grows without bound unless rotation is on. It fills its disk in the end, and every restart writes over it.",
        scope: Scope::Jvm,
        check: gc_log_unbounded,
    },
];

/// From this feature version on G1 decides by itself when marking begins (JDK-8136677).
const ADAPTS_FROM: u32 = 9;
/// A heap that may grow by less of itself than to the double has few pages left to touch.
const GROWS_TO: u64 = 2;

/// Why a JVM with these flags does not start.
fn reasons(exposure: &Exposure<'_>) -> Vec<Wrong> {
    let feature = exposure.situation.feature();
    let mut reasons = contradictions(exposure);
    reasons.extend(feature.into_iter().flat_map(|it| not_there(exposure, it)));
    let is_gone =
        |why: &str| why.split(' ').any(|it| feature.is_some_and(|f| fate(it, f).is_some()));
    // What went is known with its version.
    reasons.extend(
        jdk_flags::wrong(exposure.flags(), feature).into_iter().filter(|it| !is_gone(&it.why)),
    );
    reasons
}

/// Flags that do not go together.
fn contradictions(exposure: &Exposure<'_>) -> Vec<Wrong> {
    let flags = exposure.flags();
    let mut reasons = Vec::new();
    let mut add = |why| reasons.push(Wrong { why, is_forgiven: false });
    let collectors = flags.collectors();
    if collectors.len() > 1 {
        add(format!("{} collectors are chosen: {}", collectors.len(), collectors.join(", ")));
    }
    if let (Some(initial), Some(most)) = (flags.initial_heap(), flags.max_heap())
        && initial > most
    {
        let [initial, most] = [initial, most].map(text::memory);
        add(format!("the first size of the heap, {initial}, is larger than the largest, {most}"));
    }
    let threads = [flags.number("ConcGCThreads"), flags.number("ParallelGCThreads")];
    // JDK 17 refuses, JDK 21 does not; of those between it is not known.
    if let ([Some(concurrent), Some(parallel)], true, Some(..=17)) =
        (threads, exposure.is_g1(), exposure.situation.feature())
        && concurrent > parallel
    {
        add(format!(
            "G1 may not have more ConcGCThreads ({concurrent}) than ParallelGCThreads ({parallel})"
        ));
    }
    reasons
}

/// What the JDK of this feature version does not have yet, or has no more.
fn not_there(exposure: &Exposure<'_>, feature: u32) -> Vec<Wrong> {
    let flags = exposure.flags();
    let unified = |it: &&String| it.starts_with("-Xlog:") || *it == "-Xlog";
    let mut reasons = Vec::new();
    if feature < 9 && flags.0.iter().any(|it| unified(&it)) {
        reasons.push("-Xlog came with JDK 9".to_owned());
    } else if feature < 17 && flags.logs_asynchronously() {
        reasons.push("-Xlog:async came with JDK 17".to_owned());
    }
    let gone = fates(exposure, feature).filter_map(|(flag, it)| match it {
        Fate::Refused(since) => Some(format!("{flag} went with JDK {since}")),
        Fate::Ignored(_) => None,
    });
    reasons.extend(gone);
    reasons.into_iter().map(|why| Wrong { why, is_forgiven: true }).collect()
}

fn fates<'a>(exposure: &'a Exposure<'_>, feature: u32) -> impl Iterator<Item = (&'a str, Fate)> {
    let of = move |flag: &'a String| Some((flag.as_str(), fate(VmFlag::of(flag)?.name, feature)?));
    exposure.situation.flags().iter().filter_map(of)
}

fn refused(exposure: &Exposure<'_>) -> Check {
    // One that runs has started with them.
    if exposure.runs() {
        return Check::Inapplicable;
    }
    let forgives = exposure.flags().is_on("IgnoreUnrecognizedVMOptions");
    let reasons = reasons(exposure).into_iter().filter(|it| !(forgives && it.is_forgiven));
    let reasons: Vec<String> = reasons.map(|it| it.why).collect();
    if reasons.is_empty() {
        return Check::Fine;
    }
    let version =
        exposure.situation.feature().map_or_else(String::new, |it| format!(" of JDK {it}"));
    let statement = match reasons.as_slice() {
        [one] => format!("A JVM{version} does not start with these flags: {one}."),
        all => {
            format!("A JVM{version} does not start with these flags, for {} reasons.", all.len())
        }
    };
    let evidence = if reasons.len() > 1 { reasons } else { Vec::new() };
    Check::of(Some(
        Exposed::new(Likelihood::Likely, statement)
            .because(evidence)
            .mended_by("leave out what is named, or start with -version first"),
    ))
}

fn ignored(exposure: &Exposure<'_>) -> Check {
    let Some(feature) = exposure.situation.feature() else {
        return Check::Unknown("which flags this JDK ignores, as its version is not known");
    };
    let ignored: Vec<(&str, u32)> = fates(exposure, feature)
        .filter_map(|(flag, it)| match it {
            Fate::Ignored(since) => Some((flag, since)),
            Fate::Refused(_) => None,
        })
        .collect();
    let of_table = |flag: &&String| {
        let name = VmFlag::of(flag).map_or("", |it| it.name);
        fate(name, feature).is_none() && jdk_flags::is_ignored(name, feature)
    };
    let of_table = exposure.situation.flags().iter().filter(of_table).map(String::as_str);
    let names: Vec<&str> = ignored.iter().map(|it| it.0).chain(of_table).collect();
    let since = ignored.iter().map(|it| format!("{} since JDK {}", it.0, it.1));
    let found = (!names.is_empty()).then(|| {
        Exposed::new(Likelihood::Possible, format!("JDK {feature} ignores {}.", names.join(", ")))
            .because(since)
            .mended_by(format!("leave out {}", names.join(" ")))
    });
    Check::of(found)
}

fn young_size_fixed(exposure: &Exposure<'_>) -> Check {
    let flags = exposure.flags();
    let Some(target) = flags.value("MaxGCPauseMillis").filter(|_| exposure.is_g1()) else {
        return Check::Inapplicable;
    };
    let given = flags.0.iter().rev().find(|it| it.starts_with("-Xmn"));
    let sizes = [flags.value("NewSize"), flags.value("MaxNewSize")];
    let fixed = match (given, sizes) {
        (Some(flag), _) => flag.clone(),
        (None, [Some(least), Some(most)]) if least == most => {
            format!("-XX:NewSize={least} with -XX:MaxNewSize={most}")
        }
        _ => return Check::Fine,
    };
    let statement = format!(
        "{fixed} fixes the young generation, so that G1 cannot keep -XX:MaxGCPauseMillis={target} by its size."
    );
    Check::of(Some(
        Exposed::new(Likelihood::Possible, statement).mended_by(format!("leave out {fixed}")),
    ))
}

fn pretouch_in_pauses(exposure: &Exposure<'_>) -> Check {
    let flags = exposure.flags();
    if !flags.is_on("AlwaysPreTouch") {
        return Check::Inapplicable;
    }
    let (Some(initial), Some(most)) = (flags.initial_heap(), flags.max_heap()) else {
        return Check::Fine;
    };
    let found = (most >= initial.saturating_mul(GROWS_TO)).then(|| {
        let [first, whole, rest] = [initial, most, most - initial].map(text::memory);
        Exposed::new(
            Likelihood::Possible,
            format!("The heap starts with {first} of {whole}, and -XX:+AlwaysPreTouch touches the other {rest} when collections make it larger."),
        )
        .mended_by("-Xms equal to -Xmx")
    });
    Check::of(found)
}

fn ihop_adapts(exposure: &Exposure<'_>) -> Check {
    let flags = exposure.flags();
    let Some(percent) = flags.value("InitiatingHeapOccupancyPercent") else {
        return Check::Inapplicable;
    };
    let adapts = exposure.is_g1()
        && exposure.situation.feature().is_some_and(|it| it >= ADAPTS_FROM)
        && flags.switch("G1UseAdaptiveIHOP") != Some(false);
    let found = adapts.then(|| {
        Exposed::new(
            Likelihood::Possible,
            format!("-XX:InitiatingHeapOccupancyPercent={percent} holds for the first cycles alone, because G1 adapts it."),
        )
        .mended_by("-XX:-G1UseAdaptiveIHOP, where the percentage is to hold; else leave it out")
    });
    Check::of(found)
}

fn gc_log_unbounded(exposure: &Exposure<'_>) -> Check {
    let flags = exposure.flags();
    let old = exposure.situation.feature().is_some_and(|it| it < 9);
    let file = flags.0.iter().rev().find_map(|it| it.strip_prefix("-Xloggc:"));
    let Some(file) = file.filter(|_| old) else { return Check::Inapplicable };
    let found = (!flags.is_on("UseGCLogFileRotation")).then(|| {
        let statement = format!("The GC log {file} grows without bound: it is not rotated.");
        Exposed::new(Likelihood::Possible, statement)
            .mended_by("-XX:+UseGCLogFileRotation -XX:NumberOfGCLogFiles=5 -XX:GCLogFileSize=20M")
    });
    Check::of(found)
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    /// What is found of a command line.
    #[track_caller]
    fn flags(version: &str, line: &str, expected: &str) {
        check(&format!("launch {version} {line}"), &format!("flags {expected}"));
    }

    #[test]
    fn two_collectors_do_not_start() {
        let said = "likely flags-refused: A JVM of JDK 17 does not start with these flags: 2 collectors are chosen: g1, zgc.";
        flags("17", "-XX:+UseZGC -XX:+UseG1GC", said);
        flags("17", "-XX:+UseParallelGC -XX:-UseParallelGC -XX:+UseG1GC", "");
        flags("8", "-XX:+UseParNewGC -XX:+UseConcMarkSweepGC", "");
    }

    #[test]
    fn sizes_of_the_heap_fit_each_other() {
        let said = "likely flags-refused: A JVM of JDK 17 does not start with these flags: the first size of the heap, 2 GiB, is larger than the largest, 1 GiB.";
        flags("17", "-Xms2g -Xmx1g", said);
        flags("17", "-Xms1g -Xmx1g", "");
    }

    #[test]
    fn concurrent_threads_are_no_more_than_parallel_ones() {
        let line = "-XX:+UseG1GC -XX:ParallelGCThreads=2 -XX:ConcGCThreads=";
        let said = "likely flags-refused: A JVM of JDK 17 does not start with these flags: G1 may not have more ConcGCThreads (3) than ParallelGCThreads (2).";
        flags("17", &format!("{line}3"), said);
        flags("17", &format!("{line}2"), "");
        flags("21", &format!("{line}3"), "");
        flags("17", &format!("{line}3").replace("G1GC", "ParallelGC"), "");
    }

    #[test]
    fn flags_that_went_are_reported_with_their_version() {
        let said = "likely flags-refused: A JVM of JDK 17 does not start with these flags: -XX:+PrintGCDateStamps went with JDK 9.";
        flags("17", "-XX:+PrintGCDateStamps", said);
        flags("8", "-XX:+PrintGCDateStamps", "");
        flags("17", "-XX:+PrintGCDateStamps -XX:+IgnoreUnrecognizedVMOptions", "");
        let many =
            "likely flags-refused: A JVM of JDK 17 does not start with these flags, for 2 reasons.";
        flags("17", "-XX:+PrintGCDateStamps -XX:CMSTriggerRatio=3", many);
        let ignored = "possible flags-ignored: JDK 18 ignores -XX:+UseBiasedLocking.";
        flags("18", "-XX:+UseBiasedLocking", ignored);
        flags("17", "-XX:+UseBiasedLocking", "");
        flags("unknown", "-XX:+UseBiasedLocking -XX:+PrintGCDateStamps", "");
    }

    #[test]
    fn unified_logging_came_with_jdk_9_and_its_thread_with_17() {
        let said = |version: u32, what: &str| {
            format!(
                "likely flags-refused: A JVM of JDK {version} does not start with these flags: {what}."
            )
        };
        flags("8", "-Xlog:gc", &said(8, "-Xlog came with JDK 9"));
        flags("16", "-Xlog:async", &said(16, "-Xlog:async came with JDK 17"));
        flags("17", "-Xlog:async", "");
    }

    #[test]
    fn one_that_runs_has_started() {
        check("jvm 17.0.15 g1 flags -XX:+UseZGC -XX:+UseG1GC", "flags ");
    }

    #[test]
    fn a_fixed_young_generation_defeats_a_target() {
        let line = "-XX:+UseG1GC -XX:MaxGCPauseMillis=50";
        let said = "possible young-size-fixed: -Xmn1g fixes the young generation, so that G1 cannot keep -XX:MaxGCPauseMillis=50 by its size.";
        flags("17", &format!("{line} -Xmn1g"), said);
        flags("17", &format!("{line} -XX:NewSize=1g -XX:MaxNewSize=2g"), "");
        flags("17", line, "");
        flags("17", "-XX:+UseG1GC -Xmn1g", "");
        flags("17", &format!("{line} -Xmn1g").replace("G1GC", "ParallelGC"), "");
        let both = format!("{line} -XX:NewSize=1g -XX:MaxNewSize=1g");
        let said = "possible young-size-fixed: -XX:NewSize=1g with -XX:MaxNewSize=1g fixes the young generation, so that G1 cannot keep -XX:MaxGCPauseMillis=50 by its size.";
        flags("17", &both, said);
    }

    #[test]
    fn a_heap_that_doubles_is_touched_in_pauses() {
        let line = "-XX:+AlwaysPreTouch -Xmx2g -Xms";
        let said = "possible pretouch-in-pauses: The heap starts with 1 GiB of 2 GiB, and -XX:+AlwaysPreTouch touches the other 1 GiB when collections make it larger.";
        flags("17", &format!("{line}1g"), said);
        flags("17", &format!("{line}1025m"), "");
        flags("17", "-Xms1g -Xmx2g", "");
    }

    #[test]
    fn a_start_of_marking_is_the_first_one_alone() {
        let line = "-XX:+UseG1GC -XX:InitiatingHeapOccupancyPercent=30";
        let said = "possible ihop-adapts: -XX:InitiatingHeapOccupancyPercent=30 holds for the first cycles alone, because G1 adapts it.";
        flags("17", line, said);
        flags("17", &format!("{line} -XX:-G1UseAdaptiveIHOP"), "");
        flags("8", line, "");
        flags("17", &line.replace("G1GC", "ParallelGC"), "");
    }

    #[test]
    fn a_log_of_java_8_is_rotated() {
        let said = "possible gc-log-unbounded: The GC log /dev/shm/gc.log grows without bound: it is not rotated.";
        flags("8", "-Xloggc:/dev/shm/gc.log", said);
        flags("8", "-Xloggc:/dev/shm/gc.log -XX:+UseGCLogFileRotation", "");
        flags("17", "-Xloggc:/dev/shm/gc.log", "");
    }
}
