//! The collectors that a scenario is run with.
use crate::LabError;

/// A collector of HotSpot that stops the world for its work.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
pub enum Collector {
    /// G1: the usual one since JDK 9.
    G1,
    /// Parallel: the usual one of JDK 8.
    Parallel,
    /// Serial: the usual one of a machine with one CPU.
    Serial,
}

impl Collector {
    /// All of them.
    pub const ALL: &'static [Collector] = <Collector as strum::VariantArray>::VARIANTS;

    /// As the user names it: `g1`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Collector::G1 => "g1",
            Collector::Parallel => "parallel",
            Collector::Serial => "serial",
        }
    }

    /// Its flag (HotSpot `gc_globals.hpp`).
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Collector::G1 => "-XX:+UseG1GC",
            Collector::Parallel => "-XX:+UseParallelGC",
            Collector::Serial => "-XX:+UseSerialGC",
        }
    }

    /// The collector with this name.
    ///
    /// # Errors
    /// [`LabError::Usage`] with the names there are.
    pub fn find(id: &str) -> Result<Collector, LabError> {
        Collector::ALL.iter().copied().find(|it| it.id() == id).ok_or_else(|| LabError::Usage {
            message: format!("the lab has no collector `{id}`"),
            hint: format!(
                "it has {}",
                Collector::ALL.iter().map(|it| it.id()).collect::<Vec<_>>().join(", ")
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_found_by_its_name_and_an_unknown_one_told_what_there_is() {
        for &collector in Collector::ALL {
            assert_eq!(Collector::find(collector.id()).unwrap(), collector);
        }
        let error = Collector::find("epsilon").unwrap_err();
        assert_eq!(error.hint(), Some("it has g1, parallel, serial"));
    }
}
