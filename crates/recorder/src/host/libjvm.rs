//! The library of the JVM that a process has mapped.
use super::{ProcessDir, open_mapped};
use crate::{Jvm, Roots};
use std::{fs::File, sync::Arc};

/// The library that the JVM has mapped, or why it cannot be opened.
pub(crate) fn open_libjvm(roots: &Roots, jvm: &Jvm) -> Result<Arc<File>, String> {
    let opened =
        ProcessDir::open(roots, jvm.pid).and_then(|dir| open_mapped(&dir, &jvm.libjvm_mapping));
    opened.map(Arc::new).map_err(|error| error.to_string())
}
