//! `whypause ps`: the JVMs of this host.
use crate::{
    Exit, Failure,
    args::{ListFormat, PsArgs},
    console::Console,
    users::Users,
};
use recorder::{Found, Jvm, Roots, Stuck};
use report::{
    Redactor,
    ps::{NotResponding, Row, WaitingThread},
};

pub(crate) fn run(args: &PsArgs, console: &Console) -> Result<Exit, Failure> {
    let roots = Roots::default();
    let Found { jvms, unreadable, stuck } = recorder::find_jvms(&roots);
    let users = Users::of_this_host();
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

fn row(roots: &Roots, jvm: &Jvm, users: &Users) -> Row {
    let fact = recorder::jvm_fact(roots, jvm);
    let heap = fact.flags.iter().filter(|flag| is_heap(flag)).cloned().collect();
    Row {
        pid: jvm.pid,
        user: users.name(jvm.uid),
        version: fact.version,
        collector: fact.collector,
        main: fact.main,
        heap,
        gc_log: fact.gc_log,
        stopped: None,
    }
}

/// What is reported of a process that does not let itself be read.
pub(super) fn not_responding(stuck: &Stuck, users: &Users) -> NotResponding {
    NotResponding {
        pid: stuck.pid,
        user: users.name(stuck.uid),
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
