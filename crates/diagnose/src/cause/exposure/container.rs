//! Whether a JVM knows of the limits of its control group.
use crate::Exposure;

/// What a JVM sees of its control group's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awareness {
    /// It sizes itself by them.
    Aware,
    /// It does not: a flag says so.
    SwitchedOff,
    /// It does not: this JDK is too old for control groups of this version.
    TooOld,
    /// Version or control group are not known.
    Unknown,
}

impl Awareness {
    /// HotSpot knows of them from JDK 10 and 8u191 on (JDK-8146115), and of version 2 of control groups
    /// from JDK 15, 11.0.16 and 8u372 on (JDK-8230305).
    pub(crate) fn of(exposure: &Exposure<'_>) -> Awareness {
        if exposure.flags().switch("UseContainerSupport") == Some(false) {
            return Awareness::SwitchedOff;
        }
        let group = exposure.situation.cgroup.as_ref().map_or(0, |it| it.version);
        let version = exposure.jvm().and_then(|it| version(&it.version));
        let known = match (version, group) {
            (None, _) | (_, 0) => return Awareness::Unknown,
            (Some((8, update)), 1) => update >= 191,
            (Some((8, update)), _) => update >= 372,
            (Some((feature, _)), 1) => feature >= 10,
            (Some((11, update)), _) => update >= 16,
            (Some((feature, _)), _) => feature >= 15,
        };
        if known { Awareness::Aware } else { Awareness::TooOld }
    }
}

/// Feature and update: 8 and 412 of `1.8.0_412-b08`, 11 and 16 of `11.0.16+8`. `None` where either is
/// not reported.
fn version(text: &str) -> Option<(u32, u32)> {
    let numbers: Vec<u32> = text
        .split(['+', '-'])
        .next()?
        .split(['.', '_'])
        .map(|it| it.parse().ok())
        .collect::<Option<_>>()?;
    match numbers[..] {
        [1, feature, _, update, ..] => Some((feature, update)),
        [1, ..] | [] => None,
        [feature, _, update, ..] => Some((feature, update)),
        [feature, ..] => Some((feature, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{CgroupFact, JvmFact, Survey};

    #[test]
    fn versions_of_all_ages() {
        assert_eq!(version("1.8.0_412-b08"), Some((8, 412)));
        assert_eq!(version("8.0.432"), Some((8, 432)));
        assert_eq!(version("11.0.16+8"), Some((11, 16)));
        assert_eq!(version("25+36"), Some((25, 0)));
        assert_eq!((version(""), version("1.8.0"), version("x")), (None, None, None));
    }

    #[test]
    fn both_sides_of_each_version_that_learned_of_groups() {
        let check = |version: &str, group: u32, expected: Awareness| {
            let mut survey = Survey::default();
            survey.facts.jvm = Some(JvmFact { version: version.into(), ..JvmFact::default() });
            survey.facts.cgroup = Some(CgroupFact { version: group, ..CgroupFact::default() });
            assert_eq!(Awareness::of(&Exposure::new(&survey)), expected, "{version} v{group}");
        };
        use Awareness::{Aware, TooOld, Unknown};
        check("1.8.0_181-b13", 1, TooOld);
        check("1.8.0_191-b12", 1, Aware);
        check("1.8.0_362-b09", 2, TooOld);
        check("1.8.0_372-b07", 2, Aware);
        check("9.0.4", 1, TooOld);
        check("10.0.1", 1, Aware);
        check("11.0.15+10", 2, TooOld);
        check("11.0.16+8", 2, Aware);
        check("14.0.2", 2, TooOld);
        check("15+36", 2, Aware);
        check("", 2, Unknown);
        check("17.0.1", 0, Unknown);
    }
}
