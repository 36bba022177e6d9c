//! What the lines of one pause say in addition to its closing line, until that comes.
use crate::{
    Failures, GcEvent, GcPhase, Generation, PhaseTime, References, Step, Tenuring,
    phase::ReferenceKind, unified::Detail,
};
use std::time::Duration;

/// Generations of one pause. G1 has six.
const MAX_GENERATIONS: usize = 16;

/// Parts of one pause.
const MAX_PHASES: usize = 32;

/// Steps of one pause. G1 has seven.
const MAX_STEPS: usize = 16;

/// The details of one pause.
#[derive(Debug, Default)]
pub(crate) struct Details {
    generations: Vec<Generation>,
    phases: Vec<PhaseTime>,
    steps: Vec<Step>,
    /// Bit n: the phase with index n is the time of a whole step.
    whole_steps: u32,
    references: Option<References>,
    kind: Option<ReferenceKind>,
    tenuring: Option<Tenuring>,
    failures: Failures,
}

impl Details {
    /// The sizes of one more generation.
    pub(crate) fn generation(&mut self, generation: Generation) {
        if self.generations.is_empty() {
            // One allocation suffices for those of any collector.
            self.generations.reserve(8);
        }
        if self.generations.len() < MAX_GENERATIONS {
            self.generations.push(generation);
        }
    }

    /// What one more line says.
    pub(crate) fn add(&mut self, detail: Detail) {
        match detail {
            Detail::Phase(timed) => {
                self.step(timed.step());
                self.phase(timed.time, timed.whole_step);
            }
            Detail::Kind(kind) => self.kind = Some(kind),
            Detail::Found(count) => {
                if let Some(kind) = self.kind {
                    self.found(kind, count);
                }
            }
            Detail::FoundOf(kind, count) => self.found(kind, count),
            Detail::References(references) => self.references = Some(references),
            Detail::Tenuring(tenuring) => self.tenuring = Some(tenuring),
            Detail::Failure(failure) => {
                self.failures.evacuation |= failure.evacuation;
                self.failures.promotion |= failure.promotion;
                self.failures.concurrent_mode |= failure.concurrent_mode;
                self.failures.pinned |= failure.pinned;
            }
        }
    }

    /// How long its steps took together.
    pub(crate) fn stepped(&self) -> Duration {
        self.steps.iter().map(|it| it.duration).sum()
    }

    /// Puts all of it into the event of the pause.
    pub(crate) fn complete(mut self, event: &mut GcEvent) {
        self.add(Detail::Failure(event.failures));
        event.failures = self.failures;
        event.generations = self.generations;
        event.phases = self.phases;
        event.steps = self.steps;
        event.references = self.references;
        event.tenuring = self.tenuring;
    }

    fn step(&mut self, step: Option<Step>) {
        self.steps.extend(step.filter(|_| self.steps.len() < MAX_STEPS));
    }

    /// Several lines may report the same time: reference processing is logged under two
    /// tags, and the time of a whole step contains that of its parts.
    fn phase(&mut self, time: PhaseTime, whole_step: bool) {
        let again = |known: &PhaseTime| known.phase == time.phase;
        let once = time.phase == GcPhase::ReferenceProcessing;
        let replaced = self.phases.iter().enumerate().position(|(at, known)| {
            again(known) && (once || (!whole_step && self.whole_steps & 1 << at != 0))
        });
        if let Some(at) = replaced {
            self.phases[at] = time;
            self.whole_steps &= !(1 << at);
        } else if self.phases.len() < MAX_PHASES {
            self.whole_steps |= u32::from(whole_step) << self.phases.len();
            self.phases.push(time);
        }
    }

    fn found(&mut self, kind: ReferenceKind, count: u64) {
        *self.references.get_or_insert_default().of_mut(kind) = count;
    }
}
