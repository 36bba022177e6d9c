//! Huge pages that the JVM makes room for by itself, and a heap that has not got its memory yet.
use crate::{
    HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed, Exposure},
    text,
};

pub(super) static HAZARDS: [HazardKind; 1] = [HazardKind {
    id: "huge-pages-fragmented",
    title: "Huge pages where free memory is fragmented",
    subject: "huge pages",
    about: "A thread that touches new memory for a huge page, and finds no free block of that \
            size, compacts memory first where the kernel is set so. A heap that still grows does \
            that in its collections.",
    scope: Scope::Jvm,
    check: fragmented,
}];

fn fragmented(exposure: &Exposure<'_>) -> Check {
    if !exposure.runs() {
        return Check::Inapplicable;
    }
    let host = exposure.host();
    let asks = exposure.flags().is_on("UseTransparentHugePages");
    let given = match host.huge_pages.as_str() {
        "" => return Check::Unknown("which memory gets huge pages"),
        "always" => true,
        "madvise" => asks,
        _ => false,
    };
    // Everybody makes room, or those who ask for huge pages.
    let makes_room = match host.huge_pages_defrag.as_str() {
        "always" => true,
        "madvise" | "defer+madvise" => asks,
        _ => false,
    };
    if !given || !makes_room || exposure.flags().is_pretouched() {
        return Check::Fine;
    }
    let resident = exposure.memory().map(|it| it.resident_bytes);
    let (Some(heap), Some(resident), Some(free)) =
        (exposure.situation.max_heap_bytes, resident, host.free_huge_bytes)
    else {
        return Check::Unknown(
            "how much memory the heap still needs, and in which pieces it is free",
        );
    };
    let needed = heap.saturating_sub(resident);
    if free >= needed {
        return Check::Fine;
    }
    let stalls = exposure.growth("vmstat.compact_stall").filter(|it| it.0 > 0);
    let likelihood = if stalls.is_some() { Likelihood::Likely } else { Likelihood::Possible };
    let [needed, free] = [needed, free].map(text::memory);
    let statement = format!(
        "The heap may still grow by {needed}, and {free} are free in blocks of a huge page: its \
         threads compact memory for the rest."
    );
    let settings = format!(
        "transparent_hugepage/enabled is {}, and defrag is {}",
        host.huge_pages, host.huge_pages_defrag
    );
    let counted = stalls.map(|(times, time)| {
        format!(
            "threads of this host entered direct compaction {times} times in {}",
            text::duration(time)
        )
    });
    Check::of(Some(Exposed::new(likelihood, statement).because([settings]).because(counted)))
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    const SAID: &str = "huge-pages-fragmented: The heap may still grow by 900 MiB, and 899 MiB are \
                        free in blocks of a huge page: its threads compact memory for the rest.";

    #[track_caller]
    fn hazards(flags: &str, settings: &str, expected: &str) {
        let text = format!("jvm 17.0.15 g1 flags -Xmx1000m {flags}\nresident 100\n{settings}");
        check(&text, &format!("thp-compaction {expected}"));
    }

    #[test]
    fn a_heap_that_grows_finds_memory_in_pieces() {
        let asks = "-XX:+UseTransparentHugePages";
        hazards("", "huge always defrag always free 899", &format!("possible {SAID}"));
        hazards(asks, "huge madvise defrag madvise free 899", &format!("possible {SAID}"));
        hazards(asks, "huge always defrag defer+madvise free 899", &format!("possible {SAID}"));
        let stalls = "huge always defrag always free 899\ngrown vmstat.compact_stall 1";
        hazards("", stalls, &format!("likely {SAID}"));
    }

    #[test]
    fn enough_large_blocks_are_fine() {
        hazards("", "huge always defrag always free 900", "");
    }

    #[test]
    fn settings_without_direct_compaction_are_no_hazard() {
        let asks = "-XX:+UseTransparentHugePages";
        hazards("", "huge madvise defrag always free 0", "");
        hazards("", "huge always defrag madvise free 0", "");
        hazards(asks, "huge always defrag defer free 0", "");
        hazards(asks, "huge never defrag always free 0", "");
        hazards("", "", "");
    }

    #[test]
    fn a_heap_that_has_all_its_memory_asks_for_none() {
        hazards("-Xms1000m -XX:+AlwaysPreTouch", "huge always defrag always free 0", "");
    }
}
