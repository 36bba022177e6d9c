//! The names of threads as the JVM has them.
use super::{dump, error::ConnectionError, socket::Connection, until::Until};
use crate::{
    Jvm, Roots,
    host::{ProcessDir, Status},
};
use recording::{Facts, ThreadRole};
use std::{collections::BTreeMap, sync::atomic::AtomicBool};

/// Names as in Java, by thread id.
///
/// The kernel keeps 15 bytes of a name, and JDK 8 gives it none for Java threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadNames(BTreeMap<u32, String>);

impl ThreadNames {
    /// Requests a thread dump of the JVM. It stops for that as long as a thread dump takes: a millisecond with some
    /// dozen threads.
    ///
    /// # Errors
    /// Where it cannot be attached to, or does not answer within five seconds, or before `interrupt`
    /// is raised.
    pub fn request(
        roots: &Roots,
        jvm: &Jvm,
        interrupt: &AtomicBool,
    ) -> Result<ThreadNames, ConnectionError> {
        let until = Until::new(interrupt);
        let connection = Connection::open(roots, jvm, &until)?;
        let names = connection.command("Thread.print", &until)?.read_as(dump::thread_names);
        Ok(ThreadNames(by_ids_here(roots, jvm, names)?))
    }

    /// Gives the Java threads among `facts` their names. Threads of the JVM keep those that the
    /// kernel has: it is by them that they are known.
    pub fn apply(&self, facts: &mut Facts) {
        for thread in facts.threads.iter_mut().filter(|it| it.role == ThreadRole::Java) {
            if let Some(name) = self.0.get(&thread.tid) {
                thread.name.clone_from(name);
            }
        }
    }
}

/// The same with the thread ids of this pid namespace.
pub(super) fn by_ids_here<T>(
    roots: &Roots,
    jvm: &Jvm,
    by_ids_inside: BTreeMap<u32, T>,
) -> Result<BTreeMap<u32, T>, ConnectionError> {
    if jvm.pid == jvm.pid_in_namespace {
        return Ok(by_ids_inside);
    }
    let ids = ids_inside(&ProcessDir::open(roots, jvm.pid)?);
    let here = |(tid, it)| Some((*ids.get(&tid)?, it));
    Ok(by_ids_inside.into_iter().filter_map(here).collect())
}

/// Thread ids by those of the innermost pid namespace (`NSpid` of `/proc/PID/task/TID/status`).
fn ids_inside(process: &ProcessDir) -> BTreeMap<u32, u32> {
    let threads = process.numbers("task").unwrap_or_default();
    let id = |outside: u32| {
        let status = process.text(&format!("task/{outside}/status"), Status::LIMIT_BYTES).ok()?;
        Some((Status(&status).id_inside()?, outside))
    };
    threads.into_iter().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{MonoTime, ThreadFact};
    use std::fs;

    #[test]
    fn only_java_threads_are_renamed() {
        let fact = |tid, name: &str, role| ThreadFact {
            tid,
            name: name.into(),
            role,
            first_seen: MonoTime(1),
        };
        let mut facts = Facts {
            threads: vec![
                fact(7, "java", ThreadRole::Java),
                fact(8, "VM Thread", ThreadRole::VmThread),
                fact(9, "pool-1-thread-9", ThreadRole::Java),
            ],
            ..Facts::default()
        };
        let names = [(7, "http-nio-8080-exec-12".into()), (8, "VM".into())];
        ThreadNames(names.into_iter().collect()).apply(&mut facts);
        let found: Vec<_> = facts.threads.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(found, ["http-nio-8080-exec-12", "VM Thread", "pool-1-thread-9"]);
    }

    #[test]
    fn ids_of_a_namespace_are_translated() {
        let root = tempfile::tempdir().unwrap();
        for (outside, inside) in [(700, 7), (701, 8)] {
            let task = root.path().join(format!("700/task/{outside}"));
            fs::create_dir_all(&task).unwrap();
            fs::write(task.join("status"), format!("Name:\tjava\nNSpid:\t{outside}\t{inside}\n"))
                .unwrap();
        }
        let roots = Roots { proc: root.path().to_path_buf(), ..Roots::default() };
        let process = ProcessDir::open(&roots, 700).unwrap();
        assert_eq!(ids_inside(&process), BTreeMap::from([(7, 700), (8, 701)]));
    }
}
