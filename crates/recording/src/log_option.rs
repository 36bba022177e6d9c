//! The JVM's options that configure its log: `-Xlog:what:output:decorators:options` and `-Xloggc:file`.
//!
//! The only reader of them: another form is a case in the table of the tests. Grammar:
//! `LogConfiguration::parse_command_line_arguments` and `LogSelectionList::parse` of HotSpot's
//! `logging/logConfiguration.cpp` and `logSelectionList.cpp`: parts are parted at colons, but not within
//! quotes; what is left out is `all`, standard output, and defaults.

/// One such option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOption<'a> {
    /// Which lines: `gc*=debug,safepoint`; empty for those that `-Xlog` alone logs.
    pub what: &'a str,
    /// Where they go.
    pub output: LogTarget<'a>,
    /// What stands before each: `time,uptime,level,tags`; empty for the default.
    pub decorators: &'a str,
    /// Options of the output: `filecount=5,filesize=10m`; empty for the default.
    pub options: &'a str,
    /// Whether it is `-Xloggc:`, which has nothing but a file.
    pub is_legacy: bool,
}

/// Where lines of the log go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogTarget<'a> {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A file, by its name as written, without quotes; it may hold `%p`, `%t` and `%hn`.
    File(&'a str),
}

impl<'a> LogOption<'a> {
    /// Reads one flag; `None` where it configures no output: `-Xlog:disable`, `-Xlog:async`, `-Xlog:help`.
    #[must_use]
    pub fn of(flag: &'a str) -> Option<LogOption<'a>> {
        if let Some(name) = flag.strip_prefix("-Xloggc:") {
            let output = LogTarget::File(name);
            return Some(LogOption {
                what: "gc",
                output,
                decorators: "",
                options: "",
                is_legacy: true,
            });
        }
        let rest = match flag.strip_prefix("-Xlog")? {
            "" => "",
            rest => rest.strip_prefix(':')?,
        };
        let mut parts = log_option_parts(rest).into_iter();
        let mut next = || parts.next().unwrap_or_default();
        let (what, output, decorators, options) = (next(), next(), next(), next());
        if matches!(what, "disable" | "async" | "help") {
            return None;
        }
        let output = LogTarget::of(output);
        Some(LogOption { what, output, decorators, options, is_legacy: false })
    }

    /// Whether lines with this tag alone pass at level `info`, on which pauses are logged.
    #[must_use]
    pub fn selects(&self, tag: &str) -> bool {
        let mut selected = self.what.is_empty();
        // Of two selections that fit the later one holds.
        for part in self.what.split(',') {
            let (tags, level) = part.split_once('=').unwrap_or((part, "info"));
            if tags == "all" || tags.trim_end_matches('*') == tag {
                selected = matches!(level, "info" | "debug" | "trace");
            }
        }
        selected
    }

    /// Its file.
    #[must_use]
    pub fn file(&self) -> Option<&'a str> {
        match self.output {
            LogTarget::File(name) => Some(name),
            LogTarget::Stdout | LogTarget::Stderr => None,
        }
    }
}

impl<'a> LogTarget<'a> {
    fn of(output: &'a str) -> LogTarget<'a> {
        match output {
            "" | "stdout" | "#0" => LogTarget::Stdout,
            "stderr" | "#1" => LogTarget::Stderr,
            file => {
                let name = file.trim_matches('"');
                LogTarget::File(name.strip_prefix("file=").unwrap_or(name).trim_matches('"'))
            }
        }
    }
}

/// The options that send lines of collections or of safepoints somewhere, the most useful first: with both,
/// then with those of collections. Of equals the later one.
#[must_use]
pub fn gc_log_options(flags: &[String]) -> Vec<LogOption<'_>> {
    let both = |it: &LogOption<'_>| (it.selects("gc"), it.selects("safepoint") && !it.is_legacy);
    let all = flags.iter().rev().filter_map(|it| LogOption::of(it));
    let mut options: Vec<_> = all.filter(|it| both(it) != (false, false)).collect();
    options.sort_by_key(|it| std::cmp::Reverse(both(it)));
    options
}

/// The file of the GC log by the flags, the most useful where there are several.
#[must_use]
pub fn gc_log_file(flags: &[String]) -> Option<&str> {
    gc_log_options(flags).iter().find_map(LogOption::file)
}

/// What is between the colons of `what:output:decorators:options`, quotes and all: a colon within quotes
/// parts nothing.
#[must_use]
pub fn log_option_parts(text: &str) -> Vec<&str> {
    let mut quoted = false;
    let part = |c: char| {
        quoted ^= c == '"';
        c == ':' && !quoted
    };
    text.split(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `what / output / decorators / options`, and which of the two tags are selected.
    fn read(flag: &str) -> String {
        let Some(it) = LogOption::of(flag) else { return "none".into() };
        let output = match it.output {
            LogTarget::Stdout => "stdout",
            LogTarget::Stderr => "stderr",
            LogTarget::File(name) => name,
        };
        let tags: Vec<_> = ["gc", "safepoint"].into_iter().filter(|tag| it.selects(tag)).collect();
        let parts = format!("{} / {output} / {} / {}", it.what, it.decorators, it.options);
        format!("{parts}: {}", tags.join(" "))
    }

    #[test]
    fn options_are_read_as_hotspot_reads_them() {
        let cases = [
            ("-Xlog", " / stdout /  / : gc safepoint"),
            ("-Xlog:gc", "gc / stdout /  / : gc"),
            ("-Xlog:gc*:stderr", "gc* / stderr /  / : gc"),
            ("-Xlog:gc:gc.log", "gc / gc.log /  / : gc"),
            ("-Xlog:gc:file=gc.log", "gc / gc.log /  / : gc"),
            ("-Xlog:gc:\"/a:b/gc.log\":time", "gc / /a:b/gc.log / time / : gc"),
            ("-Xlog:gc:file=\"/a:b/gc.log\"", "gc / /a:b/gc.log /  / : gc"),
            ("-Xlog:gc:\"file=/a:b/gc.log\"", "gc / /a:b/gc.log /  / : gc"),
            (
                "-Xlog:gc*=debug,safepoint:file=g:t,u:filecount=2,filesize=8m",
                "gc*=debug,safepoint / g / t,u / filecount=2,filesize=8m: gc safepoint",
            ),
            ("-Xlog::gc.log", " / gc.log /  / : gc safepoint"),
            ("-Xlog:all=warning:x", "all=warning / x /  / : "),
            ("-Xlog:all,gc=off:x", "all,gc=off / x /  / : safepoint"),
            ("-Xlog:gc+heap=debug:x", "gc+heap=debug / x /  / : "),
            ("-Xlog:class+load:file=/dev/shm/c.log", "class+load / /dev/shm/c.log /  / : "),
            ("-Xloggc:/a/gc.log", "gc / /a/gc.log /  / : gc"),
            ("-Xlog:disable", "none"),
            ("-Xlog:async", "none"),
            ("-Xlog:async:stall", "none"),
            ("-Xlogs:gc", "none"),
            ("-Xmx1g", "none"),
        ];
        for (flag, expected) in cases {
            assert_eq!(read(flag), expected, "{flag}");
        }
    }

    #[test]
    fn the_file_of_the_gc_log_is_the_most_useful_one() {
        let check = |flags: &str, expected: Option<&str>| {
            let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
            assert_eq!(gc_log_file(&flags), expected, "{flags:?}");
        };
        // It was: the log of classes, which is in memory.
        check(
            "-Xlog:gc*:file=/disk/gc.log -Xlog:class+load:file=/dev/shm/c.log",
            Some("/disk/gc.log"),
        );
        check("-Xlog:gc:a -Xlog:gc:b", Some("b"));
        check("-Xlog:gc,safepoint:a -Xlog:gc:b", Some("a"));
        check("-Xlog:safepoint:a -Xlog:gc:b", Some("b"));
        check("-Xlog:gc", None);
    }
}
