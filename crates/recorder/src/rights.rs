//! Gives up the rights that only the attach needs: what a recording needs afterwards is kept here.
//!
//! A recorder runs for hours, mostly as root, and reads what the users of JVMs have made. Whatever one
//! of them might find to make it do, it shall do with as little as possible. Rights belong to threads:
//! the thread that attaches gives its own up before it starts the others, which then have no more.
use recording::Coverage;
use rustix::{
    io::Errno,
    thread::{
        CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        set_capabilities, set_no_new_privs,
    },
};
use std::{fs, io};

/// What is still to be done after the attach and takes rights of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Duties {
    /// The JVM is attached to later on, too: its socket is its user's.
    pub attaches_to_jvm: bool,
    /// A command was started that may have to be ended, perhaps as another user's.
    pub ends_command: bool,
    /// What is recorded goes to a directory of another user.
    pub writes_to_others: bool,
}

/// Read later on: the JVM's and other processes' `/proc`, files that only their user may read, with
/// the rights of that user where the JVM names them. `CAP_FOWNER` lets a log be read without its
/// access time being written (`O_NOATIME`), which is a write to the disk under suspicion.
const READING: CapabilitySet = CapabilitySet::SYS_PTRACE
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETGID);

/// What it takes to read what others have in `/proc`, and the files behind their mappings.
pub(crate) const READING_PROCESSES: CapabilitySet = CapabilitySet::SYS_PTRACE
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::CHECKPOINT_RESTORE);

/// `OOM_SCORE_ADJ_MAX` of `include/uapi/linux/oom.h`: the first to go where memory runs out.
const FIRST_TO_GO: &str = "1000";

impl Duties {
    fn kept(self) -> CapabilitySet {
        let mut kept = READING;
        if self.attaches_to_jvm {
            kept |= CapabilitySet::DAC_OVERRIDE | CapabilitySet::KILL;
        }
        if self.ends_command {
            kept |= CapabilitySet::KILL;
        }
        if self.writes_to_others {
            kept |= CapabilitySet::DAC_OVERRIDE;
        }
        kept
    }
}

/// Begins the part of a recording that needs little; what could not be given up is in the coverage.
pub(crate) fn keep_only(
    duties: Option<Duties>,
    coverage: &mut Coverage,
    reads_maps: impl FnOnce() -> bool,
) {
    let Some(duties) = duties else { return };
    go_first();
    if let Err(error) = give_up(duties, reads_maps) {
        coverage.note(
            "recorder",
            &format!("the recorder could not give up its rights: {error}"),
            1,
        );
    }
}

/// Gives up all rights of this thread, and of those that it will start, but those to look at processes:
/// for a program that only looks for a JVM. Not to be undone.
///
/// # Errors
///
/// Where the kernel keeps it from giving up its rights.
pub fn keep_search_rights() -> io::Result<()> {
    give_up(Duties::default(), || true)
}

/// Gives up all rights of this thread, and of those that it will start, but to write to the directory of another
/// user where `to_others` says so. Not to be undone.
///
/// # Errors
///
/// Where the kernel keeps it from giving up its rights.
pub fn keep_rights_to_write(to_others: bool) -> io::Result<()> {
    let kept = if to_others { CapabilitySet::DAC_OVERRIDE } else { CapabilitySet::empty() };
    let kept = kept & capabilities(None)?.permitted;
    let inheritable = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable })?;
    Ok(set_no_new_privs(true)?)
}

/// Gives up all rights of this thread, and of those that it will start, but what `duties` take. Not to
/// be undone.
///
/// `reads_maps` tests, with as few rights as possible, whether what is attached can still be read:
/// before Linux 5.19 that takes `CAP_BPF` where `kernel.unprivileged_bpf_disabled` is set,
/// and then it is kept.
///
/// # Errors
///
/// Where the kernel keeps it from giving up its rights.
fn give_up(duties: Duties, reads_maps: impl FnOnce() -> bool) -> io::Result<()> {
    let mut kept = duties.kept();
    let has = capabilities(None)?;
    let mut less = has;
    less.inheritable = CapabilitySet::empty();
    less.effective = has.effective & kept;
    // Still to be had again.
    less.permitted = has.permitted & (kept | CapabilitySet::BPF | CapabilitySet::SETPCAP);
    set_capabilities(None, less)?;
    if has.effective.contains(CapabilitySet::BPF) && !reads_maps() {
        kept |= CapabilitySet::BPF;
    }
    forget_the_bounds(kept, less)?;
    less.effective = has.effective & kept;
    less.permitted = has.permitted & kept;
    set_capabilities(None, less)?;
    match clear_ambient_capability_set() {
        // Before Linux 4.3 there was none.
        Ok(()) | Err(Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    set_no_new_privs(true)?;
    Ok(())
}

/// Has the kernel end this process before others where memory runs out: the service that is recorded
/// must not go first. Processes that are started from here on would inherit it.
fn go_first() {
    // Whoever cannot write it is not distinguished, and recorded all the same.
    let _ = fs::write("/proc/self/oom_score_adj", FIRST_TO_GO);
}

/// No program that is executed gets them back either. `no_new_privs` says the same; both are cheap.
fn forget_the_bounds(kept: CapabilitySet, sets: CapabilitySets) -> io::Result<()> {
    if !sets.permitted.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    let mut with = sets;
    with.effective |= CapabilitySet::SETPCAP;
    set_capabilities(None, with)?;
    spawn::keep_in_bounding_set(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of its own gives its rights up, and says which it has then.
    fn left(duties: Duties, reads_maps: bool) -> CapabilitySet {
        let thread = std::thread::spawn(move || {
            give_up(duties, || reads_maps).unwrap();
            let sets = capabilities(None).unwrap();
            assert_eq!(sets.effective, sets.permitted);
            assert!(sets.inheritable.is_empty());
            assert!(rustix::thread::no_new_privs().unwrap());
            // What was given up cannot be had again.
            let all = CapabilitySets { effective: !CapabilitySet::empty(), ..sets };
            assert!(set_capabilities(None, all).is_err());
            // Nor has a thread that it starts more.
            let next = std::thread::spawn(|| capabilities(None).unwrap().permitted).join().unwrap();
            assert_eq!(next, sets.permitted);
            sets.permitted
        });
        thread.join().unwrap()
    }

    #[test]
    fn duties_keep_only_capabilities_that_were_held() {
        let before = capabilities(None).unwrap();
        // Root has them all; whoever has none has none left.
        let had = |these: CapabilitySet| before.permitted & these;
        let (attaches, ends) = (CapabilitySet::DAC_OVERRIDE, CapabilitySet::KILL);
        let duties = |attaches_to_jvm, ends_command| Duties {
            attaches_to_jvm,
            ends_command,
            ..Duties::default()
        };
        let writes = Duties { writes_to_others: true, ..Duties::default() };
        assert_eq!(left(writes, true), had(READING | attaches));
        assert_eq!(left(duties(false, false), true), had(READING));
        assert_eq!(left(duties(true, false), true), had(READING | attaches | ends));
        assert_eq!(left(duties(false, true), true), had(READING | ends));
        assert_eq!(left(duties(false, false), false), had(READING | CapabilitySet::BPF));
        // This thread has lost nothing.
        assert_eq!(capabilities(None).unwrap(), before);
    }
}
