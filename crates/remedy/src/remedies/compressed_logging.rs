//! # Compress the application's log before it is written
//!
//! ## What it changes
//! In the application's dependencies and its logging configuration: another file appender.
//! It compresses lines in a thread of its own and writes only compressed files, so nothing is written twice when a file is rolled, and no thread that logs waits for the disk.
//! An access log then comes to about a tenth of its bytes, with no burst at each rollover.
//!
//! With Logback: the dependency `io.github.whypause:whypause-logback:0.1.0`, and in `logback.xml` in place of the `RollingFileAppender`:
//!
//! ```xml
//! <appender name="ACCESS" class="io.github.whypause.logback.CompressedFileAppender">
//!   <file>logs/access.log.gz</file>
//!   <rollingPolicy>
//!     <fileNamePattern>logs/access-%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>
//!     <maxFileSize>100MB</maxFileSize>
//!     <maxHistory>30</maxHistory>
//!   </rollingPolicy>
//!   <encoder>
//!     <pattern>%msg%n</pattern>
//!   </encoder>
//! </appender>
//! ```
//!
//! With Log4j 2: the dependency `io.github.whypause:whypause-log4j2:0.1.0`, and in `log4j2.xml` in place of the `RollingFile`:
//!
//! ```xml
//! <CompressedFile name="ACCESS" fileName="logs/access.log.gz"
//!                 filePattern="logs/access-%d{yyyy-MM-dd}-%i.log.gz"
//!                 maxFileSize="100 MB" maxHistory="30">
//!   <PatternLayout pattern="%m%n"/>
//! </CompressedFile>
//! ```
//!
//! An asynchronous appender before it (`AsyncAppender`, `Async`) is not needed any more.
//!
//! ## What it costs
//! What reads the log must read gzip: `zcat`, `zgrep`, or a shipper that unpacks it.
//! A process that is killed loses what it logged in its last second.
//! Where the log comes faster than it can be compressed, lines are dropped and counted; threads wait instead where that is configured.
//!
//! ## How to see that it helped
//! `whypause record`: the pauses are gone, or another process is named.
//! `whypause lab run compressed-logging` shows both.
//!
//! ## How to undo it
//! Put the former appender back.
//!
//! ## References
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, figures 10 and 11.
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "compressed-logging",
    title: "Compress the application's log before it is written",
    summary: "Where the JVM itself writes most to the disk, its log is compressed before it is written, and not when it is rolled.",
    page: diagnose::page!("compressed_logging.rs"),
    advise,
    ..Remedy::BASE
};

const LOGBACK: &str = "\
<appender name=\"ACCESS\" class=\"io.github.whypause.logback.CompressedFileAppender\">
  <file>logs/access.log.gz</file>
  <rollingPolicy>
    <fileNamePattern>logs/access-%d{yyyy-MM-dd}.%i.log.gz</fileNamePattern>
    <maxFileSize>100MB</maxFileSize>
    <maxHistory>30</maxHistory>
  </rollingPolicy>
  <encoder>
    <pattern>%msg%n</pattern>
  </encoder>
</appender>
";

const LOG4J: &str = "\
<CompressedFile name=\"ACCESS\" fileName=\"logs/access.log.gz\"
                filePattern=\"logs/access-%d{yyyy-MM-dd}-%i.log.gz\"
                maxFileSize=\"100 MB\" maxHistory=\"30\">
  <PatternLayout pattern=\"%m%n\"/>
</CompressedFile>
";

/// Only where the JVM was seen to write most to that disk.
fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if !matches!(finding.detail, Detail::OwnWrites) {
        return Vec::new();
    }
    vec![
        Advice::in_code(
            "compress this JVM's own log before it is written, with io.github.whypause:whypause-logback:0.1.0 or whypause-log4j2:0.1.0",
            "this JVM wrote most to the disk; if that is a log, it comes to about a tenth of its bytes",
        ),
        Advice::in_file(
            Action::file(LOGBACK, "logback.xml"),
            "with Logback, in place of the RollingFileAppender",
        ),
        Advice::in_file(
            Action::file(LOG4J, "log4j2.xml"),
            "with Log4j 2, in place of the RollingFile",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_those_of_the_page_and_name_the_versions_of_the_libraries() {
        let page = REMEDY.page;
        assert!(page.contains(LOGBACK));
        assert!(page.contains(LOG4J));
        for (pom, artifact) in [
            (include_str!("../../../../java/logback/pom.xml"), "whypause-logback"),
            (include_str!("../../../../java/log4j2/pom.xml"), "whypause-log4j2"),
        ] {
            assert!(pom.contains(&format!("<artifactId>{artifact}</artifactId>")));
            assert!(pom.contains("<version>0.1.0</version>"));
            assert!(page.contains(&format!("io.github.whypause:{artifact}:0.1.0")));
        }
    }
}
