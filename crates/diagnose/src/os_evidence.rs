//! Phrases and figures that causes in the operating system share.
use crate::{Advice, AdviceWhen, Evidence, index::Index, tally::Tally, text};
use recording::{CgroupFact, Source};

/// `WHAT for 3.2 s in 4 pauses, up to 1.1 s in one`.
pub(crate) fn spent(tally: &Tally, source: Source, what: &str) -> Evidence {
    Evidence {
        source,
        certainty: tally.certainty(),
        statement: format!(
            "{what} for {} in {}, up to {} in one",
            text::duration(tally.time),
            text::pauses(tally.pauses),
            text::duration(tally.longest)
        ),
        time: tally.time,
    }
}

/// Advice for the running JVM or host.
pub(crate) fn now(remedy: &'static str, action: String, note: &str) -> Advice {
    Advice { remedy, when: AdviceWhen::Now, action, note: note.into() }
}

/// The limits that bind the JVM, where they were read.
pub(crate) fn cgroup<'a>(index: &Index<'a>) -> Option<&'a CgroupFact> {
    index.facts.and_then(|facts| facts.cgroup.as_ref())
}

/// `2 CPUs` of 2000, `0.5 CPUs` of 500: how much of them a quota gives.
pub(crate) fn cpus(milli: u64) -> String {
    let (whole, rest) = (milli / 1000, milli % 1000);
    match (whole, rest) {
        (1, 0) => "1 CPU".into(),
        (_, 0) => format!("{whole} CPUs"),
        _ => format!("{whole}.{} CPUs", format!("{rest:03}").trim_end_matches('0')),
    }
}

/// The version of the kernel, `(6, 1)` of `6.1.0-18-amd64`, where known.
pub(crate) fn kernel(index: &Index<'_>) -> Option<(u32, u32)> {
    let mut numbers = index.host?.kernel.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{Facts, HostFact};

    #[test]
    fn parts_of_cpus_are_exact() {
        let shown = [0, 5, 500, 1000, 1250, 2000].map(cpus);
        assert_eq!(shown, ["0 CPUs", "0.005 CPUs", "0.5 CPUs", "1 CPU", "1.25 CPUs", "2 CPUs"]);
    }

    #[test]
    fn versions_of_kernels() {
        let of = |kernel: &str| {
            let host = HostFact { kernel: kernel.into(), ..HostFact::default() };
            super::kernel(&Index::new(&Facts { host: Some(host), ..Facts::default() }))
        };
        assert_eq!(of("6.1.0-18-amd64"), Some((6, 1)));
        assert_eq!(of("5.14"), Some((5, 14)));
        assert_eq!(of(""), None);
    }
}
