//! What kind of host this is.
use super::Roots;
use recording::HostFact;

/// Reads the host's facts; what cannot be read stays empty or zero.
#[must_use]
pub fn host_fact(roots: &Roots) -> HostFact {
    let proc = |name: &str| std::fs::read_to_string(roots.proc.join(name)).unwrap_or_default();
    let cpus = std::fs::read_to_string(roots.sys.join("devices/system/cpu/online"));
    HostFact {
        name: proc("sys/kernel/hostname").trim().into(),
        kernel: proc("sys/kernel/osrelease").trim().into(),
        os: os_name(roots),
        architecture: rustix::system::uname().machine().to_string_lossy().into_owned(),
        cpus: count_list(cpus.unwrap_or_default().trim()),
        memory_bytes: memory_bytes(&proc("meminfo")),
        recorder_version: env!("CARGO_PKG_VERSION").into(),
        boot_id: proc("sys/kernel/random/boot_id").trim().into(),
    }
}

/// The host's own os-release where we may look into its first process (we may run in a container
/// with the host's `/proc`), else ours.
fn os_name(roots: &Roots) -> String {
    let inside = roots.proc.join("1/root/etc/os-release");
    let text =
        std::fs::read_to_string(inside).or_else(|_| std::fs::read_to_string("/etc/os-release"));
    pretty_name(&text.unwrap_or_default())
}

fn pretty_name(text: &str) -> String {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    value.unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
}

/// Counts a list such as `0-3,8,10-11`.
pub(super) fn count_list(list: &str) -> u32 {
    let count = |part: &str| -> Option<u32> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        last.checked_sub(first)?.checked_add(1)
    };
    list.split(',').filter_map(count).fold(0, u32::saturating_add)
}

/// `MemTotal` of meminfo, which is in KiB.
fn memory_bytes(text: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = value.and_then(|it| it.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists() {
        for (list, count) in
            [("0-1", 2), ("0", 1), ("0-3,8,10-11", 7), ("", 0), ("3-1", 0), ("x", 0)]
        {
            assert_eq!(count_list(list), count, "{list}");
        }
    }

    #[test]
    fn names_and_sizes() {
        let text = "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(pretty_name(text), "Debian GNU/Linux 12 (bookworm)");
        assert_eq!(memory_bytes("MemTotal:       100 kB\nMemFree: 1 kB\n"), 102_400);
        assert_eq!(memory_bytes("MemTotal: x"), 0);
    }

    #[test]
    fn this_host_says_what_it_is() {
        let host = host_fact(&Roots::default());
        assert!(host.cpus > 0 && host.memory_bytes > 0 && !host.kernel.is_empty(), "{host:?}");
    }
}
