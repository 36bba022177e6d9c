//! The flags a JVM was given, wherever they were given.
use super::{jvm::Jvm, launch, process::ProcessDir, rights::Rights};
use recording::{MASK, VmFlag, VmFlags, vm_size};
use std::io;

/// Argument files and flag files longer than this are not read, nor more of all of them.
const FILE_LIMIT_BYTES: u64 = 1024 * 1024;
/// The kernel's own limit for arguments and environment is of this order (`MAX_ARG_STRLEN` × n).
const ENVIRONMENT_LIMIT_BYTES: u64 = 2 * 1024 * 1024;
/// More flags than any command line has.
const MAX_FLAGS: usize = 4096;
/// A made-up launch may name as many files as fit on its command line.
const MAX_UNREAD: usize = 16;

/// What becomes of files that a JVM names: argument files and files of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// They are read, with the JVM's own rights.
    Read,
    /// No file is opened.
    Leave,
}

/// The flags of a JVM, as far as they can be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// In the order in which they apply.
    pub(crate) flags: Vec<String>,
    /// What could hold more of them and was not read: paths of files, or words.
    pub(crate) unread: Vec<String>,
}

/// Reads the flags in the order in which HotSpot applies them, so that of two settings of one
/// flag the later one holds: `-XX:Flags=` file, `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`, command
/// line with its argument files, `_JAVA_OPTIONS` (`Arguments::parse` in `arguments.cpp`).
///
/// Reads the JVM's environment and files of its file systems: not for the sampling thread.
pub(crate) fn read(dir: &ProcessDir, jvm: &Jvm, named: Named) -> Given {
    let mut unread = Vec::new();
    // The kernel has one for every process, be it empty; of one that is gone there is none.
    let environment = dir.bytes("environ", ENVIRONMENT_LIMIT_BYTES);
    let whole = environment.as_ref().is_ok_and(|it| (it.len() as u64) < ENVIRONMENT_LIMIT_BYTES);
    let environment = environment.unwrap_or_default();
    if !whole {
        unread.push("the environment".to_owned());
    }
    let arguments = jvm.started_with(dir);
    match &arguments {
        Ok(it) if it.cut => unread.push("the rest of the command line".to_owned()),
        Ok(_) => {}
        Err(_) => unread.push("the command line".to_owned()),
    }
    let arguments = arguments.unwrap_or_default();
    let environment = Environment(environment);
    let mut file_named = files_named(dir, jvm);
    let mut read_file = |path: &str| {
        let text = match named {
            Named::Read => file_named(path),
            Named::Leave => None,
        };
        if text.is_none() && unread.len() < MAX_UNREAD {
            unread.push(format!("`{path}`"));
        }
        text
    };
    let sources = Sources {
        launcher_knows_files: jvm.is_modular(),
        tool_options: environment.get("JAVA_TOOL_OPTIONS"),
        launcher_options: environment
            .get("JDK_JAVA_OPTIONS")
            .filter(|_| jvm.is_modular() && jvm.java_launcher),
        arguments: &arguments.words,
        last_options: environment.get("_JAVA_OPTIONS"),
    };
    let mut flags = collect(&sources, &mut read_file);
    if flags.len() > MAX_FLAGS {
        flags.truncate(MAX_FLAGS);
        unread.push("the rest of the flags".to_owned());
    }
    Given { flags, unread }
}

/// Reads files that the JVM names, as far as it may read them itself.
pub(super) fn files_named<'a>(
    dir: &'a ProcessDir,
    jvm: &'a Jvm,
) -> impl FnMut(&str) -> Option<String> + 'a {
    within(FILE_LIMIT_BYTES, move |path| read_named(dir, jvm, path).ok())
}

/// What `read` reads as long as it is no more than this in all: a command line may name one file as often
/// as it likes.
fn within(
    mut left: u64,
    read: impl Fn(&str) -> Option<String>,
) -> impl FnMut(&str) -> Option<String> {
    move |path: &str| {
        let text = read(path)?;
        left = left.checked_sub(text.len() as u64)?;
        Some(text)
    }
}

/// Reads a file that the JVM names, with the JVM's rights.
///
/// # Errors
/// As [`ProcessDir::text_inside`]; also where the process is no longer that of the user who named
/// the file: a program with the set-user-id bit may have taken its place.
fn read_named(dir: &ProcessDir, jvm: &Jvm, path: &str) -> io::Result<String> {
    // Once: between two readings it could become somebody else.
    let rights = Rights::of(dir)?;
    if rights.uid() != jvm.uid {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let path = super::place::absolute(dir, path)?;
    dir.text_inside_with(&rights, &path, FILE_LIMIT_BYTES)
}

/// Where flags come from, as text.
#[derive(Debug, Default)]
struct Sources<'a> {
    launcher_knows_files: bool,
    tool_options: Option<String>,
    launcher_options: Option<String>,
    /// Arguments after the program's own name.
    arguments: &'a [String],
    last_options: Option<String>,
}

fn collect(
    sources: &Sources<'_>,
    read_file: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<String> {
    let words =
        |text: &Option<String>| launch::environment_words(text.as_deref().unwrap_or_default());
    let mut given = words(&sources.tool_options);
    let files = sources.launcher_knows_files;
    let mut launcher_file = |path: &str| if files { read_file(path) } else { None };
    given.extend(launch::parse(&words(&sources.launcher_options), &mut launcher_file).options);
    given.extend(launch::parse(sources.arguments, &mut launcher_file).options);
    given.extend(words(&sources.last_options));

    let mut flags = Vec::new();
    if let Some(path) = VmFlags(&given).value("Flags") {
        flags.extend(settings(&read_file(path).unwrap_or_default()));
    }
    for flag in given {
        let named = VmFlag::of(&flag).filter(|it| it.name == "VMOptionsFile");
        let options_file = named.and_then(VmFlag::value).and_then(&mut *read_file);
        if is_flag(&flag) {
            flags.push(flag);
        }
        let inside = launch::environment_words(&options_file.unwrap_or_default());
        flags.extend(inside.into_iter().filter(|it| is_flag(it)));
    }
    if VmFlags(&flags).is_on("IgnoreUnrecognizedVMOptions") {
        flags = flags.into_iter().map(without_unknown).collect();
    }
    flags
}

/// Any JVM that runs knows the names of its flags, unless it ignores unknown ones by a flag
/// (`Arguments::process_argument` in `arguments.cpp`): there a value may be arbitrary, and only a
/// number is kept.
fn without_unknown(flag: String) -> String {
    match flag.split_once('=') {
        Some((name, value)) if flag.starts_with("-XX:") && !is_number(value) => {
            format!("{name}={MASK}")
        }
        _ => flag,
    }
}

/// `3`, `75.0`, `-1`, `0x10`, `512m`: what HotSpot reads as a number or a size.
fn is_number(value: &str) -> bool {
    vm_size(value.strip_prefix('-').unwrap_or(value)).is_some()
        || value.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `-X…`, `-XX:…` and `-verbose:…`, not `-D…`: properties are the application's, and often secret.
fn is_flag(argument: &str) -> bool {
    argument.starts_with("-X") || argument.starts_with("-verbose:")
}

/// Flags of a `-XX:Flags=` file: `+Flag`, `-Flag` and `Flag=value`, `#` comments.
fn settings(text: &str) -> impl Iterator<Item = String> {
    launch::file_words(text).into_iter().map(|word| format!("-XX:{word}"))
}

/// `environ`: `NAME=value`, each ended by a zero byte.
pub(super) struct Environment(pub(super) Vec<u8>);

impl Environment {
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.0.split(|&byte| byte == 0).find_map(|entry| {
            let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            Some(String::from_utf8_lossy(value).into_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sources: &Sources<'_>, expected: &str) {
        let flags = collect(sources, &mut |path| match path {
            "opts" => Some("-Xmx2g -Dsecret=1".into()),
            "flags" => Some("+UseZGC\nParallelGCThreads=3 # three".into()),
            "vm" => Some("-XX:+UseNUMA".into()),
            _ => None,
        });
        assert_eq!(flags.join(" "), expected);
    }

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn later_flags_override_earlier_ones() {
        let arguments = words("@opts -Xms1g -Dx=1 Main -Xnot");
        check(
            &Sources {
                launcher_knows_files: true,
                tool_options: Some("-XX:+UseG1GC -javaagent:x.jar".into()),
                launcher_options: Some("-XX:+UseSerialGC".into()),
                arguments: &arguments,
                last_options: Some("-Xmx3g".into()),
            },
            "-XX:+UseG1GC -XX:+UseSerialGC -Xmx2g -Xms1g -Xmx3g",
        );
    }

    #[test]
    fn before_jdk_9_an_at_sign_is_no_file() {
        let arguments = words("-Xms1g @opts Main");
        check(&Sources { arguments: &arguments, ..Sources::default() }, "-Xms1g");
    }

    #[test]
    fn files_named_by_flags_are_read() {
        let arguments = words("-XX:Flags=flags -XX:VMOptionsFile=vm Main");
        check(
            &Sources { arguments: &arguments, ..Sources::default() },
            "-XX:+UseZGC -XX:ParallelGCThreads=3 -XX:Flags=flags -XX:VMOptionsFile=vm -XX:+UseNUMA",
        );
    }

    #[test]
    fn a_jvm_that_ignores_unknown_flags_vouches_for_no_text_in_them() {
        let check = |line: &str, expected: &str| {
            let arguments = words(line);
            check(&Sources { arguments: &arguments, ..Sources::default() }, expected);
        };
        let ignore = "-XX:+IgnoreUnrecognizedVMOptions";
        let flags = "-XX:Own=hunter2 -XX:ParallelGCThreads=3 -XX:+UseX -Xlog:gc:file=/a -XX:S=512m";
        let kept = "-XX:Own=*** -XX:ParallelGCThreads=3 -XX:+UseX -Xlog:gc:file=/a -XX:S=512m";
        check(&format!("{ignore} {flags} Main"), &format!("{ignore} {kept}"));
        check(&format!("{flags} Main"), flags);
        let undone = "-XX:-IgnoreUnrecognizedVMOptions";
        check(&format!("{ignore} {flags} {undone} Main"), &format!("{ignore} {flags} {undone}"));
    }

    /// Each time its words were kept once more.
    #[test]
    fn a_file_that_is_named_again_and_again_is_read_up_to_a_limit() {
        let mut read = within(25, |_| Some("-Xmx1g -Xm".into()));
        let read = [(); 4].map(|()| read("opts").is_some());
        assert_eq!(read, [true, true, false, false]);
    }

    #[test]
    fn the_environment_is_matched_by_whole_names() {
        let environment = Environment(b"X_JAVA_OPTIONS=1\0_JAVA_OPTIONS=-Xmx1g\0A".to_vec());
        assert_eq!(environment.get("_JAVA_OPTIONS").as_deref(), Some("-Xmx1g"));
        assert_eq!(environment.get("A"), None);
    }
}
