//! A heap that its control group or the host has no room for.
use crate::{
    Detail, HazardKind, Likelihood, Scope,
    cause::exposure::{Awareness, Check, Exposed, Exposure},
    text,
};

pub(super) static HAZARDS: [HazardKind; 3] = [
    HazardKind {
        id: "heap-over-limit",
        title: "A heap that fills the memory limit",
        subject: "memory limit",
        about: "A JVM needs memory in addition to its heap: for class metadata, compiled code, \
                stacks of threads and buffers. Where the heap may take nearly all of the limit, \
                threads free memory in the middle of a collection (direct reclaim), and the kernel \
                kills the JVM where nothing can be freed.",
        scope: Scope::Jvm,
        check: over_limit,
    },
    HazardKind {
        id: "memory-limit-unseen",
        title: "A memory limit that the JVM does not know of",
        subject: "container support for memory",
        about: "A JVM that does not see its memory limit takes a quarter of the host's memory for its heap. It grows over the limit, and the kernel kills it.",
        scope: Scope::Jvm,
        check: unseen,
    },
    HazardKind {
        id: "zone-reclaim",
        title: "Memory is reclaimed on one node while another has free memory",
        subject: "zone reclaim",
        about: "With vm.zone_reclaim_mode a thread that finds no memory on its own NUMA node frees \
                some there first, although other nodes have free memory.",
        scope: Scope::Host,
        check: zone_reclaim,
    },
];

/// A heap that leaves less than one part of this number of the limit leaves too little.
const LEAVES_ONE_OF: u64 = 20;
/// Without a flag the heap may take one part of this number of the memory that the JVM sees
/// (`MaxRAMPercentage` 25).
const DEFAULT_HEAP_ONE_OF: u64 = 4;
/// `RECLAIM_ZONE` of `include/uapi/linux/mempolicy.h`.
const RECLAIM_ZONE: u64 = 1;

fn over_limit(exposure: &Exposure<'_>) -> Check {
    let Some(cgroup) = exposure.situation.cgroup.as_ref() else { return Check::Inapplicable };
    let Some(limit) = cgroup.memory_max_bytes else { return Check::Inapplicable };
    let Some(heap) = exposure.flags().max_heap() else { return Check::Inapplicable };
    let rest = limit.saturating_sub(heap);
    if rest >= limit / LEAVES_ONE_OF {
        return Check::Fine;
    }
    let name =
        if cgroup.memory_path.is_empty() { "its control group" } else { &cgroup.memory_path };
    let [heap_text, limit_text, rest_text] = [heap, limit, rest].map(text::memory);
    let (likelihood, what) = match rest {
        0 => (
            Likelihood::Likely,
            "which leaves nothing for everything else that a JVM needs".to_owned(),
        ),
        _ => (
            Likelihood::Possible,
            format!("which leaves {rest_text} for everything else that a JVM needs"),
        ),
    };
    let statement =
        format!("The heap may take {heap_text}, and {name} {limit_text} in all, {what}.");
    Check::of(Some(
        Exposed::new(likelihood, statement)
            .with_detail(Detail::MemoryShort { of_group: true, of_host: false })
            .mended_by("a smaller -Xmx (three quarters of the limit are usual), or a larger limit"),
    ))
}

fn unseen(exposure: &Exposure<'_>) -> Check {
    let limit = exposure.situation.cgroup.as_ref().and_then(|it| it.memory_max_bytes);
    let host = exposure.situation.host.as_ref().map_or(0, |it| it.memory_bytes);
    let Some(limit) = limit.filter(|_| host > 0) else { return Check::Inapplicable };
    let flags = exposure.flags();
    let sized = flags.max_heap().is_some()
        || flags.value("MaxRAM").is_some()
        || flags.is_on("UseCGroupMemoryLimitForHeap");
    let why = match Awareness::of(exposure) {
        Awareness::Aware => return Check::Fine,
        Awareness::Unknown => return Check::Unknown("whether the JVM knows of its memory limit"),
        Awareness::SwitchedOff => {
            "-XX:-UseContainerSupport keeps the JVM from seeing its memory limit"
        }
        Awareness::TooOld => "This JDK does not see the memory limit of its control group",
    };
    let share = flags
        .number("MaxRAMPercentage")
        .map_or(host / DEFAULT_HEAP_ONE_OF, |percent| host / 100 * percent.min(100));
    if sized || share <= limit - limit / LEAVES_ONE_OF {
        return Check::Fine;
    }
    let [heap, limit] = [share, limit].map(text::memory);
    Check::of(Some(
        Exposed::new(
            Likelihood::Likely,
            format!("{why}, {limit}: its heap may take {heap}, by the memory of the host."),
        )
        .with_detail(Detail::MemoryShort { of_group: true, of_host: false })
        .mended_by("-Xmx of three quarters of the limit, or a JDK that knows of control groups"),
    ))
}

fn zone_reclaim(exposure: &Exposure<'_>) -> Check {
    let host = exposure.host();
    let (Some(mode), Some(nodes)) = (host.zone_reclaim, host.nodes) else {
        return Check::Inapplicable;
    };
    if nodes < 2 {
        return Check::Inapplicable;
    }
    let found = (mode & RECLAIM_ZONE != 0).then(|| {
        Exposed::new(
            Likelihood::Possible,
            format!("vm.zone_reclaim_mode is {mode} on a host of {nodes} NUMA nodes: threads free memory on their own node before they take some of another."),
        )
        .mended_by("vm.zone_reclaim_mode=0")
    });
    Check::of(found)
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    #[track_caller]
    fn hazards(text: &str, expected: &str) {
        check(text, &format!("direct-reclaim {expected}"));
    }

    #[test]
    fn a_heap_leaves_a_twentieth_of_the_limit_at_least() {
        let of = |heap: u32| format!("jvm 17.0.15 g1 flags -Xmx{heap}m\ncgroup limit 1000");
        hazards(&of(950), "");
        let said = "possible heap-over-limit: The heap may take 951 MiB, and /app 1000 MiB in all, \
                    which leaves 49 MiB for everything else that a JVM needs.";
        hazards(&of(951), said);
        let said = "likely heap-over-limit: The heap may take 1000 MiB, and /app 1000 MiB in all, \
                    which leaves nothing for everything else that a JVM needs.";
        hazards(&of(1000), said);
        hazards("jvm 17.0.15 g1 flags -Xmx9g", "");
        hazards("jvm 17.0.15 g1\ncgroup limit 1000", "");
    }

    #[test]
    fn a_jvm_that_does_not_know_of_its_limit() {
        let of = |version: &str, flags: &str, host: u32| {
            format!("jvm {version} g1 flags {flags}\ncgroup limit 1000\nhost-memory {host}")
        };
        let said = "likely memory-limit-unseen: This JDK does not see the memory limit of its control group, 1000 MiB: its heap may take 2 GiB, by the memory of the host.";
        hazards(&of("1.8.0_181", "-Xss1m", 8192), said);
        hazards(&of("1.8.0_181", "-Xmx700m", 8192), "");
        hazards(&of("1.8.0_392", "-Xss1m", 8192), "");
        hazards(&of("1.8.0_181", "-Xss1m", 3800), "");
        let off = "-XX:-UseContainerSupport";
        let said = "likely memory-limit-unseen: -XX:-UseContainerSupport keeps the JVM from seeing its memory limit, 1000 MiB: its heap may take 2 GiB, by the memory of the host.";
        hazards(&of("17.0.1", off, 8192), said);
    }

    #[test]
    fn zone_reclaim_is_reported_where_there_are_nodes() {
        let said = "host possible zone-reclaim: vm.zone_reclaim_mode is 1 on a host of 2 NUMA nodes: threads free memory on their own node before they take some of another.";
        check("zones 1 nodes 2", said);
        check("zones 0 nodes 2", "host ");
        check("zones 1 nodes 1", "host ");
    }
}
