//! # Release mappings explicitly
//!
//! ## What it changes
//! In the code: a thread that no other thread waits for releases a mapping when its file is deleted or replaced; today the collector finds the buffer some time later, and a thread of the JVM that handles all references releases it.
//! The library `io.github.whypause:whypause-unmap:0.1.0` does it, on JDK 8 to 25, without a warning and without a crash where a mapping is used after its release:
//!
//! ```java
//! // implementation("io.github.whypause:whypause-unmap:0.1.0")
//! MappedFiles segment = new MappedFiles();            // for all threads
//! MappedFile index = segment.open(path, MapMode.READ_WRITE);
//! long offset = index.getLong(position);              // IllegalStateException once it is closed
//!
//! cleaner.submit(() -> {                              // an executor with one thread
//!     segment.close();                                // unmapped when it returns
//!     return Files.deleteIfExists(path);
//! });
//! ```
//!
//! Code that must keep its `MappedByteBuffer` has `Unmapper.unmap(buffer)`; a use of the buffer afterwards crashes the JVM.
//! The order of the two does not matter for the pauses: whichever comes last frees the blocks, in the same thread.
//!
//! ## What it costs
//! An access to a shared mapping costs some nanoseconds more: `java/unmap/README.md` has the numbers.
//! On JDK 22 and later the release of a shared mapping, or of one `MappedFiles`, is a handshake with all threads.
//! On JDK 22 and later a mapping that is never closed is never released.
//!
//! ## How to see that it helped
//! `whypause record`: the thread that is blocked in the release is the application's own.
//! `/proc/PID/maps` has no files marked `(deleted)`.
//!
//! ## References
//! KAFKA-4614, which does this since Kafka 0.10.2.0; Lucene pull request 13570, which groups mappings on JDK 22 and later.
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "explicit-unmap",
    title: "Release mappings explicitly",
    summary: "Release the mapping when the file is deleted, in a thread that no other thread waits \
              for (library whypause-unmap).",
    page: diagnose::page!("explicit_unmap.rs"),
    advise,
    ..Remedy::BASE
};

const DEPENDENCY: &str = "\
<dependency>
  <groupId>io.github.whypause</groupId>
  <artifactId>whypause-unmap</artifactId>
  <version>0.1.0</version>
</dependency>
";

const CODE: &str = "\
MappedFiles segment = new MappedFiles();
MappedFile index = segment.open(path, MapMode.READ_WRITE);
long offset = index.getLong(position);
cleaner.submit(() -> {
    segment.close();
    return Files.deleteIfExists(path);
});
";

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::DeletedFile { path } = &finding.detail else { return Vec::new() };
    let file = if path.is_empty() { "the file" } else { path };
    vec![
        Advice::in_code(
            format!(
                "release the mapping of {file} in a background thread when it is deleted, with io.github.whypause:whypause-unmap:0.1.0"
            ),
            "that thread then frees the blocks, and not the one that handles the JVM's references",
        ),
        Advice::in_file(Action::file(DEPENDENCY, "pom.xml"), ""),
        Advice::in_file(
            Action::file(CODE, "Segment.java"),
            "an example: cleaner is an executor with one thread",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_name_the_version_of_the_library() {
        let pom = include_str!("../../../../java/unmap/pom.xml");
        for line in DEPENDENCY.lines().map(str::trim).filter(|it| it.contains("</")) {
            assert!(pom.contains(line) || line == "</dependency>", "{line}");
        }
        assert!(REMEDY.page.contains("io.github.whypause:whypause-unmap:0.1.0"));
    }
}
