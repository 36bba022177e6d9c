//! The text of `/proc/PID/status` (`fs/proc/array.c`), also of one thread.

/// One `Name:` and its value a line. What this kernel does not write is `None`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status<'a>(pub(crate) &'a str);

impl<'a> Status<'a> {
    /// More than the kernel writes; its longest lines are the lists of CPUs and memory nodes.
    pub(crate) const LIMIT_BYTES: u64 = 16 * 1024;

    /// The value of the field `name`, given without its colon.
    pub(crate) fn field(self, name: &str) -> Option<&'a str> {
        let value = |line: &'a str| line.strip_prefix(name)?.strip_prefix(':');
        self.0.lines().find_map(value).map(str::trim)
    }

    /// Real user id.
    pub(crate) fn uid(self) -> Option<u32> {
        self.field("Uid")?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// User and group with which the kernel checks access to files (the last of the four numbers).
    /// `None` where the other three differ: then it is not settled whose process it is, as while a
    /// program with the set-user-id bit begins.
    pub(crate) fn file_ids(self) -> Option<(u32, u32)> {
        Some((self.all_alike("Uid")?, self.all_alike("Gid")?))
    }

    fn all_alike(self, name: &str) -> Option<u32> {
        let ids: Result<Vec<u32>, _> =
            self.field(name)?.split_ascii_whitespace().map(str::parse).collect();
        match ids.ok()?[..] {
            [real, effective, saved, file] if [real, effective, saved] == [file; 3] => Some(file),
            _ => None,
        }
    }

    /// Supplementary groups.
    pub(crate) fn groups(self) -> Option<Vec<u32>> {
        self.field("Groups")?.split_ascii_whitespace().map(|it| it.parse().ok()).collect()
    }

    /// A set of capabilities, or of signals: bits in hexadecimal.
    pub(crate) fn bits(self, name: &str) -> Option<u64> {
        u64::from_str_radix(self.field(name)?, 16).ok()
    }

    /// Id in the innermost pid namespace (`NSpid`).
    pub(crate) fn id_inside(self) -> Option<u32> {
        self.field("NSpid")?.split_ascii_whitespace().next_back()?.parse().ok()
    }

    /// A field that the kernel writes in `kB`, in bytes.
    pub(crate) fn bytes(self, name: &str) -> Option<u64> {
        let kib = self.field(name)?.split_ascii_whitespace().next()?.parse::<u64>().ok()?;
        Some(kib.saturating_mul(1024))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let status = Status("Name:\tmy java\nUmask:\t0022\nPid:\t9\n");
        assert_eq!(status.field("Name"), Some("my java"));
        assert_eq!(status.field("Pid"), Some("9"));
        assert_eq!(status.field("P"), None);
        assert_eq!(status.field("PPid"), None);
    }

    #[test]
    fn ids_are_the_real_user_and_the_innermost_namespace() {
        let check = |text, expected| {
            let status = Status(text);
            assert_eq!((status.uid(), status.id_inside()), expected, "{text}");
        };
        check("Uid:\t1000\t0\t0\t0\nNSpid:\t700\t7\n", (Some(1000), Some(7)));
        check("Uid:\t0\nNSpid:\t700\n", (Some(0), Some(700)));
        check("Name:\tjava\n", (None, None));
        check("Uid:\nNSpid:\t\n", (None, None));
        check("Uid:\troot\nNSpid:\t700 -1\n", (None, None));
    }

    #[test]
    fn whose_files_are_opened_is_known_only_of_a_settled_process() {
        let check = |text, expected| assert_eq!(Status(text).file_ids(), expected, "{text}");
        check("Uid:\t9\t9\t9\t9\nGid:\t8\t8\t8\t8\n", Some((9, 8)));
        check("Uid:\t9\t0\t0\t0\nGid:\t8\t8\t8\t8\n", None);
        check("Uid:\t9\t9\t9\t9\nGid:\t8\t42\t42\t42\n", None);
        check("Uid:\t9\t9\t9\nGid:\t8\t8\t8\t8\n", None);
        check("Uid:\t9\t9\t9\t9\n", None);
        check("Uid:\t-1\t-1\t-1\t-1\nGid:\t8\t8\t8\t8\n", None);
    }

    #[test]
    fn groups_are_all_numbers_or_not_known() {
        assert_eq!(Status("Groups:\t4 27 \n").groups(), Some(vec![4, 27]));
        assert_eq!(Status("Groups:\t\n").groups(), Some(vec![]));
        assert_eq!(Status("Groups:\t4 x\n").groups(), None);
        assert_eq!(Status("").groups(), None);
        assert_eq!(Status("CapEff:\t00000000000000ff\n").bits("CapEff"), Some(255));
    }

    #[test]
    fn sizes_are_in_bytes_and_never_overflow() {
        let check = |text, expected| assert_eq!(Status(text).bytes("VmRSS"), expected, "{text}");
        check("VmRSS:\t     12 kB\n", Some(12 * 1024));
        check("VmRSS:\t18446744073709551615 kB\n", Some(u64::MAX));
        check("VmRSS:\tmuch\n", None);
        check("VmSwap:\t12 kB\n", None);
    }
}
