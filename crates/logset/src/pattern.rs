//! Patterns such as `logs/gc.log*`, quoted so that the shell left them alone.
use crate::{
    Error,
    folder::{Found, too_many},
};
use glob::{MatchOptions, glob_with};
use std::path::{Component, Path, PathBuf};

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Whether a path has anything in it that makes it a pattern.
pub(crate) fn is_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(|it| it.contains(['*', '?', '[']))
}

/// Looks at every file that matches.
pub(crate) fn pattern(path: &Path) -> Result<Found, Error> {
    let text = path.to_str().unwrap_or_default();
    let paths = glob_with(text, OPTIONS).map_err(|error| {
        let message = format!("`{text}` is no pattern: {}", error.msg.to_lowercase());
        Error::new(message, "write a bracket that is part of a name as `[[]`")
    })?;
    let fixed = fixed_components(path);
    let mut matching: Vec<PathBuf> = Vec::new();
    for path in paths.flatten() {
        if goes_through_link(&path, fixed) {
            continue;
        }
        matching.push(path);
        too_many(matching.len(), text)?;
    }
    if matching.is_empty() {
        let hint = "give a GC log, a directory, or a pattern that files match";
        return Err(Error::new(format!("no file matches `{text}`"), hint));
    }
    matching.sort();
    let mut found = Found::default();
    matching.iter().for_each(|path| found.add(path));
    found.or_error(text, format!("no file that matches `{text}` is a GC log"))
}

/// How many components come before the first that is a pattern: the user named those.
fn fixed_components(path: &Path) -> usize {
    path.components().take_while(|it| !is_pattern(Path::new(it))).count()
}

/// Whether a directory that the pattern found is a link. The last component is looked at later.
fn goes_through_link(path: &Path, fixed: usize) -> bool {
    let components: Vec<Component<'_>> = path.components().collect();
    (fixed + 1..components.len()).any(|end| {
        let directory: PathBuf = components[..end].iter().collect();
        directory.symlink_metadata().is_ok_and(|it| it.is_symlink())
    })
}
