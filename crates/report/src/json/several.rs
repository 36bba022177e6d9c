//! The answers about several inputs as one document.
//!
//! `{ "schema_version": 1, "answers": [ANSWER, …] }`, each of them what a single input gives. They are
//! written one by one, so that no two diagnoses are in memory.
use super::{SCHEMA_VERSION, schema::Document, write};
use crate::{Options, Pauses};
use diagnose::Diagnosis;
use schemars::JsonSchema;
use std::io::{self, Write};

/// What `explain` writes: of one input its answer, of several inputs one document with all answers.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used: answers are written one by one")]
pub(super) enum Answer<'a> {
    One(Box<Document<'a>>),
    Several(Answers<'a>),
}

/// The answers about several inputs.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: answers are written one by one")]
pub(super) struct Answers<'a> {
    schema_version: u32,
    /// One for each input, in their order. Where an input cannot be explained they end before it, and
    /// the exit code is not 0.
    answers: Vec<Document<'a>>,
}

/// Before each line of an answer.
const INDENT: &[u8] = b"    ";

/// A document of several answers, under way.
#[derive(Debug)]
pub struct Several<W: Write> {
    out: W,
    answers: u64,
}

impl<W: Write> Several<W> {
    /// Begins the document.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn begin(mut out: W) -> io::Result<Several<W>> {
        write!(out, "{{\n  \"schema_version\": {SCHEMA_VERSION},\n  \"answers\": [")?;
        Ok(Several { out, answers: 0 })
    }

    /// Writes the next answer.
    ///
    /// # Errors
    ///
    /// Those of `out` and of `pauses`.
    pub fn add(
        &mut self,
        diagnosis: &Diagnosis,
        pauses: &mut dyn Pauses,
        options: &Options,
    ) -> io::Result<()> {
        if self.answers > 0 {
            self.out.write_all(b",")?;
        }
        self.answers += 1;
        let mut indented = Indented { out: &mut self.out, line_ended: true };
        write(diagnosis, pauses, options, &mut indented)
    }

    /// Ends the document, which is whole with the answers that it has.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn end(mut self) -> io::Result<()> {
        self.out.write_all(if self.answers > 0 { b"\n  ]\n}\n" } else { b"]\n}\n" })?;
        self.out.flush()
    }
}

/// Moves lines of JSON to the right. In JSON no string has a line end. The last line end is left out:
/// what follows may be a comma.
struct Indented<'a, W: Write> {
    out: &'a mut W,
    line_ended: bool,
}

impl<W: Write> Write for Indented<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (n, line) in bytes.split(|it| *it == b'\n').enumerate() {
            if n > 0 {
                self.line_ended = true;
            }
            if line.is_empty() {
                continue;
            }
            if std::mem::take(&mut self.line_ended) {
                self.out.write_all(b"\n")?;
                self.out.write_all(INDENT)?;
            }
            self.out.write_all(line)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_moved_and_the_last_line_end_is_left_out() {
        let mut out = b"[".to_vec();
        let mut indented = Indented { out: &mut out, line_ended: true };
        for part in ["{", "\n  \"a\": ", "1\n", "}\n"] {
            indented.write_all(part.as_bytes()).expect("a Vec takes all");
        }
        assert_eq!(String::from_utf8_lossy(&out), "[\n    {\n      \"a\": 1\n    }");
    }

    #[test]
    fn a_document_without_answers_is_whole() {
        let mut out = Vec::new();
        Several::begin(&mut out).and_then(Several::end).expect("a Vec takes all");
        let document: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        assert_eq!(document, serde_json::json!({ "schema_version": 1, "answers": [] }));
    }
}
