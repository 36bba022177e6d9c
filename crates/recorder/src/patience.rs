//! Waits for what may never answer, such as a file system of somebody else, and not for ever.
use std::{sync::mpsc::sync_channel, thread, time::Duration};

/// How long files of a JVM are waited for before a recording begins.
pub(crate) const FOR_FILES: Duration = Duration::from_secs(10);

/// What `work` returns, or `None` where it takes longer. Its thread is left behind then and ends with
/// the process.
pub(crate) fn within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, result) = sync_channel(1);
    let work = move || {
        // Nobody may wait any more.
        let _ = done.send(work());
    };
    thread::Builder::new().name("patience".into()).spawn(work).ok()?;
    result.recv_timeout(time).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_waited_for() {
        assert_eq!(within(FOR_FILES, || 1), Some(1));
        let (_never, told) = sync_channel::<()>(0);
        assert_eq!(within(Duration::from_millis(1), move || told.recv().is_ok()), None);
    }
}
