//! A log whose writes may wait: on a disk, or on standard output.
use crate::{
    Culprit, CulpritKind, Detail, HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed, Exposure, Medium, Pressure, disk_place, medium},
    wait::outputs,
};
use recording::{FileFact, OutputFact};

pub(super) static HAZARDS: [HazardKind; 2] = [
    HazardKind {
        id: "gc-log-on-disk",
        title: "GC log written to a disk while the application is stopped",
        subject: "GC log",
        about: "The JVM writes its GC log from the thread that stops the application. Where the log is on a disk, a busy disk or a commit of its journal makes that thread wait, and every application thread with it.",
        scope: Scope::Jvm,
        check: on_disk,
    },
    HazardKind {
        id: "gc-log-on-stdout",
        title: "GC log written to a pipe or terminal while the application is stopped",
        subject: "GC log on standard output",
        about: "The JVM writes its GC log from the thread that stops the application. A pipe holds 64 KiB: where the process that reads it does not keep up, that thread waits, and every application thread with it.",
        scope: Scope::Jvm,
        check: on_stream,
    },
];

/// Directories that are in memory on every Linux.
const IN_MEMORY: [&str; 2] = ["/dev/shm/", "/run/"];

fn on_disk(exposure: &Exposure<'_>) -> Check {
    let flags = exposure.flags();
    if flags.logs_asynchronously() {
        return Check::Fine;
    }
    let Some(jvm) = exposure.jvm() else { return Check::Inapplicable };
    if let Some(file) = jvm.gc_log_file.and_then(|key| exposure.file(key)) {
        return match medium(&file.file_system) {
            Medium::Disk => Check::of(Some(of_file(file, exposure))),
            Medium::Memory => Check::Fine,
            Medium::Unknown => Check::Unknown("whether the GC log is on a disk"),
        };
    }
    match recording::gc_log_file(flags.0) {
        None => Check::Fine,
        Some(_) if exposure.runs() => Check::Unknown("where the GC log is"),
        Some(path) if IN_MEMORY.iter().any(|it| path.starts_with(it)) => Check::Fine,
        Some(path) => Check::of(Some(of_flag(path))),
    }
}

fn of_file(file: &FileFact, exposure: &Exposure<'_>) -> Exposed {
    let place = disk_place(file);
    let named = crate::text::file(&place);
    let pressure = Pressure::on(file, exposure);
    Exposed {
        culprits: pressure.culprits,
        ..Exposed::new(
            pressure.likelihood,
            format!("The GC log is {named}, and the VM thread writes it while the application is stopped."),
        )
        .because(pressure.evidence)
        .at(place)
    }
}

fn of_flag(path: &str) -> Exposed {
    Exposed::new(
        Likelihood::Possible,
        format!(
            "The GC log goes to {path}, and the VM thread writes it while the application is stopped: where that is on a disk, it may wait."
        ),
    )
}

fn on_stream(exposure: &Exposure<'_>) -> Check {
    let facts = &exposure.survey.facts;
    let Some(output) = facts.outputs.iter().rfind(|it| it.gc_log) else {
        return Check::Inapplicable;
    };
    if exposure.flags().logs_asynchronously() {
        return Check::Fine;
    }
    Check::of(Some(of_output(output, exposure)))
}

fn of_output(output: &OutputFact, exposure: &Exposure<'_>) -> Exposed {
    let name = outputs::name(output.fd).unwrap_or("a stream");
    let kind = outputs::kind(output);
    let all = &exposure.survey.facts.output_readers;
    let reader = all.iter().rfind(|it| it.fd == output.fd);
    let read_by =
        reader.map_or_else(String::new, |it| format!(" read by {} (pid {})", it.name, it.pid));
    let statement = format!(
        "The GC log goes to {name}, a {kind}{read_by}, and the VM thread writes it while the application is stopped."
    );
    // Stopped by a signal or a debugger it reads nothing.
    let stopped = reader.filter(|it| matches!(it.state.as_str(), "T" | "t"));
    let likelihood = if stopped.is_some() { Likelihood::Likely } else { Likelihood::Possible };
    let culprit = stopped.map(|it| Culprit {
        kind: CulpritKind::Process,
        name: it.name.clone(),
        pid: Some(it.pid),
        statement: format!("{} (pid {}) is stopped, and reads nothing", it.name, it.pid),
    });
    Exposed {
        culprits: culprit.into_iter().collect(),
        ..Exposed::new(likelihood, statement).with_detail(Detail::Stream(Box::new(output.clone())))
    }
}

#[cfg(test)]
mod tests {
    use crate::hazards::{check, evidence_of};

    const ID: &str = "gc-log-write-blocked";
    const LOG: &str = "jvm 17.0.15 g1 log /var/log/gc.log flags -Xlog:gc*:file=/var/log/gc.log";
    const SAID: &str = "gc-log-on-disk: The GC log is /var/log/gc.log (ext4 on sdb1), and the VM thread writes it while the application is stopped.";

    #[track_caller]
    fn hazards(text: &str, expected: &str) {
        check(text, &format!("{ID} {expected}"));
    }

    #[test]
    fn a_log_on_a_disk_may_wait() {
        hazards(LOG, &format!("possible {SAID}"));
        for fs in ["xfs", "overlay", "nfs4"] {
            let said = format!("possible {SAID}").replace("ext4", fs);
            hazards(&format!("{LOG}\non {fs} /var/log/gc.log"), &said);
        }
    }

    #[test]
    fn a_log_in_memory_or_of_a_thread_of_its_own_does_not() {
        hazards(&format!("{LOG}\non tmpfs /var/log/gc.log"), "");
        hazards(&format!("{LOG} -Xlog:async"), "");
        hazards("jvm 17.0.15 g1", "");
        // What is not known is not said to be a disk.
        hazards(&format!("{LOG}\non strange /var/log/gc.log"), "");
    }

    #[test]
    fn a_busy_disk_makes_it_likely() {
        hazards(&format!("{LOG}\nbusy sdb1 199"), &format!("possible {SAID}"));
        hazards(&format!("{LOG}\nbusy sdb1 200"), &format!("likely {SAID}"));
        hazards(&format!("{LOG}\nbusy sdc 900"), &format!("possible {SAID}"));
    }

    #[test]
    fn a_disk_that_rested_was_likely_to_make_the_log_wait() {
        // What a neighbour writes is in memory until it is written back: 630 MB beside "busy for 0 %".
        hazards(&format!("{LOG}\nbusy sdb1 0\nwriter 991 dd 630"), &format!("possible {SAID}"));
        hazards(&format!("{LOG}\nwriter 991 dd 630"), &format!("possible {SAID}"));
        hazards(&format!("{LOG}\nbusy sdb1 200\nwriter 991 dd 630"), &format!("likely {SAID}"));
    }

    #[test]
    fn writers_to_the_same_disk_are_named() {
        let text =
            format!("{LOG}\nmappings\nbusy sdb1 340\nwriter 991 dd 412\nwriter 4242 java 20");
        assert_eq!(
            evidence_of(&text),
            "sdb1 was busy for 34 % of 1.00 s\n\
             the JVM itself wrote 20 MB to sdb1 in 1.00 s\n\
             dd (pid 991) wrote 412 MB to sdb1 in 1.00 s\n"
        );
    }

    #[test]
    fn flags_alone_do_not_name_the_disk() {
        let said = "possible gc-log-on-disk: The GC log goes to gc.log, and the VM thread writes it while the application is stopped: where that is on a disk, it may wait.";
        hazards("launch 17 -Xlog:gc:file=gc.log", said);
        hazards("launch 8 -Xloggc:gc.log", said);
        hazards("launch 17 -Xlog:gc:file=gc.log -Xlog:async", "");
        hazards("launch 17 -Xlog:gc:file=/dev/shm/gc.log", "");
        hazards("launch 17 -Xlog:gc", "");
    }

    #[test]
    fn a_pipe_may_be_full_and_is_once_its_reader_stops() {
        let pipe = "jvm 17.0.15 g1 flags -Xlog:gc*\noutput 1 pipe pipe:[9] log looked 40 0";
        let said = "gc-log-on-stdout: The GC log goes to standard output, a pipe read by cat (pid 77), and the VM thread writes it while the application is stopped.";
        hazards(&format!("{pipe}\nreader 1 77 cat S 100ms"), &format!("possible {said}"));
        hazards(&format!("{pipe}\nreader 1 77 cat T 100ms"), &format!("likely {said}"));
        let alone = said.replace(" read by cat (pid 77)", "");
        hazards(pipe, &format!("possible {alone}"));
        hazards(&pipe.replace("-Xlog:gc*", "-Xlog:gc* -Xlog:async"), "");
        hazards(&pipe.replace(" log looked", " looked"), "");
    }
}
