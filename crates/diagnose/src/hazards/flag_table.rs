//! Flags that a JDK no longer knows: from which version on it ignores them with a warning, and from
//! which it does not start with them. Another flag is a row here, with both sides of the version in the tests.
//!
//! From `special_jvm_flags` of HotSpot's `runtime/arguments.cpp` in JDK 14, 22 and 25, and from starting
//! JDK 8, 11, 17, 21 and 25 with each. Where the two leave a version open, the later one stands here.

/// A flag that went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    /// Its name; of some only the beginning.
    name: &'static str,
    is_beginning: bool,
    /// Ignored from this feature version on.
    ignored: Option<u32>,
    /// Refused from this feature version on: the JVM does not start.
    refused: Option<u32>,
}

const fn ignored(name: &'static str, ignored: u32, refused: u32) -> Gone {
    Gone { name, is_beginning: false, ignored: Some(ignored), refused: Some(refused) }
}

const fn refused(name: &'static str, refused: u32) -> Gone {
    Gone { name, is_beginning: false, ignored: None, refused: Some(refused) }
}

/// JEP 363.
const OF_CMS: Gone = Gone { name: "CMS", is_beginning: true, ignored: Some(14), refused: Some(15) };

static GONE: [Gone; 39] = [
    OF_CMS,
    ignored("UseConcMarkSweepGC", 14, 15),
    ignored("UseCMSInitiatingOccupancyOnly", 14, 15),
    refused("UseParNewGC", 11),
    ignored("UseParallelOldGC", 15, 16),
    ignored("AggressiveOpts", 12, 13),
    ignored("PermSize", 8, 17),
    ignored("MaxPermSize", 8, 17),
    ignored("UseMembar", 12, 17),
    ignored("UseBiasedLocking", 18, 19),
    ignored("BiasedLockingStartupDelay", 18, 19),
    refused("UseAdaptiveGCBoundary", 17),
    refused("UseCGroupMemoryLimitForHeap", 11),
    refused("MaxRAMFraction", 25),
    refused("MinRAMFraction", 25),
    refused("InitialRAMFraction", 25),
    ignored("G1ConcRefinementGreenZone", 20, 25),
    ignored("G1ConcRefinementYellowZone", 20, 25),
    ignored("G1ConcRefinementRedZone", 20, 25),
    ignored("G1ConcRefinementThresholdStep", 20, 25),
    ignored("G1UseAdaptiveConcRefinement", 20, 25),
    ignored("G1ConcRefinementServiceIntervalMillis", 20, 25),
    ignored("G1ConcRSLogCacheSize", 21, 25),
    ignored("G1ConcRSHotCardLimit", 21, 25),
    ignored("G1UsePreventiveGC", 21, 22),
    ignored("G1UpdateBufferSize", 26, 27),
    ignored("ShenandoahPacing", 26, 27),
    ignored("ZGenerational", 24, 26),
    // JEP 271: what printed the log before it was unified.
    refused("UseGCLogFileRotation", 9),
    refused("NumberOfGCLogFiles", 9),
    refused("GCLogFileSize", 9),
    refused("PrintGCDateStamps", 9),
    refused("PrintGCTimeStamps", 9),
    refused("PrintGCCause", 9),
    refused("PrintGCApplicationStoppedTime", 9),
    refused("PrintGCApplicationConcurrentTime", 9),
    refused("PrintHeapAtGC", 9),
    refused("PrintTenuringDistribution", 9),
    refused("PrintReferenceGC", 9),
];

/// What a JDK does with a flag that went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It ignores it, since this version.
    Ignored(u32),
    /// It does not start with it, since this version.
    Refused(u32),
}

/// What the JDK of this feature version does with `-XX:` of this name; `None` where it is not known to
/// have gone.
pub(super) fn fate(name: &str, feature: u32) -> Option<Fate> {
    let is = |it: &&Gone| match it.is_beginning {
        true => name.starts_with(it.name),
        false => name == it.name,
    };
    let gone = GONE.iter().find(is)?;
    let since = |version: Option<u32>| version.filter(|it| feature >= *it);
    since(gone.refused).map(Fate::Refused).or(since(gone.ignored).map(Fate::Ignored))
}

/// Each flag that is here by its whole name, with its fate.
#[cfg(test)]
pub(super) fn exact(feature: u32) -> impl Iterator<Item = (&'static str, Option<Fate>)> {
    let whole = GONE.iter().filter(|it| !it.is_beginning);
    whole.map(move |it| (it.name, fate(it.name, feature)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_each_version() {
        let check = |name: &str, feature: u32, expected: Option<Fate>| {
            assert_eq!(fate(name, feature), expected, "{name} {feature}");
        };
        check("UseConcMarkSweepGC", 13, None);
        check("UseConcMarkSweepGC", 14, Some(Fate::Ignored(14)));
        check("UseConcMarkSweepGC", 15, Some(Fate::Refused(15)));
        check("CMSInitiatingOccupancyFraction", 14, Some(Fate::Ignored(14)));
        check("PrintGCDateStamps", 8, None);
        check("PrintGCDateStamps", 9, Some(Fate::Refused(9)));
        check("UseBiasedLocking", 17, None);
        check("UseBiasedLocking", 18, Some(Fate::Ignored(18)));
        check("UseG1GC", 99, None);
    }

    #[test]
    fn a_flag_is_ignored_before_it_is_refused() {
        for it in &GONE {
            assert!(it.ignored.zip(it.refused).is_none_or(|(a, b)| a < b), "{it:?}");
        }
    }
}
