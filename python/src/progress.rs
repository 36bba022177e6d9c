//! How far a reading is, for who shows it, and what it could not read.
use crate::error::Error;
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

/// How far one reading is.
#[derive(Debug)]
pub(crate) struct Progress {
    read_bytes: AtomicU64,
    all_bytes: Option<u64>,
    is_over: AtomicBool,
    /// What could not even be begun.
    unusable: Vec<(String, Error)>,
    /// By the place of the input.
    failed: Mutex<BTreeMap<usize, (String, Error)>>,
}

impl Progress {
    pub(crate) fn new(all_bytes: Option<u64>, unusable: Vec<(String, Error)>) -> Progress {
        Progress {
            read_bytes: AtomicU64::new(0),
            all_bytes,
            is_over: AtomicBool::new(false),
            unusable,
            failed: Mutex::default(),
        }
    }

    /// These bytes were read in addition.
    pub(crate) fn add(&self, bytes: u64) {
        self.read_bytes.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn fail(&self, index: usize, name: String, error: Error) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(index, (name, error));
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// Bytes read, all bytes where that is known, and whether it is over.
    pub(crate) fn state(&self) -> (u64, Option<u64>, bool) {
        (self.read_bytes.load(Relaxed), self.all_bytes, self.is_over.load(Relaxed))
    }

    /// What could not be read, in the order of the inputs, with its name.
    pub(crate) fn failed(&self) -> Vec<(String, Error)> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        self.unusable.iter().chain(failed.values()).cloned().collect()
    }
}
