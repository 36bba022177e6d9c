//! The JVM's flags: `-XX:+Name`, `-XX:Name=value`, `-Xmx1g`.
//!
//! The only reader of their names and values; what goes to the log is in `log_option.rs`. Grammar:
//! `Arguments::parse_argument` of HotSpot's `runtime/arguments.cpp`, and for sizes `parse_integer` of
//! `utilities/parseInteger.hpp`.

/// Flags that choose a collector, and its id. Some go with another one of the same collector.
const COLLECTORS: [(&str, &str); 9] = [
    ("UseSerialGC", "serial"),
    ("UseParallelGC", "parallel"),
    ("UseParallelOldGC", "parallel"),
    ("UseG1GC", "g1"),
    ("UseConcMarkSweepGC", "cms"),
    ("UseParNewGC", "cms"),
    ("UseZGC", "zgc"),
    ("UseShenandoahGC", "shenandoah"),
    ("UseEpsilonGC", "epsilon"),
];

/// One `-XX:` flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VmFlag<'a> {
    /// `UseNUMA` of `-XX:+UseNUMA`.
    pub name: &'a str,
    /// What it is set to; `None` where that is neither a switch nor a value.
    pub setting: Option<Setting<'a>>,
}

/// What a flag is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting<'a> {
    /// `+Name` or `-Name`.
    Switch(bool),
    /// `Name=value` or `Name:=value`.
    Value(&'a str),
}

impl<'a> VmFlag<'a> {
    /// Reads one flag; `None` of what does not begin with `-XX:`.
    #[must_use]
    pub fn of(flag: &'a str) -> Option<VmFlag<'a>> {
        let flag = flag.strip_prefix("-XX:")?;
        let on = flag.strip_prefix('+').map(|it| (it, true));
        let switch = on.or_else(|| Some((flag.strip_prefix('-')?, false)));
        let rest = switch.map_or(flag, |it| it.0);
        let (name, value) = match rest.split_once('=') {
            Some((name, value)) => (name.strip_suffix(':').unwrap_or(name), Some(value)),
            None => (rest, None),
        };
        let setting = match (switch, value) {
            (Some((_, is_on)), None) => Some(Setting::Switch(is_on)),
            (None, Some(value)) => Some(Setting::Value(value)),
            _ => None,
        };
        Some(VmFlag { name, setting })
    }

    /// `+Name` or `-Name`.
    #[must_use]
    pub fn switch(self) -> Option<bool> {
        if let Some(Setting::Switch(is_on)) = self.setting { Some(is_on) } else { None }
    }

    /// The text of `Name=value`.
    #[must_use]
    pub fn value(self) -> Option<&'a str> {
        if let Some(Setting::Value(value)) = self.setting { Some(value) } else { None }
    }
}

/// The flags given, in the order in which the JVM applies them: of two settings the later one holds.
#[derive(Clone, Copy, Debug)]
pub struct VmFlags<'a>(pub &'a [String]);

impl<'a> VmFlags<'a> {
    /// The last `-XX:+name` or `-XX:-name`.
    #[must_use]
    pub fn switch(self, name: &str) -> Option<bool> {
        self.named(name).find_map(VmFlag::switch)
    }

    /// Whether `-XX:+name` holds.
    #[must_use]
    pub fn is_on(self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    /// The text of the last `-XX:name=…`.
    #[must_use]
    pub fn value(self, name: &str) -> Option<&'a str> {
        self.named(name).find_map(VmFlag::value)
    }

    /// Whether `-XX:` with this name was given, with whatever value. Of a switch that does not tell how it
    /// stands.
    #[must_use]
    pub fn is_given(self, name: &str) -> bool {
        self.named(name).next().is_some()
    }

    /// The number of the last `-XX:name=…`; a fraction loses what is behind its point.
    #[must_use]
    pub fn number(self, name: &str) -> Option<u64> {
        vm_size(self.value(name)?.split('.').next()?)
    }

    /// The largest size of the heap in bytes, where a flag gives it.
    #[must_use]
    pub fn max_heap(self) -> Option<u64> {
        self.bytes("-Xmx", "MaxHeapSize")
    }

    /// Its first size, likewise.
    #[must_use]
    pub fn initial_heap(self) -> Option<u64> {
        self.bytes("-Xms", "InitialHeapSize")
    }

    /// Whether the heap has all its memory from the start.
    #[must_use]
    pub fn is_pretouched(self) -> bool {
        self.is_on("AlwaysPreTouch")
            && self.max_heap().is_some_and(|it| Some(it) == self.initial_heap())
    }

    /// The collectors that are chosen, each once, in the order of the table. A JVM does not start with more
    /// than one (`Arguments::check_gc_consistency` until JDK 8, `GCConfig::select_gc` since 9).
    #[must_use]
    pub fn collectors(self) -> Vec<&'static str> {
        let chosen = COLLECTORS.iter().filter(|(name, _)| self.is_on(name)).map(|(_, id)| *id);
        let mut chosen: Vec<_> = chosen.collect();
        chosen.dedup();
        chosen
    }

    /// `-Xlog:async`, also with the word that later JDKs take behind it.
    #[must_use]
    pub fn logs_asynchronously(self) -> bool {
        self.0.iter().any(|it| it == "-Xlog:async" || it.starts_with("-Xlog:async:"))
    }

    /// Those of this name, the last first.
    fn named(self, name: &str) -> impl Iterator<Item = VmFlag<'a>> {
        let all = self.0.iter().rev().filter_map(|it| VmFlag::of(it));
        all.filter(move |it| it.name == name)
    }

    /// The size of the last of `-Xmx…` (`short`) and `-XX:MaxHeapSize=…` (`name`).
    fn bytes(self, short: &str, name: &str) -> Option<u64> {
        let long = |flag| VmFlag::of(flag).filter(|it| it.name == name)?.value();
        let of = |flag: &'a String| vm_size(flag.strip_prefix(short).or_else(|| long(flag))?);
        self.0.iter().rev().find_map(of)
    }
}

/// `512m`, `4G`, `1073741824`, `0x1000`, in bytes, or what else a flag counts. `None` of what HotSpot does
/// not take, of what is negative, and beyond 2⁶⁴.
#[must_use]
pub fn vm_size(text: &str) -> Option<u64> {
    let shift = match text.as_bytes().last()?.to_ascii_lowercase() {
        b'k' => 10,
        b'm' => 20,
        b'g' => 30,
        b't' => 40,
        _ => 0,
    };
    let digits = if shift == 0 { text } else { &text[..text.len() - 1] };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = hexadecimal.map_or((digits, 10), |it| (it, 16));
    let number = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
    number?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn one_flag_in_every_spelling() {
        let check = |flag: &str, name: &str, setting: Option<Setting<'_>>| {
            assert_eq!(VmFlag::of(flag), Some(VmFlag { name, setting }), "{flag}");
        };
        check("-XX:+UseNUMA", "UseNUMA", Some(Setting::Switch(true)));
        check("-XX:-UseNUMA", "UseNUMA", Some(Setting::Switch(false)));
        check("-XX:ParallelGCThreads=3", "ParallelGCThreads", Some(Setting::Value("3")));
        check("-XX:OnError:=a=b", "OnError", Some(Setting::Value("a=b")));
        check("-XX:ErrorFile=", "ErrorFile", Some(Setting::Value("")));
        check("-XX:UseNUMA", "UseNUMA", None);
        check("-XX:+UseNUMA=true", "UseNUMA", None);
        for flag in ["-Xmx1g", "-XX", "XX:+UseNUMA", "-Dx=-XX:+UseNUMA", ""] {
            assert_eq!(VmFlag::of(flag), None, "{flag}");
        }
    }

    #[test]
    fn sizes_in_every_spelling() {
        let all = ["1k", "2M", "3g", "1T", "4096", "0x10", "0X1k"].map(vm_size);
        assert_eq!(all, [1 << 10, 2 << 20, 3 << 30, 1 << 40, 4096, 16, 1 << 10].map(Some));
        let none = ["x", "", "k", "1.5g", "-1", "+1", "1kk", "0x", "99999999999999t"].map(vm_size);
        assert_eq!(none, [None; 9]);
    }

    #[test]
    fn of_two_settings_the_later_one_holds() {
        let flags =
            of("-Xmx1g -XX:MaxHeapSize=2g -XX:+A -XX:-A -XX:N=1 -XX:N=2.5 -XX:NN=3 -XX:+BA");
        let flags = VmFlags(&flags);
        assert_eq!(flags.max_heap(), Some(2 << 30));
        assert_eq!(flags.initial_heap(), None);
        assert_eq!((flags.switch("A"), flags.switch("B")), (Some(false), None));
        assert_eq!((flags.switch("BA"), flags.is_on("A")), (Some(true), false));
        assert_eq!((flags.value("N"), flags.number("N")), (Some("2.5"), Some(2)));
        assert_eq!((flags.is_given("A"), flags.is_given("B")), (true, false));
    }

    #[test]
    fn each_collector_that_is_chosen_counts_once() {
        let check = |line: &str, expected: &[&str]| {
            assert_eq!(VmFlags(&of(line)).collectors(), expected, "{line}");
        };
        check("-XX:+UseG1GC", &["g1"]);
        check("-XX:+UseG1GC -XX:-UseG1GC", &[]);
        check("-XX:+UseConcMarkSweepGC -XX:+UseParNewGC", &["cms"]);
        check("-XX:+UseParallelGC -XX:+UseG1GC", &["parallel", "g1"]);
        check("-Xmx1g", &[]);
    }

    #[test]
    fn a_heap_of_one_size_that_is_touched_is_all_there() {
        let check = |line: &str, expected: bool| {
            assert_eq!(VmFlags(&of(line)).is_pretouched(), expected, "{line}");
        };
        check("-Xmx1g -Xms1g -XX:+AlwaysPreTouch", true);
        check("-Xmx1g -Xms1g", false);
        check("-Xmx1g -Xms512m -XX:+AlwaysPreTouch", false);
        check("-XX:+AlwaysPreTouch", false);
    }
}
