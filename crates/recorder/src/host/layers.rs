//! Where the files of an overlay (a container's root) really lie.
//!
//! An overlay has no pages and no disk of its own: the file of one of its layers has them. A page
//! fault is on that file (`ovl_mmap` of `fs/overlayfs/file.c` maps it), while descriptors and,
//! since Linux 6.8, `/proc/PID/maps` (`file_user_inode`) show the overlay's number for it.
use super::{
    Roots,
    maps::unescape,
    mounts::Mount,
    process::{DIRECTORY, key_of_fd},
};
use recording::FileKey;
use rustix::{
    fd::OwnedFd,
    fs::{Mode, OFlags, ResolveFlags, openat2},
};
use std::path::{Component, Path, PathBuf};

/// File system type of an overlay.
pub(crate) const OVERLAY: &str = "overlay";
/// The kernel allows 500 layers.
const MAX_LAYERS: usize = 512;

/// The files of the layers behind a path of an overlay, uppermost first: the first is what is read
/// and written, one of the others may be mapped since before it was changed.
///
/// The names of layers are those of the process that mounted the overlay: they are looked up from the root
/// of the host's first process, and only their numbers are read. Empty where they do not lie there
/// (relative names, as of very many layers) or may not be looked at. May wait for a disk.
pub(crate) fn files(roots: &Roots, mount: &Mount, path: &str) -> Vec<FileKey> {
    if mount.file_system != OVERLAY {
        return Vec::new();
    }
    let Some(inside) = inside(mount, path) else { return Vec::new() };
    let Ok(root) = rustix::fs::open(roots.proc.join("1/root"), DIRECTORY, Mode::empty()) else {
        return Vec::new();
    };
    let layers = names(&mount.options).into_iter().take(MAX_LAYERS);
    layers.filter_map(|layer| file(&root, &layer, &inside)).collect()
}

/// The path below the root of the overlay.
fn inside(mount: &Mount, path: &str) -> Option<PathBuf> {
    let below = Path::new(path).strip_prefix(&mount.point).ok()?;
    let path = Path::new(mount.root.trim_start_matches('/')).join(below);
    path.components().all(|it| matches!(it, Component::Normal(_))).then_some(path)
}

fn file(root: &OwnedFd, layer: &str, inside: &Path) -> Option<FileKey> {
    let layer = Path::new(layer).strip_prefix("/").ok()?;
    let layer = openat2(root, layer, DIRECTORY, Mode::empty(), ResolveFlags::IN_ROOT).ok()?;
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    // The kernel has resolved all links when it tells a path, but those of the container's image.
    key_of_fd(&openat2(&layer, inside, flags, Mode::empty(), resolve).ok()?)
}

/// The layers in the options of an overlay, uppermost first (`ovl_show_options` of
/// `fs/overlayfs/params.c`).
fn names(options: &str) -> Vec<String> {
    let options: Vec<String> = options.split(',').map(unescape).collect();
    let of = |name: &str| -> Vec<String> {
        let values = options.iter().filter_map(|it| it.strip_prefix(name)?.strip_prefix('='));
        values.map(str::to_owned).collect()
    };
    let lower = of("lowerdir").into_iter().flat_map(|it| split(&it));
    of("upperdir").into_iter().chain(lower).chain(of("lowerdir+")).collect()
}

/// Splits at colons but for `\:`. Behind `::` are layers that only have data.
fn split(lower: &str) -> Vec<String> {
    let mut layers = vec![String::new()];
    let mut characters = lower.chars();
    while let Some(it) = characters.next() {
        match it {
            ':' if layers.last().is_some_and(String::is_empty) => break,
            ':' => layers.push(String::new()),
            '\\' => layers.last_mut().expect("there is one").extend(characters.next()),
            other => layers.last_mut().expect("there is one").push(other),
        }
    }
    layers.retain(|it| !it.is_empty());
    layers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::files::{Catalogue, Wanted};
    use std::{fs, os::unix::fs::MetadataExt};

    fn check(options: &str, expected: &str) {
        assert_eq!(names(options).join(" "), expected, "{options}");
    }

    #[test]
    fn the_upper_layer_comes_first() {
        check("rw,lowerdir=/l/B:/l/A,upperdir=/u,workdir=/w,uuid=on", "/u /l/B /l/A");
        check("ro,lowerdir=/l/B:/l/A", "/l/B /l/A");
        check("rw,lowerdir+=/l/B,lowerdir+=/l/A,datadir+=/d,upperdir=/u", "/u /l/B /l/A");
        check("ro,lowerdir=/a::/data", "/a");
        check("rw", "");
    }

    #[test]
    fn escapes_are_undone() {
        check(r"rw,lowerdir=/a\134:b:/c\054d\040e", "/a:b /c,d e");
    }

    #[test]
    fn a_file_is_found_in_each_layer_that_has_it() {
        let root = tempfile::tempdir().unwrap();
        let host = root.path().join("1/root");
        for (layer, text) in [("up/opt/app", "new"), ("low/opt/app", "old"), ("low/opt/lib", "x")] {
            fs::create_dir_all(host.join(layer).parent().unwrap()).unwrap();
            fs::write(host.join(layer), text).unwrap();
        }
        std::os::unix::fs::symlink("/low/opt/lib", host.join("up/opt/link")).unwrap();
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let files = |mounted: &str, point: &str, path: &str| -> Vec<u64> {
            let mount = Mount {
                file_system: OVERLAY.into(),
                root: mounted.into(),
                point: point.into(),
                options: "rw,lowerdir=/low:/none:relative,upperdir=/up".into(),
                ..Mount::default()
            };
            super::files(&roots, &mount, path).iter().map(|it| it.inode).collect()
        };
        let inode = |path: &str| host.join(path).metadata().unwrap().ino();
        assert_eq!(files("/", "/", "/opt/app"), [inode("up/opt/app"), inode("low/opt/app")]);
        assert_eq!(files("/", "/", "/opt/lib"), [inode("low/opt/lib")]);
        assert_eq!(files("/opt", "/srv", "/srv/lib"), [inode("low/opt/lib")]);
        assert_eq!(files("/", "/", "/opt/link"), [0_u64; 0]);
        assert_eq!(files("/", "/", "/opt/../opt/lib"), [0_u64; 0]);
        assert_eq!(files("/", "/x", "/opt/lib"), [0_u64; 0]);
    }

    /// A program that runs from an overlay; the mount goes with the value.
    struct Running {
        child: spawn::Running,
        _afterwards: spawn::Afterwards,
        root: tempfile::TempDir,
    }

    impl Running {
        /// `None`, and the reason is printed, where there can be none.
        fn new() -> Option<Running> {
            let root = tempfile::tempdir_in("/dev/shm").ok()?;
            let at = |name: &str| root.path().join(name);
            for name in ["low", "up", "work", "all"] {
                fs::create_dir(at(name)).ok()?;
            }
            fs::copy("/bin/sleep", at("low/sleep")).ok()?;
            let base = root.path().display();
            let options = format!("lowerdir={base}/low,upperdir={base}/up,workdir={base}/work");
            let patience = std::time::Duration::from_secs(60);
            // also where this process is killed
            let unmount = "umount -l \"$1\"; rm -rf --one-file-system \"${1%/all}\"";
            let afterwards = spawn::Afterwards::run(unmount, [at("all")], patience).ok()?;
            let mut mount = spawn::command("mount");
            mount.args(["-t", "overlay", "overlay", "-o", &options]).arg(at("all"));
            if !spawn::run(mount, patience).is_ok_and(|it| it.status.success()) {
                println!("SKIPPED: no overlay can be mounted here");
                return None;
            }
            let mut sleep = spawn::command(at("all/sleep"));
            sleep.arg("60");
            let child = spawn::Running::start(sleep).ok()?;
            Some(Running { child, _afterwards: afterwards, root })
        }
    }

    #[test]
    fn program_on_overlay_is_named_by_the_file_with_its_pages() {
        let Some(running) = Running::new() else { return };
        let of = running.root.path().join("low/sleep").metadata().unwrap();
        let key = FileKey { device: of.dev(), inode: of.ino() };
        let mut catalogue = Catalogue::new(&Roots::default(), running.child.id()).unwrap();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        let path = loop {
            // Until it has been executed, the mappings are ours.
            catalogue.want(Wanted::Mapped(key));
            let found = catalogue.find_mapped().pop().map(|it| (it.path, it.file_system));
            if found.is_some() || std::time::Instant::now() > end {
                break found;
            }
            std::thread::yield_now();
        };
        let expected = running.root.path().join("all/sleep").to_string_lossy().into_owned();
        assert_eq!(path, Some((expected, OVERLAY.to_owned())));
    }
}
