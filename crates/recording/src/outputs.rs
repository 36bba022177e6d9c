//! Rows about where the JVM's standard output and standard error lead.
use crate::MonoTime;

/// What a standard stream of the JVM is open on, where that is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::VariantArray)]
pub enum OutputKind {
    /// A pipe without a name.
    Pipe,
    /// A pipe with a name in a file system.
    Fifo,
    /// The lower end of a pseudo-terminal (`/dev/pts/N`).
    PseudoTerminal,
    /// A terminal that is a device: a console or a serial line.
    Terminal,
    /// A stream socket on this host.
    UnixSocket,
    /// A TCP connection.
    TcpSocket,
}

impl OutputKind {
    const ALL: &'static [OutputKind] = <OutputKind as strum::VariantArray>::VARIANTS;

    /// The name used in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            OutputKind::Pipe => "pipe",
            OutputKind::Fifo => "fifo",
            OutputKind::PseudoTerminal => "pseudo-terminal",
            OutputKind::Terminal => "terminal",
            OutputKind::UnixSocket => "unix-socket",
            OutputKind::TcpSocket => "tcp-socket",
        }
    }

    /// The kind with this [`id`](OutputKind::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<OutputKind> {
        OutputKind::ALL.iter().copied().find(|kind| kind.id() == id)
    }
}

/// What standard output or standard error was open on, and how far its other end was looked for.
/// A later row of the same descriptor replaces an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFact {
    /// When it was read.
    pub at: MonoTime,
    /// Descriptor of the JVM: 1 or 2.
    pub fd: u32,
    /// What it is.
    pub kind: OutputKind,
    /// As the kernel names it: `pipe:[4711]`, `/dev/pts/3`, `10.0.0.7:514` for the other end of a
    /// TCP connection.
    pub name: String,
    /// Inode of a pipe or socket, number of a pseudo-terminal; 0 where it has none.
    pub number: u64,
    /// Whether the flags of the JVM send GC or safepoint lines there.
    pub gc_log: bool,
    /// Processes whose descriptors were compared; 0 where nothing looked for the other end.
    pub inspected: u32,
    /// Processes that could not be read, or that were left out because the search became too long.
    pub uninspected: u32,
    /// Why the other end cannot be found, also by root. Empty where it can.
    pub hidden: String,
}

/// A process that holds the other end of such a stream: it can read what the JVM writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputReaderFact {
    /// When it was read.
    pub at: MonoTime,
    /// Descriptor of the JVM: 1 or 2.
    pub fd: u32,
    /// Process id (host).
    pub pid: u32,
    /// Process name (`comm`).
    pub name: String,
    /// As [`WriterFact::command_line`](crate::WriterFact::command_line).
    pub command_line: String,
    /// cgroup path.
    pub cgroup: String,
    /// State of its main thread, as the letter in `/proc/PID/stat`: `S`, `R`, `D`, `T`, `t`, `Z`.
    pub state: String,
    /// The kernel function in which its main thread sleeps (`/proc/PID/wchan`). Empty where it
    /// runs or where the kernel does not tell.
    pub function: String,
}
