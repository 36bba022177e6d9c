//! For which hazards `doctor` exits with 1.
use crate::{Failure, accepted};
use diagnose::{Hazard, Likelihood};

/// Which hazards count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FailOn {
    /// None: it is a report and no gate.
    None,
    /// Those of this likelihood and more.
    Likelihood(Likelihood),
    /// Those with one of these ids, or of a cause with one.
    Ids(Vec<String>),
}

impl FailOn {
    /// `none`, `any`, `likely`, or ids with commas between them.
    pub(super) fn parse(text: &str) -> Result<FailOn, Failure> {
        let ids = || text.split(',').map(str::trim).filter(|it| !it.is_empty());
        match text.trim() {
            "none" => Ok(FailOn::None),
            "any" => Ok(FailOn::Likelihood(Likelihood::Possible)),
            "likely" => Ok(FailOn::Likelihood(Likelihood::Likely)),
            _ if ids().next().is_none() => Err(Failure::input(
                "`--fail-on` names nothing",
                "`any`, `likely`, `none`, or ids such as `gc-log-on-disk`",
            )),
            _ => match ids().find(|it| !is_id(it)) {
                Some(id) => Err(accepted::unknown(id, " (--fail-on)")),
                None => Ok(FailOn::Ids(ids().map(str::to_owned).collect())),
            },
        }
    }

    /// Whether this hazard does.
    pub(super) fn counts(&self, hazard: &Hazard) -> bool {
        match self {
            FailOn::None => false,
            // The order is that of reports: likely ones first.
            FailOn::Likelihood(least) => hazard.likelihood <= *least,
            FailOn::Ids(ids) => ids
                .iter()
                .any(|id| id == hazard.kind.id || hazard.cause.is_some_and(|it| it.id == id)),
        }
    }

    /// Whether anything can count.
    pub(super) fn is_gate(&self) -> bool {
        *self != FailOn::None
    }
}

fn is_id(id: &str) -> bool {
    diagnose::hazard_kinds().any(|(it, _)| it.id == id)
        || diagnose::causes().iter().any(|it| it.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_ids() {
        assert_eq!(FailOn::parse("none"), Ok(FailOn::None));
        assert_eq!(FailOn::parse("any"), Ok(FailOn::Likelihood(Likelihood::Possible)));
        let ids = FailOn::parse("gc-log-on-disk, swap-in").expect("ids");
        assert_eq!(ids, FailOn::Ids(vec!["gc-log-on-disk".into(), "swap-in".into()]));
        assert!(FailOn::parse("gc-log-on-disc").is_err() && FailOn::parse(" ,").is_err());
    }
}
