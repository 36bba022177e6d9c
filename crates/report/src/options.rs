//! How the reader wants it.
use jiff::tz::TimeZone;
use std::time::Duration;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour. The text says the same without.
    pub colour: bool,
    /// Whether characters beyond ASCII can be shown.
    pub unicode: bool,
    /// Columns. Text is wrapped at this width, and never above 110, which is hard to read.
    pub width: usize,
}

impl Style {
    /// For a file or a pipe: no colour, all characters, 80 columns.
    pub const PLAIN: Style = Style { colour: false, unicode: true, width: 80 };
}

/// A pause of this length is listed unless another limit is given.
pub(crate) const LONG_PAUSE: Duration = Duration::from_millis(50);

/// What to show and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pauses of at least this length are listed.
    pub over: Duration,
    /// Everything that is known, and not only what fits a screen.
    pub full: bool,
    /// Every pause, not only the longest.
    pub all_pauses: bool,
    /// In which zone times of day are shown.
    pub zone: TimeZone,
    /// What the terminal can show.
    pub style: Style,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            over: LONG_PAUSE,
            full: false,
            all_pauses: false,
            zone: TimeZone::UTC,
            style: Style::PLAIN,
        }
    }
}
