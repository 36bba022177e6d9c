//! Lists of CPUs as the kernel writes them (`Cpus_allowed_list`, `%*pbl` of `lib/vsprintf.c`).

/// Ranges that are read of a list; no machine has this many separate ones.
const MOST_RANGES: usize = 4096;

/// The ranges of `0-3,8`: first and last of each. What is no list has none.
fn ranges(list: &str) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
    list.split(',').take(MOST_RANGES).filter_map(|it| {
        let (first, last) = it.trim().split_once('-').unwrap_or((it.trim(), it.trim()));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some((first, last))
    })
}

/// How many CPUs a list has; 0 of an empty one.
pub(crate) fn count(list: &str) -> u32 {
    ranges(list).fold(0, |all, (first, last)| all.saturating_add(last - first).saturating_add(1))
}

/// Whether two lists have a CPU in common. An empty one is not known, and may be any.
pub(crate) fn overlap(a: &str, b: &str) -> bool {
    a.is_empty()
        || b.is_empty()
        || ranges(a).any(|(first, last)| ranges(b).any(|it| it.0 <= last && first <= it.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_ranges_and_single_cpus() {
        let counts = ["", "0", "0-3,8", "0-127", "3-1", "x", "0-4294967295"].map(count);
        assert_eq!(counts, [0, 1, 5, 128, 0, 0, u32::MAX]);
    }

    #[test]
    fn two_lists_overlap_where_one_cpu_is_in_both() {
        assert!(overlap("0-3,8", "8-9") && overlap("2", "0-3") && overlap("", "1"));
        assert!(!overlap("0-3,8", "4-7") && !overlap("1", "0,2"));
    }
}
