//! Which host, which JVM.
use std::collections::BTreeMap;

/// Where rows come from. `None` and empty is what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Node name of the host.
    pub host: String,
    /// The cluster that the host belongs to.
    pub cluster: Option<String>,
    /// What its owners call it: `deploy=b`, `rack=r7`.
    pub labels: BTreeMap<String, String>,
    /// Id of the boot (`/proc/sys/kernel/random/boot_id`).
    pub boot: Option<String>,
    /// Release of the kernel, as `uname -r`.
    pub kernel: Option<String>,
    /// What was read: a path.
    pub source: String,
    /// What kind of thing that is.
    pub kind: SourceKind,
}

/// What rows were made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A GC log.
    #[default]
    Log,
    /// A recording.
    Recording,
    /// A JVM that was being watched.
    Watch,
}

impl SourceKind {
    /// The one with this [`id`](SourceKind::id); a log's where there is none.
    #[must_use]
    pub fn named(id: &str) -> SourceKind {
        let all = [SourceKind::Log, SourceKind::Recording, SourceKind::Watch];
        all.into_iter().find(|it| it.id() == id).unwrap_or_default()
    }

    /// `gc-log`, `recording` or `watch`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            SourceKind::Log => "gc-log",
            SourceKind::Recording => "recording",
            SourceKind::Watch => "watch",
        }
    }
}

/// The JVM. `None` and empty is what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Jvm {
    /// Main class or jar.
    pub main: Option<String>,
    /// Process id.
    pub pid: Option<u32>,
    /// Version.
    pub version: Option<String>,
    /// Vendor or distribution.
    pub vendor: Option<String>,
    /// `g1`, `parallel`, and so on.
    pub collector: Option<String>,
    /// Limit of the heap, in bytes.
    pub heap_max_bytes: Option<u64>,
    /// Flags given (`-XX:…`, `-X…`), in the order in which the JVM applies them.
    pub flags: Vec<String>,
    /// The container that it runs in.
    pub container: Option<String>,
    /// The pod.
    pub pod: Option<String>,
}
