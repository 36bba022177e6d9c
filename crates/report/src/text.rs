//! Text for terminals: cleaned, wrapped, painted, and in ASCII where need be.
use crate::Style;
use remedy::Action;
use unicode_width::UnicodeWidthStr;

pub use crate::clean::{clean, clean_name};

/// `text` in ASCII: the characters that reports use have a plain form, any other becomes `?`.
#[must_use]
pub fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => out.push(c),
            '·' | '–' | '—' => out.push('-'),
            '•' => out.push('*'),
            '…' => out.push_str("..."),
            'µ' | 'μ' => out.push('u'),
            '≥' => out.push_str(">="),
            '≤' => out.push_str("<="),
            '≈' => out.push('~'),
            '→' => out.push_str("->"),
            '←' => out.push_str("<-"),
            '×' => out.push('x'),
            '’' | '‘' => out.push('\''),
            '“' | '”' => out.push('"'),
            _ => out.push('?'),
        }
    }
    out
}

/// How many columns of a terminal `text` takes: a Chinese character takes two.
pub(crate) fn columns_of(text: &str) -> usize {
    text.width()
}

/// `text` padded with spaces to at least this many columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    text.to_owned() + &" ".repeat(columns.saturating_sub(columns_of(text)))
}

/// A line of a table: the first cell to the right, as numbers and times are, the others to the left.
pub(crate) fn row<const N: usize>(cells: &[String; N], widths: &[usize; N]) -> String {
    let mut out = format!("{:>1$}", cells[0], widths[0]);
    for (cell, width) in cells.iter().zip(widths).skip(1) {
        out.push_str("  ");
        out.push_str(&padded(cell, *width));
    }
    out
}

/// Breaks `text` at spaces so that no line is wider than `width` columns.
///
/// A word that is wider alone stays whole, so that paths and flags can be copied. A number stays
/// with its unit. A no-break space (`U+00A0`) keeps words together and is printed as a space.
#[must_use]
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let text = with_units_glued(text);
    let mut lines = vec![String::new()];
    let mut columns = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = columns_of(word);
        if columns > 0 && columns + 1 + wide > width {
            lines.push(String::new());
            columns = 0;
        }
        let line = lines.last_mut().expect("there is always a line");
        if columns > 0 {
            line.push(' ');
            columns += 1;
        }
        line.push_str(word);
        columns += wide;
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// Units that stay with the number before them.
const UNITS: [&str; 16] =
    ["ns", "µs", "ms", "s", "min", "h", "d", "%", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB"];

fn with_units_glued(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(' ') {
        let unit = word.trim_end_matches(|c: char| ".,;:)".contains(c));
        let glue = out.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&unit);
        if !out.is_empty() {
            out.push(if glue { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

/// Keeps the words of one item together when wrapped: spaces become no-break spaces.
pub(crate) fn glued(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// What a piece of text is, for colouring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A heading or the number that matters.
    Strong,
    /// A fault.
    Bad,
    /// Something to copy and run.
    Action,
    /// What may be skipped.
    Faint,
}

/// `text` in the colour of `role`, where the style has colour.
#[must_use]
pub fn paint(style: Style, role: Role, text: &str) -> String {
    if !style.colour || text.is_empty() {
        return text.to_owned();
    }
    let code = match role {
        Role::Strong => "1",
        Role::Bad => "1;31",
        Role::Action => "32",
        Role::Faint => "2",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// A page that grows line by line.
#[derive(Debug)]
pub(crate) struct Page {
    out: String,
    style: Style,
    /// Whether there is text before it, which ends in a line that is not blank.
    continues: bool,
}

impl Page {
    pub(crate) fn new(style: Style) -> Page {
        let style = Style { width: style.width.clamp(40, 110), ..style };
        Page { out: String::new(), style, continues: false }
    }

    /// A page whose first lines have been written.
    pub(crate) fn continued(style: Style) -> Page {
        Page { continues: true, ..Page::new(style) }
    }

    pub(crate) fn width(&self) -> usize {
        self.style.width
    }

    /// An empty one of the same style, for text whose height is to be known first.
    pub(crate) fn beside(&self) -> Page {
        Page::continued(self.style)
    }

    /// Adds the lines of another.
    pub(crate) fn append(&mut self, other: Page) {
        self.out.push_str(&other.out);
    }

    /// How many lines are on it.
    pub(crate) fn height(&self) -> usize {
        self.out.lines().count()
    }

    pub(crate) fn blank(&mut self) {
        let is_blank = match &self.out[..] {
            "" => !self.continues,
            "\n" => true,
            out => out.ends_with("\n\n"),
        };
        if !is_blank {
            self.out.push('\n');
        }
    }

    pub(crate) fn paint(&self, role: Role, text: &str) -> String {
        paint(self.style, role, text)
    }

    /// A line as it is.
    pub(crate) fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// Wrapped text; lines after the first begin at the same column as the first.
    pub(crate) fn wrapped(&mut self, indent: usize, role: Option<Role>, text: &str) {
        self.field(indent, "", indent, role, text);
    }

    /// As much of the text as one line holds, with `…` where that is not all.
    pub(crate) fn one_line(&mut self, indent: usize, role: Option<Role>, text: &str) {
        let width = self.style.width.saturating_sub(indent).max(20);
        let lines = wrap(text, width);
        let first = match lines.as_slice() {
            [all] => all.clone(),
            _ => wrap(text, width - 2).swap_remove(0) + " …",
        };
        self.wrapped(indent, role, &glued(&first));
    }

    /// `label` at column `indent`, then wrapped text at column `at`.
    pub(crate) fn field(
        &mut self,
        indent: usize,
        label: &str,
        at: usize,
        role: Option<Role>,
        text: &str,
    ) {
        let width = self.style.width.saturating_sub(at).max(20);
        for (n, line) in wrap(text, width).iter().enumerate() {
            let text = role.map_or_else(|| line.clone(), |role| self.paint(role, line));
            let label = if n == 0 { label } else { "" };
            let start = format!("{:indent$}{label}", "");
            self.line(&format!("{start:at$}{text}"));
        }
    }

    /// The action as it can be copied from this page, or the sentence why it cannot.
    pub(crate) fn copyable(&self, action: &Action) -> Action {
        if self.style.unicode { action.clone() } else { action.in_ascii() }
    }

    pub(crate) fn finish(self) -> String {
        if self.style.unicode { self.out } else { ascii(&self.out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_has_a_form_for_every_sign_of_ours() {
        assert_eq!(ascii("8 µs · 1 … 2 ≥ 3 → 4"), "8 us - 1 ... 2 >= 3 -> 4");
        assert_eq!(ascii("Grüße"), "Gr??e");
    }

    #[test]
    fn there_are_no_two_blank_lines_and_none_at_the_begin() {
        let check = |mut page: Page, expected: &str| {
            page.blank();
            page.blank();
            page.line("a");
            page.blank();
            page.blank();
            page.line("b");
            assert_eq!(page.finish(), expected);
        };
        check(Page::new(Style::PLAIN), "a\n\nb\n");
        check(Page::continued(Style::PLAIN), "\na\n\nb\n");
    }

    #[test]
    fn wraps_at_the_width_and_not_before() {
        assert_eq!(wrap("aaa bbb ccc", 7), ["aaa bbb", "ccc"]);
        assert_eq!(wrap("aaa bbb ccc", 6), ["aaa", "bbb", "ccc"]);
        assert_eq!(wrap("", 6), [""]);
    }

    #[test]
    fn a_character_that_takes_two_columns_counts_as_two() {
        assert_eq!(wrap("線程 線程", 9), ["線程 線程"]);
        assert_eq!(wrap("線程 線程", 8), ["線程", "線程"]);
    }

    #[test]
    fn a_long_word_stays_whole() {
        assert_eq!(wrap("a /very/long/path b", 5), ["a", "/very/long/path", "b"]);
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        assert_eq!(wrap("took 3.36 s, all", 9), ["took", "3.36 s,", "all"]);
        assert_eq!(wrap("took a s or", 6), ["took a", "s or"]);
        assert_eq!(wrap("a\u{a0}b\u{a0}c d", 3), ["a b c", "d"]);
    }
}
