//! The one JVM that is meant by a pid, by a name, and by whose it is.
use super::{Found, Jvm, JvmError, Selected, find_jvms, jvm};
use crate::{
    Roots,
    host::{
        flags, launch,
        process::{ProcessDir, Stat},
    },
};
use std::{fmt, io};

/// Whose JVM is wanted: any process can have any name.
pub trait Whose: fmt::Debug {
    /// How that is said behind a name: ``user `kafka` ``. `None` for those of all users.
    fn said(&self) -> Option<String>;

    /// Whether this one may be meant.
    fn fits(&self, jvm: &Jvm) -> bool;
}

/// The JVMs of all users.
#[derive(Clone, Copy, Debug)]
pub struct Anybodys;

impl Whose for Anybodys {
    fn said(&self) -> Option<String> {
        None
    }

    fn fits(&self, _jvm: &Jvm) -> bool {
        true
    }
}

/// The JVM named by a pid or by a part of its main class, or the only one of the chosen users. A main class
/// that is the whole pattern counts before those that only contain it. To find a name no file is opened
/// that a JVM names.
///
/// # Errors
///
/// As [`jvm`], and where no JVM or more than one fits.
pub fn select(
    roots: &Roots,
    pattern: Option<&str>,
    whose: &dyn Whose,
) -> Result<Selected, JvmError> {
    let wanted = || wanted(pattern, whose);
    if let Some(pid) = pattern.and_then(|it| it.parse().ok()) {
        let (jvm, stuck) = (jvm(roots, pid)?, Vec::new());
        return match whose.fits(&jvm) {
            true => Ok(Selected { jvm, stuck }),
            false => Err(JvmError::NoMatch { wanted: wanted(), unreadable: 0, stuck, hidden: 0 }),
        };
    }
    let Found { mut jvms, unreadable, stuck } = find_jvms(roots);
    // Before the names: one of another's that has the whole name must not hide the one that is meant.
    jvms.retain(|it| whose.fits(it));
    let mut chosen = pattern.map_or_else(|| jvms.clone(), |it| fitting(&jvms, it));
    match chosen.len() {
        0 => {
            let hidden = jvms.iter().filter(|it| it.main.starts_with('@')).count() as u64;
            Err(JvmError::NoMatch { wanted: wanted(), unreadable, stuck, hidden })
        }
        1 => Ok(Selected { jvm: named(roots, chosen.remove(0)), stuck }),
        _ => Err(JvmError::Ambiguous {
            wanted: wanted(),
            jvms: chosen.into_iter().map(|it| (it.pid, it.main)).collect(),
        }),
    }
}

/// `` `orders` ``, `` `orders` of user `kafka` ``.
fn wanted(pattern: Option<&str>, whose: &dyn Whose) -> String {
    let name = pattern.map(|it| format!("`{it}`"));
    let parts: Vec<String> = name.into_iter().chain(whose.said()).collect();
    parts.join(" of ")
}

/// Those whose main class is the pattern; if there are none, those whose main class contains it.
fn fitting(jvms: &[Jvm], pattern: &str) -> Vec<Jvm> {
    let of = |fits: &dyn Fn(&str) -> bool| -> Vec<Jvm> {
        jvms.iter().filter(|it| fits(&it.main)).cloned().collect()
    };
    let whole = of(&|main| main == pattern || main.rsplit(' ').next() == Some(pattern));
    if whole.is_empty() { of(&|main| main.contains(pattern)) } else { whole }
}

/// The same with the main class that its argument files tell, as far as they can be read.
pub(super) fn named(roots: &Roots, jvm: Jvm) -> Jvm {
    if !jvm.main.starts_with('@') {
        return jvm;
    }
    let Ok(dir) = ProcessDir::open(roots, jvm.pid) else { return jvm };
    let main = match jvm.started_with(&dir) {
        Ok(arguments) => launch::main(&arguments.words, &mut flags::files_named(&dir, &jvm)),
        Err(_) => jvm.main.clone(),
    };
    Jvm { main, ..jvm }
}

/// Whether the number of a JVM's user is that of the same user here. In a container with users or
/// processes of its own any image has a user of any number.
///
/// # Errors
/// Where that may not be known, or another process has the JVM's id.
pub fn shares_our_users(roots: &Roots, jvm: &Jvm) -> io::Result<bool> {
    let dir = ProcessDir::open(roots, jvm.pid)?;
    for namespace in ["ns/user", "ns/pid"] {
        let ours = std::fs::read_link(roots.proc.join("self").join(namespace))?;
        if ours.to_str() != Some(&*dir.link(namespace)?) {
            return Ok(false);
        }
    }
    match Stat::of(&dir)?.start_ticks == jvm.start_ticks {
        true => Ok(true),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}
