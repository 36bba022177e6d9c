//! A heap larger than where its control group is slowed down.
use crate::{
    Detail, HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed, Exposure},
    text,
};

pub(super) static HAZARDS: [HazardKind; 1] = [HazardKind {
    id: "heap-over-memory-high",
    title: "A heap larger than memory.high",
    subject: "memory.high",
    about: "Above memory.high the kernel throttles every thread of the group whenever the thread \
            allocates memory, for up to two seconds at a time. A larger heap gets there as soon as \
            it is full.",
    scope: Scope::Jvm,
    check: over_high,
}];

fn over_high(exposure: &Exposure<'_>) -> Check {
    let Some(cgroup) = exposure.situation.cgroup.as_ref() else { return Check::Inapplicable };
    let (Some(high), Some(heap)) = (cgroup.memory_high_bytes, exposure.flags().max_heap()) else {
        return Check::Inapplicable;
    };
    let found = (heap > high).then(|| {
        let name = if cgroup.memory_path.is_empty() { "its group" } else { &cgroup.memory_path };
        let [heap, high] = [heap, high].map(text::memory);
        Exposed::new(
            Likelihood::Likely,
            format!(
                "The heap may take {heap}, and {name} is throttled from {high} on (memory.high)."
            ),
        )
        .with_detail(Detail::MemoryShort { of_group: true, of_host: false })
    });
    Check::of(found)
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    #[test]
    fn a_heap_fits_below_memory_high() {
        let of = |heap: u32| format!("jvm 17.0.15 g1 flags -Xmx{heap}m\ncgroup high 400");
        check(&of(400), "memory-high-throttling ");
        let said = "memory-high-throttling likely heap-over-memory-high: The heap may take 401 MiB, and /app is throttled from 400 MiB on (memory.high).";
        check(&of(401), said);
        check("jvm 17.0.15 g1 flags -Xmx9g", "memory-high-throttling ");
    }
}
