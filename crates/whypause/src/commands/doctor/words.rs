//! A command line in one argument, as words.
//!
//! Quotes keep blanks together and are dropped, a backslash keeps the character after it, as in a shell.
//! Nothing is expanded.

/// The flags of a JVM among the words: what begins with `-X` or `-verbose:`.
pub(super) fn flags(line: &str) -> Vec<String> {
    let is_flag = |it: &String| it.starts_with("-X") || it.starts_with("-verbose:");
    words(line).into_iter().filter(is_flag).collect()
}

fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_blanks_together() {
        let line = r#"java '-Xlog:gc:file=/a b' -Xmx1g "-XX:A=\"c d\"" -Dx=1 \-Xint -jar app.jar"#;
        let expected = ["-Xlog:gc:file=/a b", "-Xmx1g", "-XX:A=\"c d\"", "-Xint"];
        assert_eq!(flags(line), expected);
        assert_eq!(flags(""), [""; 0]);
        assert_eq!(words("a '' b"), ["a", "", "b"]);
    }
}
