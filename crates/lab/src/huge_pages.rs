//! The kernel's settings of transparent huge pages, changed for a while.
use crate::{Cleanup, LabError, Reason, Takes, Undo};
use std::path::Path;

const DIR: &str = "/sys/kernel/mm/transparent_hugepage";

/// Whether this host has huge pages whose settings can be changed.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    if !rustix::process::geteuid().is_root() {
        return Err(Reason::new("settings of the kernel need root", "run it with sudo"));
    }
    if !Path::new(DIR).join("defrag").exists() {
        let hint = "it needs a kernel with CONFIG_TRANSPARENT_HUGEPAGE";
        return Err(Reason::new("the kernel has no transparent huge pages", hint));
    }
    Ok(())
}

/// Sets `enabled` and `defrag`, and promises to put the old values back.
///
/// # Errors
/// [`LabError::Step`] where the kernel refuses.
pub fn set(
    cleanup: &mut Cleanup,
    enabled: &'static str,
    defrag: &'static str,
) -> Result<(), LabError> {
    for (name, to) in [("enabled", enabled), ("defrag", defrag)] {
        cleanup.needs(&setting(name, to))?;
        choose(cleanup, &Path::new(DIR).join(name), to)?;
    }
    Ok(())
}

/// One of the settings, as it is announced.
pub(crate) fn setting(name: &str, to: &'static str) -> Takes {
    Takes::Setting { file: Path::new(DIR).join(name), to }
}

fn choose(cleanup: &mut Cleanup, file: &Path, to: &str) -> Result<(), LabError> {
    let doing = || format!("set `{}` to {to}", file.display());
    let text = std::fs::read_to_string(file).map_err(LabError::step(doing()))?;
    let from = recorder::chosen(&text).unwrap_or_default();
    if from == to {
        return Ok(());
    }
    let (from, to) = (from.to_owned(), to.to_owned());
    cleanup.promise(Undo::Choice { file: file.to_path_buf(), from, to: to.clone() })?;
    std::fs::write(file, to).map_err(LabError::step(doing()))
}
