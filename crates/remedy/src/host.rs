//! Settings of the host and its control groups.
use crate::{Action, Advice};
use diagnose::{Situation, text};
use recording::CgroupFact;

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

/// The version of the kernel, `(6, 1)` of `6.1.0-18-amd64`, where known.
pub(crate) fn kernel(situation: &Situation) -> Option<(u32, u32)> {
    let host = situation.host.as_ref()?;
    let mut numbers = host.kernel.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The least memory that bounds the JVM: its control group's limit or the host's memory, with words
/// for it. `None` where neither is known.
pub(crate) fn memory(situation: &Situation) -> Option<(u64, &'static str)> {
    let group = situation.cgroup.as_ref().and_then(|it| it.memory_max_bytes);
    let host = situation.host.as_ref().map(|it| it.memory_bytes).filter(|it| *it > 0);
    let logged = situation.memory_bytes;
    let all = [
        group.map(|it| (it, "its control group may have")),
        host.map(|it| (it, "the host has")),
        logged.map(|it| (it, "it may have")),
    ];
    all.into_iter().flatten().min_by_key(|it| it.0)
}

/// The control group whose memory limit binds the JVM, unless that is the root group.
pub(crate) fn own_memory_group(situation: &Situation) -> Option<&CgroupFact> {
    let group = situation.cgroup.as_ref()?;
    (!group.memory_path.trim_matches('/').is_empty()).then_some(group)
}

/// Advice in words to make room.
pub(crate) fn room(situation: &Situation) -> Advice {
    let limit = situation.cgroup.as_ref();
    let limit = limit.and_then(|it| Some((it.memory_path.as_str(), it.memory_max_bytes?)));
    let action = match limit {
        Some((path, bytes)) => Action::say(format!(
            "raise the memory limit of {path} ({}), or let the JVM or others in that group use less",
            text::memory(bytes)
        )),
        None => Action::say(
            "move or limit the process that takes the memory, or make the JVM's \
                             heap smaller",
        ),
    };
    Advice::now(action, "a group's cached files count towards its limit, too")
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::HostFact;

    #[test]
    fn a_group_above_the_root_is_reported_and_not_written_to() {
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
            super::kernel(&Situation { host: Some(host), ..Situation::default() })
        };
        assert_eq!(of("6.1.0-18-amd64"), Some((6, 1)));
        assert_eq!(of("5.14"), Some((5, 14)));
        assert_eq!(of(""), None);
    }

    #[test]
    fn the_least_of_what_bounds_memory_counts() {
        let group = |bytes| CgroupFact { memory_max_bytes: bytes, ..CgroupFact::default() };
        let host = HostFact { memory_bytes: 4 << 30, ..HostFact::default() };
        let of =
            |group, host| super::memory(&Situation { cgroup: group, host, ..Situation::default() });
        let of_host = Some((4 << 30, "the host has"));
        assert_eq!(of(None, Some(host.clone())), of_host);
        assert_eq!(of(Some(group(Some(8 << 30))), Some(host.clone())), of_host);
        let limit = Some((1 << 30, "its control group may have"));
        assert_eq!(of(Some(group(Some(1 << 30))), Some(host)), limit);
        assert_eq!(of(Some(group(None)), None), None);
    }
}
