//! Which collector a JVM uses and with how many threads, from its flags and thread names.
//!
//! Names of threads are cut by the kernel at 15 bytes. Before JDK 9 HotSpot gave them none on
//! Linux (all are `java`), so that without flags nothing can be said there.
use recording::VmFlags;

/// Beginnings of names that only one collector gives, most telling first.
const NAMES: [(&str, &str); 9] = [
    ("G1 ", "g1"),
    ("ZWorker", "zgc"),
    ("ZDirector", "zgc"),
    ("XWorker", "zgc"),
    ("XDirector", "zgc"),
    ("Shenandoah", "shenandoah"),
    ("CMS ", "cms"),
    ("ParGC Thread", "parallel"),
    ("GC Thread", "parallel"),
];

/// Beginnings of the names of threads that work while the application is stopped.
const WORKERS: [&str; 5] = ["GC Thread#", "ParGC Thread#", "ZWorker#", "XWorker#", "Shenandoah GC"];

/// `g1`, `parallel`, …; empty where neither flags nor names tell.
pub(crate) fn collector(flags: &[String], names: &[String]) -> &'static str {
    match VmFlags(flags).collectors()[..] {
        [one] => one,
        _ => by_names(names),
    }
}

fn by_names(names: &[String]) -> &'static str {
    let found = NAMES.iter().find(|(start, _)| names.iter().any(|name| name.starts_with(start)));
    match found {
        Some((_, id)) => id,
        // HotSpot names its threads and none is a collector's: the VM thread collects itself.
        None if names.iter().any(|name| name == "VM Thread") => "serial",
        None => "",
    }
}

/// Threads that collect while the application is stopped; 0 where unknown.
///
/// HotSpot starts them as they are needed (`UseDynamicNumberOfGCThreads`), so the configured
/// number counts where it is larger than what has been seen.
pub(crate) fn gc_threads(collector: &str, given: &[String], names: &[String]) -> u32 {
    if collector == "serial" {
        return 1;
    }
    let is_worker = |name: &&String| WORKERS.iter().any(|start| name.starts_with(start));
    let seen = u32::try_from(names.iter().filter(is_worker).count()).unwrap_or(u32::MAX);
    let configured = VmFlags(given).number("ParallelGCThreads").and_then(|it| it.try_into().ok());
    seen.max(configured.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(flags: &str, names: &str, expected: &str) {
        let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        let names: Vec<String> = names.split(", ").map(str::to_owned).collect();
        let id = collector(&flags, &names);
        assert_eq!(format!("{id} {}", gc_threads(id, &flags, &names)), expected);
    }

    #[test]
    fn a_flag_that_chooses_one_decides() {
        check("-XX:+UseG1GC -XX:-UseG1GC -XX:+UseParallelGC", "VM Thread", "parallel 0");
        check("-XX:-UseG1GC", "VM Thread", "serial 1");
        check("-XX:+UseConcMarkSweepGC -XX:ParallelGCThreads=4", "java, java", "cms 4");
    }

    #[test]
    fn names_tell_where_flags_do_not() {
        check("", "java, GC Thread#0, G1 Main Marker, G1 Conc#0, GC Thread#1, VM Thread", "g1 2");
        check("", "GC Thread#0, GC Thread#1, VM Thread", "parallel 2");
        check("", "ParGC Thread#0, VM Thread", "parallel 1");
        check("", "ZDirector, ZWorker#0, VM Thread", "zgc 1");
        check("", "Shenandoah GC T, VM Thread", "shenandoah 1");
        check("", "java, VM Thread, C2 CompilerThre", "serial 1");
    }

    #[test]
    fn threads_without_names_tell_nothing() {
        check("", "java, java", " 0");
    }

    #[test]
    fn configured_threads_that_have_not_started_count() {
        check("-XX:ParallelGCThreads=8", "GC Thread#0, G1 Service", "g1 8");
        check("-XX:ParallelGCThreads=x", "GC Thread#0, G1 Service", "g1 1");
    }
}
