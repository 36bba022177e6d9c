//! The files of the project.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The project's folder.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("the folder of this crate has a parent").to_path_buf()
}

/// The path of every file from the project's folder, with `/`, in order.
/// Build output and git's own files are left out.
pub(crate) fn paths() -> Vec<String> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("`{prefix}`: {error}"));
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        // A link is not followed: it may lead out of the project, or round in a circle.
        match entry.file_type() {
            _ if !is_ours(&name, &path) => {}
            Ok(kind) if kind.is_dir() => collect(&entry.path(), &format!("{path}/"), found),
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
}

/// Whether it is what people wrote, or a folder of that. In a second worktree `.git` is a file.
fn is_ours(name: &str, path: &str) -> bool {
    // A folder of sources may have that name as well.
    let is_output = name == "target" && !path.contains("/src/");
    !is_output
        && !matches!(name, ".git" | "node_modules")
        && !matches!(path, "fuzz/corpus" | "fuzz/artifacts" | "fuzz/coverage")
}

#[cfg(test)]
pub(crate) use text::{SourceFile, files, read, rust_files};

/// The files as text, for tests.
#[cfg(test)]
mod text {
    use super::{paths, root};
    use std::fs;

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
        pub(crate) fn is_rust(&self) -> bool {
            self.path.ends_with(".rs")
        }

        /// The crate whose folder it is in: `gclog` for `crates/gclog/src/lib.rs`.
        pub(crate) fn crate_name(&self) -> &str {
            let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
            path.split('/').next().unwrap_or_default()
        }

        /// The name without folder and extension.
        pub(crate) fn stem(&self) -> &str {
            let name = self.path.rsplit('/').next().unwrap_or_default();
            name.split('.').next().unwrap_or_default()
        }
    }

    /// Every text file of the project, in the order of paths.
    /// What is not UTF-8, such as a recording, is left out.
    pub(crate) fn files() -> Vec<SourceFile> {
        let read = |path: String| {
            let text = fs::read_to_string(root().join(&path)).ok()?;
            Some(SourceFile { path, text })
        };
        paths().into_iter().filter_map(read).collect()
    }

    /// Every Rust file of the project.
    pub(crate) fn rust_files() -> Vec<SourceFile> {
        files().into_iter().filter(SourceFile::is_rust).collect()
    }

    /// The text of a file that must be there.
    pub(crate) fn read(path: &str) -> String {
        fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}
