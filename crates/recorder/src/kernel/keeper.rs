//! Removes the probes when that can be done without waiting for anybody.
//!
//! Probes are removed when the last descriptor of them is closed, by whoever closes it, also in its
//! death. That waits for every process that has the library mapped, and keeps the whole host from
//! forking ([`ProbedLibrary`]). So a small process holds a second descriptor of each, and is the last:
//! it looks before it closes them.
use crate::{
    aside::{Aside, Channel, Kind},
    host::ProbedLibrary,
    rights::READING_PROCESSES,
};
use libbpf_rs::Link;
use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    thread::sleep,
    time::Duration,
};

/// How long the end of a recording waits for the probes to be gone. It takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often is looked again while somebody is in the way.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

const KIND: Kind =
    Kind { name: c"whypause-probes", rights: Some(READING_PROCESSES), outlives_us: true };

/// The process.
#[derive(Debug)]
pub(super) struct Keeper(Option<Aside>);

impl Keeper {
    /// Starts it, with nothing to keep yet: while this process is small.
    ///
    /// # Errors
    /// Where no process can be started.
    pub(super) fn start(library: &ProbedLibrary) -> io::Result<Keeper> {
        let library = library.clone();
        Aside::start(KIND, &[], move |channel| keep(channel, &library)).map(|it| Keeper(Some(it)))
    }

    /// Hands over a descriptor of a probe.
    ///
    /// # Errors
    /// Where the process is gone.
    pub(super) fn keep(&self, link: &Link) -> io::Result<()> {
        let aside = self.0.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        aside.send(b"l", Some(link.as_fd()))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Where that takes longer, it goes on without us.
        if let Some(aside) = self.0.take() {
            aside.release(PATIENCE);
        }
    }
}

/// What the process does.
fn keep(channel: &Channel, library: &ProbedLibrary) {
    let mut links: Vec<OwnedFd> = Vec::new();
    let mut word = [0; 8];
    while let Ok((1.., link)) = channel.receive(&mut word) {
        links.extend(link);
    }
    while !links.is_empty() && library.in_the_way().is_some() {
        sleep(BETWEEN_LOOKS);
    }
}
