//! The facts of a recording, or of a watch, without names.
use super::Redactor;
use recording::{Coverage, Facts, JvmFact, OutputFact, OutputKind, SourceState, Survey};

impl Redactor {
    /// Replaces the names in every table, in the order in which batches of facts come. What is known
    /// of files comes before the sentences that may speak of them. What an answer would not tell is
    /// not left either: of the GC log only lines that say something.
    pub fn facts(&mut self, facts: &mut Facts) {
        if !self.works {
            return;
        }
        if let Some(host) = &mut facts.host {
            host.name = self.host(&host.name);
            // It tells which recordings are of one host.
            host.boot_id.clear();
        }
        if let Some(jvm) = &mut facts.jvm {
            self.jvm(jvm);
        }
        if let Some(group) = &mut facts.cgroup {
            group.cpu_path = self.group(&group.cpu_path);
            group.memory_path = self.group(&group.memory_path);
        }
        for it in &mut facts.files {
            it.path = match it.file_system.as_str() {
                // Of a socket it is the address of its peer.
                "tcp" => self.address(&it.path),
                _ => self.path(&it.path),
            };
            it.mount_point = self.path(&it.mount_point);
            it.device_name = self.device(&it.device_name);
        }
        for it in &mut facts.threads {
            it.name = self.thread(&it.name);
        }
        self.others(facts);
        facts.outputs.iter_mut().for_each(|it| self.output_fact(it));
        self.log_lines(facts);
        if let Some(coverage) = &mut facts.coverage {
            self.coverage(coverage);
        }
    }

    /// What was found of a JVM and its host.
    pub fn survey(&mut self, survey: &mut Survey) {
        if self.works {
            self.another_log();
            self.facts(&mut survey.facts);
            survey.unseen = survey.unseen.iter().map(|it| self.text(it)).collect();
        }
    }

    /// Other processes.
    fn others(&mut self, facts: &mut Facts) {
        for it in &mut facts.writers {
            self.who(&mut it.name, &mut it.command_line, &mut it.cgroup);
            it.path = self.path(&it.path);
        }
        for it in &mut facts.memory {
            self.who(&mut it.name, &mut it.command_line, &mut it.cgroup);
        }
        for it in &mut facts.cpu_users {
            self.who(&mut it.name, &mut it.command_line, &mut it.cgroup);
        }
        for it in &mut facts.output_readers {
            self.who(&mut it.name, &mut it.command_line, &mut it.cgroup);
        }
        for it in &mut facts.slices {
            if let Some((_, name)) = &mut it.cpu_holder {
                *name = self.process(name);
            }
            if let Some(by) = &mut it.released_by {
                by.name = self.process(&by.name);
            }
        }
    }

    fn who(&mut self, name: &mut String, command_line: &mut String, group: &mut String) {
        *name = self.process(name);
        *command_line = self.program(command_line);
        *group = self.group(group);
    }

    /// Of a command line the program's name.
    fn program(&mut self, command_line: &str) -> String {
        let (program, rest) = command_line.split_once(' ').unwrap_or((command_line, ""));
        let name = program.rsplit('/').next().unwrap_or_default();
        let name = if name.contains('=') { "" } else { name };
        let more = if rest.is_empty() || name.is_empty() { "" } else { " …" };
        format!("{}{more}", self.process(name))
    }

    fn jvm(&mut self, it: &mut JvmFact) {
        it.main = self.main(&it.main);
        it.command_line = self.program(&it.command_line);
        it.flags = it.flags.iter().map(|it| self.flag(it)).collect();
        it.libjvm = self.path(&it.libjvm);
        it.gc_log = self.path(&it.gc_log);
        it.cgroup = self.group(&it.cgroup);
    }

    fn output_fact(&mut self, it: &mut OutputFact) {
        let by_number = ["pipe:[", "socket:["].iter().any(|start| it.name.starts_with(start));
        it.name = match it.kind {
            _ if by_number => it.name.clone(),
            OutputKind::TcpSocket => self.address(&it.name),
            _ => self.path(&it.name),
        };
        it.hidden = self.text(&it.hidden);
    }

    fn coverage(&mut self, it: &mut Coverage) {
        for state in it.sources.values_mut() {
            if let SourceState::Missing(reason) | SourceState::Partial(reason) = state {
                *reason = self.text(reason);
            }
        }
        for note in &mut it.notes {
            note.item = self.text(&note.item);
            note.message = self.text(&note.message);
        }
        it.end = self.text(&it.end);
    }
}
