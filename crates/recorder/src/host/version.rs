//! Version and vendor of a JVM, without running it and without asking it.
use super::{jvm::Jvm, mapped, process::ProcessDir};
use memchr::memmem::Finder;
use std::io::{self, Read};

/// What is known of a JVM's build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    /// `17.0.15+6-Debian-1deb12u1`; empty where unknown.
    pub(crate) version: String,
    /// Vendor; empty where unknown.
    pub(crate) vendor: String,
}

/// A `release` file is about 1.5 KB.
const RELEASE_LIMIT_BYTES: u64 = 64 * 1024;
/// `libjvm.so` has 15 to 30 MB; with debug information inside it may be larger, but then its text
/// still comes first.
const LIBJVM_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Reads the `release` file of the JVM's home, or the strings inside its library.
///
/// Where the library was replaced on disk after the start, the `release` file speaks of another
/// JVM, so only the mapped library counts. Reads files: not for the sampling thread.
pub(crate) fn read(dir: &ProcessDir, jvm: &Jvm) -> Version {
    let release = || {
        let text = dir.text_inside(&format!("{}/release", jvm.java_home), RELEASE_LIMIT_BYTES);
        let found = parse_release(&text.ok()?);
        (!found.version.is_empty()).then_some(found)
    };
    let library = || {
        let find = |file: std::fs::File| {
            let found = find_version(&mut file.take(LIBJVM_LIMIT_BYTES))?;
            Ok(found.unwrap_or_default().into_bytes())
        };
        let version = mapped::read(dir, &jvm.libjvm_mapping, find).ok()?;
        let version = String::from_utf8(version).ok().filter(|it| !it.is_empty())?;
        Some(Version { version, vendor: String::new() })
    };
    let found = if jvm.libjvm_deleted { library() } else { release().or_else(library) };
    found.unwrap_or_default()
}

/// Reads lines `NAME="value"`.
fn parse_release(text: &str) -> Version {
    let get = |name: &str| {
        let of = |line: &str| {
            let value = line.trim().strip_prefix(name)?.strip_prefix('=')?;
            Some(value.trim_matches('"').to_owned())
        };
        text.lines().find_map(of).filter(|it| !it.is_empty())
    };
    Version {
        version: get("JAVA_RUNTIME_VERSION").or_else(|| get("JAVA_VERSION")).unwrap_or_default(),
        vendor: get("IMPLEMENTOR").unwrap_or_default(),
    }
}

/// Finds the JRE version in the text that `internal_vm_info_string` of `abstract_vm_version.cpp`
/// leaves in the library: `… VM (17.0.15+6) for linux-amd64 JRE (17.0.15+6), built on …`.
fn find_version(library: &mut dyn Read) -> io::Result<Option<String>> {
    const OVERLAP_BYTES: usize = 512;
    let mark = Finder::new(b") for linux-");
    let mut buffer = vec![0; 256 * 1024];
    let mut filled = 0;
    loop {
        let read = library.read(&mut buffer[filled..])?;
        let end = filled + read;
        for at in mark.find_iter(&buffer[..end]) {
            if let Some(version) = jre_version(&buffer[at..end.min(at + OVERLAP_BYTES)]) {
                return Ok(Some(version));
            }
        }
        if read == 0 {
            return Ok(None);
        }
        // A text across the border is found in the next round.
        filled = end.min(OVERLAP_BYTES);
        buffer.copy_within(end - filled..end, 0);
    }
}

fn jre_version(text: &[u8]) -> Option<String> {
    let start = Finder::new(b" JRE (").find(text)? + b" JRE (".len();
    let length = Finder::new(b"), built").find(&text[start..])?;
    // Older JDKs nest the runtime's name: `JRE (1.8.0_442-b06)`.
    let version = std::str::from_utf8(&text[start..start + length]).ok()?;
    version.bytes().all(|byte| byte.is_ascii_graphic()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_release(text: &str, version: &str, vendor: &str) {
        let expected = Version { version: version.into(), vendor: vendor.into() };
        assert_eq!(parse_release(text), expected);
    }

    #[test]
    fn release_files() {
        check_release(
            "IMPLEMENTOR=\"Eclipse Adoptium\"\nJAVA_VERSION=\"25.0.3\"\nJAVA_RUNTIME_VERSION=\"25.0.3+9-LTS\"\n",
            "25.0.3+9-LTS",
            "Eclipse Adoptium",
        );
        check_release("JAVA_VERSION=\"1.8.0_442\"\nOS_NAME=\"Linux\"", "1.8.0_442", "");
        check_release("JAVA_VERSION_DATE=\"2025\"", "", "");
    }

    fn check_library(bytes: &[u8], expected: Option<&str>) {
        assert_eq!(find_version(&mut &bytes[..]).unwrap().as_deref(), expected);
    }

    #[test]
    fn the_library_says_its_version() {
        let text = b"\0OpenJDK 64-Bit Server VM (25.442-b06) for linux-amd64 JRE (1.8.0_442-8u442-b06), built on x";
        check_library(text, Some("1.8.0_442-8u442-b06"));
        check_library(b"VM (1) for linux-amd64 JRE (\xff), built", None);
        check_library(b"VM (1) for linux-amd64 JRE (1", None);
        check_library(b"", None);
    }

    #[test]
    fn a_text_across_a_border_is_found() {
        for before in 256 * 1024 - 120..256 * 1024 + 8 {
            let mut bytes = vec![b'x'; before];
            bytes.extend_from_slice(b"VM (17) for linux-aarch64 JRE (17.0.1+2), built on today");
            check_library(&bytes, Some("17.0.1+2"));
        }
    }
}
