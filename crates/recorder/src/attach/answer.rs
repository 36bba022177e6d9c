//! The answer of a JVM: its own words, which need not be true, and may be of any length.
use super::ConnectionError;

/// Bytes kept of a sentence: what HotSpot says when it refuses is below 100.
const MOST_SENTENCE: usize = 256;
/// Bytes kept of a name: Java allows 64 KiB for a method's, and any length for a thread's.
const MOST_NAME: usize = 512;

/// An answer whose first line was 0, for success. It is kept as what it was read as, and not as a text.
pub(super) struct Answer(String);

impl Answer {
    /// # Errors
    /// [`ConnectionError::Refused`] with a sentence of the answer, where its first line is another number.
    pub(super) fn read(answer: &str) -> Result<Answer, ConnectionError> {
        let (code, text) = answer.split_once('\n').unwrap_or((answer, ""));
        match code {
            "0" => Ok(Answer(text.to_owned())),
            _ => Err(refusal(if text.trim().is_empty() { code } else { text })),
        }
    }

    /// What is found in it.
    pub(super) fn read_as<T>(&self, read: impl FnOnce(&str) -> T) -> T {
        read(&self.0)
    }

    /// # Errors
    /// Where it says anything but that the command was executed: what the JVM did not understand it says in
    /// words, and calls that a success.
    pub(super) fn nothing_else(&self) -> Result<(), ConnectionError> {
        match self.0.trim() {
            "" | "Command executed successfully" => Ok(()),
            said => Err(refusal(said)),
        }
    }
}

/// The first line of what it says, as far as that is a sentence.
fn refusal(said: &str) -> ConnectionError {
    let line = said.trim_start().lines().next().unwrap_or_default().trim_end();
    ConnectionError::Refused(up_to(MOST_SENTENCE, line))
}

/// A name, up to 512 bytes.
pub(super) fn name(text: &str) -> String {
    up_to(MOST_NAME, text)
}

fn up_to(most: usize, text: &str) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most - '…'.len_utf8())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(answer: &str) -> String {
        match Answer::read(answer).and_then(|it| it.nothing_else()) {
            Err(ConnectionError::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_begins_with_its_success() {
        let answer = Answer::read("0\nhello\nworld\n").unwrap();
        assert_eq!(answer.read_as(str::to_owned), "hello\nworld\n");
        assert_eq!(
            refused("1\njava.lang.IllegalArgumentException: Unknown\nat x\n"),
            "java.lang.IllegalArgumentException: Unknown"
        );
        assert!(Answer::read("").is_err());
    }

    #[test]
    fn what_was_not_understood_is_no_success() {
        for fine in ["0\n", "0\nCommand executed successfully\n"] {
            assert_eq!(Answer::read(fine).unwrap().nothing_else(), Ok(()));
        }
        assert_eq!(refused("0\nInvalid output\nmore\n"), "Invalid output");
    }

    #[test]
    fn refusal_of_megabytes_is_cut_to_a_sentence() {
        for answer in ["1\n", "0\n", "1"] {
            let why = refused(&format!("{answer}{}", "é".repeat(1 << 20)));
            assert!(why.len() <= MOST_SENTENCE && why.ends_with("é…"), "{why}");
        }
        assert_eq!(refused(&format!("1\n{}", "x".repeat(MOST_SENTENCE))).len(), MOST_SENTENCE);
    }

    #[test]
    fn endless_name_is_cut() {
        assert_eq!(name(&"n".repeat(MOST_NAME)), "n".repeat(MOST_NAME));
        let cut = name(&"n".repeat(MOST_NAME + 1));
        assert_eq!((cut.len(), cut.ends_with("n…")), (MOST_NAME, true));
    }
}
