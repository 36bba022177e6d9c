//! The columns that say which host and which JVM a row is about: the same in every table, and first.
use crate::{
    Jvm, Origin,
    bounds::{MOST_FILE_BYTES, MOST_FLAGS_BYTES, MOST_LABELS, MOST_NAME_BYTES, bounded},
    column::{Column, always, optional},
    columns::{map, repeated, same, same_map, same_number},
};
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What all rows of a batch have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// Which host, and what was read.
    pub origin: Arc<Origin>,
    /// Which JVM.
    pub jvm: Arc<Jvm>,
    /// The sources that were recorded, by their ids with a blank between; `~` is before one that is there in part.
    pub coverage: Arc<str>,
}

/// How many columns there are.
pub(crate) const COUNT: usize = 18;

pub(crate) fn columns() -> Vec<Column> {
    let text = |name, about| optional(name, repeated(), about);
    let number = |name, about| optional(name, DataType::Int64, about);
    vec![
        always("host", repeated(), "node name of the host"),
        text("cluster", "the cluster that the host belongs to"),
        always("labels", map(), "what its owners call it, such as `deploy` or `rack`"),
        text("boot", "id of the boot (`/proc/sys/kernel/random/boot_id`)"),
        text("kernel", "release of the kernel, as `uname -r`"),
        text("main", "main class or jar of the JVM"),
        number("pid", "process id of the JVM on the host"),
        text("java_version", "version of the JVM"),
        text("java_vendor", "its vendor or distribution"),
        text("collector", "`g1`, `parallel`, `serial`, `cms`, `zgc`, `shenandoah`, `epsilon`"),
        number("heap_max_bytes", "limit of the heap"),
        text("flags", "flags given, in the order in which the JVM applies them"),
        text(
            "flags_hash",
            "the first 16 digits of SHA-256 of the flags: equal flags are equal here",
        ),
        text("container", "the container that the JVM runs in"),
        text("pod", "the Kubernetes pod"),
        always("source", repeated(), "what was read: path of a log, recording, or process"),
        always("source_kind", repeated(), "`gc-log`, `recording` or `watch`"),
        always(
            "coverage",
            repeated(),
            "sources that were recorded; `~` before one that is there in part",
        ),
    ]
}

impl Who {
    /// The columns of this many rows.
    pub(crate) fn arrays(&self, rows: usize) -> Vec<ArrayRef> {
        let (origin, jvm) = (&self.origin, &self.jvm);
        let same = |text: &Option<String>| {
            same(text.as_deref().map(|it| bounded(it, MOST_NAME_BYTES)), rows)
        };
        let flags = jvm.flags.join(" ");
        let flags = (!flags.is_empty()).then_some(flags);
        let short = flags.as_deref().map(|it| bounded(it, MOST_FLAGS_BYTES));
        let hash = flags.as_deref().map(hash);
        let text = |text: &str, most| crate::columns::same(Some(bounded(text, most)), rows);
        let labels = origin.labels.iter().take(MOST_LABELS).map(|(key, value)| {
            let bounded = |it: &str| bounded(it, MOST_NAME_BYTES).to_owned();
            (bounded(key), bounded(value))
        });
        let columns = vec![
            text(&origin.host, MOST_NAME_BYTES),
            same(&origin.cluster),
            same_map(&labels.collect(), rows),
            same(&origin.boot),
            same(&origin.kernel),
            same(&jvm.main),
            same_number(jvm.pid.map(i64::from), rows),
            same(&jvm.version),
            same(&jvm.vendor),
            same(&jvm.collector),
            same_number(jvm.heap_max_bytes.and_then(|it| i64::try_from(it).ok()), rows),
            crate::columns::same(short, rows),
            crate::columns::same(hash.as_deref(), rows),
            same(&jvm.container),
            same(&jvm.pod),
            text(&origin.source, MOST_FILE_BYTES),
            text(origin.kind.id(), MOST_NAME_BYTES),
            text(&self.coverage, MOST_FILE_BYTES),
        ];
        debug_assert_eq!(columns.len(), COUNT);
        columns
    }
}

fn hash(flags: &str) -> String {
    let digest = Sha256::digest(flags.as_bytes());
    digest.iter().take(8).map(|it| format!("{it:02x}")).collect()
}
