//! What Python sees of whypause: tables of pauses as Arrow streams, and answers about one input.
//!
//! The module is `whypause._native`; what people call is in `whypause/`, which checks and documents its
//! arguments and calls this. Nothing here waits with Python's lock held, and no thread of ours takes it.
#![forbid(unsafe_code)]

mod error;
mod lengths;
mod progress;
mod read;
mod rows;
mod source;
mod stream;

/// Each pause is some small pieces of memory, on as many threads as there are cores: that of C takes a tenth of all
/// time for them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `whypause._native`.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::error::WhypauseError;
    #[pymodule_export]
    use crate::lengths::{log_stem, merge_hours, quantile_ns};
    #[pymodule_export]
    use crate::rows::{Rows, explain, rows};

    /// Version of the program that this is a part of.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
