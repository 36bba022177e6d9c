//! Phrases and figures that causes in the operating system share.
use crate::{
    Action, Advice, AdviceWhen, Certainty, Evidence, index::Index, intervals::union, tally::Tally,
    text,
};
use recording::{CgroupFact, Source};
use std::time::Duration;

/// `WHAT for 3.2 s in 4 pauses, up to 1.1 s in one`.
pub(crate) fn spent(tally: &Tally, source: Source, what: &str) -> Evidence {
    spent_in(tally, source, what, &text::pauses(tally.pauses))
}

/// `WHAT for 3.2 s in 4 stops, up to 1.1 s in one`, for what begins no hiccup: where it lengthened
/// one, they are pauses.
pub(crate) fn spent_in_stops(tally: &Tally, what: &str) -> Evidence {
    let all = if tally.hiccups == 0 { text::stops } else { text::pauses };
    spent_in(tally, Source::Scheduler, what, &all(tally.pauses))
}

fn spent_in(tally: &Tally, source: Source, what: &str, pauses: &str) -> Evidence {
    let (time, longest) = (text::duration(tally.time), text::duration(tally.longest));
    Evidence {
        source,
        certainty: tally.certainty(),
        statement: format!("{what} for {time} in {pauses}, up to {longest} in one"),
        time: tally.time,
    }
}

/// What a counter of the host grew by around the pauses of a tally, in the words of `say`. Nothing
/// where it was not read or did not grow.
pub(crate) fn counted(
    tally: &Tally,
    index: &Index<'_>,
    counter: &str,
    say: impl FnOnce(u64) -> String,
) -> Option<Evidence> {
    let windows = union(tally.windows.iter().map(|it| it.1).collect());
    let grown = index.growth(counter, &windows)?;
    (grown > 0).then(|| Evidence {
        source: Source::HostCounters,
        certainty: Certainty::Measured,
        statement: say(grown),
        time: Duration::ZERO,
    })
}

/// Advice to give the JVM's control group, or the host, room in memory.
pub(crate) fn memory_room(index: &Index<'_>) -> Advice {
    let limit = cgroup(index).and_then(|it| Some((it.memory_path.as_str(), it.memory_max_bytes?)));
    let action = match limit {
        Some((path, bytes)) => Action::say(format!(
            "raise the memory limit of {path} ({}), or make the JVM or its neighbours in it smaller",
            text::memory(bytes)
        )),
        None => Action::say("move or bound who takes the memory, or make the JVM's heap smaller"),
    };
    let note = "a group's cached files count towards its limit, too";
    now("memory-room", action, note)
}

/// Advice for the running JVM or host.
pub(crate) fn now(remedy: &'static str, action: Action, note: &str) -> Advice {
    Advice { remedy, when: AdviceWhen::Now, action, note: note.into() }
}

/// To set a knob of a control group: `file` of the group `path` in the hierarchy of one controller
/// of v1, such as `/cpu`, or in that of v2, which is empty. They are usually mounted there.
pub(crate) fn group_setting(value: &str, hierarchy: &str, path: &str, file: &str) -> Action {
    // The group of a process outside of the recorder's own root of groups begins with `/..`.
    if path.split('/').any(|it| it == "..") {
        return Action::say(format!("write {value} to {file} of the control group {path}"));
    }
    let path = path.trim_end_matches('/');
    Action::write(value, format!("/sys/fs/cgroup{hierarchy}{path}/{file}"))
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
    fn a_group_above_the_root_is_told_and_not_written_to() {
        let set = |path: &str| group_setting("0", "/cpu", path, "cpu.max").to_string();
        assert_eq!(set("/a..b/"), "echo 0 > /sys/fs/cgroup/cpu/a..b/cpu.max");
        assert_eq!(set("/"), "echo 0 > /sys/fs/cgroup/cpu/cpu.max");
        assert_eq!(set("/../etc"), "write 0 to cpu.max of the control group /../etc");
        assert_eq!(set("/a/.."), "write 0 to cpu.max of the control group /a/..");
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
