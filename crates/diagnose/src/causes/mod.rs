//! The known causes, one file each. The order is the order in which they claim a pause.
use crate::Cause;

mod cpu_contention;
mod gc_log_write_blocked;
mod gc_work;
mod late_java_thread;
mod mapped_file_fault;
mod vm_operation;

/// All causes. Faults of the surroundings claim first, then faults of the application, then the
/// ordinary cost of collections and operations.
pub(crate) static ALL: [&Cause; 6] = [
    &gc_log_write_blocked::CAUSE,
    &mapped_file_fault::CAUSE,
    &cpu_contention::CAUSE,
    &late_java_thread::CAUSE,
    &gc_work::CAUSE,
    &vm_operation::CAUSE,
];

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::mechanisms;

    /// Every page has the same headings, so that a reader finds the same thing at the same place.
    #[test]
    fn pages_have_the_five_headings_in_order() {
        let pages = ALL.iter().map(|it| (it.id, it.page()));
        for (id, page) in pages.chain(mechanisms::ALL.iter().map(|it| (it.id, it.page()))) {
            let headings: Vec<_> =
                page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
            let wanted =
                ["What happens", "What proves it", "What looks alike", "Remedies", "References"];
            assert_eq!(headings, wanted, "{id}");
        }
    }

    #[test]
    fn what_looks_alike_exists() {
        let ids: Vec<_> =
            ALL.iter().map(|it| it.id).chain(mechanisms::ALL.iter().map(|it| it.id)).collect();
        for cause in ALL {
            let page = cause.page();
            let after = page.split("## What looks alike\n").nth(1).expect("the heading is there");
            let section = after.split("\n## ").next().expect("the first part");
            let mut named = section
                .lines()
                .filter_map(|line| line.strip_prefix('`')?.split_once("`:"))
                .peekable();
            assert!(named.peek().is_some(), "{} names nothing", cause.id);
            for (id, _) in named {
                assert!(ids.contains(&id), "{} names `{id}`", cause.id);
            }
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> =
            ALL.iter().map(|it| it.id).chain(mechanisms::ALL.iter().map(|it| it.id)).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
