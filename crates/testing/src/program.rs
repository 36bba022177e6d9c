//! Programs that JVMs of tests run.
use std::path::{Path, PathBuf};

/// The source of a program that JVMs of tests run, in `crates/testing/java/`. It says `ready` when
/// it is.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("java/{name}.java"))
}
