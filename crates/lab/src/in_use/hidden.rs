//! Processes whose mappings the kernel does not show: which of them may be JVMs, by their threads.
use std::{io, path::Path};

/// Every HotSpot JVM has more: the VM thread, those for references, finalizers and signals, the one
/// for periodic tasks, and the first one.
const FEWEST_THREADS: usize = 6;

/// The name that HotSpot gives one of them, from JDK 9 on (`os::set_native_thread_name`).
const VM_THREAD: &str = "VM Thread";

/// Pid and name of each.
pub(super) fn may_be_jvms() -> Vec<(u32, String)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let hidden = pids.filter_map(|pid: u32| {
        let dir = format!("/proc/{pid}");
        let is_hidden = is_hidden(&std::fs::File::open(format!("{dir}/maps")).err()?);
        let may_be = is_hidden && may_be_a_jvm(&threads(Path::new(&dir)));
        may_be.then(|| {
            (pid, crate::small_file::read(Path::new(&format!("{dir}/comm"))).trim().to_owned())
        })
    });
    let mut hidden: Vec<_> = hidden.collect();
    hidden.sort_unstable();
    hidden
}

/// Any other answer than that it has ended.
fn is_hidden(error: &io::Error) -> bool {
    let errno = rustix::io::Errno::from_io_error(error);
    !matches!(errno, Some(rustix::io::Errno::NOENT | rustix::io::Errno::SRCH))
}

/// The names of its threads; empty where they are hidden as well.
fn threads(dir: &Path) -> Vec<String> {
    let tasks = std::fs::read_dir(dir.join("task")).into_iter().flatten().flatten();
    tasks.map(|it| crate::small_file::read(&it.path().join("comm")).trim().to_owned()).collect()
}

/// JDK 8 and before leave to all threads the name of the first one.
fn may_be_a_jvm(threads: &[String]) -> bool {
    match threads {
        [] => true,
        few if few.len() < FEWEST_THREADS => false,
        [one, others @ ..] => {
            threads.iter().any(|it| it == VM_THREAD) || others.iter().all(|it| it == one)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_is_known_by_its_threads() {
        let check = |names: &str, expected: bool| {
            let names: Vec<_> = names.split(',').map(str::to_owned).collect();
            assert_eq!(may_be_a_jvm(&names), expected, "{names:?}");
        };
        check("java,java,GC Thread#0,VM Thread,Signal Dispatch,VM Periodic Tas", true);
        check("java,java,java,java,java,java", true);
        check("java,java,java,java,java", false);
        check("init", false);
        check("agent,worker-1,worker-2,worker-3,signals,timer", false);
        assert!(may_be_a_jvm(&[]), "nothing is known of it");
    }

    #[test]
    fn a_process_that_has_ended_is_not_hidden() {
        let error = |errno: rustix::io::Errno| is_hidden(&errno.into());
        assert!(error(rustix::io::Errno::ACCESS) && error(rustix::io::Errno::PERM));
        assert!(!error(rustix::io::Errno::NOENT) && !error(rustix::io::Errno::SRCH));
    }
}
