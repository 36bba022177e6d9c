//! The values of flags.
use recording::JvmFact;

/// Flags that choose a collector, and its id. `UseParNewGC` and `UseParallelOldGC` go with another one.
const COLLECTORS: [(&str, &str); 7] = [
    ("UseSerialGC", "serial"),
    ("UseParallelGC", "parallel"),
    ("UseG1GC", "g1"),
    ("UseConcMarkSweepGC", "cms"),
    ("UseZGC", "zgc"),
    ("UseShenandoahGC", "shenandoah"),
    ("UseEpsilonGC", "epsilon"),
];

/// The flags given, in the order in which the JVM applies them: of two settings the later one holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags<'a>(pub(crate) &'a [String]);

impl<'a> Flags<'a> {
    pub(crate) fn of(jvm: &'a JvmFact) -> Flags<'a> {
        Flags(&jvm.flags)
    }

    /// `-XX:+name` or `-XX:-name`.
    pub(crate) fn switch(self, name: &str) -> Option<bool> {
        self.0.iter().rev().find_map(|flag| {
            match flag.strip_prefix("-XX:")?.strip_suffix(name)? {
                "+" => Some(true),
                "-" => Some(false),
                _ => None,
            }
        })
    }

    /// Whether `-XX:+name` holds.
    pub(crate) fn is_on(self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    /// The text of `-XX:name=…`.
    pub(crate) fn value(self, name: &str) -> Option<&'a str> {
        let of =
            |flag: &'a String| flag.strip_prefix("-XX:")?.strip_prefix(name)?.strip_prefix('=');
        self.0.iter().rev().find_map(of)
    }

    /// The number of `-XX:name=…`; a fraction loses what is behind its point.
    pub(crate) fn number(self, name: &str) -> Option<u64> {
        self.value(name)?.split('.').next()?.parse().ok()
    }

    /// The size of the last of `-Xmx…` (`short`) and `-XX:MaxHeapSize=…` (`name`), in bytes.
    pub(crate) fn bytes(self, short: &str, name: &str) -> Option<u64> {
        let of = |flag: &String| {
            let long = || flag.strip_prefix("-XX:")?.strip_prefix(name)?.strip_prefix('=');
            size(flag.strip_prefix(short).or_else(long)?)
        };
        self.0.iter().rev().find_map(of)
    }

    /// The largest size of the heap, where a flag gives it in bytes.
    pub(crate) fn max_heap(self) -> Option<u64> {
        self.bytes("-Xmx", "MaxHeapSize")
    }

    /// Its first size, likewise.
    pub(crate) fn initial_heap(self) -> Option<u64> {
        self.bytes("-Xms", "InitialHeapSize")
    }

    /// Whether the heap has all its memory from the start.
    pub(crate) fn is_pretouched(self) -> bool {
        self.is_on("AlwaysPreTouch")
            && self.max_heap().is_some_and(|it| Some(it) == self.initial_heap())
    }

    /// The collectors that are chosen, each once, in the order of the table.
    pub(crate) fn collectors(self) -> Vec<&'static str> {
        COLLECTORS.iter().filter(|(name, _)| self.is_on(name)).map(|(_, id)| *id).collect()
    }

    /// `-Xlog:async`, also with the word that later JDKs take behind it.
    pub(crate) fn logs_asynchronously(self) -> bool {
        self.0.iter().any(|it| it == "-Xlog:async" || it.starts_with("-Xlog:async:"))
    }

    /// The file that GC lines are sent to, as it is written.
    pub(crate) fn log_file(self) -> Option<&'a str> {
        recording::gc_log_file(self.0)
    }
}

/// `512m`, `4G`, `1073741824`, in bytes (`parse_integer` of HotSpot's `utilities/parseInteger.hpp`).
fn size(text: &str) -> Option<u64> {
    let shift = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        b't' => 40,
        _ => 0,
    };
    let digits = if shift == 0 { text } else { &text[..text.len() - 1] };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn sizes_in_every_spelling() {
        let all = ["1k", "2M", "3g", "1T", "4096", "x", "", "1.5g", "99999999999999t"].map(size);
        let some = [1 << 10, 2 << 20, 3 << 30, 1 << 40, 4096].map(Some);
        assert_eq!(all[..5], some);
        assert_eq!(all[5..], [None; 4]);
    }

    #[test]
    fn of_two_settings_the_later_one_holds() {
        let flags = of("-Xmx1g -XX:MaxHeapSize=2g -XX:+UseG1GC -XX:-UseG1GC -XX:A=1 -XX:A=2.5");
        let flags = Flags(&flags);
        assert_eq!(flags.max_heap(), Some(2 << 30));
        assert_eq!((flags.switch("UseG1GC"), flags.switch("UseZGC")), (Some(false), None));
        assert_eq!(flags.number("A"), Some(2));
        assert_eq!(flags.collectors(), [""; 0]);
    }

    #[test]
    fn the_file_of_the_gc_log() {
        let check = |flag: &str, expected: Option<&str>| {
            assert_eq!(Flags(&of(flag)).log_file(), expected, "{flag}");
        };
        check("-Xloggc:/a/gc.log", Some("/a/gc.log"));
        check("-Xlog:gc*:file=gc.log:time:filecount=2", Some("gc.log"));
        check("-Xlog:gc+heap=debug,safepoint:\"/a:b/gc.log\":time", Some("/a:b/gc.log"));
        check("-Xlog::gc.log", Some("gc.log"));
        for flag in
            ["-Xlog:gc", "-Xlog:gc:stdout", "-Xlog:class+load:file=x", "-Xlog:async", "-Xmx1g"]
        {
            check(flag, None);
        }
    }

    #[test]
    fn a_heap_of_one_size_that_is_touched_is_all_there() {
        let check = |line: &str, expected: bool| {
            assert_eq!(Flags(&of(line)).is_pretouched(), expected, "{line}");
        };
        check("-Xmx1g -Xms1g -XX:+AlwaysPreTouch", true);
        check("-Xmx1g -Xms1g", false);
        check("-Xmx1g -Xms512m -XX:+AlwaysPreTouch", false);
        check("-XX:+AlwaysPreTouch", false);
    }
}
