//! Small files as text, as most of the kernel's are.
use std::path::Path;

/// A small file as text; what cannot be read is empty.
pub(crate) fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last line of a small file that is not blank.
pub(crate) fn last_line(path: &Path) -> Option<String> {
    let text = read(path);
    text.lines().rfind(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned())
}
