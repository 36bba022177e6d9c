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
