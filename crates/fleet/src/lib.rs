//! What many hosts have in common, and what changed on which of them.
//!
//! Partial sums of hosts go into a [`Fleet`], one by one and in any order; [`answer`] says what they come to: which
//! cause differs between groups of hosts or changed since a day, which hosts are worst, and what is new.
//! Everything here is a function: no input, no output, no clock, nothing random.
//!
//! * `names`, `attribute`: names as numbers, and what hosts can be grouped by.
//! * `plausible`: which sums are left out because no JVM can have stopped like that.
//! * `fleet`, `host`: what is kept, in bounded memory.
//! * `period`: which days are looked at.
//! * `ranks`, `matter`: the statistics, and how large a difference has to be.
//! * `units`, `groups`, `since`, `chosen`, `finding`, `findings`, `shown`: what is compared, and which of that is a finding.
//! * `answer`, `rows`: everything else that is asked.
mod answer;
mod attribute;
mod chosen;
mod finding;
mod findings;
mod fleet;
mod groups;
mod host;
mod matter;
mod names;
mod period;
mod plausible;
mod ranks;
mod rows;
mod shown;
mod since;
mod units;

pub use answer::{Answer, Totals, answer};
pub use attribute::{Attribute, Key};
pub use finding::{Culprit, Example, Finding, Group, Other};
pub use fleet::{Fleet, Implausible, Unread};
pub use host::UNEXPLAINED;
pub use matter::{Direction, SMALLEST_EXCESS_NS, SMALLEST_RATIO};
pub use rows::{CauseRow, CulpritRow, Heat, HeatRow, HostRow, NewCause};

#[cfg(test)]
mod tests;
