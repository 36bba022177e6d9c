//! On whose account a JVM is, where there is not enough of something for all.
//!
//! The number of its user does not say that: a user who may make a user namespace with subordinate users
//! (`man 5 subuid`) is 65,536 of them, and root of a container is any.
use super::Jvm;
use crate::{Roots, host::process::ProcessDir};
use std::{
    fs::File,
    io,
    os::{
        fd::{AsRawFd, FromRawFd},
        unix::fs::MetadataExt,
    },
};

/// Who is counted as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Account {
    /// A user of this host, with all subordinate users.
    User(u32),
    /// A container that root has made, by its user or process namespace.
    Container(u64),
}

/// On whose account a JVM is; its user's where no more can be read.
#[must_use]
pub fn account_of(roots: &Roots, jvm: &Jvm) -> Account {
    found(roots, jvm.pid, jvm.uid).unwrap_or(Account::User(jvm.uid))
}

fn found(roots: &Roots, pid: u32, uid: u32) -> io::Result<Account> {
    let dir = ProcessDir::open(roots, pid)?;
    let open = |name: &str| dir.file(name);
    let ours = |name: &str| File::open(roots.proc.join("self").join(name));
    if let Some(users) = below(open("ns/user")?, &ours("ns/user")?)? {
        return Ok(match owner(&users)? {
            // Docker's, and a pod's: each has its own.
            0 => Account::Container(users.metadata()?.ino()),
            owner => Account::User(owner),
        });
    }
    // Nobody but root makes one of these without a user namespace.
    Ok(match below(open("ns/pid")?, &ours("ns/pid")?)? {
        Some(processes) => Account::Container(processes.metadata()?.ino()),
        None => Account::User(uid),
    })
}

/// Of the namespaces around one that one which was made in ours; `None` where it is ours, or not below it.
fn below(namespace: File, ours: &File) -> io::Result<Option<File>> {
    let ours = ours.metadata()?.ino();
    let mut child = namespace;
    if child.metadata()?.ino() == ours {
        return Ok(None);
    }
    // The kernel lets them be 32 deep (`include/linux/user_namespace.h`, `include/linux/pid_namespace.h`).
    loop {
        match parent(&child) {
            Ok(parent) if parent.metadata()?.ino() == ours => return Ok(Some(child)),
            Ok(parent) => child = parent,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

/// `include/uapi/linux/nsfs.h`; none of them has its type in its number.
const NS_GET_PARENT: u64 = 0xb702;
const NS_GET_OWNER_UID: u64 = 0xb704;

/// The namespace in which another was made; refused where that is neither ours nor below it.
#[expect(unsafe_code, reason = "rustix has no wrapper for NS_GET_PARENT")]
fn parent(namespace: &File) -> io::Result<File> {
    // SAFETY: it takes no argument.
    match unsafe { libc::ioctl(namespace.as_raw_fd(), NS_GET_PARENT) } {
        ..0 => Err(io::Error::last_os_error()),
        // SAFETY: the kernel has just opened it for us (`open_related_ns` of `fs/nsfs.c`).
        new => Ok(unsafe { File::from_raw_fd(new) }),
    }
}

/// The user who made a user namespace, by its number here.
#[expect(unsafe_code, reason = "rustix has no wrapper for NS_GET_OWNER_UID")]
fn owner(users: &File) -> io::Result<u32> {
    let mut uid: libc::uid_t = 0;
    // SAFETY: the kernel writes a `uid_t` there (`ns_ioctl` of `fs/nsfs.c`).
    match unsafe { libc::ioctl(users.as_raw_fd(), NS_GET_OWNER_UID, &raw mut uid) } {
        ..0 => Err(io::Error::last_os_error()),
        _ => Ok(uid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use testing::until;

    const OTHER: u32 = 4711;

    /// The process itself, or the first below it, that has become `sleep`.
    fn sleeping(pid: u32) -> Option<u32> {
        if fs::read_to_string(format!("/proc/{pid}/comm")).ok()? == "sleep\n" {
            return Some(pid);
        }
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        sleeping(children.split_whitespace().next()?.parse().ok()?)
    }

    /// A `sleep` that is started so, and its process id.
    fn asleep(words: &[&[&str]]) -> (spawn::Running, u32) {
        let words = words.concat();
        let mut command = spawn::command(words[0]);
        command.args(&words[1..]);
        let running = spawn::Running::start(command).unwrap();
        until("it sleeps", || sleeping(running.id()).is_some());
        let pid = sleeping(running.id()).unwrap();
        (running, pid)
    }

    fn account(words: &[&[&str]]) -> Account {
        let (_running, pid) = asleep(words);
        found(&Roots::default(), pid, OTHER).unwrap()
    }

    const SLEEP: &[&str] = &["sleep", "60"];
    const AS_OTHER: &[&str] = &["setpriv", "--reuid", "4711", "--regid", "4711", "--clear-groups"];
    const IN_NAMESPACE: &[&str] = &["unshare", "--user", "--map-root-user"];

    #[test]
    fn a_user_has_one_account_with_all_subordinate_users() {
        if !rustix::process::geteuid().is_root() {
            return println!("SKIPPED: not root");
        }
        let user = Account::User(OTHER);
        assert_eq!(account(&[AS_OTHER, SLEEP]), user);
        assert_eq!(account(&[AS_OTHER, IN_NAMESPACE, SLEEP]), user);
        assert_eq!(account(&[AS_OTHER, IN_NAMESPACE, IN_NAMESPACE, SLEEP]), user);
        let (_running, first) = asleep(&[AS_OTHER, &["unshare", "--user"], SLEEP]);
        for map in ["uid_map", "gid_map"] {
            fs::write(format!("/proc/{first}/{map}"), "0 100000 65536").unwrap();
        }
        let namespace = format!("--user=/proc/{first}/ns/user");
        let enter: &[&str] = &["nsenter", &namespace, "--setuid", "7", "--setgid", "7"];
        let (_running, subordinate) = asleep(&[enter, SLEEP]);
        let status = fs::read_to_string(format!("/proc/{subordinate}/status")).unwrap();
        assert!(status.contains("\nUid:\t100007\t"), "{status}");
        assert_eq!(found(&Roots::default(), subordinate, 100_007).unwrap(), user);
    }

    #[test]
    fn a_container_has_one_account_whoever_is_in_it() {
        if !rustix::process::geteuid().is_root() {
            return println!("SKIPPED: not root");
        }
        let processes: &[&str] = &["unshare", "--pid", "--fork", "--kill-child"];
        for container in [IN_NAMESPACE, processes] {
            let (_running, first) = asleep(&[container, SLEEP]);
            let other = account(&[container, SLEEP]);
            let first = found(&Roots::default(), first, 0).unwrap();
            assert!(matches!(first, Account::Container(_)), "{first:?}");
            assert_ne!(first, other, "{container:?}");
        }
        // Root of a container with the host's users may be any of them.
        let (_running, pid) = asleep(&[processes, AS_OTHER, SLEEP]);
        assert!(matches!(found(&Roots::default(), pid, OTHER).unwrap(), Account::Container(_)));
    }
}
