//! What the files behind descriptors and mappings of the JVM are: paths, mounts and devices.
//!
//! [`Catalogue`] lives in a background thread, because it reads `/proc/PID/maps`, which waits for the
//! JVM's `mmap_lock` for as long as another thread holds it.
use super::{
    Roots, block_devices,
    clocks::thread_cpu,
    counters_file::IN_MEMORY,
    layers,
    maps::{self, Mapping},
    mounts::{self, Mounts, block_name, device_name},
    process::{self, ProcessDir},
};
use recording::{FileFact, FileKey};
use rustix::fs::FileType;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// Files asked for beyond this are not described any more.
pub(super) const MAX_FILES: usize = 16 * 1024;

/// A file whose description is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Behind a descriptor; its path is known.
    Open(FileKey, String),
    /// Behind a mapping.
    Mapped(FileKey),
}

/// Device and inode of what a descriptor is open on, if that is a regular file.
pub(crate) fn regular_file(dir: &ProcessDir, fd: u32) -> io::Result<Option<FileKey>> {
    Ok(dir.behind(&format!("fd/{fd}"))?.regular())
}

/// Device and inode of what a descriptor is open on, if that is a socket.
pub(crate) fn socket(dir: &ProcessDir, fd: u32) -> io::Result<Option<FileKey>> {
    let behind = dir.behind(&format!("fd/{fd}"))?;
    let key = || FileKey {
        device: rustix::fs::makedev(behind.device.0, behind.device.1),
        inode: behind.inode,
    };
    Ok((behind.kind() == FileType::Socket).then(key))
}

/// The least time between two readings of the JVM's mappings, and the most.
const BETWEEN_MAPS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// A JVM with tens of thousands of mapped files takes a reading of 30 ms: the wait is this many times
/// that, which keeps it at 0.2 % of a core.
const MAPS_COST_FACTOR: u32 = 500;
/// A mapping that is not found after this many readings is gone.
const MAPS_TRIES: u32 = 3;
/// An overlay of several file systems marks in the highest bits of an inode number which of them
/// it is from (`ovl_map_ino` of `fs/overlayfs/inode.c`); at most this many bits are the file's.
const OVERLAY_INODE: u64 = (1 << 56) - 1;
/// How long the list of mounts is taken to be true.
const MOUNTS_VALID: Duration = Duration::from_secs(10);
/// Devices whose counters are sampled.
const MAX_DEVICES: usize = 32;

/// Where a file is, as the JVM sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FileLocation {
    path: String,
    /// Device number; of a file on an overlay the overlay's, where its key may have a layer's.
    device: u64,
}

/// Describes files. Lives in a background thread.
#[derive(Debug)]
pub(crate) struct Catalogue {
    roots: Roots,
    dir: ProcessDir,
    mounts: Mounts,
    mounts_read: Option<Instant>,
    /// When the mappings may be read again.
    maps_due: Instant,
    /// Mapped files not found yet, and how often they were looked for.
    pending: BTreeMap<FileKey, u32>,
    /// Whether each file described so far is mapped.
    described: BTreeMap<FileKey, bool>,
    /// Block devices of the files described so far.
    devices: BTreeSet<String>,
}

impl Catalogue {
    pub(crate) fn new(roots: &Roots, pid: u32) -> io::Result<Catalogue> {
        Ok(Catalogue {
            roots: roots.clone(),
            dir: ProcessDir::open(roots, pid)?.trusted(),
            mounts: Mounts::default(),
            mounts_read: None,
            maps_due: Instant::now(),
            pending: BTreeMap::new(),
            described: BTreeMap::new(),
            devices: BTreeSet::new(),
        })
    }

    /// Whether what is behind the JVM's descriptors can be read.
    pub(crate) fn may_list_files(&self) -> bool {
        process::may_list_files(&self.dir)
    }

    /// Takes note of a file; the fact of an open one follows at once.
    pub(crate) fn want(&mut self, wanted: Wanted) -> Option<FileFact> {
        match wanted {
            Wanted::Open(key, path) => {
                Some(self.describe(key, FileLocation { path, device: key.device }, false))
            }
            Wanted::Mapped(key) => {
                self.pending.entry(key).or_insert(0);
                None
            }
        }
    }

    /// The fact of a mapping.
    pub(crate) fn mapped(&mut self, mapping: &Mapping) -> FileFact {
        let (key, device) = (mapping.key(), mapping.device);
        let deleted = if mapping.deleted { maps::DELETED } else { "" };
        self.describe(
            key,
            FileLocation { path: format!("{}{deleted}", mapping.path), device },
            true,
        )
    }

    /// The same of a file that is proven to be on a disk: its device is that of a mount, or a block
    /// device. Memory without a name has a path, too (`/memfd:java_heap`, `/dev/zero`), on a device
    /// without a mount.
    pub(crate) fn mapped_on_disk(&mut self, mapping: &Mapping) -> Option<FileFact> {
        self.refresh_mounts();
        let mount = self.mounts.by_device(mapping.device);
        let in_memory = mount.is_some_and(|it| IN_MEMORY.contains(&it.file_system.as_str()));
        let on_disk = match mount {
            Some(_) => !in_memory,
            None => block_name(&self.roots, mapping.device).is_some(),
        };
        on_disk.then(|| self.mapped(mapping))
    }

    /// Looks for mapped files that are still wanted, not more often than every two seconds, and
    /// less often where that is much work.
    pub(crate) fn find_mapped(&mut self) -> Vec<FileFact> {
        if self.pending.is_empty() || Instant::now() < self.maps_due {
            return Vec::new();
        }
        let before = thread_cpu();
        let found = self.search_maps();
        let [least, most] = BETWEEN_MAPS;
        let cost = thread_cpu().saturating_sub(before);
        self.maps_due = Instant::now() + (cost * MAPS_COST_FACTOR).clamp(least, most);
        for key in found.keys() {
            self.pending.remove(key);
        }
        self.pending.retain(|_, tries| {
            *tries += 1;
            *tries < MAPS_TRIES
        });
        found.into_iter().map(|(key, at)| self.describe(key, at, true)).collect()
    }

    /// Where the pending files are.
    fn search_maps(&mut self) -> BTreeMap<FileKey, FileLocation> {
        self.refresh_mounts();
        let mut found = BTreeMap::new();
        let mut of_overlays: BTreeMap<FileKey, BTreeSet<FileLocation>> = BTreeMap::new();
        // Where the process is gone, what was found until then counts.
        let _ = maps::each(&self.dir, &mut |mapping| {
            let deleted = if mapping.deleted { maps::DELETED } else { "" };
            let device = mapping.device;
            let key = FileKey { device, inode: mapping.inode };
            if self.pending.contains_key(&key) {
                found.insert(
                    key,
                    FileLocation { path: format!("{}{deleted}", mapping.path), device },
                );
            } else if !mapping.deleted && self.is_overlay(mapping.device) {
                let same = |it: &&FileKey| it.inode == mapping.inode & OVERLAY_INODE;
                for key in self.pending.keys().filter(same) {
                    let location = FileLocation { path: mapping.path.clone(), device };
                    of_overlays.entry(*key).or_default().insert(location);
                }
            }
            ControlFlow::Continue(())
        });
        of_overlays.retain(|key, _| !found.contains_key(key));
        for (key, locations) in of_overlays {
            found.extend(self.of_overlay(key, locations).map(|it| (key, it)));
        }
        found
    }

    fn is_overlay(&self, device: u64) -> bool {
        self.mounts.by_device(device).is_some_and(|it| it.file_system == layers::OVERLAY)
    }

    /// Which of these files of overlays is the one with the pages: the one of which a layer has
    /// it. Where no layer can be looked at, the only one with its inode number.
    fn of_overlay(&self, key: FileKey, locations: BTreeSet<FileLocation>) -> Option<FileLocation> {
        let mut hidden = Vec::new();
        for location in locations {
            let mount = self.mounts.of_file(location.device, &location.path);
            let files = mount.map(|it| layers::files(&self.roots, it, &location.path));
            match files.unwrap_or_default().as_slice() {
                files if files.contains(&key) => return Some(location),
                [] => hidden.push(location),
                _ => {}
            }
        }
        hidden.pop().filter(|_| hidden.is_empty())
    }

    fn refresh_mounts(&mut self) {
        if self.mounts_read.is_none_or(|at| at.elapsed() > MOUNTS_VALID) {
            self.mounts =
                Mounts::parse(&self.dir.text("mountinfo", mounts::LIMIT_BYTES).unwrap_or_default());
            self.mounts_read = Some(Instant::now());
        }
    }

    fn describe(&mut self, key: FileKey, location: FileLocation, mapped: bool) -> FileFact {
        let FileLocation { path, device } = location;
        self.refresh_mounts();
        let mapped_before = self.described.get(&key).copied().unwrap_or(false);
        if self.described.len() < MAX_FILES {
            self.described.insert(key, mapped || mapped_before);
        }
        let mount = self.mounts.of_file(device, &path);
        // The page cache and the disk of an overlay's file are those of a layer's.
        let beneath = mount.and_then(|it| layers::files(&self.roots, it, &path).first().copied());
        let device = beneath.map_or(key.device, |it| it.device);
        let devices = block_devices::beneath(&self.roots, device, mount);
        for name in &devices {
            if self.devices.len() < MAX_DEVICES {
                self.devices.insert(name.clone());
            }
        }
        FileFact {
            key,
            path,
            file_system: mount.map(|it| it.file_system.clone()).unwrap_or_default(),
            device_name: mount.map_or_else(String::new, |it| device_name(&self.roots, device, it)),
            mount_point: mount.map(|it| it.point.clone()).unwrap_or_default(),
            mapped: mapped || mapped_before,
            devices,
        }
    }

    /// Names of the block devices of the files so far, and of those beneath them; at most 32.
    pub(crate) fn devices(&self) -> &BTreeSet<String> {
        &self.devices
    }
}

#[cfg(test)]
mod tests;
