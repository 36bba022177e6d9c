//! Objects of more than half a region, by what the log shows of them.
use crate::{
    HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed, Exposure},
};

pub(super) static HAZARDS: [HazardKind; 1] = [HazardKind {
    id: "humongous-objects",
    title: "Objects larger than half a region",
    subject: "humongous objects",
    about: "G1 gives an object of more than half a region regions of its own, and begins collections for such objects. Larger regions make them ordinary ones.",
    scope: Scope::Jvm,
    check: in_log,
}];

fn in_log(exposure: &Exposure<'_>) -> Check {
    let Some(log) = exposure.log.as_ref().filter(|_| exposure.is_g1()) else {
        return Check::Inapplicable;
    };
    let found = log.iter().find(|it| it.cause == "humongous-allocation").map(|finding| {
        let times = match finding.pauses {
            1 => "1 collection was".to_owned(),
            n => format!("{n} collections were"),
        };
        Exposed::new(
            Likelihood::Likely,
            format!("{times} begun for objects of more than half a region, by the GC log."),
        )
        .because(finding.evidence.iter().cloned())
        .with_detail(finding.detail.clone())
    });
    Check::of(found)
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    const LOG: &str = "
        jvm 17.0.15 g1
        log 1000ms [0.001s][info][gc,init] Heap Region Size: 1M
        log 2000ms [1.000s][info][gc] GC(0) Pause Young (Concurrent Start) (G1 Humongous Allocation) 24M->4M(256M) 9.000ms";

    #[test]
    fn a_collection_for_a_humongous_object_is_reported() {
        let said = "humongous-allocation likely humongous-objects: 1 collection was begun for objects of more than half a region, by the GC log.";
        check(LOG, said);
        check(
            &LOG.replace("G1 Humongous Allocation", "G1 Evacuation Pause"),
            "humongous-allocation ",
        );
        check("jvm 17.0.15 g1", "humongous-allocation ");
    }
}
