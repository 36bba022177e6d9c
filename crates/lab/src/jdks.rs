//! The JDKs of this host.
use crate::LabError;
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Duration,
};

/// How long a JDK may take to say what it is: a second on a host with much load.
const PATIENCE: Duration = Duration::from_secs(30);

/// An installed JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Where it is installed; `bin/java` is below it.
    pub home: PathBuf,
    /// As in its `release` file, such as `17.0.15` or `1.8.0_504`.
    pub version: String,
    /// Feature release: 8, 11, 17, 21, 25.
    pub major: u32,
}

impl Jdk {
    /// The JDK installed at `home`; `None` where there is none.
    #[must_use]
    pub fn at(home: &Path) -> Option<Jdk> {
        let home = home.canonicalize().ok()?;
        // a JDK 8 has its launcher in both places, its JRE alone only in the second
        let java = home.join("bin/java");
        java.metadata().ok()?;
        let release = std::fs::read_to_string(home.join("release")).unwrap_or_default();
        // some builds of JDK 8 have no such file
        let version = version_in(&release).map(str::to_owned).or_else(|| version_of(&java))?;
        let major = major_of(&version)?;
        Some(Jdk { home, version, major })
    }

    /// How the user names it: `17`.
    #[must_use]
    pub fn label(&self) -> String {
        self.major.to_string()
    }

    /// The launcher.
    #[must_use]
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// What `java -version` says.
fn version_of(java: &Path) -> Option<String> {
    let mut command = spawn::command(java);
    command.arg("-version");
    let output = spawn::run(command, PATIENCE).ok()?;
    version_said(&String::from_utf8_lossy(&output.stderr)).map(str::to_owned)
}

/// `openjdk version "1.8.0_504"`, on a line of its own among others.
fn version_said(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.contains(" version \""))?;
    line.split('"').nth(1)
}

/// `JAVA_VERSION="17.0.15"` of a `release` file.
fn version_in(release: &str) -> Option<&str> {
    let value = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let version = value.trim().trim_matches('"');
    (!version.is_empty()).then_some(version)
}

/// 8 for `1.8.0_504`, 17 for `17.0.15` and for `17-ea`.
fn major_of(version: &str) -> Option<u32> {
    let modern = version.strip_prefix("1.").unwrap_or(version);
    let digits = modern.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The JDKs of this host, by feature release; of two with the same, the one found first:
/// `JAVA_HOME`, then the `java` of `PATH`, then `/usr/lib/jvm`.
#[must_use]
pub fn found() -> Vec<Jdk> {
    let mut homes = Vec::new();
    homes.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    homes.extend(std::env::var_os("PATH").as_deref().and_then(home_on_path));
    let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut installed: Vec<_> = installed.map(|it| it.path()).collect();
    installed.sort();
    homes.append(&mut installed);
    let mut by_major = BTreeMap::new();
    for jdk in homes.iter().filter_map(|home| Jdk::at(home)) {
        by_major.entry(jdk.major).or_insert(jdk);
    }
    by_major.into_values().collect()
}

fn home_on_path(path: &OsStr) -> Option<PathBuf> {
    let java = std::env::split_paths(path).map(|dir| dir.join("java")).find(|it| it.exists())?;
    Some(java.canonicalize().ok()?.parent()?.parent()?.to_path_buf())
}

/// The JDKs that the user means. Each word is a feature release (`17`) or the path of a JDK.
/// Without words it is 17, or else the newest there is.
///
/// # Errors
/// [`LabError::Usage`] with what exists, where a word means none of them.
pub fn select(words: &[String]) -> Result<Vec<Jdk>, LabError> {
    let found = found();
    if words.is_empty() {
        let usual = found.iter().find(|jdk| jdk.major == 17).or(found.last()).cloned();
        return usual.map(|jdk| vec![jdk]).ok_or_else(|| unknown("no JDK was found", &found));
    }
    words.iter().map(|word| one(word, &found)).collect()
}

fn one(word: &str, found: &[Jdk]) -> Result<Jdk, LabError> {
    if word.contains('/') {
        return Jdk::at(Path::new(word))
            .ok_or_else(|| unknown(&format!("`{word}` is not a JDK"), found));
    }
    found
        .iter()
        .find(|jdk| jdk.label() == word || jdk.version == word)
        .cloned()
        .ok_or_else(|| unknown(&format!("no JDK `{word}` was found"), found))
}

fn unknown(message: &str, found: &[Jdk]) -> LabError {
    let have: Vec<_> = found.iter().map(Jdk::label).collect();
    let hint = if have.is_empty() {
        "install one (Debian: openjdk-17-jdk-headless), or give its path".to_owned()
    } else {
        format!("this host has {}; another is given by its path", have.join(", "))
    };
    LabError::Usage { message: message.into(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_times_are_read() {
        let check = |text, version, major| {
            assert_eq!(version_in(text), version);
            assert_eq!(version.and_then(major_of), major);
        };
        check("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n", Some("17.0.15"), Some(17));
        check("JAVA_VERSION=\"1.8.0_504\"", Some("1.8.0_504"), Some(8));
        check("JAVA_VERSION=\"25\"", Some("25"), Some(25));
        check("JAVA_VERSION=\"26-ea\"", Some("26-ea"), Some(26));
        check("JAVA_VERSION=\"\"", None, None);
        check("JAVA_VERSION=\"x\"", Some("x"), None);
        check("", None, None);
    }

    #[test]
    fn a_jdk_without_a_release_file_is_asked() {
        let said = "Picked up _JAVA_OPTIONS: x\nopenjdk version \"1.8.0_504\"\nOpenJDK Runtime";
        assert_eq!(version_said(said), Some("1.8.0_504"));
        assert_eq!(version_said("error: no"), None);
    }

    #[test]
    fn an_unknown_jdk_is_told_what_there_is() {
        let jdk = Jdk { home: "/jdk".into(), version: "17.0.15".into(), major: 17 };
        let found = [jdk.clone()];
        assert_eq!(one("17", &found).unwrap(), jdk);
        assert_eq!(one("17.0.15", &found).unwrap(), jdk);
        let error = one("99", &found).unwrap_err();
        assert_eq!(error.to_string(), "no JDK `99` was found");
        assert_eq!(error.hint(), Some("this host has 17; another is given by its path"));
        assert!(one("/nonexistent", &found).is_err());
    }
}
