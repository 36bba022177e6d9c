//! JDKs that are installed here, and whether JVMs can be recorded.
use crate::{
    PATIENCE,
    process::{is_root, runs},
    program::program,
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// Where they are looked for.
const PLACE: &str = "/usr/lib/jvm";
/// The first version with probes that are known to the recorder.
const WITH_PROBES: u32 = 11;

/// An installed JDK.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jdk {
    /// The first number of its version, as its file `release` has it.
    pub major: u32,
    /// Where it is; `bin/java` is below.
    pub home: PathBuf,
}

impl Jdk {
    /// The library that is the JVM, in a JDK.
    pub const LIBJVM: &str = "lib/server/libjvm.so";
    /// Directories that it is found by and runs from, one in another before that.
    pub const DIRECTORIES: [&str; 4] = ["lib/server", "lib", "conf", "bin"];
    /// Files by whose place a JVM knows its home.
    pub const FILES: [&str; 4] = ["bin/java", "lib/libjli.so", "lib/libjava.so", Self::LIBJVM];

    /// Those of this version and later ones, oldest first.
    #[must_use]
    pub fn installed(from: u32) -> Vec<Jdk> {
        let homes = fs::read_dir(PLACE).into_iter().flatten().flatten().map(|it| it.path());
        let mut all: Vec<Jdk> = homes.filter(|it| !it.is_symlink()).filter_map(Jdk::at).collect();
        all.retain(|it| it.major >= from);
        all.sort();
        all
    }

    /// Those with probes, oldest first.
    #[must_use]
    pub fn with_probes() -> Vec<Jdk> {
        Jdk::installed(WITH_PROBES)
    }

    /// The newest one with probes; otherwise says that there is none.
    #[must_use]
    pub fn any() -> Option<Jdk> {
        let newest = Jdk::with_probes().pop();
        if newest.is_none() {
            println!("SKIPPED: no JDK from {WITH_PROBES} on in {PLACE}");
        }
        newest
    }

    /// The newest one, if JVMs can be recorded here with eBPF; otherwise says why not.
    #[must_use]
    pub fn newest(has_kernel_side: bool) -> Option<Jdk> {
        let why = if !is_root() {
            "not root"
        } else if !Path::new("/sys/kernel/btf/vmlinux").exists() {
            "the kernel has no BTF"
        } else if !has_kernel_side {
            "built without the kernel side"
        } else {
            return Jdk::any();
        };
        println!("SKIPPED: {why}");
        None
    }

    fn at(home: PathBuf) -> Option<Jdk> {
        let release = fs::read_to_string(home.join("release")).ok()?;
        let version = release.lines().find_map(|it| it.strip_prefix("JAVA_VERSION=\""))?;
        let major = version.split(['.', '"', '-', '+']).next()?.parse().ok()?;
        let jdk = Jdk { major, home };
        jdk.tool("java").exists().then_some(jdk)
    }

    /// Where `java`, `javac`, `jcmd` and others of it are.
    #[must_use]
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }

    /// A command that starts a JVM of it when it is given arguments.
    #[must_use]
    pub fn java(&self) -> Command {
        spawn::command(self.tool("java"))
    }

    /// Compiles one of the programs of [`program`] into this directory.
    #[track_caller]
    pub fn compile(&self, name: &str, classes: &Path) {
        let mut javac = spawn::command(self.tool("javac"));
        javac.arg("-d").arg(classes).arg(program(name));
        let compiled = spawn::run(javac, PATIENCE).unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    }

    /// Makes `home` this JDK, but for directories of its own and for [`Jdk::FILES`], which are copied.
    #[must_use]
    pub fn copy(&self, home: &Path) -> Jdk {
        for part in Self::DIRECTORIES {
            fs::create_dir_all(home.join(part)).unwrap();
            for entry in fs::read_dir(self.home.join(part)).unwrap().flatten() {
                let to = home.join(part).join(entry.file_name());
                // Some lead nowhere (`src.zip`).
                let _ = fs::canonicalize(entry.path()).and_then(|from| symlink(from, to));
            }
        }
        for part in Self::FILES {
            fs::remove_file(home.join(part)).unwrap();
            fs::copy(self.home.join(part), home.join(part)).unwrap();
        }
        let _ = symlink(self.home.join("release"), home.join("release"));
        Jdk { major: self.major, home: home.to_owned() }
    }

    /// Makes `home` this JDK as vendors strip it, whose libjvm has lost its probes and symbols; says
    /// so where there is no `objcopy`.
    #[must_use]
    pub fn stripped(&self, home: &Path) -> Option<Jdk> {
        let bare = self.copy(home);
        let how = ["--strip-all".as_ref(), "--remove-section=.note.stapsdt".as_ref()];
        let [from, to] = [&self.home, &bare.home].map(|it| it.join(Self::LIBJVM));
        if !runs("objcopy", how.into_iter().chain([from.as_os_str(), to.as_os_str()])) {
            println!("SKIPPED: no objcopy");
            return None;
        }
        Some(bare)
    }
}
