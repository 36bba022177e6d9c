//! The one place where words become text for a shell.

/// The words with spaces between them.
pub(super) fn line(words: &[String]) -> String {
    words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" ")
}

/// One word of a POSIX shell (XCU 2.2.2): in single quotes, unless each of its characters stands for
/// itself everywhere.
///
/// Single quotes cannot stand between single quotes, and fish takes a backslash before one or
/// before another backslash for an escape there: these are written outside.
pub(super) fn quoted(word: &str) -> String {
    if is_bare(word) {
        return word.to_owned();
    }
    let mut out = String::from("'");
    let mut rest = word.chars();
    while let Some(c) = rest.next() {
        let next = rest.as_str().chars().next();
        if c == '\'' || (c == '\\' && matches!(next, None | Some('\'' | '\\'))) {
            out.extend(["'\\", c.encode_utf8(&mut [0; 4]), "'"]);
        } else {
            out.push(c);
        }
    }
    out.push('\'');
    out
}

/// zsh takes `=ls` for the path of a program.
fn is_bare(word: &str) -> bool {
    let bare = |c: char| c.is_ascii_alphanumeric() || "/._-=,:+%".contains(c);
    !word.is_empty() && !word.starts_with('=') && word.chars().all(bare)
}

/// Whether every `echo` prints it as it is: neither an option nor an escape.
pub(super) fn every_echo_prints(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ' || c == '_')
}

/// Whether a word is on a screen, and comes back from there, character by character.
pub(super) fn can_be_copied(word: &str) -> bool {
    word.chars().all(is_shown)
}

/// Not: control characters, which end a line or steer the terminal; marks that reorder text; what
/// has no width; spaces that look like the ordinary one; and the mark in place of bytes that are no
/// UTF-8, as another file may have that very name.
fn is_shown(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !hidden && !c.is_control() && (c == ' ' || !c.is_whitespace())
}

/// Text in which what cannot be shown is written as `\u{a}`.
pub(super) fn shown(text: &str) -> String {
    escaped_unless(text, can_be_copied)
}

/// Text in which each character that is not `fine` by itself is written as `\u{a}`.
pub(super) fn escaped_unless(text: &str, fine: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match fine(c.encode_utf8(&mut [0; 4])) {
            true => out.push(c),
            false => out.extend(c.escape_unicode()),
        }
    }
    out
}
