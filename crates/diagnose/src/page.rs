//! The page of a cause or mechanism: the leading `//!` lines of its file.

/// The leading `//!` lines of a file, as Markdown.
#[must_use]
pub fn of(file: &str) -> String {
    let lines = file.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_page_ends_where_the_code_begins() {
        assert_eq!(super::of("//! # A\n//!\n//! b\nuse x;\n//! c"), "# A\n\nb");
    }
}
