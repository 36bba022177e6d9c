//! What is known and accepted: ids on the command line, and in files that `doctor` and `check` read.
use crate::{Failure, args::AcceptArgs, failure::reason};
use report::doctor::Accepted;
use rustix::fs::{Mode, OFlags};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Where ids are read from unless files are named.
const HERE: &str = ".whypause-accept";
const OF_HOST: &str = "/etc/whypause/accepted";
/// More than anybody accepts.
const LIMIT_BYTES: u64 = 64 * 1024;

/// All that is accepted; what was given on the command line counts first.
///
/// # Errors
/// Where a file that was named cannot be read, and where an id is none of a hazard or cause.
pub(crate) fn all(args: &AcceptArgs) -> Result<Vec<Accepted>, Failure> {
    let mut all = Vec::new();
    for id in &args.accept {
        all.push(accepted(id, "accepted on the command line", "--accept")?);
    }
    for path in &args.accept_file {
        let text = read(path, OFlags::empty()).map_err(|error| Failure::file(path, &error))?;
        all.extend(parse(&text, path)?);
    }
    if args.accept_file.is_empty() {
        for path in [HERE, OF_HOST].map(PathBuf::from) {
            // Nobody named it: a link may have been planted.
            match read(&path, OFlags::NOFOLLOW) {
                Ok(text) => all.extend(parse(&text, &path)?),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(not_read(&path, &error)),
            }
        }
    }
    Ok(all)
}

fn not_read(path: &Path, error: &io::Error) -> Failure {
    Failure::input(
        format!("cannot read `{}`: {}", path.display(), reason(error)),
        "it lists accepted hazards: make it readable, or name another one with `--accept-file`",
    )
}

/// A regular file, whatever waits at the other end of anything else.
fn read(path: &Path, more: OFlags) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | more;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut text = String::new();
    file.take(LIMIT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Lines `ID [# reason]`; blank lines and those that are a comment alone say nothing.
fn parse(text: &str, path: &Path) -> Result<Vec<Accepted>, Failure> {
    let mut all = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let (id, why) = line.split_once('#').unwrap_or((line, ""));
        if !id.trim().is_empty() {
            let place = format!("{}, line {}", path.display(), n + 1);
            all.push(accepted(id.trim(), why.trim(), &place)?);
        }
    }
    Ok(all)
}

fn accepted(id: &str, reason: &str, place: &str) -> Result<Accepted, Failure> {
    if ids().any(|it| it == id) {
        return Ok(Accepted { id: id.to_owned(), reason: reason.to_owned() });
    }
    Err(unknown(id, &format!(" ({place})")))
}

/// Ids of hazards, and of causes with all their hazards.
fn ids() -> impl Iterator<Item = &'static str> + Clone {
    let hazards: Vec<&str> = diagnose::hazard_kinds().map(|(it, _)| it.id).collect();
    let causes: Vec<&str> = diagnose::causes().iter().map(|it| it.id).collect();
    hazards.into_iter().chain(causes)
}

/// That no hazard and no cause has this id.
pub(crate) fn unknown(id: &str, place: &str) -> Failure {
    let hint = match diagnose::text::nearest(id, ids()) {
        Some(near) => format!("did you mean `{near}`? `whypause doctor --help` lists all"),
        None => "`whypause doctor --help` lists hazards, `whypause cause` causes".to_owned(),
    };
    Failure::input(format!("no hazard or cause is called `{id}`{place}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_id_and_a_reason() {
        let text = "# ours\n\ngc-log-on-disk # a disk of its own\n  swap-in\n";
        let all = parse(text, Path::new("f")).expect("ids that are known");
        let all: Vec<_> = all.iter().map(|it| (it.id.as_str(), it.reason.as_str())).collect();
        assert_eq!(all, [("gc-log-on-disk", "a disk of its own"), ("swap-in", "")]);
    }

    #[test]
    fn an_unknown_id_is_reported_with_its_line_and_a_near_one() {
        let failure = parse("\ngc-log-on-disc", Path::new("f")).expect_err("no such id");
        let expected = Failure::input(
            "no hazard or cause is called `gc-log-on-disc` (f, line 2)",
            "did you mean `gc-log-on-disk`? `whypause doctor --help` lists all",
        );
        assert_eq!(failure, expected);
    }
}
