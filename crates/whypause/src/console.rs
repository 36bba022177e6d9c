//! The two streams to the user: data on standard output, the rest on standard error.
use crate::{Failure, args::Colour};
use remedy::{Action, Command};
use report::{
    Options, Style, TimeZone,
    text::{Role, ascii, clean, paint},
};
use std::{
    env,
    io::{self, BufRead, IsTerminal, Read, Write},
};

/// Columns where the terminal does not say, or where there is none.
const DEFAULT_WIDTH: usize = 80;

/// What the user's terminal can show, found out once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    colour: Colour,
}

impl Console {
    pub(crate) fn new(colour: Colour) -> Console {
        Console { colour }
    }

    /// When to colour, as the option has it.
    pub(crate) fn colour(&self) -> &'static str {
        match self.colour {
            Colour::Always => "always",
            Colour::Never => "never",
            Colour::Auto => "auto",
        }
    }

    /// Style of standard output.
    pub(crate) fn style(&self) -> Style {
        self.style_of(io::stdout().is_terminal())
    }

    fn style_of(&self, terminal: bool) -> Style {
        let colour = match self.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => auto_colour(|name| env::var(name).ok(), terminal),
        };
        Style { colour, unicode: unicode(|name| env::var(name).ok()), width: width() }
    }

    /// How reports are shown here.
    pub(crate) fn options(&self) -> Options {
        Options { zone: TimeZone::system(), style: self.style(), ..Options::default() }
    }

    /// The same, with times of day in this zone.
    pub(crate) fn options_in(&self, zone: TimeZone) -> Options {
        Options { zone, ..self.options() }
    }

    /// Whether progress may be shown: only to a person who watches.
    pub(crate) fn shows_progress(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Asks at the terminal. `None` where standard input is no terminal; any other answer than yes
    /// is a no.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return None;
        }
        let _ = write!(io::stderr().lock(), "{} [y/N] ", clean(question));
        let mut answer = String::new();
        io::stdin().lock().take(64).read_line(&mut answer).ok()?;
        Some(matches!(answer.trim(), "y" | "Y" | "yes"))
    }

    /// Writes data and makes sure that it arrived.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Says something about the files of a log.
    pub(crate) fn note(&self, note: &logset::Note) {
        self.say(&format!("note: {note}"));
        if !note.hint().is_empty() {
            self.say(&format!("hint: {}", note.hint()));
        }
    }

    /// Says something on standard error. That it is closed is no reason to stop.
    pub(crate) fn say(&self, text: &str) {
        let style = self.style_of(io::stderr().is_terminal());
        let text = clean(text);
        let text = if style.unicode { text } else { ascii(&text) };
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// A command as it can be copied from here, if it can.
    pub(crate) fn copyable(&self, command: Command) -> Option<String> {
        let action = Action::run([command]);
        let action = if self.style().unicode { action } else { action.in_ascii() };
        (!action.is_said()).then(|| action.to_string())
    }

    /// `error:` and `hint:`.
    pub(crate) fn failure(&self, failure: &Failure) {
        let Failure::Said { message, hint, .. } = failure else { return };
        let style = self.style_of(io::stderr().is_terminal());
        let mut text = format!("{} {}\n", paint(style, Role::Bad, "error:"), clean(message));
        if let Some(hint) = hint {
            text += &format!("{} {}\n", paint(style, Role::Strong, "hint:"), clean(hint));
        }
        let text = if style.unicode { text } else { ascii(&text) };
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// <https://no-color.org> and <https://bixense.com/clicolors>: who forbids wins over who demands,
/// and both over what the stream is.
fn auto_colour(variable: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    let refuses = set("CLICOLOR").is_some_and(|value| value == "0")
        || set("TERM").is_some_and(|value| value == "dumb");
    terminal && !refuses
}

/// Whether the locale is UTF-8, asked in the order of `setlocale(3)`.
fn unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

fn width() -> usize {
    let of_terminal = rustix::termios::tcgetwinsize(io::stdout()).map(|size| size.ws_col);
    let of_environment = || env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    match of_terminal {
        Ok(columns @ 1..) => usize::from(columns),
        _ => of_environment().filter(|columns| *columns > 0).unwrap_or(DEFAULT_WIDTH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_colour(variables: &[(&str, &str)], terminal: bool, expected: bool) {
        let lookup = |name: &str| {
            variables.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(auto_colour(lookup, terminal), expected, "{variables:?}");
    }

    #[test]
    fn colour_is_for_terminals_unless_the_environment_says_otherwise() {
        check_colour(&[], true, true);
        check_colour(&[], false, false);
        check_colour(&[("NO_COLOR", "1")], true, false);
        check_colour(&[("NO_COLOR", "")], true, true);
        check_colour(&[("CLICOLOR_FORCE", "1")], false, true);
        check_colour(&[("CLICOLOR_FORCE", "0")], false, false);
        check_colour(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false);
        check_colour(&[("CLICOLOR", "0")], true, false);
        check_colour(&[("TERM", "dumb")], true, false);
    }

    #[test]
    fn the_first_variable_that_is_set_decides_the_locale() {
        let check = |variables: &[(&str, &str)], expected| {
            let lookup = |name: &str| {
                variables.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(unicode(lookup), expected, "{variables:?}");
        };
        check(&[("LANG", "de_DE.UTF-8")], true);
        check(&[("LANG", "C.utf8")], true);
        check(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")], false);
        check(&[("LC_ALL", ""), ("LANG", "de_DE.UTF-8")], true);
        check(&[], false);
    }
}
