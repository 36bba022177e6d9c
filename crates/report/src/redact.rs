//! Answers that can be shown to strangers: names become placeholders. Another kind of name is hidden here.
//!
//! What is replaced are fields of facts, before anything is concluded from them, so that no answer
//! in any format can hold a name: `/var/log/orders/gc.log` is `/path-1.log` wherever it is spoken
//! of, in a sentence, a command or a column. The same name is the same placeholder in all that one
//! [`Redactor`] has seen.
//!
//! Kept is what an answer needs to be understood: names of programs and main classes, process ids,
//! file systems and devices, what a file is (its last extension, that it is deleted, that it is the
//! hsperfdata file), which control group lies in which, and flags of the JVM but for paths
//! and texts in them.
mod facts;
mod flags;
mod log;

use crate::ps::{NotResponding, Row};
use gclog::{AllocationStall, Event, InitFact, JvmEvent};
use recording::Recording;
use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

/// Names that are distinguished; more than any answer holds. A watch may last for days.
const MOST_NAMES: usize = 65_536;

/// What is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Path,
    Host,
    User,
    Group,
    Thread,
    Device,
}

impl Kind {
    fn id(self) -> &'static str {
        match self {
            Kind::Path => "path",
            Kind::Host => "host",
            Kind::User => "user",
            Kind::Group => "group",
            Kind::Thread => "thread",
            Kind::Device => "device",
        }
    }
}

/// Replaces names, or leaves all as it is.
#[derive(Debug)]
pub struct Redactor {
    works: bool,
    /// The placeholder of each name so far.
    names: BTreeMap<(Kind, String), String>,
    /// How many there are of each kind.
    counts: BTreeMap<Kind, usize>,
    /// Names of hosts, to be found in other names.
    hosts: BTreeSet<String>,
    /// Of a log that is being recorded, as far as it has come.
    log: gclog::Parser,
}

impl Redactor {
    /// One that replaces names where `works` says so. `host` is the name of this host, where what
    /// is reported is about this host.
    #[must_use]
    pub fn new(works: bool, host: Option<&str>) -> Redactor {
        let mut it = Redactor {
            works,
            names: BTreeMap::new(),
            counts: BTreeMap::new(),
            hosts: BTreeSet::new(),
            log: gclog::Parser::new(),
        };
        it.knows_host(host.unwrap_or_default());
        it
    }

    /// Everything that an answer about a recording may hold.
    pub fn recording(&mut self, it: &mut Recording) {
        if self.works {
            it.path = PathBuf::from(self.path(&it.path.display().to_string()));
            self.another_log();
            self.facts(&mut it.facts);
        }
    }

    /// A path, a pattern, or `-`.
    #[must_use]
    pub fn path(&mut self, path: &str) -> String {
        if !self.works || matches!(path, "" | "-" | "/") || is_of_every_host(path) {
            return path.to_owned();
        }
        if let Some(path) = path.strip_suffix(DELETED) {
            return self.path(path) + DELETED;
        }
        if let Some((directory, rest)) = path.split_once(COUNTERS) {
            let (user, file) = rest.split_once('/').unwrap_or((rest, ""));
            let directory = self.path(directory);
            let user = self.placeholder(Kind::User, user, "");
            let file = if is_number(file) { file.to_owned() } else { self.path(file) };
            return format!("{directory}{COUNTERS}{user}/{file}");
        }
        if let Some(home) = path.strip_suffix(LIBJVM).filter(|it| !it.is_empty()) {
            return self.path(home) + LIBJVM;
        }
        let slash = if path.starts_with('/') { "/" } else { "" };
        let extension = extension(path).map_or_else(String::new, |it| format!(".{it}"));
        format!("{slash}{}", self.placeholder(Kind::Path, path, &extension))
    }

    /// What a log tells, but for its numbers.
    #[must_use]
    pub fn event(&mut self, event: Event) -> Event {
        match event {
            Event::Jvm(JvmEvent { stamp, fact: InitFact::Flags(flags) }) if self.works => {
                let flags: Vec<String> =
                    flags.split_ascii_whitespace().map(|it| self.flag(it)).collect();
                Event::Jvm(JvmEvent { stamp, fact: InitFact::Flags(flags.join(" ").into()) })
            }
            Event::AllocationStall(it) if self.works => {
                let thread = self.thread(&it.thread).into();
                Event::AllocationStall(AllocationStall { thread, ..it })
            }
            event => event,
        }
    }

    /// A line of the list of JVMs.
    pub fn row(&mut self, row: &mut Row) {
        if self.works {
            row.user = self.user(&row.user);
            row.main = self.main(&row.main);
            row.gc_log = self.path(&row.gc_log);
            row.heap = row.heap.iter().map(|it| self.flag(it)).collect();
        }
    }

    /// A process that does not let itself be read. Its threads are named by their numbers alone.
    pub fn not_responding(&mut self, it: &mut NotResponding) {
        if !self.works {
            return;
        }
        it.user = self.user(&it.user);
        if let Some(thread) = &mut it.thread {
            it.reason = it.reason.replace(&format!(" `{}`", thread.name), "");
            thread.name.clear();
        }
    }

    /// A main class, which stays, or a jar or source file, which is a path.
    #[must_use]
    pub fn main(&mut self, main: &str) -> String {
        const FILES: [&str; 5] = ["jar", "war", "ear", "java", "jsh"];
        let is_file = main.contains('/') || extension(main).is_some_and(|it| FILES.contains(&it));
        if is_file { self.path(main) } else { main.to_owned() }
    }

    /// The name of a user of this host, or the number.
    #[must_use]
    pub fn user(&mut self, name: &str) -> String {
        self.placeholder(Kind::User, name, "")
    }

    fn knows_host(&mut self, name: &str) {
        // So short a name is in every other word.
        if name.len() > 2 && name != "localhost" && self.hosts.len() < MOST_NAMES {
            self.hosts.insert(name.to_owned());
        }
    }

    fn host(&mut self, name: &str) -> String {
        self.knows_host(name);
        self.placeholder(Kind::Host, name, "")
    }

    /// A host's address with or without a port; anything else is a host's name.
    fn address(&mut self, text: &str) -> String {
        match text.parse::<SocketAddr>() {
            Ok(it) => format!("{}:{}", self.host(&it.ip().to_string()), it.port()),
            Err(_) => self.host(text),
        }
    }

    /// A control group's path: part by part, so that who is inside of whom can be seen.
    #[must_use]
    pub fn group(&mut self, path: &str) -> String {
        let part = |it: &str| match it {
            "" | ".." => it.to_owned(),
            it => self.placeholder(Kind::Group, it, ""),
        };
        path.split('/').map(part).collect::<Vec<_>>().join("/")
    }

    /// The name of a device of this host stays; that of a server's does not.
    fn device(&mut self, name: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_!".contains(c);
        if name.chars().all(plain) && !self.has_host(name) {
            return name.to_owned();
        }
        self.placeholder(Kind::Device, name, "")
    }

    /// The name of a thread, unless it speaks of hosts, addresses or paths.
    fn thread(&mut self, name: &str) -> String {
        let is_address = |it: &str| it.contains(['.', ':']) && it.parse::<IpAddr>().is_ok();
        let pieces = name.split(|c: char| !(c.is_ascii_hexdigit() || c == '.' || c == ':'));
        let addressed = pieces.map(|it| it.trim_matches([':', '.'])).any(|it| {
            is_address(it) || it.rsplit_once(':').is_some_and(|(host, _)| is_address(host))
        });
        if addressed || name.contains(['/', '\\', '@']) || self.has_host(name) {
            return self.placeholder(Kind::Thread, name, "");
        }
        name.to_owned()
    }

    /// The name of a process (`comm`). Threads of the kernel have slashes in theirs.
    fn process(&mut self, name: &str) -> String {
        if name.starts_with('/') || self.has_host(name) {
            return self.placeholder(Kind::Thread, name, "");
        }
        name.to_owned()
    }

    fn has_host(&self, text: &str) -> bool {
        self.hosts.iter().any(|host| text.contains(host.as_str()))
    }

    /// A sentence of the recorder's own, with names in it: those that are known already, and every
    /// word that is a path or an address.
    fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut known: Vec<(String, String)> = self
            .names
            .iter()
            // Others are found word by word.
            .filter(|((kind, name), _)| *kind == Kind::Path && name.contains(' '))
            .filter(|((_, name), _)| text.contains(name.as_str()))
            .map(|((_, name), placeholder)| (name.clone(), placeholder.clone()))
            .collect();
        known.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, placeholder) in known {
            let placeholder =
                if name.starts_with('/') { format!("/{placeholder}") } else { placeholder };
            text = text.replace(&name, &placeholder);
        }
        for host in self.hosts.clone() {
            if text.contains(&host) {
                text = text.replace(&host, &self.placeholder(Kind::Host, &host, ""));
            }
        }
        let words: Vec<String> = text.split(' ').map(|word| self.word(word)).collect();
        words.join(" ")
    }

    fn word(&mut self, word: &str) -> String {
        let around: &[char] = &['`', '\'', '"', '(', ')', '[', ']', '{', '}', ',', ';', ':', '.'];
        let core = word.trim_matches(around);
        let bare = core.trim_start_matches('/');
        let is_placeholder = bare.starts_with("path-") && !bare.contains('/');
        let new = if core.contains('/') && !is_placeholder {
            self.path(core)
        } else if core.parse::<IpAddr>().is_ok() || core.parse::<SocketAddr>().is_ok() {
            self.address(core)
        } else {
            return word.to_owned();
        };
        word.replacen(core, &new, 1)
    }

    fn placeholder(&mut self, kind: Kind, name: &str, extension: &str) -> String {
        if name.is_empty() || !self.works {
            return name.to_owned();
        }
        let key = (kind, name.to_owned());
        if let Some(placeholder) = self.names.get(&key) {
            return placeholder.clone();
        }
        if self.names.len() >= MOST_NAMES {
            return format!("{}-more{extension}", kind.id());
        }
        let nth = self.counts.entry(kind).or_default();
        *nth += 1;
        let placeholder = format!("{}-{nth}{extension}", kind.id());
        self.names.insert(key, placeholder.clone());
        placeholder
    }
}

/// What the kernel writes behind the path of a file without a name.
const DELETED: &str = " (deleted)";
/// The directory of the JVM's statistics files, but for the user's name.
const COUNTERS: &str = "/hsperfdata_";
/// Where a JDK has its library.
const LIBJVM: &str = "/lib/server/libjvm.so";

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// Whether a path is the same on every host and so says nothing of this one.
fn is_of_every_host(path: &str) -> bool {
    const SAME: [&str; 6] =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/console", "/dev/shm", "/dev/urandom"];
    let numbered = |before| path.strip_prefix(before).is_some_and(is_number);
    SAME.contains(&path) || numbered("/dev/pts/") || numbered("/dev/tty")
}

/// What kind of file it is: `log` of `gc.log.3`.
fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let mut parts = name.rsplit('.').peekable();
    while let Some(part) = parts.next() {
        // The first part is the name itself.
        parts.peek().filter(|it| !it.is_empty())?;
        if !is_number(part) {
            let plain =
                (1..=7).contains(&part.len()) && part.bytes().all(|it| it.is_ascii_alphanumeric());
            return plain.then_some(part);
        }
    }
    None
}

#[cfg(test)]
mod tests;
