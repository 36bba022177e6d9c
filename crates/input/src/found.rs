//! What paths name.
use crate::Error;
use logset::LogSet;
use recording::Kept;
use std::{io::Read, path::PathBuf};

/// One thing to explain.
#[derive(Debug)]
pub enum Input {
    /// A directory that `whypause record` wrote.
    Recording(PathBuf),
    /// What a watch kept, of which the pause or stall is explained that it was kept for.
    Kept(PathBuf, Kept),
    /// One JVM's GC log.
    Log(LogSet),
}

/// What the paths name, in their order; `-` is `stdin`.
///
/// # Errors
///
/// Of the first path that cannot be used; and of a directory in which a watch keeps recordings, of which one
/// is to be named.
pub fn find(paths: &[PathBuf], stdin: Box<dyn Read + Send>) -> Result<Vec<Input>, Error> {
    let (mut inputs, mut logs) = (Vec::new(), Vec::new());
    for (at, path) in paths.iter().enumerate() {
        let is_directory = path.as_os_str() != "-" && path.is_dir();
        if let Some(kept) = is_directory.then(|| recording::kept_in(path)).flatten() {
            return Err(Error::new(
                format!("`{}` holds {} recordings that a watch kept", path.display(), kept.len()),
                "name one of them: `whypause explain` of the directory alone lists them",
            ));
        }
        if is_directory && recording::is_recording(path) {
            inputs.push((at, Input::Recording(path.clone())));
        } else {
            logs.push((at, path));
        }
    }
    let log_paths: Vec<&PathBuf> = logs.iter().map(|(_, path)| *path).collect();
    for set in logset::find(&log_paths, stdin)? {
        inputs.push((logs[set.argument()].0, Input::Log(set)));
    }
    // Stable, so that the logs of one directory stay in the order of their names.
    inputs.sort_by_key(|(at, _)| *at);
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}
