//! What a file is, from its first bytes. Another file that people have at hand, and that is no GC log, is a
//! [`Foreign`] here.
use crate::{
    clean, monitors,
    scan::integer,
    unified::{self, decorations},
    unwrap,
};
use memchr::{memchr, memmem};
use std::fmt;

/// The format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// Unified logging, `-Xlog`, JDK 9 and later.
    Unified,
    /// The GC log of JDK 8 and before; or the log of an application with pauses that it noticed
    /// ([`MonitorPause`](crate::MonitorPause)), which is read alike.
    Legacy,
    /// Something else.
    NotAGcLog(NotAGcLog),
}

/// Why a file is no GC log, as a phrase that completes "this is no GC log: …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotAGcLog {
    /// There are no bytes.
    Empty,
    /// It is compressed, by the named program, and must be uncompressed first.
    Compressed(&'static str),
    /// It has zero bytes: no text.
    Binary,
    /// The GC log of another virtual machine, named here.
    OtherVm(&'static str),
    /// Another file about a JVM or its host, named here.
    Other(Foreign),
    /// Text without a line of a JVM's GC or safepoint log.
    OtherText,
}

/// A file that people have at hand when they look for a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Foreign {
    /// `hs_err_pid1234.log`.
    FatalErrorLog,
    /// Of `jstack`, `jcmd Thread.print` or `SIGQUIT`.
    ThreadDump,
    /// Of `jmap -histo` or `jcmd GC.class_histogram`.
    ClassHistogram,
    /// Of `jstat`.
    Jstat,
    /// Of `top`.
    Top,
    /// Of `vmstat`, `iostat` or `sar`.
    HostStatistics,
}

impl Foreign {
    /// What it is, with its article.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Foreign::FatalErrorLog => "a fatal error log of HotSpot (hs_err_pid)",
            Foreign::ThreadDump => "a thread dump",
            Foreign::ClassHistogram => "a class histogram",
            Foreign::Jstat => "output of jstat",
            Foreign::Top => "output of top",
            Foreign::HostStatistics => "output of vmstat, iostat or sar",
        }
    }
}

impl fmt::Display for NotAGcLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAGcLog::Empty => f.write_str("it is empty"),
            NotAGcLog::Compressed(by) => write!(f, "it is compressed with {by}"),
            NotAGcLog::Binary => f.write_str("it is no text"),
            NotAGcLog::OtherVm(vm) => write!(f, "it was written by {vm}, not by HotSpot"),
            NotAGcLog::Other(foreign) => write!(f, "it is {}", foreign.name()),
            NotAGcLog::OtherText => f.write_str("it has no line of a GC or safepoint log"),
        }
    }
}

/// First bytes of compressed files.
const MAGIC: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
];

const J9: &str = "IBM J9 or OpenJ9";
const IBM: &str = "an IBM JVM";
const JROCKIT: &str = "JRockit";
const ANDROID: &str = "Android's Dalvik or ART";

/// How lines of other virtual machines' logs begin, spaces before them left out.
const OTHER_VMS: [(&[u8], &str); 29] = [
    (b"<scan ", J9),
    (b"<trigger-", J9),
    (b"<heartbeat", J9),
    (b"<heap-resize", J9),
    (b"<vmargs", J9),
    (b"1TISIGINFO ", J9),
    (b"<verbosegc", J9),
    (b"<af type=", J9),
    (b"<af-start ", J9),
    (b"<sys-start ", J9),
    (b"<cycle-start ", J9),
    (b"<gc-start ", J9),
    (b"<gc-end ", J9),
    (b"<gc-op ", J9),
    (b"<gc type=", J9),
    (b"<exclusive-start ", J9),
    (b"<concurrent-kickoff ", J9),
    (b"<AF[", IBM),
    (b"<GC[", IBM),
    (b"<GC(", IBM),
    (b"<CON[", IBM),
    (b"<GC: ", "an HP-UX JVM"),
    (b"[memory ]", JROCKIT),
    (b"[INFO ][memory ]", JROCKIT),
    (b"[INFO ][gcpause]", JROCKIT),
    (b"[memdbg ]", JROCKIT),
    (b"[nursery", JROCKIT),
    (b"scvg: ", "the Go runtime"),
    (b"GCHH:", "Azul Zing"),
];

/// How lines of a javacore begin: `0SECTION`, `1STHEAPTYPE`, `3STHSTTYPE` and a thousand others.
const JAVACORE: [&[u8]; 6] =
    [b"SECTION", b"STHSTTYPE", b"STHEAP", b"TISIGINFO", b"XMTHDINFO", b"GCHISTORY"];

/// How lines begin that only such a file has.
const FATAL_ERROR: [&[u8]; 3] = [
    b"# A fatal error has been detected by the Java Runtime Environment",
    b"# There is insufficient memory for the Java Runtime Environment",
    b"GC Heap History (",
];

/// How lines begin that may also stand among those of a GC log, as in what a process prints.
const BESIDE: [(&[u8], Foreign); 11] = [
    (b"Full thread dump ", Foreign::ThreadDump),
    (b"\"main\" #1 ", Foreign::ThreadDump),
    (b"num     #instances ", Foreign::ClassHistogram),
    (b"S0C ", Foreign::Jstat),
    (b"S0     S1     E ", Foreign::Jstat),
    (b"NGCMN ", Foreign::Jstat),
    (b"top - ", Foreign::Top),
    (b"procs -----------memory", Foreign::HostStatistics),
    (b"procs ---memory", Foreign::HostStatistics),
    (b"avg-cpu:  %user", Foreign::HostStatistics),
    (b"Device            r/s", Foreign::HostStatistics),
];

/// What stands within lines of other virtual machines' logs.
const WITHIN_OTHER_VMS: [(&[u8], &str); 12] = [
    (b"][memory ] ", JROCKIT),
    (b"][gcpause] ", JROCKIT),
    (b" BEA JRockit(", JROCKIT),
    (b"Zing 64-Bit ", "Azul Zing"),
    (b"IBM J9 VM", J9),
    (b"Eclipse OpenJ9 VM", J9),
    (b"GC_CONCURRENT freed ", ANDROID),
    (b"GC_FOR_ALLOC freed ", ANDROID),
    (b"GC_EXPLICIT freed ", ANDROID),
    (b"concurrent mark sweep GC freed ", ANDROID),
    (b"concurrent copying GC freed ", ANDROID),
    (b"Microsoft-Windows-DotNETRuntime", ".NET"),
];

/// What stands in legacy lines of JDK 8 and before.
const LEGACY: [&[u8]; 26] = [
    b"[G1Ergonomics (",
    b"[GC",
    b"[Full GC",
    b"[Incremental GC (",
    b" msec: Incremental GC (",
    b" msec: Full GC (",
    b"[ParNew",
    b"[CMS-",
    b"[Times: user=",
    b"Heap before GC invocations=",
    b"CommandLine flags: -",
    b"Total time for which application threads were stopped",
    b": Application time: ",
    b"[threads: total initially_running wait_to_block]",
    b"[Pause Init ",
    b"[Pause Final ",
    b"[Pause Full ",
    b"[Pause Degenerated ",
    b"[Concurrent reset",
    b"[Concurrent marking",
    b"[Concurrent cleanup",
    b"[Concurrent evacuation",
    b"[Concurrent update",
    b"GC STATISTICS:",
    b"Java HotSpot(TM)",
    b"OpenJDK 64-Bit Server VM (",
];

/// A legacy line without a time.
const APPLICATION_TIME: &[u8] = b"Application time: ";

/// Tags whose lines are of GC or safepoint logs.
const TAGS: [&[u8]; 2] = [b"gc", b"safepoint"];

impl LogKind {
    /// Judges a file by its first bytes. Some tens of kilobytes suffice: a GC log may begin with
    /// a page of other text, such as the output of the application.
    #[must_use]
    pub fn detect(first_bytes: &[u8]) -> LogKind {
        if first_bytes.is_empty() {
            return LogKind::NotAGcLog(NotAGcLog::Empty);
        }
        if let Some((_, by)) = MAGIC.iter().find(|(magic, _)| first_bytes.starts_with(magic)) {
            return LogKind::NotAGcLog(NotAGcLog::Compressed(by));
        }
        // A file system may pad a log with zeros after a crash, so lines count for more.
        let mut lines = first_bytes.split(|&byte| matches!(byte, b'\n' | b'\r')).map(clean::ends);
        let of_jvm = lines.clone().find_map(|line| {
            let line = clean::plain(line);
            of_line(&line).or_else(|| of_wrapped(&line))
        });
        of_jvm.unwrap_or_else(|| match memchr(0, first_bytes) {
            _ if lines.clone().any(monitors::is_pause) => LogKind::Legacy,
            Some(_) => LogKind::NotAGcLog(NotAGcLog::Binary),
            None => LogKind::NotAGcLog(
                lines.find_map(beside).map_or(NotAGcLog::OtherText, NotAGcLog::Other),
            ),
        })
    }
}

/// Whether a file that begins like this is a GC log that can be read, at least in part.
#[must_use]
pub fn looks_like_gc_log(first_bytes: &[u8]) -> bool {
    matches!(LogKind::detect(first_bytes), LogKind::Unified | LogKind::Legacy)
}

/// Whether a line is one of HotSpot's logs, taken by itself.
pub(crate) fn is_of_jvm(line: &[u8]) -> bool {
    matches!(of_line(line), Some(LogKind::Unified | LogKind::Legacy))
}

/// What a line shows to which a container runtime or syslog has added something in front.
fn of_wrapped(line: &[u8]) -> Option<LogKind> {
    of_line(&unwrap::inside_of(line, is_of_jvm)?)
}

/// What one line shows, if anything.
fn of_line(line: &[u8]) -> Option<LogKind> {
    if let Some(vm) = other_vm(line) {
        return Some(LogKind::NotAGcLog(NotAGcLog::OtherVm(vm)));
    }
    if FATAL_ERROR.iter().any(|it| line.starts_with(it)) {
        return Some(LogKind::NotAGcLog(NotAGcLog::Other(Foreign::FatalErrorLog)));
    }
    if beside(line).is_some() {
        return None;
    }
    let (decorations, message) = decorations::split(line);
    // Legacy logs have this message too, and it is their only one in common.
    let unified_message =
        !message.starts_with(unified::STOPPED) && matches!(unified::read(message), Ok(Some(_)));
    if unified_message || (!message.is_empty() && has_known_tag(decorations)) {
        return Some(LogKind::Unified);
    }
    let known = message.starts_with(unified::STOPPED) || unified::is_known_text(message);
    if known && decorations::are_of_hotspot(decorations) {
        return Some(LogKind::Unified);
    }
    let legacy = line.starts_with(APPLICATION_TIME)
        || LEGACY.iter().any(|text| memmem::find(line, text).is_some());
    legacy.then_some(LogKind::Legacy)
}

/// The virtual machine that writes such a line, if it is none of HotSpot.
fn other_vm(line: &[u8]) -> Option<&'static str> {
    let text = line.trim_ascii_start();
    if is_go(text) {
        return Some("the Go runtime");
    }
    if is_javacore(text) {
        return Some(J9);
    }
    let begins = OTHER_VMS.iter().find(|(begin, _)| text.starts_with(begin));
    let within = || WITHIN_OTHER_VMS.iter().find(|(part, _)| memmem::find(text, part).is_some());
    begins.or_else(within).map(|(_, vm)| *vm)
}

/// `1STHEAPTYPE  …`: a digit and letters in capitals.
fn is_javacore(text: &[u8]) -> bool {
    let [digit, rest @ ..] = text else { return false };
    digit.is_ascii_digit() && JAVACORE.iter().any(|it| rest.starts_with(it))
}

/// What a line is of that may stand among those of a GC log.
fn beside(line: &[u8]) -> Option<Foreign> {
    let text = line.trim_ascii_start();
    BESIDE.iter().find(|(begin, _)| text.starts_with(begin)).map(|(_, foreign)| *foreign)
}

/// `gc 12 @0.058s 0%: …`, of `GODEBUG=gctrace=1`.
fn is_go(text: &[u8]) -> bool {
    let number = text.strip_prefix(b"gc ").and_then(integer);
    number.is_some_and(|(_, rest)| rest.starts_with(b" @"))
}

fn has_known_tag(decorations: &[u8]) -> bool {
    decorations::each(decorations).any(|decoration| {
        let first = decoration.split(|&byte| byte == b',').next();
        first.is_some_and(|first| TAGS.contains(&first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: LogKind) {
        assert_eq!(LogKind::detect(text.as_bytes()), wanted, "{text}");
        let readable = !matches!(wanted, LogKind::NotAGcLog(_));
        assert_eq!(looks_like_gc_log(text.as_bytes()), readable, "{text}");
    }

    #[test]
    fn unified_with_and_without_decorations() {
        check("[0.002s][info][gc] Using G1\n", LogKind::Unified);
        check("[0.002s] Using G1\r\n", LogKind::Unified);
        check("GC(3) Pause Remark 3M->3M(4M) 1.0ms\n", LogKind::Unified);
        check("[1.0s][info ][safepoint,cleanup] anything", LogKind::Unified);
        check("web_1  | [0.002s][info][gc] Using G1\n", LogKind::Unified);
        check("{\"log\":\"[0.002s][info][gc] Using G1\\n\"}\n", LogKind::Unified);
        check("Listening on port 80\n[0.002s][info][gc] Using G1\n", LogKind::Unified);
    }

    #[test]
    fn legacy() {
        check("1.234: [GC (Allocation Failure) 1K->2K(3K), 0.1 secs]", LogKind::Legacy);
        check(
            "Total time for which application threads were stopped: 0.0020470 seconds",
            LogKind::Legacy,
        );
        check("1.015: [Pause Init Mark (process weakrefs), start]", LogKind::Legacy);
    }

    #[test]
    fn the_stop_of_jdk_11_is_unified_because_it_is_decorated() {
        check(
            "[1.0s] Total time for which application threads were stopped: 0.0020470 seconds",
            LogKind::Unified,
        );
    }

    #[test]
    fn other_kinds_of_files_are_named() {
        let not = LogKind::NotAGcLog;
        check("", not(NotAGcLog::Empty));
        check("\x1f\u{8b}\u{8}", not(NotAGcLog::OtherText));
        assert_eq!(LogKind::detect(b"\x1f\x8b\x08"), not(NotAGcLog::Compressed("gzip")));
        assert_eq!(LogKind::detect(b"\x7fELF\x02\x01\x01\x00\x00"), not(NotAGcLog::Binary));
        check("<verbosegc version=\"1\">", not(NotAGcLog::OtherVm("IBM J9 or OpenJ9")));
        check("gc 71 @0.1s 0%: 0+1.9+0 ms clock", not(NotAGcLog::OtherVm("the Go runtime")));
        check(
            "[Wed Nov 16 15:19:08 2005][29147][memory ] GC strategy: System optimized",
            not(NotAGcLog::OtherVm("JRockit")),
        );
        check(
            "I/art: Background sticky concurrent mark sweep GC freed 104710(7MB)",
            not(NotAGcLog::OtherVm("Android's Dalvik or ART")),
        );
        check("gc 1 @0.058s 0%: 0+1.9+0 ms clock", not(NotAGcLog::OtherVm("the Go runtime")));
        check("[2026-11-21T20:00:00.123+0000][info][http] GET /", not(NotAGcLog::OtherText));
        check(
            "3STHSTTYPE     10:00:00:1 GMT j9mm.134",
            not(NotAGcLog::OtherVm("IBM J9 or OpenJ9")),
        );
        let other = |it| not(NotAGcLog::Other(it));
        check(
            "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n# JRE version: OpenJDK Runtime Environment\n# Java VM: OpenJDK 64-Bit Server VM (17+35)\n",
            other(Foreign::FatalErrorLog),
        );
        check(
            "GC Heap History (10 events):\nEvent: 1.2 GC heap before\n{Heap before GC invocations=1 (full 0):\n",
            other(Foreign::FatalErrorLog),
        );
        let dump = "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n";
        check(dump, other(Foreign::ThreadDump));
        check(&format!("{dump}[0.1s] GC(1) Pause Remark 3M->3M(4M) 1.0ms\n"), LogKind::Unified);
        check(" S0C    S1C    S0U\n163840.0 1.0 0.0\n", other(Foreign::Jstat));
        check(" num     #instances         #bytes\n", other(Foreign::ClassHistogram));
        check("top - 10:00:00 up 1 day\nTasks: 1 total\n", other(Foreign::Top));
        check("procs -----------memory---------- ---swap--\n", other(Foreign::HostStatistics));
        check("127.0.0.1 - - GET / 200\n", not(NotAGcLog::OtherText));
    }
}
