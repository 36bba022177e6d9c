//! Calls into the Arrow and Parquet libraries with bytes that may be damaged.
//!
//! Both libraries check what they read, but not everything: some damage makes them index out of
//! bounds or assert. The lengths are checked before they are called (see `segment` and `sealed`),
//! and what is left is caught here, so that one bad part costs that part and not the process.
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

#[cfg(panic = "abort")]
compile_error!("damaged recordings are survived by unwinding: build with panic = \"unwind\"");

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic inside becomes an error.
///
/// The panic is not printed. The hook that keeps it silent is put in once, does so only on this
/// thread and only during this call, and otherwise calls the hook that was there before.
/// `work` must own or only read what it uses: what it leaves half changed is not looked at again.
pub(crate) fn catch<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !SILENT.get() {
                before(info);
            }
        }));
    });
    let outer = SILENT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    SILENT.set(outer);
    result.unwrap_or_else(|_| Err("damaged".into()))
}
