//! Writes each part as a piece of Markdown, and puts the page together from the pieces.
use super::{
    PARTS,
    part::{Made, Part},
};
use crate::{Host, Jdk, LabError, Reason};
use serde_json::json;
use std::path::{Path, PathBuf};

const NAME: &str = "reproduced.md";

const HEAD: &str = "\
# Reproduced

What five documents on pauses of JVMs print, measured again by `whypause lab reproduce`, next to the original numbers.
Sizes are scaled to the host; each part says what it ran.
";

/// Where the pieces and the page are written.
#[derive(Debug)]
pub(super) struct Pages<'a> {
    directory: &'a Path,
    /// The machine, the JDK, and how thorough it was.
    made_on: String,
    host: Host,
    jdk: &'a Jdk,
    quick: bool,
}

impl<'a> Pages<'a> {
    pub(super) fn open(
        directory: &'a Path,
        jdk: &'a Jdk,
        quick: bool,
    ) -> Result<Pages<'a>, LabError> {
        std::fs::create_dir_all(directory)
            .map_err(LabError::step(format!("create `{}`", directory.display())))?;
        let host = Host::read();
        let how = if quick { "quick run" } else { "full run" };
        let made_on = format!(
            "{how} of {}, {} CPUs ({}), {} MiB of memory, Linux {}, JDK {}, whypause {}",
            host.date,
            host.cpus,
            host.cpu_model,
            host.memory_bytes >> 20,
            host.kernel,
            jdk.version,
            host.program,
        );
        Ok(Pages { directory, made_on, host, jdk, quick })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.join(NAME)
    }

    pub(super) fn made(&self, part: &Part, made: &Made) -> Result<(), LabError> {
        let prefix = format!("{}-", part.id);
        for picture in &made.pictures {
            picture.write(self.directory, &prefix)?;
        }
        let numbers = json!({
            "part": part.id, "host": self.host, "jdk": self.jdk.version, "quick": self.quick,
            "numbers": made.numbers,
        });
        let text = serde_json::to_string(&numbers)
            .map_err(|e| LabError::step("write the numbers")(std::io::Error::from(e)))?;
        self.write(&format!("{}.json", part.id), &(text + "\n"))?;
        self.piece(part, &body(part, made, &self.made_on))
    }

    /// A part that this host cannot show. What an earlier run has made of it stays.
    pub(super) fn unable(&self, part: &Part, reason: &Reason) -> Result<(), LabError> {
        self.without(part, &format!("Not shown: {reason}."))
    }

    /// A part that failed. What an earlier run has made of it stays.
    pub(super) fn failed(&self, part: &Part, why: &str) -> Result<(), LabError> {
        self.without(part, &format!("Not shown: it failed: {}.", why.trim_end_matches('.')))
    }

    fn without(&self, part: &Part, why: &str) -> Result<(), LabError> {
        if self.directory.join(format!("{}.json", part.id)).exists() {
            return self.page();
        }
        self.piece(part, &format!("{}\n{why}\n\nTried: {}.\n", original(part), self.made_on))
    }

    fn piece(&self, part: &Part, body: &str) -> Result<(), LabError> {
        self.write(&format!("{}.md", part.id), &format!("## {}\n\n{body}", part.title))?;
        self.page()
    }

    fn page(&self) -> Result<(), LabError> {
        let piece = |part: &&Part| {
            let text = crate::small_file::read(&self.directory.join(format!("{}.md", part.id)));
            (!text.is_empty()).then(|| format!("\n{text}"))
        };
        let pieces: String = PARTS.iter().filter_map(piece).collect();
        self.write(NAME, &format!("{HEAD}{pieces}"))
    }

    /// Whole or not at all, so that who interrupts it finds the one before.
    fn write(&self, name: &str, text: &str) -> Result<(), LabError> {
        let path = self.directory.join(name);
        let aside = self.directory.join(format!(".{name}.new"));
        std::fs::write(&aside, text)
            .and_then(|()| std::fs::rename(&aside, &path))
            .map_err(LabError::step(format!("write `{}`", path.display())))
    }
}

fn original(part: &Part) -> String {
    format!("### The original\n\n{}\n\n### Here\n", part.original)
}

fn body(part: &Part, made: &Made, made_on: &str) -> String {
    let prefix = format!("{}-", part.id);
    let pictures: String = made
        .pictures
        .iter()
        .map(|it| format!("\n![{}]({})\n", sentence(it.caption), it.file(&prefix)))
        .collect();
    format!(
        "{}\n{}\nMeasured: {made_on}.\n{pictures}\n{}\n### What differs\n\n{}\n",
        original(part),
        lines(&made.setup),
        made.ours,
        lines(&made.differs)
    )
}

/// With a capital.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One sentence on a line.
fn lines(text: &str) -> String {
    let words: Vec<_> = text.split_ascii_whitespace().collect();
    words.join(" ").replace(". ", ".\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages<'a>(dir: &'a Path, jdk: &'a Jdk) -> Pages<'a> {
        Pages::open(dir, jdk, true).unwrap()
    }

    fn jdk() -> Jdk {
        Jdk { home: "/jdk".into(), version: "17.0.15".into(), major: 17 }
    }

    #[test]
    fn the_page_has_all_pieces_that_are_there_in_its_order() {
        let (dir, jdk) = (tempfile::tempdir().unwrap(), jdk());
        let pages = pages(dir.path(), &jdk);
        let made = Made { ours: "ours".into(), differs: "One. Two.".into(), ..Made::default() };
        pages.made(PARTS[2], &made).unwrap();
        pages.unable(PARTS[0], &Reason::new("no swap", "")).unwrap();
        let text = std::fs::read_to_string(pages.path()).unwrap();
        let at = |needle: &str| text.find(needle).unwrap();
        assert!(at("Not shown: no swap.") < at(PARTS[2].title));
        assert!(text.contains("One.\nTwo."), "{text}");
        assert!(text.contains("JDK 17.0.15"), "{text}");
        assert!(dir.path().join(format!("{}.json", PARTS[2].id)).exists());
    }

    #[test]
    fn what_was_made_stays_where_it_fails_later() {
        let (dir, jdk) = (tempfile::tempdir().unwrap(), jdk());
        let pages = pages(dir.path(), &jdk);
        pages.made(PARTS[2], &Made { ours: "ours".into(), ..Made::default() }).unwrap();
        pages.failed(PARTS[2], "no").unwrap();
        let text = std::fs::read_to_string(pages.path()).unwrap();
        assert!(text.contains("ours") && !text.contains("Not shown"), "{text}");
    }
}
