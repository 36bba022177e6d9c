//! Flags of the JVM without paths and texts in them.
use super::Redactor;
use recording::log_option_parts;

/// What stands for a text that is no path.
const TEXT: &str = "…";

impl Redactor {
    /// A flag. Numbers, words of a kind and what a log selects stay.
    pub(super) fn flag(&mut self, flag: &str) -> String {
        if let Some(rest) = flag.strip_prefix("-Xlog:") {
            return format!("-Xlog:{}", self.log_option(rest));
        }
        let parting: &[char] = if flag.starts_with("-XX:") { &['='] } else { &[':', '=', '/'] };
        match flag.split_once(parting) {
            Some((name, value)) => {
                let sign = &flag[name.len()..flag.len() - value.len()];
                format!("{name}{sign}{}", self.value(value))
            }
            None if flag.chars().all(is_plain) => flag.to_owned(),
            None => TEXT.to_owned(),
        }
    }

    fn value(&mut self, value: &str) -> String {
        let number = value.starts_with(|c: char| c.is_ascii_digit()) && value.len() <= 20;
        let word = value.len() <= 16 && value.chars().all(|c| c.is_ascii_lowercase());
        if (number || word) && value.chars().all(is_plain) {
            return value.to_owned();
        }
        if value.contains([',', ';', ' ']) { TEXT.to_owned() } else { self.path(value) }
    }

    /// `what:output:decorators:options`, of which the output may be a file.
    fn log_option(&mut self, option: &str) -> String {
        let parts: Vec<String> = log_option_parts(option)
            .into_iter()
            .enumerate()
            .map(|(n, part)| match n {
                1 => self.output(part),
                _ if part.chars().all(|c| is_plain(c) || "*,=".contains(c)) => part.to_owned(),
                _ => TEXT.to_owned(),
            })
            .collect();
        parts.join(":")
    }

    fn output(&mut self, output: &str) -> String {
        if matches!(output, "" | "stdout" | "stderr" | "#0" | "#1") {
            return output.to_owned();
        }
        let name = output.trim_matches('"');
        let (prefix, name) = match name.strip_prefix("file=") {
            Some(name) => ("file=", name.trim_matches('"')),
            None => ("", name),
        };
        format!("{prefix}{}", self.path(name))
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-+.:_%".contains(c)
}
