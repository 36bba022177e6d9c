//! Reads the JVM's own counters of its stops, from the file in which it keeps them for `jstat`.
//!
//! The file is read and never mapped: where its page is on its way to a disk, a fault of ours on
//! the mapping would wait as the JVM does.
use super::stops::Counts;
use crate::host::{CountersFile, ProcessDir};
use rustix::io::pread;
use std::fs::File;

const NAMES: [&str; 3] = ["sun.rt.safepoints", "sun.rt.safepointSyncTime", "sun.rt.safepointTime"];
/// `1.8`, `17`.
const VERSION: &str = "java.property.java.vm.specification.version";
/// HotSpot makes the three one after the other: so close to each other they are one read.
const MAX_SPAN: u64 = 4096;

/// Where the three numbers are.
#[derive(Debug)]
pub(crate) struct StopCounters {
    file: File,
    start: u64,
    /// Behind the start.
    at: [usize; 3],
    /// Whether this JVM counts the time to safepoint apart: since JDK 13.
    pub(crate) apart: Option<bool>,
}

impl StopCounters {
    /// `None` where the JVM keeps none, or they are out of reach.
    pub(crate) fn open(file: &CountersFile, dir: &ProcessDir) -> Option<StopCounters> {
        let layout = file.layout(dir);
        let find = |name: &str| layout.iter().find(|it| it.name == name && it.length == 8);
        let mut offsets = [0; 3];
        for (offset, name) in offsets.iter_mut().zip(NAMES) {
            *offset = find(name)?.offset;
        }
        let start = offsets.into_iter().min()?;
        let near = offsets.iter().all(|it| it - start <= MAX_SPAN);
        let at = offsets.map(|it| usize::try_from(it - start).unwrap_or(0));
        let file = file.open(dir)?;
        let version = layout.iter().find(|it| it.name == VERSION).and_then(|it| {
            let mut text = [0; 8];
            let length = usize::try_from(it.length).ok()?.min(text.len());
            pread(&file, &mut text[..length], it.offset).ok()?;
            let end = text.iter().position(|it| !it.is_ascii_digit()).unwrap_or(text.len());
            std::str::from_utf8(&text[..end]).ok()?.parse::<u32>().ok()
        });
        let apart = version.map(|it| it >= 13);
        near.then_some(StopCounters { file, start, at, apart })
    }

    /// What they say now.
    pub(crate) fn read(&self) -> Option<Counts> {
        let mut bytes = [0; MAX_SPAN as usize + 8];
        let wanted = self.at.into_iter().max()? + 8;
        let bytes = &mut bytes[..wanted];
        (pread(&self.file, &mut *bytes, self.start).ok()? == wanted).then_some(())?;
        let number = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(Counts {
            begun: number(self.at[0])?,
            reaching_ns: number(self.at[1])?,
            stopped_ns: number(self.at[2])?,
        })
    }
}
