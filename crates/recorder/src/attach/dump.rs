//! The text of `Thread.print`.
//!
//! The kernel keeps 15 bytes of a name, and of Java threads of JDK 8 none at all.
use super::answer;
use std::collections::BTreeMap;

/// Names by thread id in the JVM's own pid namespace.
///
/// A line of a thread is `"NAME" #12 daemon prio=5 … tid=0x… nid=0x1b03 runnable`; since JDK 19
/// `nid` is decimal (HotSpot `Thread::print_on`, `OSThread::print_on`). A name may contain
/// anything, quotes too.
pub(super) fn thread_names(text: &str) -> BTreeMap<u32, String> {
    text.lines().filter_map(name).collect()
}

/// Frames kept of a stack.
const MOST_FRAMES: usize = 32;
/// Bytes kept of a frame.
const MOST_BYTES: usize = 256;

/// Java stacks by thread id, as [`thread_names`] reads it: what follows the thread's line, without
/// `at` and without what is said of locks.
pub(super) fn stacks(text: &str) -> BTreeMap<u32, Vec<String>> {
    let mut stacks: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut thread = None;
    for line in text.lines() {
        if line.starts_with('"') || line.is_empty() {
            thread = name(line).map(|it| it.0);
        } else if let (Some(tid), Some(frame)) = (thread, line.trim_start().strip_prefix("at ")) {
            let frames = stacks.entry(tid).or_default();
            if frames.len() < MOST_FRAMES && frame.len() <= MOST_BYTES {
                frames.push(frame.to_owned());
            }
        }
    }
    stacks
}

fn name(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix('"')?;
    let (head, nid) = rest.rsplit_once(" nid=")?;
    let nid = nid.split_ascii_whitespace().next()?;
    let tid = match nid.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => nid.parse(),
    };
    let (name, _) = head.rsplit_once("\" ")?;
    Some((tid.ok()?, answer::name(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_dumps_of_all_jdks() {
        let check = |line: &str, tid, expected: &str| {
            let found =
                thread_names(&format!("2026-01-01\nFull thread dump\n\n{line}\n\tat x.y\n"));
            assert_eq!(found, BTreeMap::from([(tid, expected.to_owned())]));
        };
        check(
            r#""http-nio-8080-exec-12" #31 daemon prio=5 os_prio=0 tid=0x00007f1 nid=0x1b03 runnable [0x0]"#,
            0x1b03,
            "http-nio-8080-exec-12",
        );
        check(
            r#""main" #1 [4711] prio=5 os_prio=0 cpu=43.40ms elapsed=0.54s tid=0x00007f1 nid=4711 waiting on condition  [0x0]"#,
            4711,
            "main",
        );
        check(r#""VM Thread" os_prio=0 cpu=1.2ms tid=0x7f nid=0x12 runnable"#, 0x12, "VM Thread");
        check(
            r#""a "quoted" #1 nid=9 name" #2 prio=5 tid=0x1 nid=0x7 runnable"#,
            7,
            r#"a "quoted" #1 nid=9 name"#,
        );
    }

    #[test]
    fn a_stack_is_what_follows_its_thread() {
        let dump = "
\"main\" #1 prio=5 os_prio=0 cpu=43.40ms elapsed=0.54s tid=0x00007f1 nid=4711 runnable  [0x0]
   java.lang.Thread.State: RUNNABLE
\tat a.B.sum(B.java:12)
\t- locked <0x00000000e0a1> (a a.B)
\tat a.B.main(B.java:3)

   Locked ownable synchronizers:
\t- None

\"VM Thread\" os_prio=0 cpu=1.2ms tid=0x7f nid=0x12 runnable
JNI global refs: 6
\tat nobody.s(Frame.java)
";
        let expected = vec!["a.B.sum(B.java:12)".to_owned(), "a.B.main(B.java:3)".to_owned()];
        let mut found = stacks(dump);
        assert_eq!(found.remove(&4711), Some(expected));
        assert_eq!(found, BTreeMap::from([(0x12, vec!["nobody.s(Frame.java)".to_owned()])]));
    }

    #[test]
    fn a_stack_is_kept_to_a_bound() {
        let frames = "\tat a.B.c(B.java:1)\n".repeat(40);
        let found = stacks(&format!("\"t\" #1 nid=7 x\n\tat {}\n{frames}", "x".repeat(300)));
        assert_eq!(found[&7].len(), MOST_FRAMES);
        assert!(found[&7].iter().all(|it| it == "a.B.c(B.java:1)"));
    }

    #[test]
    fn lines_that_are_no_threads_have_no_name() {
        for line in
            ["", "\tat java.lang.Thread.sleep", "\"x\" nid=", "\"x\" #1 nid=0xzz", "JNI nid=1"]
        {
            assert_eq!(thread_names(line), BTreeMap::new(), "{line}");
        }
    }
}
