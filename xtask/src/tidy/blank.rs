//! Rust text without what is not code, line for line and column for column.
//!
//! Not a parser: it knows just enough of the language to tell code from comments, from text in
//! quotes, and from tests.
use std::ops::Range;

/// The code alone: comments and the contents of literals become spaces.
pub(super) fn code(text: &str) -> String {
    blanked(text).code
}

/// A text in its parts.
struct Blanked {
    /// The code alone.
    code: String,
    /// Where the text in quotes is, quotes included.
    quoted: Vec<Range<usize>>,
    /// Where the doc comments are, one range a line, slashes included.
    doc_comments: Vec<Range<usize>>,
}

fn blanked(text: &str) -> Blanked {
    let (input, output) = (text.as_bytes(), text.as_bytes().to_vec());
    let mut blanker =
        Blanker { input, at: 0, output, quoted: Vec::new(), doc_comments: Vec::new() };
    blanker.run();
    let code = String::from_utf8(blanker.output);
    Blanked {
        code: code.expect("only whole literals and comments became spaces"),
        quoted: blanker.quoted,
        doc_comments: blanker.doc_comments,
    }
}

/// The lines of doc comments (`///`, `//!`), each with its number and without the slashes.
pub(super) fn doc_comments(text: &str) -> Vec<(usize, &str)> {
    let lines = blanked(text).doc_comments.into_iter();
    lines.map(|it| (text[..it.start].matches('\n').count() + 1, &text[it][3..])).collect()
}

/// The text in quotes outside of tests, each with the place of its first quote. Escapes are as
/// they are written.
pub(super) fn product_literals(text: &str) -> Vec<(usize, &str)> {
    let Blanked { mut code, quoted, .. } = blanked(text);
    let tests = blank_tests(&mut code);
    let in_test = |at: usize| tests.iter().any(|it| it.contains(&at));
    let ours = quoted.into_iter().filter(|it| !in_test(it.start));
    ours.map(|it| (it.start, text[it].trim_matches(['r', '#', '"']))).collect()
}

/// The code alone, without items under `#[cfg(test)]`.
pub(super) fn product_code(text: &str) -> String {
    let mut code = code(text);
    blank_tests(&mut code);
    code
}

/// Blanks items under `#[cfg(test)]` and returns where they were.
fn blank_tests(code: &mut String) -> Vec<Range<usize>> {
    let mut tests = Vec::new();
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = end_of_item(code, start);
        let blank = code[start..end].replace(|c: char| c != '\n', " ");
        // Wide characters cannot be left of `code` here but in names; lines are what counts.
        code.replace_range(start..end, &blank);
        tests.push(start..end);
    }
    tests
}

/// Names of the modules that a file declares under `#[cfg(test)]`, to be found in other files.
pub(super) fn test_modules(text: &str) -> Vec<String> {
    let code = code(text);
    let after = code.split("#[cfg(test)]").skip(1);
    let modules = after.filter_map(|rest| rest.trim_start().strip_prefix("mod "));
    modules.filter_map(|rest| Some(rest.split_once(';')?.0.trim().to_owned())).collect()
}

/// Where the item that starts at `start` ends: after its `;`, or after its closing brace.
fn end_of_item(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code[start..].bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return start + offset + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return start + offset + 1,
            _ => {}
        }
    }
    code.len()
}

struct Blanker<'a> {
    input: &'a [u8],
    at: usize,
    output: Vec<u8>,
    /// Where text in double quotes was, raw or not.
    quoted: Vec<Range<usize>>,
    /// Where lines of doc comments were.
    doc_comments: Vec<Range<usize>>,
}

impl Blanker<'_> {
    fn run(&mut self) {
        while self.at < self.input.len() {
            let length = match self.rest() {
                [b'/', b'/', ..] => self.until_line_end(),
                [b'/', b'*', ..] => self.block_comment(),
                [b'r', b'"' | b'#', ..] if !self.inside_name() => self.raw_string(),
                [b'"', ..] => self.quoted(b'"'),
                [b'\'', ..] => self.character(),
                _ => 0,
            };
            if length > 0 && matches!(self.rest(), [b'"', ..] | [b'r', b'"' | b'#', ..]) {
                self.quoted.push(self.at..self.at + length);
            }
            let is_doc = match self.rest() {
                [b'/', b'/', b'/', more @ ..] => more.first() != Some(&b'/'),
                [b'/', b'/', b'!', ..] => true,
                _ => false,
            };
            if is_doc {
                self.doc_comments.push(self.at..self.at + length);
            }
            self.blank(length);
            self.at += length.max(1);
        }
    }

    fn rest(&self) -> &[u8] {
        &self.input[self.at..]
    }

    fn inside_name(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.input[at]);
        // `br"…"` is a raw string as well.
        before.is_some_and(|b| b != b'b' && (b.is_ascii_alphanumeric() || b == b'_'))
    }

    fn blank(&mut self, length: usize) {
        for byte in &mut self.output[self.at..self.at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn until_line_end(&self) -> usize {
        self.rest().iter().position(|&b| b == b'\n').unwrap_or(self.rest().len())
    }

    fn block_comment(&self) -> usize {
        let (mut depth, mut at) = (0, 0);
        let rest = self.rest();
        while at < rest.len() {
            match rest[at..] {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                break;
            }
        }
        at
    }

    fn raw_string(&self) -> usize {
        let rest = self.rest();
        let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
        if rest.get(1 + hashes) != Some(&b'"') {
            return 0;
        }
        let end = [&b"\""[..], &b"#".repeat(hashes)].concat();
        let body = &rest[2 + hashes..];
        let found = body.windows(end.len()).position(|window| window == end);
        found.map_or(rest.len(), |at| 2 + hashes + at + end.len())
    }

    fn quoted(&self, quote: u8) -> usize {
        let rest = self.rest();
        let mut at = 1;
        while at < rest.len() {
            match rest[at] {
                b'\\' => at += 2,
                b if b == quote => return at + 1,
                _ => at += 1,
            }
        }
        rest.len()
    }

    /// A character in quotes; 0 for a lifetime.
    fn character(&self) -> usize {
        let rest = self.rest();
        if rest.get(1) == Some(&b'\\') {
            return self.quoted(b'\'');
        }
        let text = String::from_utf8_lossy(&rest[1..rest.len().min(6)]);
        let width = text.chars().next().map_or(0, char::len_utf8);
        if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 0 }
    }
}

mod tests {
    use super::{code, doc_comments, product_code, product_literals, test_modules};

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeeze(&code(text)), wanted);
        assert_eq!(code(text).len(), text.len());
        assert_eq!(code(text).lines().count(), text.lines().count());
    }

    #[test]
    fn comments_are_not_code() {
        check("a // unsafe\nb /* x /* y */ z */ c", "a b c");
        check("a /* never closed", "a");
    }

    #[test]
    fn text_in_quotes_is_not_code() {
        check(r#"f("un\"safe // no", 'x', '\'', 'é') g"#, "f( , , , ) g");
        check("f(r#\"a \" b\"#, br\"c\") g", "f( , b ) g");
        check("never(\"closed", "never(");
    }

    #[test]
    fn lifetimes_are_code() {
        check("fn f<'a>(x: &'a str) -> char { 'x' }", "fn f<'a>(x: &'a str) -> char { }");
    }

    #[test]
    fn tests_are_not_product_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { x(\"}\"); } }\nfn c() {}";
        let product = product_code(text);
        assert!(product.contains("fn a") && product.contains("fn c") && !product.contains("fn b"));
    }

    #[test]
    fn text_in_quotes_is_found_outside_of_comments_and_tests() {
        let text = "f(\"a\", 'b', r#\"c \" d\"#) // \"e\"\n#[cfg(test)]\nmod t { \"g\" }";
        assert_eq!(product_literals(text), [(2, "a"), (12, "c \" d")]);
    }

    #[test]
    fn a_test_module_in_another_file_is_found() {
        assert_eq!(test_modules("#[cfg(test)]\nmod fixtures;\nmod real;"), ["fixtures"]);
        assert_eq!(test_modules("#[cfg(test)]\nmod tests {}"), [""; 0]);
    }

    #[test]
    fn doc_comments_are_found_line_by_line() {
        let text = "//! a\n// b\n//// c\nf(\"\n/// no\");\n    /// d\nfn g() {} /// e\n///";
        let wanted = [(1, " a"), (6, " d"), (7, " e"), (8, "")];
        assert_eq!(doc_comments(text), wanted);
    }
}
