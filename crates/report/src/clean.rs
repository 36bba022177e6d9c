//! Text from elsewhere, made safe to print: the one place where that is decided.
//!
//! Thread names, command lines, main classes, paths and lines of logs are chosen by the processes
//! that are watched. Whatever is printed of them goes through here, in every format.

/// A paragraph is no longer than this, whatever names are in it.
const MOST_TEXT: usize = 4_000;
/// A name in a table or a heading has no more characters than this.
pub(crate) const MOST_NAME: usize = 80;
/// A path on a line of its own, which may be copied, has no more than this.
pub(crate) const MOST_PATH: usize = 400;

/// `text` without anything that a terminal would obey, at most 4,000 characters of it.
///
/// Control characters and marks that reorder or hide text could move the cursor, recolour or fake
/// lines, so they come out as `\u{1b}`. What is cut off is marked by an ellipsis.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MOST_TEXT));
    let mut left = MOST_TEXT;
    for c in text.chars() {
        let before = out.len();
        match c {
            '\t' | '\n' => out.push(' '),
            c if misleads(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
        // What was escaped is ASCII.
        let columns = if misleads(c) { out.len() - before } else { 1 };
        if columns > left {
            out.truncate(before);
            out.push('…');
            break;
        }
        left -= columns;
    }
    out
}

/// The same of a name that has to fit into a table or a heading: at most `most` characters, of
/// which the end is kept, too.
#[must_use]
pub fn clean_name(text: &str, most: usize) -> String {
    let (first, last) = (text.char_indices().nth(most), text.char_indices().rev().nth(most));
    let all = match (first, last) {
        // What lies between is not shown in any case.
        (Some((first, _)), Some((last, _))) if first < last => {
            clean(&format!("{}{}", &text[..first], &text[last..]))
        }
        _ => clean(text),
    };
    let columns = all.chars().count();
    if columns <= most {
        return all;
    }
    let tail = most / 3;
    let head = most.saturating_sub(tail + 1);
    let chars = || all.chars();
    chars().take(head).chain(['…']).chain(chars().skip(columns - tail)).collect()
}

/// Whether a character is obeyed and not shown, or makes other characters look as what they are
/// not: control characters (C0, DEL, C1), marks of direction, zero-width characters, and line and
/// paragraph separators.
pub(crate) fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_move_the_cursor_is_shown_and_not_sent() {
        assert_eq!(
            clean("a\u{1b}[2Jb\u{202e}c\u{9b}d\ne\r"),
            r"a\u{1b}[2Jb\u{202e}c\u{9b}d e\u{d}"
        );
        assert_eq!(clean("\u{61c}\u{ad}\u{7f}"), r"\u{61c}\u{ad}\u{7f}");
    }

    #[test]
    fn both_sides_of_the_longest_text() {
        assert_eq!(clean(&"x".repeat(4_000)), "x".repeat(4_000));
        assert_eq!(clean(&"é".repeat(4_001)), "é".repeat(4_000) + "…");
        // An escape is never cut in two.
        let marks = clean(&"\u{202e}".repeat(900_000));
        assert!(marks.chars().count() <= 4_001 && marks.ends_with(r"\u{202e}…"), "{marks}");
    }

    #[test]
    fn of_a_long_name_both_ends_are_kept() {
        assert_eq!(clean_name("kafka.Kafka", 11), "kafka.Kafka");
        assert_eq!(clean_name("org.example.orders.Main", 12), "org.exa…Main");
        assert_eq!(clean_name("x", 0), "…");
        let long = format!("org.{}.Main", "x".repeat(900_000));
        assert_eq!(clean_name(&long, 12), "org.xxx…Main");
    }
}
