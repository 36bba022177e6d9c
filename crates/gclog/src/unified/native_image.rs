//! What the serial collector of a `GraalVM` native image writes (`-XX:+PrintGC`).
use crate::{GcKind, YoungKind};

/// Its collections.
///
/// # Source
///
/// `GCImpl::printGCAfter` and `GenScavengeGCProvider` of `SubstrateVM`
/// (`com.oracle.svm.core.genscavenge`).
pub(super) const PAUSES: [(&[u8], GcKind); 2] =
    [(b"Incremental GC", GcKind::Young(YoungKind::Normal)), (b"Full GC", GcKind::Full)];
