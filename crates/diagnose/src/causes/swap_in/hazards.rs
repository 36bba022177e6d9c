//! Memory of the JVM that is in swap, or that nothing keeps out of it.
use crate::{
    HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed, Exposure},
    text,
};

pub(super) static HAZARDS: [HazardKind; 2] = [
    HazardKind {
        id: "memory-in-swap",
        title: "Memory of the JVM is in swap",
        subject: "memory in swap",
        about: "A collection touches the whole heap. What of it is in swap comes back from the disk page by page, while the application is stopped.",
        scope: Scope::Jvm,
        check: in_swap,
    },
    HazardKind {
        id: "memory-may-be-swapped",
        title: "Nothing keeps the heap out of swap",
        subject: "swap",
        about: "The host has swap, and the kernel moves memory that is rarely touched there although cached files could go. Most of a heap is like that until the next collection.",
        scope: Scope::Jvm,
        check: unprotected,
    },
];

/// What a JVM used at its start and never again is a few MiB.
const MIN_SWAPPED: u64 = 16 << 20;
/// Up to here the kernel gives up cached files first; 1 and 10 are what people set.
const LOW_SWAPPINESS: u64 = 10;

fn in_swap(exposure: &Exposure<'_>) -> Check {
    if !exposure.runs() {
        return Check::Inapplicable;
    }
    let Some(memory) = exposure.memory() else {
        return Check::Unknown("how much of the JVM's memory is in swap");
    };
    // Without swap on a disk it is in compressed memory.
    let on_disk = exposure.host().swap_bytes != Some(0);
    let found = (on_disk && memory.swapped_bytes >= MIN_SWAPPED).then(|| {
        let [swapped, resident] = [memory.swapped_bytes, memory.resident_bytes].map(text::memory);
        let read = exposure.growth("vmstat.pswpin").filter(|it| it.0 > 0);
        let read = read.map(|(pages, time)| {
            format!("the host read {pages} pages back from swap in {}", text::duration(time))
        });
        Exposed::new(
            Likelihood::Likely,
            format!("{swapped} of the JVM's memory are in swap, and {resident} are resident."),
        )
        .because(read)
    });
    Check::of(found)
}

fn unprotected(exposure: &Exposure<'_>) -> Check {
    if !exposure.runs() {
        return Check::Inapplicable;
    }
    let (host, memory) = (exposure.host(), &exposure.survey.memory);
    let (Some(swap), Some(swappiness)) = (host.swap_bytes, memory.swappiness.or(host.swappiness))
    else {
        return Check::Unknown("whether the host has swap");
    };
    let used = exposure.memory().map_or(0, |it| it.resident_bytes);
    let heap = exposure.situation.max_heap_bytes.unwrap_or(used);
    let holds = |kept: Option<u64>| heap > 0 && kept.is_some_and(|it| it >= heap);
    let kept = memory.swap_max_bytes == Some(0)
        || holds(memory.locked_bytes)
        || holds(memory.protected_bytes);
    // What has been swapped out is a hazard of its own.
    let swapped = exposure.memory().is_some_and(|it| it.swapped_bytes >= MIN_SWAPPED);
    if swap == 0 || swappiness <= LOW_SWAPPINESS || kept || swapped {
        return Check::Fine;
    }
    let whose = if memory.swappiness.is_some() { "its control group" } else { "the host" };
    Check::of(Some(Exposed::new(
        Likelihood::Possible,
        format!(
            "The host has {} of swap, the swappiness of {whose} is {swappiness}, and nothing keeps the JVM's memory out.",
            text::memory(swap)
        ),
    )))
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    #[track_caller]
    fn hazards(settings: &str, expected: &str) {
        let text = format!("jvm 17.0.15 g1 flags -Xmx1000m\n{settings}");
        check(&text, &format!("swap-in {expected}"));
    }

    #[test]
    fn memory_in_swap_is_reported_from_16_mib_on() {
        let said = "likely memory-in-swap: 16 MiB of the JVM's memory are in swap, and 900 MiB are resident.";
        hazards("resident 900 swapped 16", said);
        hazards("resident 900 swapped 15", "");
        hazards("resident 900 swapped 16\nswap 0 swappiness 60", "");
        // One hazard for one matter.
        hazards("resident 900 swapped 16\nswap 2048 swappiness 60", said);
    }

    #[test]
    fn swap_that_nothing_keeps_the_heap_from() {
        let said = |whose: &str, swappiness: u32| {
            format!(
                "possible memory-may-be-swapped: The host has 2 GiB of swap, the swappiness of {whose} is {swappiness}, and nothing keeps the JVM's memory out."
            )
        };
        hazards("swap 2048 swappiness 60", &said("the host", 60));
        hazards("swap 2048 swappiness 11", &said("the host", 11));
        hazards("swap 2048 swappiness 1 group 60", &said("its control group", 60));
        hazards("swap 2048 swappiness 60 locked 999", &said("the host", 60));
    }

    #[test]
    fn what_keeps_it_out() {
        for settings in [
            "swap 0 swappiness 60",
            "swap 2048 swappiness 10",
            "swap 2048 swappiness 60 group 1",
            "swap 2048 swappiness 60 max 0",
            "swap 2048 swappiness 60 low 1000",
            "swap 2048 swappiness 60 locked 1000",
            "",
        ] {
            hazards(settings, "");
        }
    }
}
