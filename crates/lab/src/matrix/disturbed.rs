//! Runs during which the hypervisor gave much of the CPUs to others. What such a run shows is partly
//! that, so it is repeated.
use crate::{Interrupt, LabError, RunResult, host, output::Progress};
use std::time::{Duration, Instant};

/// How often a run is made at most.
pub(super) const ATTEMPTS: u32 = 3;

/// From this percentage of the CPU time on a run is not like one on a quiet host.
const MOST_STOLEN_PERCENT: u128 = 5;

/// How long to wait for a quiet host, and over what time to look.
const PATIENCE: Duration = Duration::from_secs(30);
const SAMPLE_TIME: Duration = Duration::from_secs(2);

/// Whether the run was disturbed, as a word to the user.
pub(super) fn disturbed(results: &[RunResult], recorded: Duration, cpus: u32) -> Option<String> {
    let stolen = results.iter().map(|it| it.stolen).max()?;
    let percent = percent(stolen, recorded, cpus);
    let word = format!("the hypervisor gave {percent} % of the CPU time to other guests meanwhile");
    (percent >= MOST_STOLEN_PERCENT).then_some(word)
}

/// Waits until the hypervisor leaves this host its CPUs, or for half a minute.
///
/// # Errors
/// [`LabError::Interrupted`].
pub(super) fn wait_for_quiet(
    interrupt: &Interrupt,
    progress: &mut Progress<'_, '_>,
    cpus: u32,
) -> Result<(), LabError> {
    progress.step("waiting for a quiet host");
    let mut since = (Instant::now(), host::stolen());
    interrupt.wait(PATIENCE, || {
        let elapsed = since.0.elapsed();
        if elapsed < SAMPLE_TIME {
            return Ok(None);
        }
        let stolen = host::stolen();
        let quiet = percent(stolen.saturating_sub(since.1), elapsed, cpus) < MOST_STOLEN_PERCENT;
        since = (Instant::now(), stolen);
        Ok(quiet.then_some(()))
    })?;
    Ok(())
}

fn percent(stolen: Duration, elapsed: Duration, cpus: u32) -> u128 {
    let whole = elapsed.as_nanos() * u128::from(cpus.max(1));
    stolen.as_nanos() * 100 / whole.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{explained::Explained, scenarios};
    use std::collections::BTreeMap;

    #[test]
    fn a_run_is_disturbed_from_5_percent_of_all_cpus_on() {
        let word = |stolen_ms| {
            let scenario = scenarios::find("swap-in").unwrap();
            let (variant, explained) = (&scenario.variants[0], Explained::default());
            let mut result = RunResult::new(scenario, variant, &explained, &BTreeMap::new());
            result.stolen = Duration::from_millis(stolen_ms);
            disturbed(&[result], Duration::from_secs(6), 2)
        };
        assert_eq!(word(599), None);
        assert!(word(600).unwrap().contains("gave 5 % of the CPU time"));
        assert_eq!(disturbed(&[], Duration::from_secs(6), 2), None);
    }
}
