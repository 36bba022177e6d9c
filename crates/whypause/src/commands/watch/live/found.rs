//! What the pauses that are kept are due to: the lines of the host that belong to it come first.
use diagnose::{Attribution, Cause, Diagnosis};
use report::html::readings::FoundCause;
use std::time::Duration;

/// A cause's part of a pause.
pub(super) type Part = (&'static Cause, Duration);

/// The causes of a pause.
pub(super) fn parts(of: &Attribution) -> Vec<Part> {
    of.parts.iter().map(|it| (it.cause, it.time)).collect()
}

/// Sums of the pauses that are kept.
#[derive(Debug, Default)]
pub(super) struct Causes(Vec<Sum>);

#[derive(Debug)]
struct Sum {
    cause: &'static Cause,
    time: Duration,
    /// The disk that was waited for in the newest pause in which it is known.
    device: String,
}

impl Causes {
    /// A pause is kept.
    pub(super) fn add(&mut self, parts: &[Part]) {
        parts.iter().for_each(|(cause, time)| self.of(cause).time += *time);
    }

    /// It is not any more.
    pub(super) fn remove(&mut self, parts: &[Part]) {
        for (cause, time) in parts {
            let sum = self.of(cause);
            sum.time = sum.time.saturating_sub(*time);
        }
        self.0.retain(|it| !it.time.is_zero());
    }

    /// Takes the disks that the pauses of a diagnosis waited for.
    pub(super) fn devices(&mut self, of: &Diagnosis) {
        for it in &of.findings {
            if let Some(place) = it.place.as_ref().filter(|it| !it.device.is_empty()) {
                self.of(it.cause).device.clone_from(&place.device);
            }
        }
    }

    /// Most time first.
    pub(super) fn ranked(&self) -> Vec<FoundCause<'_>> {
        let mut sums: Vec<&Sum> = self.0.iter().filter(|it| !it.time.is_zero()).collect();
        sums.sort_by_key(|it| std::cmp::Reverse(it.time));
        sums.into_iter().map(|it| (it.cause, it.device.as_str())).collect()
    }

    fn of(&mut self, cause: &'static Cause) -> &mut Sum {
        let place = self.0.iter().position(|it| it.cause.id == cause.id);
        let place = place.unwrap_or_else(|| {
            self.0.push(Sum { cause, time: Duration::ZERO, device: String::new() });
            self.0.len() - 1
        });
        &mut self.0[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(id: &str) -> &'static Cause {
        diagnose::causes().iter().find(|it| it.id == id).unwrap()
    }

    #[test]
    fn the_cause_of_most_time_is_first_and_goes_with_its_last_pause() {
        let (disk, quota) = (cause("gc-log-write-blocked"), cause("cfs-throttling"));
        let ms = Duration::from_millis;
        let mut causes = Causes::default();
        causes.add(&[(disk, ms(300)), (quota, ms(200))]);
        causes.add(&[(quota, ms(200))]);
        let ids = |it: &Causes| it.ranked().iter().map(|it| it.0.id).collect::<Vec<_>>();
        assert_eq!(ids(&causes), [quota.id, disk.id]);
        causes.remove(&[(disk, ms(300)), (quota, ms(200))]);
        assert_eq!(ids(&causes), [quota.id]);
        causes.remove(&[(quota, ms(200))]);
        assert!(causes.0.is_empty());
    }
}
