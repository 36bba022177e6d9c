//! Settings of the host that belong to no cause.
use crate::{
    Exposure, HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed},
};

pub(super) static ALL: [HazardKind; 1] = [HazardKind {
    id: "pressure-off",
    title: "Pressure stall information is off",
    subject: "pressure stall information",
    about: "Without pressure stall information (PSI) the kernel does not report how long tasks \
            wait for memory, disks and CPUs. That causes no pause, but the next one is harder to \
            explain.",
    scope: Scope::Host,
    check: pressure_off,
}];

fn pressure_off(exposure: &Exposure<'_>) -> Check {
    match exposure.host().pressure {
        None => Check::Unknown("whether the kernel has pressure stall information"),
        Some(true) => Check::Fine,
        Some(false) => Check::of(Some(
            Exposed::new(
                Likelihood::Possible,
                "The kernel has no pressure stall information: /proc/pressure cannot be read.",
            )
            .mended_by("psi=1 on the command line of the kernel, or a kernel with CONFIG_PSI"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    #[test]
    fn a_kernel_that_does_not_count_is_reported_once_for_the_host() {
        check(
            "pressure off",
            "host possible pressure-off: The kernel has no pressure stall information: /proc/pressure cannot be read.",
        );
        check("pressure on", "host ");
        check("", "host ");
    }
}
