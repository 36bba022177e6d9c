//! What libbpf and the kernel's verifier say of what the kernel refuses: text in, message out.

/// Number of lines kept at the begin and at the end of a message: the verifier's log can have
/// megabytes, and says in its last lines why it refuses.
const HEAD_LINES: usize = 3;
const TAIL_LINES: usize = 30;
/// Lines kept in all.
const MAX_LINES: usize = 1000;

const BEGIN: &str = "-- BEGIN PROG LOAD LOG --";
const END: &str = "-- END PROG LOAD LOG --";
/// How the verifier's statistics begin, which follow the reason.
const STATISTICS: [&str; 4] = ["processed ", "verification time", "stack depth", "insns processed"];

/// A program that the kernel refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Name in the C source.
    pub(super) program: String,
    /// libbpf's line, and the verifier's own reason where it gave one.
    pub(super) why: String,
}

/// What libbpf said since it was last forgotten. It returns an error number and prints the reason.
#[derive(Debug, Default)]
pub(super) struct Said {
    lines: Vec<String>,
}

impl Said {
    /// With no messages yet.
    pub(super) const fn new() -> Said {
        Said { lines: Vec::new() }
    }

    /// Keeps the begin and the end of one message.
    pub(super) fn keep(&mut self, message: &str) {
        let lines: Vec<_> = message.lines().collect();
        let tail = lines.len().saturating_sub(TAIL_LINES).max(HEAD_LINES);
        let kept = lines.iter().take(HEAD_LINES).chain(lines.get(tail..).unwrap_or_default());
        let room = MAX_LINES.saturating_sub(self.lines.len());
        let plain = |line: &&str| line.trim().trim_start_matches("libbpf: ").to_owned();
        self.lines.extend(kept.map(plain).take(room));
    }

    /// The program that was refused, if it was one.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        let (program, line) = self.lines.iter().find_map(|line| {
            let name = line.strip_prefix("prog '")?.split_once("':")?.0;
            (!line.ends_with(BEGIN)).then_some((name, line))
        })?;
        let why = match self.verifier() {
            Some(reason) => format!("{line}; the verifier says: {reason}"),
            None => line.clone(),
        };
        Some(Refusal { program: program.to_owned(), why })
    }

    /// Whether the verifier itself has refused, which it only does once the permission is there.
    pub(super) fn is_of_verifier(&self) -> bool {
        self.lines.iter().any(|line| line.ends_with(BEGIN))
    }

    /// The line of the verifier's log that says why.
    fn verifier(&self) -> Option<&str> {
        let begin = self.lines.iter().position(|line| line.ends_with(BEGIN))? + 1;
        let log = self.lines.get(begin..)?;
        let end = log.iter().position(|line| line.ends_with(END)).unwrap_or(log.len());
        let mut said = log[..end].iter().map(|it| it.trim());
        said.rfind(|line| !line.is_empty() && !STATISTICS.iter().any(|it| line.starts_with(it)))
    }

    /// One line: the first that says what failed.
    pub(super) fn line(&self) -> Option<String> {
        let of_map = || self.lines.iter().find(|it| it.starts_with("map '") && it.contains("fail"));
        let other = || self.lines.iter().rev().find(|it| !it.starts_with("failed to load object"));
        let refusal = self.refusal().map(|it| it.why);
        refusal.or_else(|| of_map().or_else(other).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Linux 6.1 refused, in the form in which libbpf 1.7 prints it (`bpf_object_load_prog`); the
    /// instructions are for illustration.
    const OF_6_1: &str = "\
libbpf: prog 'usdt_safepoint_begin': BPF program load failed: Invalid argument
libbpf: prog 'usdt_safepoint_begin': -- BEGIN PROG LOAD LOG --
reg type unsupported for arg#0 function usdt_safepoint_begin#232
0: R1=ctx(off=0,imm=0) R10=fp0
; int BPF_USDT(usdt_safepoint_begin)
0: (85) call bpf_get_current_pid_tgid#14      ; R0_w=scalar()
; if (record) {
131: (15) if r6 == 0x0 goto pc+12     ; R6=mem(ref_obj_id=4,off=0,imm=0)
152: (95) exit
Unreleased reference id=4 alloc_insn=86
processed 171 insns (limit 1000000) max_states_per_insn 0 total_states 14 peak_states 14 mark_read 7
-- END PROG LOAD LOG --
libbpf: prog 'usdt_safepoint_begin': failed to load: -22
libbpf: failed to load object 'pause_bpf'
";

    /// A kernel without task storage for tracing (before 5.11), in the form of libbpf 1.7
    /// (`bpf_object__create_maps`).
    const OF_5_10: &str = "\
libbpf: Error in bpf_create_map_xattr(threads):-EINVAL. Retrying without BTF.
libbpf: map 'threads': failed to create: -EINVAL
libbpf: failed to load object 'pause_bpf'
";

    fn said(text: &str) -> Said {
        let mut said = Said::default();
        said.keep(text);
        said
    }

    #[test]
    fn the_program_and_the_verifiers_own_reason_are_reported() {
        let refusal = said(OF_6_1).refusal().unwrap();
        assert_eq!(refusal.program, "usdt_safepoint_begin");
        assert_eq!(
            refusal.why,
            "prog 'usdt_safepoint_begin': BPF program load failed: Invalid argument; the verifier says: Unreleased reference id=4 alloc_insn=86"
        );
        assert!(said(OF_6_1).is_of_verifier());
    }

    #[test]
    fn libbpf_gives_the_log_as_a_message_of_its_own() {
        let mut said = Said::default();
        for message in OF_6_1.split_inclusive("argument\n") {
            said.keep(message);
        }
        assert!(said.line().unwrap().ends_with("Unreleased reference id=4 alloc_insn=86"));
    }

    #[test]
    fn of_a_log_of_megabytes_the_reason_is_kept() {
        let instruction = "7: (bf) r1 = r0                       ; R1_w=scalar(id=1)\n";
        let long = OF_6_1.replace("; if (record) {\n", &instruction.repeat(100_000));
        let said = said(&long);
        assert!(said.lines.len() <= HEAD_LINES + TAIL_LINES);
        assert!(said.line().unwrap().ends_with("Unreleased reference id=4 alloc_insn=86"));
    }

    #[test]
    fn without_a_log_libbpfs_line_is_what_there_is() {
        let said = said(
            "libbpf: prog 'on_waking': failed to find kernel BTF type ID of 'sched_waking': -ESRCH\n\
             libbpf: prog 'on_waking': failed to prepare load attributes: -ESRCH\n\
             libbpf: failed to load object 'pause_bpf'\n",
        );
        let refusal = said.refusal().unwrap();
        assert_eq!(refusal.program, "on_waking");
        assert_eq!(
            refusal.why,
            "prog 'on_waking': failed to find kernel BTF type ID of 'sched_waking': -ESRCH"
        );
        assert!(!said.is_of_verifier());
    }

    #[test]
    fn a_map_that_the_kernel_lacks_is_no_program_and_is_reported() {
        assert_eq!(said(OF_5_10).refusal(), None);
        assert_eq!(said(OF_5_10).line().unwrap(), "map 'threads': failed to create: -EINVAL");
    }

    #[test]
    fn what_is_said_has_a_bound() {
        let mut said = Said::default();
        for _ in 0..2000 {
            said.keep("libbpf: something else\n");
        }
        assert_eq!(said.lines.len(), MAX_LINES);
        assert_eq!(said.line().unwrap(), "something else");
        assert_eq!(Said::default().line(), None);
    }
}
