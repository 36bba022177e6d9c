//! `whypause ps`: the JVMs of this host.
use crate::{
    Exit, Failure,
    args::{ListFormat, PsArgs},
    console::Console,
};
use recorder::{Found, Jvm, Roots, Stuck};
use report::{
    Redactor,
    ps::{NotResponding, Row, WaitingThread},
};
use std::{collections::BTreeMap, fs};

pub(crate) fn run(args: &PsArgs, console: &Console) -> Result<Exit, Failure> {
    let roots = Roots::default();
    let Found { jvms, unreadable, stuck } = recorder::find_jvms(&roots);
    let users = users(&fs::read_to_string("/etc/passwd").unwrap_or_default());
    let stopped = recorder::are_stopped(&roots, &jvms);
    let rows = jvms.iter().zip(stopped);
    let mut rows: Vec<Row> =
        rows.map(|(jvm, stopped)| Row { stopped, ..row(&roots, jvm, &users) }).collect();
    let mut not_responding: Vec<NotResponding> =
        stuck.iter().map(|it| not_responding(it, &users)).collect();
    let mut redactor = Redactor::new(args.redact, None);
    rows.iter_mut().for_each(|it| redactor.row(it));
    not_responding.iter_mut().for_each(|it| redactor.not_responding(it));
    let text = match args.format {
        ListFormat::Text => report::ps::text(&rows, &not_responding, console.style()),
        ListFormat::Json => report::ps::json(&rows, &not_responding, unreadable),
    };
    console.print(&text)?;
    if args.format == ListFormat::Text && rows.is_empty() && not_responding.is_empty() {
        console.say("no JVM found");
    }
    if unreadable > 0 {
        let processes = if unreadable == 1 { "process" } else { "processes" };
        let hint = if rustix::process::geteuid().is_root() { "" } else { ": try sudo" };
        console.say(&format!("{unreadable} {processes} could not be inspected{hint}"));
    }
    Ok(Exit::Fine)
}

fn row(roots: &Roots, jvm: &Jvm, users: &BTreeMap<u32, String>) -> Row {
    let fact = recorder::jvm_fact(roots, jvm);
    let user = user(jvm.uid, users);
    let heap = fact.flags.iter().filter(|flag| is_heap(flag)).cloned().collect();
    Row {
        pid: jvm.pid,
        user,
        version: fact.version,
        collector: fact.collector,
        main: fact.main,
        heap,
        gc_log: fact.gc_log,
        stopped: None,
    }
}

fn user(uid: u32, users: &BTreeMap<u32, String>) -> String {
    users.get(&uid).cloned().unwrap_or_else(|| uid.to_string())
}

/// What is reported of a process that does not let itself be read.
pub(super) fn not_responding(stuck: &Stuck, users: &BTreeMap<u32, String>) -> NotResponding {
    NotResponding {
        pid: stuck.pid,
        user: user(stuck.uid, users),
        name: stuck.name.clone(),
        reason: stuck.to_string(),
        memory_map_locked: stuck.lock == Some(recorder::Lock::MemoryMap),
        in_execve: stuck.lock == Some(recorder::Lock::Execve),
        thread: stuck.thread.as_ref().map(|it| WaitingThread {
            tid: it.tid,
            name: it.name.clone(),
            wait_channel: it.wait_channel.clone(),
            stack: it.stack.clone(),
        }),
    }
}

/// The flags that say how large the heap is.
fn is_heap(flag: &str) -> bool {
    const PREFIXES: [&str; 6] = [
        "-Xmx",
        "-Xms",
        "-XX:MaxHeapSize=",
        "-XX:InitialHeapSize=",
        "-XX:MaxRAMPercentage=",
        "-XX:MaxRAM=",
    ];
    PREFIXES.iter().any(|prefix| flag.starts_with(prefix))
}

/// Names of users from the text of `/etc/passwd`. Users of another source show by number.
pub(super) fn users(passwd: &str) -> BTreeMap<u32, String> {
    let user = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let uid = fields.nth(1)?.parse().ok()?;
        Some((uid, name.to_owned()))
    };
    passwd.lines().filter_map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_users_come_from_passwd() {
        let users = users("root:x:0:0:root:/root:/bin/sh\nbroken\nkafka:x:990:990::/:/bin/false\n");
        assert_eq!(users.get(&990).map(String::as_str), Some("kafka"));
        assert_eq!(users.len(), 2);
    }
}
