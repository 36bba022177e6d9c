//! The Java stacks of threads that were late.
use super::{
    dump,
    socket::{AskError, Asked},
    thread_names::by_ids_here,
};
use crate::{Jvm, Roots, host::now};
use recording::{Interval, JavaStackFact};
use std::{collections::BTreeSet, io, thread};

/// A thread dump under way. The JVM stops for it, and a late thread keeps it from stopping: so it
/// is made while recording, and where the thread was seen late meanwhile, the stack is of that.
#[derive(Debug)]
pub struct JavaStacks(thread::JoinHandle<Vec<JavaStackFact>>);

impl JavaStacks {
    /// Asks for the stacks of these threads (`Thread.print`), not by the caller's thread. It ends
    /// by itself, after some seconds at most where the JVM does not answer.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn ask(roots: &Roots, jvm: &Jvm, tids: BTreeSet<u32>) -> io::Result<JavaStacks> {
        let (roots, jvm) = (roots.clone(), jvm.clone());
        // Without an answer there are no stacks, and the rest is none the worse.
        let asking = move || stacks(&roots, &jvm, &tids).unwrap_or_default();
        Ok(JavaStacks(thread::Builder::new().name("java-stacks".into()).spawn(asking)?))
    }

    /// Whether the answer is there, or will not come.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// The stacks; none where the answer is not there yet.
    #[must_use]
    pub fn take(self) -> Vec<JavaStackFact> {
        if self.0.is_finished() { self.0.join().unwrap_or_default() } else { Vec::new() }
    }
}

fn stacks(roots: &Roots, jvm: &Jvm, tids: &BTreeSet<u32>) -> Result<Vec<JavaStackFact>, AskError> {
    let asked = now();
    let process = Asked::open(&roots.proc, jvm.pid, jvm.pid_in_namespace)?;
    let stacks = dump::stacks(&process.command("Thread.print")?);
    let asked = Interval::new(asked, now());
    let late = by_ids_here(roots, jvm, stacks)?.into_iter().filter(|(tid, _)| tids.contains(tid));
    Ok(late.map(|(tid, frames)| JavaStackFact { tid, asked, frames }).collect())
}
