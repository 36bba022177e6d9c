//! The lines of a recorded GC log, without names.
use super::Redactor;
use recording::{Facts, LogLine};

impl Redactor {
    /// What comes next is no more of the log that came before.
    pub(super) fn another_log(&mut self) {
        self.log = gclog::Parser::new();
    }

    /// Leaves the lines from which something is concluded, and of those no names: the others may
    /// hold anything. Lines come in the order of the log, in as many parts as they were read.
    pub(super) fn log_lines(&mut self, facts: &mut Facts) {
        facts.packed_lines.retain_mut(|it| self.keeps(it));
        facts.log_lines.retain_mut(|it| self.keeps(it));
    }

    /// Whether something is concluded from the next line, which then has no names any more.
    fn keeps(&mut self, line: &mut LogLine) -> bool {
        let before = self.log.counts();
        self.log.line(line.text.as_bytes(), &mut |_| {});
        let became = self.log.counts().less(&before);
        let keep = became.used > became.of_applications;
        if keep {
            line.text = self.log_line(&line.text);
        }
        keep
    }

    /// `[0.3s][db7][info][gc] …`: the host's name among the decorations, paths and addresses
    /// anywhere, and what a line quotes: flags, or the name of a thread.
    fn log_line(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        // Times and the host's name come before the level and the tags, numbers between them.
        let mut of_host = true;
        while let Some((decoration, after)) =
            rest.strip_prefix('[').and_then(|it| it.split_once(']'))
        {
            let name = decoration.trim();
            of_host &= !LEVELS.contains(&name) && !is_tags(name);
            if of_host && is_host_name(name) && !is_number_or_time(name) {
                out.push_str(&format!("[{}]", self.host(name)));
            } else {
                out.push_str(&format!("[{decoration}]"));
            }
            rest = after;
        }
        out.push_str(&self.log_message(rest));
        out
    }

    fn log_message(&mut self, message: &str) -> String {
        for flags in ["CommandLine flags: ", "jvm_args: "] {
            if let Some((before, given)) = message.split_once(flags) {
                let given: Vec<String> =
                    given.split_ascii_whitespace().map(|it| self.flag(it)).collect();
                return format!("{before}{flags}{}", given.join(" "));
            }
        }
        const STALL: &str = "Allocation Stall (";
        if let Some((before, rest)) = message.split_once(STALL)
            && let Some((thread, length)) = rest.rsplit_once(')')
        {
            return format!("{before}{STALL}{}){length}", self.thread(thread));
        }
        self.text(message)
    }
}

/// As in `LogLevel` of HotSpot (`logging/logLevel.hpp`).
const LEVELS: [&str; 5] = ["trace", "debug", "info", "warning", "error"];

/// Of other brackets a line of JDK 8 begins with, too: `[PSYoungGen: 1008K->0K(7168K)]`.
fn is_host_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c))
}

/// The first of the tags of lines that are read.
fn is_tags(text: &str) -> bool {
    matches!(text.split(',').next(), Some("gc" | "safepoint" | "os" | "logging" | "arguments"))
}

/// `2026-11-24T10:00:00.123+0000`, `0.004s`, `4123456ns`, and the number of a process or thread.
fn is_number_or_time(text: &str) -> bool {
    let number = text.trim_end_matches(['n', 'm', 's']);
    number.chars().all(|c| c.is_ascii_digit() || ".,:+-TZ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    fn redacted(lines: &[&str]) -> Vec<String> {
        let line =
            |it: &&str| LogLine { read: recording::MonoTime(0), offset: 0, text: (*it).to_owned() };
        let all: Vec<LogLine> = lines.iter().map(line).collect();
        let texts = |facts: &Facts| {
            let mut texts = Vec::new();
            facts.each_log_line(|it| texts.push(it.text.clone()));
            texts
        };
        let mut facts = Facts { log_lines: all.clone(), ..Facts::default() };
        Redactor::new(true, Some("db7")).log_lines(&mut facts);
        let mut packed = Facts { log_lines: all, ..Facts::default() };
        packed.pack_log_lines();
        Redactor::new(true, Some("db7")).log_lines(&mut packed);
        assert_eq!(texts(&facts), texts(&packed), "of a long log");
        texts(&facts)
    }

    #[test]
    fn what_nothing_is_concluded_from_is_left_out_and_the_rest_has_no_names() {
        let lines = redacted(&[
            "[0.1s][orders-3][info][gc] Using G1",
            "[0.1s][orders-3][info][gc,init] CommandLine flags: -Xmx4g -Xloggc:/srv/acme/gc.log",
            "[0.2s][orders-3][info][class,load] acme.Secret source: file:/srv/acme/app.jar",
            "the application says acme",
            "2026-11-24 10:00:00,123 WARN [acme-7] JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 1234ms",
            "[0.3s][orders-3][info][gc] Allocation Stall (to 10.1.2.3:80) 12.5ms",
            "[0.4s][orders-3][info][gc] Allocation Stall (db7-worker (2)) 12.5ms",
            "[0.5s][info][gc] Allocation Stall (main) 12.5ms",
        ]);
        assert_eq!(
            lines,
            [
                "[0.1s][host-1][info][gc] Using G1",
                "[0.1s][host-1][info][gc,init] CommandLine flags: -Xmx4g -Xloggc:/path-1.log",
                "[0.3s][host-1][info][gc] Allocation Stall (thread-1) 12.5ms",
                "[0.4s][host-1][info][gc] Allocation Stall (thread-2) 12.5ms",
                "[0.5s][info][gc] Allocation Stall (main) 12.5ms",
            ]
        );
    }

    /// What is concluded from these lines.
    fn events<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<gclog::Event> {
        let mut redactor = Redactor::new(true, None);
        let (mut parser, mut events) = (gclog::Parser::new(), Vec::new());
        lines.for_each(|it| parser.line(it.as_bytes(), &mut |it| events.push(it)));
        parser.finish(&mut |it| events.push(it));
        events.into_iter().map(|it| redactor.event(it)).collect()
    }

    #[test]
    fn the_same_is_concluded_from_every_log_of_testdata() {
        let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/gclogs");
        let (mut files, mut seen) = (0, 0);
        let mut folders = vec![logs];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("testdata") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "log") {
                    let bytes = fs::read(&path).expect("a log");
                    let text = String::from_utf8_lossy(&bytes);
                    let lines: Vec<&str> = text.lines().collect();
                    let before = events(lines.iter().copied());
                    let lines = redacted(&lines);
                    let after = events(lines.iter().map(String::as_str));
                    for (after, before) in after.iter().zip(&before) {
                        assert_eq!(after, before, "{}", path.display());
                    }
                    assert_eq!(after.len(), before.len(), "{}", path.display());
                    (files, seen) = (files + 1, seen + before.len());
                }
            }
        }
        assert!(files > 5 && seen > 1000, "{files} logs with {seen} events");
    }
}
