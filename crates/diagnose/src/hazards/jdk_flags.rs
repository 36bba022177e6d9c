//! Which flags a JDK takes, and in which form: what it does not start with.
//!
//! `jdk-flags.txt` is made by `scripts/flag-table.py`, which asks the JDKs themselves. Of a version between
//! two of them, and of a build that is known to have flags of its own, nothing is said.
//!
//! # Source
//!
//! HotSpot `runtime/arguments.cpp` (`parse_argument`, `process_argument`), and starting JDK 8, 11, 17, 21, 25
//! and 27 with each form; `crates/whypause/tests/it/starts.rs` does so again.
use recording::{Setting, VmFlag, VmFlags, vm_size};
use strsim::levenshtein;

const TABLE: &str = include_str!("jdk-flags.txt");
/// Number of letters by which a mistyped name differs at most.
const SLIP: usize = 2;

/// Names of flags that builds other than OpenJDK's for x86-64 have; of some only the beginning. Where one of
/// them is given and not in the table, the table is of another JVM: GraalVM, Zing, Zulu with CRaC, Dragonwell,
/// SapMachine, Oracle JDK 8, JDKs with or without Shenandoah, and those for Arm.
const OF_OTHER_BUILDS: [&str; 30] = [
    "JVMCI",
    "EnableJVMCI",
    "UseJVMCI",
    "Graal",
    "LibGraal",
    "UseGraal",
    "CRaC",
    "CREngine",
    "UseZST",
    "UseZing",
    "GPGC",
    "UseGPGC",
    "Falcon",
    "UseFalcon",
    "ProfileLog",
    "ReadyNow",
    "Wisp",
    "UseWisp",
    "Tenant",
    "MultiTenant",
    "ElasticHeap",
    "G1ElasticHeap",
    "Vitals",
    "EnableVitals",
    "UnlockCommercialFeatures",
    "ResourceManagement",
    "Shenandoah",
    "UseShenandoah",
    "UseSVE",
    "UseLSE",
];

/// Options that OpenJ9 has and HotSpot does not.
const OF_OPENJ9: [&str; 8] = [
    "-Xgcpolicy",
    "-Xshareclasses",
    "-Xquickstart",
    "-Xtune:",
    "-Xjit",
    "-Xaot",
    "-Xscmx",
    "-Xverbosegclog",
];

/// Options that a size follows without anything between.
const SIZES: [&str; 4] = ["-Xmx", "-Xms", "-Xmn", "-Xss"];

/// Why a JVM does not start with a flag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The reason, as a phrase.
    pub(super) why: String,
    /// Whether it starts all the same with `-XX:+IgnoreUnrecognizedVMOptions`.
    pub(super) is_forgiven: bool,
}

/// A line of the table, for one JDK.
#[derive(Clone, Copy, Debug)]
struct Known {
    form: u8,
    kind: u8,
}

/// The feature versions of the table, in its order.
fn jdks() -> impl Iterator<Item = &'static str> {
    TABLE.lines().find_map(|it| it.strip_prefix("jdks ")).unwrap_or_default().split(' ')
}

/// The place of a JDK in the table; `None` of one that is not there.
fn column(feature: u32) -> Option<usize> {
    jdks().position(|it| it.parse() == Ok(feature))
}

/// Every flag of the table with what it is in a column.
fn rows(column: usize) -> impl Iterator<Item = (&'static str, Known)> + Clone {
    TABLE.lines().filter_map(move |line| {
        let mut parts = line.split(' ');
        let (name, form, kinds) = (parts.next()?, parts.next()?, parts.next()?);
        let (&[form], kind) = (form.as_bytes(), *kinds.as_bytes().get(column)?) else {
            return None;
        };
        parts.next().is_none().then_some((name, Known { form, kind }))
    })
}

fn known(name: &str, column: usize) -> Option<Known> {
    rows(column).find(|it| it.0 == name).map(|it| it.1).filter(|it| it.kind != b'-')
}

/// Whether the JDK of this feature version takes a flag of this name with a warning and does nothing with it.
pub(super) fn is_ignored(name: &str, feature: u32) -> bool {
    column(feature).and_then(|it| known(name, it)).is_some_and(|it| it.kind == b'o')
}

/// Whether flags are those of a JVM that the table is not about.
fn are_of_another_jvm(flags: VmFlags<'_>, column: Option<usize>) -> bool {
    let is_of_openj9 = |flag: &String| OF_OPENJ9.iter().any(|it| flag.starts_with(it));
    let is_of_build = |flag: &String| {
        let name = VmFlag::of(flag)
            .map(|it| it.name)
            .filter(|it| OF_OTHER_BUILDS.iter().any(|beginning| it.starts_with(beginning)));
        name.is_some_and(|name| column.is_none_or(|it| known(name, it).is_none()))
    };
    flags.0.iter().any(|it| is_of_openj9(it) || is_of_build(it))
}

/// What is wrong with flags, for the JDK of this feature version where that is known, in their order.
pub(super) fn wrong(flags: VmFlags<'_>, feature: Option<u32>) -> Vec<Wrong> {
    let column = feature.and_then(column);
    if are_of_another_jvm(flags, column) {
        return Vec::new();
    }
    let mut unlocked = Unlocked::default();
    let mut found = Vec::new();
    for flag in flags.0 {
        unlocked.see(flag);
        found.extend(size(flag).map(|why| Wrong { why, is_forgiven: false }));
        if let (Some(feature), Some(column)) = (feature, column) {
            found.extend(one(flag, feature, column, &unlocked));
        }
    }
    found
}

/// Which kinds of flags were unlocked by those before.
#[derive(Debug, Default)]
struct Unlocked {
    diagnostic: bool,
    experimental: bool,
}

impl Unlocked {
    fn see(&mut self, flag: &str) {
        match flag {
            "-XX:+UnlockDiagnosticVMOptions" => self.diagnostic = true,
            "-XX:-UnlockDiagnosticVMOptions" => self.diagnostic = false,
            "-XX:+UnlockExperimentalVMOptions" => self.experimental = true,
            "-XX:-UnlockExperimentalVMOptions" => self.experimental = false,
            _ => {}
        }
    }
}

/// `-Xmx4q is no size`.
fn size(flag: &str) -> Option<String> {
    let (option, given) = SIZES.iter().find_map(|it| Some((it, flag.strip_prefix(it)?)))?;
    vm_size(given).is_none().then(|| {
        let what = if given.is_empty() { "has no size behind it" } else { "is no size" };
        format!("{flag} {what}: {option} takes digits and one of k, m, g, t")
    })
}

fn one(flag: &str, feature: u32, column: usize, unlocked: &Unlocked) -> Option<Wrong> {
    let name = VmFlag::of(flag)?.name;
    let (known, before_9) = (known(name, column), feature < 9);
    let Some(known) = known else {
        let meant = || slip(name, column).map(|it| format!(" (is {it} meant?)"));
        let more = elsewhere(name).or_else(meant).unwrap_or_default();
        let why = format!("JDK {feature} has no flag {name}{more}");
        return Some(Wrong { why, is_forgiven: true });
    };
    let why = locked(name, known, unlocked).or_else(|| form(flag, name, known, before_9))?;
    // From JDK 9 on what is known is checked all the same.
    Some(Wrong { why, is_forgiven: before_9 })
}

/// ` (JDK 21 has it)`, of a name that other JDKs take.
fn elsewhere(name: &str) -> Option<String> {
    let jdks: Vec<&str> = jdks().collect();
    let has = |it: &usize| known(name, *it).is_some_and(|it| it.kind != b'o');
    let has: Vec<&str> = (0..jdks.len()).filter(has).map(|it| jdks[it]).collect();
    let have = if has.len() == 1 { "has" } else { "have" };
    (!has.is_empty()).then(|| format!(" (JDK {} {have} it)", has.join(", ")))
}

/// The name of the table that a name with a slip stands for.
fn slip(name: &str, column: usize) -> Option<&'static str> {
    let near =
        rows(column).filter(|it| it.1.kind != b'-').map(|it| (levenshtein(it.0, name), it.0));
    near.min().filter(|it| it.0 <= SLIP).map(|it| it.1)
}

fn locked(name: &str, known: Known, unlocked: &Unlocked) -> Option<String> {
    let (kind, unlock, is_open) = match known.kind {
        b'd' => ("diagnostic", "-XX:+UnlockDiagnosticVMOptions", unlocked.diagnostic),
        b'e' => ("experimental", "-XX:+UnlockExperimentalVMOptions", unlocked.experimental),
        _ => return None,
    };
    (!is_open).then(|| format!("{name} is {kind}, and {unlock} does not stand before it"))
}

/// Whether a flag is in the form that its type has. What only stands for another flag, or does nothing any more,
/// is not checked.
fn form(flag: &str, name: &str, known: Known, before_9: bool) -> Option<String> {
    if matches!(known.kind, b'a' | b'o') {
        return None;
    }
    let setting = VmFlag::of(flag)?.setting;
    if known.form == b'b' {
        return (!matches!(setting, Some(Setting::Switch(_))))
            .then(|| format!("{flag}: {name} is a switch, -XX:+{name} or -XX:-{name}"));
    }
    let what = match known.form {
        b'n' => "a number",
        b'f' => "a fraction",
        b's' => "a text",
        _ => return None,
    };
    let is_right = match (known.form, setting) {
        // Whether a number may be negative is not in the table.
        (b'n', Some(Setting::Value(value))) => {
            vm_size(value.strip_prefix('-').unwrap_or(value)).is_some()
        }
        (b'f', Some(Setting::Value(value))) => is_fraction(value, before_9),
        (_, Some(Setting::Value(_))) => true,
        _ => false,
    };
    (!is_right).then(|| format!("{flag}: {name} takes {what}, as in -XX:{name}={}", example(known)))
}

fn example(known: Known) -> &'static str {
    match known.form {
        b'n' => "4",
        b'f' => "50.0",
        _ => "…",
    }
}

/// JDK 8 takes no fraction without its point.
fn is_fraction(text: &str, before_9: bool) -> bool {
    let is_plain =
        text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    is_plain && text.parse::<f64>().is_ok() && (!before_9 || text.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a line, and `!` where it cannot be forgiven.
    #[track_caller]
    fn check(feature: u32, line: &str, expected: &[&str]) {
        let flags: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let found = wrong(VmFlags(&flags), Some(feature)).into_iter();
        let found = found.map(|it| format!("{}{}", if it.is_forgiven { "" } else { "!" }, it.why));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{feature} {line}");
    }

    #[test]
    fn a_flag_that_no_jdk_has_was_called_fine() {
        check(17, "-XX:+UseFooGC", &["JDK 17 has no flag UseFooGC"]);
        check(17, "-XX:+UseG1CG", &["JDK 17 has no flag UseG1CG (is UseG1GC meant?)"]);
        check(8, "-XX:+UseZGC", &["JDK 8 has no flag UseZGC (JDK 11, 17, 21, 25, 27 have it)"]);
        check(21, "-XX:+UseZGC -XX:+UseG1GC -XX:MaxGCPauseMillis=50", &[]);
        // Nobody asked a JDK 16.
        check(16, "-XX:+UseFooGC", &[]);
    }

    #[test]
    fn a_size_that_is_none_was_called_fine() {
        let said = |flag: &str, option: &str| {
            format!("!{flag} is no size: {option} takes digits and one of k, m, g, t")
        };
        check(17, "-Xmx4q", &[&said("-Xmx4q", "-Xmx")]);
        check(17, "-Xss1.5m", &[&said("-Xss1.5m", "-Xss")]);
        check(
            17,
            "-Xms",
            &["!-Xms has no size behind it: -Xms takes digits and one of k, m, g, t"],
        );
        check(17, "-Xmx4g -Xms4G -Xmn1024m -Xss512k -Xmx0x100000", &[]);
        check(16, "-Xmx4q", &[&said("-Xmx4q", "-Xmx")]);
    }

    #[test]
    fn each_form_on_both_sides() {
        check(
            17,
            "-XX:UseG1GC",
            &["!-XX:UseG1GC: UseG1GC is a switch, -XX:+UseG1GC or -XX:-UseG1GC"],
        );
        check(
            17,
            "-XX:+UseG1GC=1",
            &["!-XX:+UseG1GC=1: UseG1GC is a switch, -XX:+UseG1GC or -XX:-UseG1GC"],
        );
        let number = |flag: &str| {
            format!("!{flag}: ParallelGCThreads takes a number, as in -XX:ParallelGCThreads=4")
        };
        for flag in ["-XX:ParallelGCThreads", "-XX:+ParallelGCThreads", "-XX:ParallelGCThreads=4q"]
        {
            check(17, flag, &[&number(flag)]);
        }
        check(17, "-XX:ParallelGCThreads=4 -XX:MaxHeapSize=4g -XX:ParallelGCThreads=4k", &[]);
        let fraction = "-XX:MaxRAMPercentage=75: MaxRAMPercentage takes a fraction, as in -XX:MaxRAMPercentage=50.0";
        check(8, "-XX:MaxRAMPercentage=75", &[fraction]);
        check(17, "-XX:MaxRAMPercentage=75 -XX:ErrorFile=", &[]);
        check(
            17,
            "-XX:ErrorFile",
            &["!-XX:ErrorFile: ErrorFile takes a text, as in -XX:ErrorFile=…"],
        );
    }

    #[test]
    fn experimental_flag_needs_an_unlock_before_it() {
        let said = "G1NewSizePercent is experimental, and -XX:+UnlockExperimentalVMOptions does not stand before it";
        let unlock = "-XX:+UnlockExperimentalVMOptions";
        check(17, &format!("{unlock} -XX:G1NewSizePercent=10"), &[]);
        check(17, &format!("-XX:G1NewSizePercent=10 {unlock}"), &[&format!("!{said}")]);
        check(8, "-XX:G1NewSizePercent=10", &[said]);
    }

    #[test]
    fn nothing_is_said_of_other_jvms() {
        check(17, "-Xgcpolicy:gencon -XX:+Whatever -Xmx4q", &[]);
        check(17, "-XX:CRaCCheckpointTo=/x -XX:+Whatever", &[]);
        check(17, "-XX:GraalCompileOnly=x", &[]);
    }

    #[test]
    fn the_table_and_what_is_known_of_flags_that_went_agree() {
        use super::super::flag_table::{Fate, exact};
        for feature in jdks().map(|it| it.parse::<u32>().expect("a number")) {
            let column = column(feature).expect("it is there");
            for (name, fate) in exact(feature) {
                let kind = known(name, column).map_or(b'-', |it| it.kind);
                let right = match fate {
                    Some(Fate::Refused(_)) => kind == b'-',
                    Some(Fate::Ignored(_)) => kind == b'o',
                    None => kind != b'o',
                };
                assert!(right, "{name} {feature}: {fate:?}, the table has {}", char::from(kind));
            }
        }
    }
}
