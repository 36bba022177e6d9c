//! A figure under a name, to be written as a file.
use crate::{LabError, chart, chart::Panel};
use std::path::Path;

/// A figure that is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Of its file, without the ending.
    pub(crate) name: &'static str,
    /// What it shows, in a line.
    pub(crate) caption: &'static str,
    svg: String,
}

impl Picture {
    /// Draws it.
    pub(crate) fn draw(
        name: &'static str,
        caption: &'static str,
        panels: &[Panel],
    ) -> Result<Picture, LabError> {
        Ok(Picture { name, caption, svg: chart::svg(panels)? })
    }

    /// The name of its file.
    pub(crate) fn file(&self, prefix: &str) -> String {
        format!("{prefix}{}.svg", self.name)
    }

    /// Writes it into a directory that is there.
    pub(crate) fn write(&self, dir: &Path, prefix: &str) -> Result<(), LabError> {
        let path = dir.join(self.file(prefix));
        std::fs::write(&path, &self.svg)
            .map_err(LabError::step(format!("write `{}`", path.display())))
    }
}
