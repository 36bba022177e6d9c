//! Who a process is, in words.
use super::place::place;
use crate::facts::index::Index;
use recording::runs_scripts;
use std::collections::BTreeSet;

/// How many culprits are named.
pub(super) const MOST: usize = 3;

/// How many characters of a command line are shown.
const COMMAND: usize = 60;

/// What tables of other processes know of one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Process<'a> {
    pub(crate) pid: u32,
    /// `comm`, at most 15 bytes.
    pub(crate) name: &'a str,
    /// Program, and the script or main class it runs; empty where unknown.
    pub(crate) command_line: &'a str,
    /// Path of its control group; empty where unknown.
    pub(crate) cgroup: &'a str,
}

impl<'a> Process<'a> {
    /// With what any table knows of it in addition.
    pub(crate) fn known(self, index: &Index<'a>) -> Process<'a> {
        let Some(facts) = index.facts else { return self };
        let users = facts.cpu_users.iter();
        let users = users.map(|it| (it.pid, &it.name, &it.command_line, &it.cgroup));
        let writers = facts.writers.iter();
        let writers = writers.map(|it| (it.pid, &it.name, &it.command_line, &it.cgroup));
        let memory = facts.memory.iter();
        let memory = memory.map(|it| (it.pid, &it.name, &it.command_line, &it.cgroup));
        // A process that ended may have left its number to another one.
        let rows = users.chain(writers).chain(memory);
        let mut rows = rows.filter(|it| it.0 == self.pid && it.1 == self.name);
        let known = rows.find(|it| !it.2.is_empty() || !it.3.is_empty());
        known.map_or(self, |(_, _, command_line, cgroup)| Process { command_line, cgroup, ..self })
    }

    /// What people call it: `dd`, and of an interpreter what it runs, `python3 load.py`.
    pub(crate) fn label(&self) -> String {
        match self.runs() {
            Some((program, what)) => shortened(&format!("{program} {what}")),
            None => self.name.to_owned(),
        }
    }

    /// Of an interpreter or a JVM its name, and the script, module or main class.
    fn runs(&self) -> Option<(&'a str, &'a str)> {
        let (program, what) = self.command_line.split_once(' ')?;
        let program = file_name(program);
        let is_one = what.split(' ').count() == 1 || what.starts_with("-m ");
        (is_one && (program == "java" || runs_scripts(program))).then_some((program, what))
    }

    /// `, /usr/lib/x/xd, unit x.service`: what the label does not say.
    fn details(&self) -> String {
        let file = file_name(self.command_line);
        let same = file == self.name || (self.name.len() == 15 && file.starts_with(self.name));
        let tells = self.runs().is_none()
            && !self.command_line.is_empty()
            && (!same || self.command_line.contains(' '));
        let details = tells.then(|| shortened(self.command_line)).into_iter();
        details.chain(place(self.cgroup)).fold(String::new(), |all, it| all + ", " + &it)
    }
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or_default()
}

/// `dd (pid 9, unit backup.service)`, or `dd (3 processes such as pid 9, …)`: processes of one label, of
/// which `of` is the one to be shown.
pub(crate) fn named(of: &Process<'_>, pids: &BTreeSet<u32>) -> String {
    let (label, pid, details) = (of.label(), of.pid, of.details());
    match pids.len() {
        0 | 1 => format!("{label} (pid {pid}{details})"),
        many => format!("{label} ({many} processes such as pid {pid}{details})"),
    }
}

fn shortened(command: &str) -> String {
    match command.char_indices().nth(COMMAND) {
        None => command.into(),
        Some((cut, _)) => format!("{} …", &command[..cut]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, command_line: &str, cgroup: &str, expected: &str) {
        let process = Process { pid: 9, name, command_line, cgroup };
        assert_eq!(named(&process, &BTreeSet::from([9])), expected);
    }

    #[test]
    fn interpreter_is_named_by_its_script() {
        check("python3", "/usr/bin/python3 load.py", "", "python3 load.py (pid 9)");
        check("java", "/j/bin/java orders.jar", "", "java orders.jar (pid 9)");
        check("bash", "bash", "/", "bash (pid 9)");
    }

    #[test]
    fn program_path_is_shown_where_it_says_more() {
        check("dd", "/usr/bin/dd", "", "dd (pid 9)");
        // Earlier recorders kept whole command lines.
        check("dd", "dd if=/dev/zero of=/x", "", "dd (pid 9, dd if=/dev/zero of=/x)");
        check("a_long_name_of_1", "", "", "a_long_name_of_1 (pid 9)");
        check("fifteen_letters", "/bin/fifteen_letters_more", "", "fifteen_letters (pid 9)");
        check("Web Content", "/usr/lib/firefox", "", "Web Content (pid 9, /usr/lib/firefox)");
    }

    #[test]
    fn where_it_runs_is_shown_beside_its_number() {
        let backup = "/system.slice/backup.service";
        check("dd", "/bin/dd", backup, "dd (pid 9, unit backup.service)");
        check("dd", "", "/batch", "dd (pid 9, in /batch)");
    }

    #[test]
    fn a_title_of_a_kilobyte_is_cut() {
        let long = format!("java {}", "x".repeat(100));
        let process = Process { pid: 9, name: "java", command_line: &long, cgroup: "" };
        assert_eq!(process.label().chars().count(), COMMAND + 2);
    }
}
