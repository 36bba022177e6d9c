//! The files of the project as text.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// One file.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Path from the project's folder, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

impl SourceFile {
    /// Whether it is Rust.
    #[cfg(test)]
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The crate whose folder it is in: `gclog` for `crates/gclog/src/lib.rs`.
    #[cfg(test)]
    pub(crate) fn crate_name(&self) -> &str {
        let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        path.split('/').next().unwrap_or_default()
    }

    /// The name without folder and extension.
    #[cfg(test)]
    pub(crate) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }
}

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("the folder of this crate has a parent").to_path_buf()
}

/// Every text file of the project, in the order of paths. Build output and git's own are left out,
/// and so is what is not UTF-8, such as a recording.
pub(crate) fn files() -> Vec<SourceFile> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    found.sort_by(|a: &SourceFile, b| a.path.cmp(&b.path));
    found
}

/// Every Rust file of the project.
#[cfg(test)]
pub(crate) fn rust_files() -> Vec<SourceFile> {
    files().into_iter().filter(SourceFile::is_rust).collect()
}

/// The text of a file that must be there.
#[cfg(test)]
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<SourceFile>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("`{prefix}`: {error}"));
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        // A link is not followed: it may lead out of the project, or round in a circle.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !matches!(name.as_str(), "target" | ".git") => {
                collect(&entry.path(), &format!("{path}/"), found);
            }
            Ok(kind) if kind.is_file() => {
                if let Ok(text) = fs::read_to_string(entry.path()) {
                    found.push(SourceFile { path, text });
                }
            }
            _ => {}
        }
    }
}
