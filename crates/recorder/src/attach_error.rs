//! Why a JVM cannot be recorded.

/// Why a session could not begin. One line each; [`hint`](AttachError::hint) says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    /// The process is not there, or its id belongs to another one by now.
    #[error("no process with pid `{pid}`")]
    NoSuchProcess {
        /// Asked for.
        pid: u32,
    },
    /// It ended while the probes were being attached.
    #[error("the jvm `{pid}` exited while it was being attached to")]
    Exited {
        /// Asked for.
        pid: u32,
    },
    /// The kernel refused.
    #[error("no permission to attach to the jvm `{pid}`: {reason}")]
    NoPermission {
        /// Asked for.
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
    /// Anything else.
    #[error("cannot attach to the jvm `{pid}`: {reason}")]
    Kernel {
        /// Asked for.
        pid: u32,
        /// The system's words.
        reason: String,
    },
}

impl AttachError {
    /// What to do about it, for a `hint:` line.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            AttachError::NoSuchProcess { .. } | AttachError::Exited { .. } => {
                "`whypause ps` lists the jvms of this host"
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
            AttachError::Kernel { .. } => "linux 5.15 or later is needed",
        }
    }
}
