//! A file of counters that is on a disk.
use crate::{
    HazardKind, Scope,
    cause::exposure::{Check, Exposed, Exposure, Medium, Pressure, disk_place, medium},
    text,
};

pub(super) static HAZARDS: [HazardKind; 1] = [HazardKind {
    id: "hsperfdata-on-disk",
    title: "hsperfdata on a disk",
    subject: "hsperfdata file",
    about: "The JVM counts every stop in a file that it has mapped. Where the file is on a disk, the kernel writes its page back every now and then, and the next count waits for the journal or the disk, and every application thread with it.",
    scope: Scope::Jvm,
    check: on_disk,
}];

fn on_disk(exposure: &Exposure<'_>) -> Check {
    let flags = exposure.flags();
    if flags.is_on("PerfDisableSharedMem") || flags.switch("UsePerfData") == Some(false) {
        return Check::Fine;
    }
    let Some(file) = exposure.counters_file() else {
        return match exposure.survey.mappings_read {
            true => Check::Fine,
            false => Check::Unknown("where /tmp/hsperfdata_USER, the JVM's counters, is"),
        };
    };
    match medium(&file.file_system) {
        Medium::Memory => Check::Fine,
        Medium::Unknown => Check::Unknown("whether the JVM's hsperfdata file is on a disk"),
        Medium::Disk => {
            let place = disk_place(file);
            let named = text::file(&place);
            let pressure = Pressure::on(file, exposure);
            let statement = format!("The JVM counts its stops in {named}, which it has mapped.");
            Check::of(Some(Exposed {
                culprits: pressure.culprits,
                ..Exposed::new(pressure.likelihood, statement).because(pressure.evidence).at(place)
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    const FILE: &str = "/tmp/hsperfdata_app/42";
    const SAID: &str = "hsperfdata-on-disk: The JVM counts its stops in /tmp/hsperfdata_app/42 (ext4 on sdb1), which it has mapped.";

    #[track_caller]
    fn hazards(text: &str, expected: &str) {
        check(text, &format!("hsperfdata-write-blocked {expected}"));
    }

    #[test]
    fn counters_on_a_disk_may_wait() {
        let mapped = format!("jvm 17.0.15 g1\nmapped {FILE}");
        hazards(&mapped, &format!("possible {SAID}"));
        hazards(&format!("{mapped}\nbusy sdb1 200"), &format!("likely {SAID}"));
        let overlay = format!("{mapped}\non overlay {FILE}");
        hazards(&overlay, &format!("possible {SAID}").replace("ext4", "overlay"));
    }

    #[test]
    fn counters_in_memory_or_in_no_file_do_not() {
        hazards(&format!("jvm 17.0.15 g1\nmapped tmpfs {FILE}"), "");
        hazards("jvm 17.0.15 g1\nmappings", "");
        for flag in ["-XX:+PerfDisableSharedMem", "-XX:-UsePerfData"] {
            hazards(&format!("jvm 17.0.15 g1 flags {flag}\nmapped {FILE}"), "");
        }
        hazards("launch 17 -Xmx1g", "");
    }
}
