//! Why a JVM cannot be recorded.
use crate::{Roots, kernel::KernelError};

/// Why a session could not begin. One line each; [`hint`](AttachError::hint) says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    /// The process is not there, or its id belongs to another one by now.
    #[error("no process with pid `{pid}`")]
    NoSuchProcess {
        /// The process id asked for.
        pid: u32,
    },
    /// It ended while the probes were being attached.
    #[error("the JVM `{pid}` exited while it was being attached to")]
    Exited {
        /// The process id asked for.
        pid: u32,
    },
    /// The kernel refused.
    #[error("no permission to attach to the JVM `{pid}`: {reason}")]
    NoPermission {
        /// The process id asked for.
        pid: u32,
        /// The system's words.
        reason: String,
    },
    /// The kernel does not describe its types.
    #[error("this kernel has no type information (`/sys/kernel/btf/vmlinux`)")]
    NoBtf,
    /// The recorder sees other process ids than the kernel's programs do.
    #[error("the recorder runs in a pid namespace of its own")]
    PidNamespace,
    /// Built with the cargo feature `bpf` off.
    #[error("this build cannot attach to the kernel")]
    NotBuilt,
    /// The kernel is older than those which have all that is needed, and refused.
    #[error("linux `{release}` cannot record the JVM `{pid}`: {reason}")]
    OldKernel {
        /// The process id asked for.
        pid: u32,
        /// The kernel's release, as `uname -r` has it.
        release: String,
        /// The system's words.
        reason: String,
    },
    /// Anything else.
    #[error("cannot attach to the JVM `{pid}`: {reason}")]
    Kernel {
        /// The process id asked for.
        pid: u32,
        /// The system's words.
        reason: String,
    },
}

/// The first release that has all that the programs need: of long-term support, and with
/// `bpf_get_attach_cookie` for USDT. Task storage for tracing is of 5.11.
const OLDEST_KERNEL: (u32, u32) = (5, 15);

impl AttachError {
    /// What the kernel side said, with the kernel's release where that may be the reason.
    pub(crate) fn of(error: KernelError, pid: u32, roots: &Roots) -> AttachError {
        // as `uname -r` has it
        let release = std::fs::read_to_string(roots.proc.join("sys/kernel/osrelease"));
        let release = release.unwrap_or_default().trim().to_owned();
        match error {
            KernelError::NotBuilt => AttachError::NotBuilt,
            KernelError::Permission(reason) => AttachError::NoPermission { pid, reason },
            KernelError::Other(reason) if is_old(&release) => {
                AttachError::OldKernel { pid, release, reason }
            }
            KernelError::Other(reason) => AttachError::Kernel { pid, reason },
        }
    }

    /// What to do about it, for a `hint:` line.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            AttachError::NoSuchProcess { .. } | AttachError::Exited { .. } => {
                "`whypause ps` lists the JVMs of this host"
            }
            AttachError::NoPermission { .. } => {
                "run as root, or with the capabilities cap_bpf, cap_perfmon and cap_sys_ptrace"
            }
            AttachError::NoBtf => {
                "a kernel built with CONFIG_DEBUG_INFO_BTF has it (distributions since 2020, linux 5.5 or later)"
            }
            AttachError::PidNamespace => {
                "run on the host, or with the host's pid namespace (`docker run --pid=host`, `hostPID: true`)"
            }
            AttachError::NotBuilt => "build with the cargo feature `bpf`",
            AttachError::OldKernel { .. } => "linux 5.15 or later is needed",
            AttachError::Kernel { .. } => {
                "this kernel is not too old, so please report this line and `uname -r` as a defect of whypause"
            }
        }
    }
}

/// Whether a release is older than [`OLDEST_KERNEL`].
fn is_old(release: &str) -> bool {
    let mut numbers = release.split(|it: char| !it.is_ascii_digit()).map(str::parse);
    let (major, minor) = (numbers.next(), numbers.next());
    matches!((major, minor), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < OLDEST_KERNEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said on a host with this release.
    fn said(release: &str) -> AttachError {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("sys/kernel")).unwrap();
        std::fs::write(root.path().join("sys/kernel/osrelease"), release).unwrap();
        let roots = Roots { proc: root.path().into(), sys: "/sys".into() };
        AttachError::of(KernelError::Other("map 'threads': failed".into()), 1, &roots)
    }

    #[test]
    fn only_an_old_kernel_is_said_to_be_too_old() {
        for old in ["5.14.21\n", "5.10.0-32-cloud-amd64\n", "4.18.0-553.el8"] {
            let error = said(old);
            assert_eq!(error.hint(), "linux 5.15 or later is needed", "{old}");
            assert!(error.to_string().contains(old.trim()), "{error}");
        }
        for new in ["5.15.0", "6.1.0-56-cloud-amd64\n", "7.3-rc1", "10.0", "nonsense", ""] {
            let error = said(new);
            assert!(error.hint().contains("report this line"), "{new}");
            assert_eq!(error.to_string(), "cannot attach to the JVM `1`: map 'threads': failed");
        }
    }
}
