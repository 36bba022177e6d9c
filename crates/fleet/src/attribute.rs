//! What hosts are grouped by: what is known of the host and of its JVM.
use table::{Jvm, Origin};

/// A value has no more characters than this.
const MOST_CHARS: usize = 400;
/// A JVM has no more attributes than this; what comes later is not looked at.
const MOST_ATTRIBUTES: usize = 256;

/// Which property of a host or of its JVM.
///
/// The order is that in which one of several properties that say the same is named: what changes how a JVM is
/// stopped comes before what hosts are merely called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Release of the kernel.
    Kernel,
    /// Version of the JVM.
    Version,
    /// Vendor of the JVM.
    Vendor,
    /// Collector.
    Collector,
    /// Main class or jar.
    Main,
    /// A label, by its key.
    Label(String),
    /// Cluster.
    Cluster,
    /// A flag that is given.
    Flag,
}

/// A property and its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// Which property.
    pub key: Key,
    /// Its value, at most 400 characters; of a flag the flag.
    pub value: String,
}

impl Key {
    /// `kernel`, `jvm-version`, `jvm-vendor`, `collector`, `main`, `label`, `cluster` or `flag`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Key::Kernel => "kernel",
            Key::Version => "jvm-version",
            Key::Vendor => "jvm-vendor",
            Key::Collector => "collector",
            Key::Main => "main",
            Key::Label(_) => "label",
            Key::Cluster => "cluster",
            Key::Flag => "flag",
        }
    }

    /// The key of a label.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match self {
            Key::Label(key) => Some(key),
            _ => None,
        }
    }

    /// Which bit says that the property is known; of labels it always is, as a host without one does not have it.
    pub(crate) fn known_bit(&self) -> u8 {
        match self {
            Key::Kernel => 1,
            Key::Version => 2,
            Key::Vendor => 4,
            Key::Collector => 8,
            Key::Main => 16,
            Key::Cluster => 32,
            Key::Flag => 64,
            Key::Label(_) => 0,
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MOST_CHARS).collect()
}

/// All that is known, each once; what is not known is not there.
pub(crate) fn attributes(origin: &Origin, jvm: &Jvm) -> Vec<Attribute> {
    let known = [
        (Key::Kernel, &origin.kernel),
        (Key::Version, &jvm.version),
        (Key::Vendor, &jvm.vendor),
        (Key::Collector, &jvm.collector),
        (Key::Main, &jvm.main),
        (Key::Cluster, &origin.cluster),
    ];
    let known = known.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let labels = origin.labels.iter().map(|it| (Key::Label(shortened(it.0)), it.1.as_str()));
    let flags = jvm.flags.iter().map(|it| (Key::Flag, it.as_str()));
    let all = known.chain(labels).chain(flags).take(MOST_ATTRIBUTES);
    let mut all: Vec<Attribute> =
        all.map(|(key, value)| Attribute { key, value: shortened(value) }).collect();
    all.sort();
    all.dedup();
    all
}
