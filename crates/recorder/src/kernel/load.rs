//! Chooses the programs that a JVM and this kernel have a use for, and loads them.
use super::{
    Function, Libjvm, NO_WINDOWS, Site, Target, Windows,
    refusal::{Refusal, Said},
    small,
};
use crate::aside::{self, Kind, Passed};
use libbpf_rs::{
    ErrorKind, Object, ObjectBuilder, OpenObject, PrintLevel,
    btf::{Btf, types::Typedef},
};
use rustix::thread::CapabilitySet;
use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::fd::{AsRawFd, OwnedFd},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pause.bpf.o"));

/// Program, provider and probe. The begin comes last: the others do nothing before it, so the
/// first safepoint seen is a whole one.
pub(super) const USDT: [(&str, &str, &str); 4] = [
    ("usdt_safepoint_end", "hs_private", "safepoint__end"),
    ("usdt_operation_end", "hotspot", "vmops__end"),
    ("usdt_operation_begin", "hotspot", "vmops__begin"),
    ("usdt_safepoint_begin", "hs_private", "safepoint__begin"),
];
/// In the same order.
pub(super) const SYMBOLS: [(&str, Function); 4] = [
    ("symbol_safepoint_end", Function::End),
    ("symbol_operations_end", Function::OperationsEnd),
    ("symbol_synchronized", Function::Synchronized),
    ("symbol_safepoint_begin", Function::Begin),
];
pub(super) const SCHEDULER: [&str; 2] = ["on_switch", "on_waking"];
pub(super) const EXIT: &str = "on_exit";
/// On the faults of all processes, so only where there is something to see.
pub(super) const COUNTERS_FAULT: &str = "counters_fault";
/// Sends the stalls that are not over.
pub(super) const STANDING: &str = "standing";
/// At the clock of each CPU, so only where the JVM will be asked what the addresses mean.
pub(super) const CLOCK: &str = "on_clock";

/// Sees the files of page faults where the kernel has its tracepoint (Linux 6.12 and later).
pub(super) const FILE_FAULT: &str = "file_fault";
/// Sees them on other kernels, if these can run programs at the entry of a function.
pub(super) const FILE_FAULT_ENTRY: &str = "file_fault_entry";
/// What the kernel's own description of types has where it has the tracepoint (`__BPF_DECLARE_TRACE`
/// in `include/trace/bpf_probe.h`).
const FILE_FAULT_TRACEPOINT: &str = "btf_trace_mm_filemap_fault";

/// Why the programs could not be loaded.
#[derive(Debug)]
pub(crate) enum KernelError {
    /// This build has no kernel side.
    #[expect(dead_code, reason = "the build without the kernel side has only this one")]
    NotBuilt,
    /// The kernel refused for lack of a capability.
    Permission(String),
    /// Anything else.
    Other(String),
}

/// How the safepoints of this libjvm will be seen.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) enum Plan {
    /// Where each of [`USDT`] is.
    Usdt(Box<[Vec<Site>; USDT.len()]>),
    Symbols(Vec<(Function, u64)>),
    None(String),
}

/// Which programs are to run.
pub(super) struct Wanted {
    pub(super) plan: Plan,
    /// Whether the scheduler's are among them; otherwise why not.
    pub(super) scheduler: Result<(), String>,
    /// The program that sees the files of page faults: one of two.
    pub(super) file_fault: &'static str,
}

impl Wanted {
    /// All that a target and this kernel have a use for.
    pub(super) fn all(target: &Target) -> Wanted {
        let has_tracepoint = has_file_fault_tracepoint();
        #[cfg(test)]
        let has_tracepoint = has_tracepoint && !target.without_tracepoint;
        let file_fault = if has_tracepoint { FILE_FAULT } else { FILE_FAULT_ENTRY };
        Wanted { plan: plan(target), scheduler: Ok(()), file_fault }
    }

    /// Whether anything would be recorded.
    fn is_useful(&self) -> bool {
        self.scheduler.is_ok() || !self.is_windowless()
    }

    pub(super) fn is_windowless(&self) -> bool {
        matches!(self.plan, Plan::None(_))
    }

    /// The same without the scheduler's programs, which `why` keeps from running.
    pub(super) fn without_scheduler(self, why: String) -> Result<Wanted, KernelError> {
        Wanted { scheduler: Err(why.clone()), ..self }.or(why)
    }

    /// The same without what sees safepoints.
    pub(super) fn without_windows(self, why: String) -> Result<Wanted, KernelError> {
        Wanted { plan: Plan::None(why.clone()), ..self }.or(why)
    }

    fn or(self, why: String) -> Result<Wanted, KernelError> {
        if self.is_useful() { Ok(self) } else { Err(KernelError::Other(why)) }
    }

    fn program(&self, name: &str, target: &Target) -> bool {
        match () {
            () if name == EXIT => true,
            () if name == STANDING => self.scheduler.is_ok() && !target.stalls_over.is_zero(),
            () if name == CLOCK => target.late_code && !self.is_windowless(),
            () if name == COUNTERS_FAULT => self.scheduler.is_ok() && target.counters.is_some(),
            () if name == FILE_FAULT || name == FILE_FAULT_ENTRY => {
                self.scheduler.is_ok() && name == self.file_fault
            }
            () if is_usdt(name) => matches!(self.plan, Plan::Usdt(_)),
            () if is_symbol(name) => matches!(self.plan, Plan::Symbols(_)),
            () => self.scheduler.is_ok(),
        }
    }
}

/// Asked of the kernel's types, as tracefs need not be mounted.
fn has_file_fault_tracepoint() -> bool {
    let types = Btf::from_vmlinux();
    types.is_ok_and(|it| it.type_by_name::<Typedef<'_>>(FILE_FAULT_TRACEPOINT).is_some())
}

fn is_usdt(name: &str) -> bool {
    USDT.iter().any(|it| it.0 == name)
}

fn is_symbol(name: &str) -> bool {
    SYMBOLS.iter().any(|it| it.0 == name)
}

/// Programs that the kernel refused, and why.
pub(super) type Refused = BTreeMap<String, String>;

static SAID: Mutex<Said> = Mutex::new(Said::new());

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic elsewhere left is whole: nothing panics while it holds a lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn keep_warning(_: PrintLevel, message: String) {
    locked(&SAID).keep(&message);
}

fn take_said() -> Said {
    std::mem::take(&mut *locked(&SAID))
}

/// One lower-case line: what failed, and libbpf's own words where it had any.
pub(super) fn reason(what: &str, error: &libbpf_rs::Error) -> String {
    reason_of(what, error, &take_said())
}

fn reason_of(what: &str, error: &libbpf_rs::Error, said: &Said) -> String {
    let detail = said.line().unwrap_or_else(|| format!("{error:#}"));
    format!("{what}: {}", detail.lines().next().unwrap_or_default())
}

fn kernel_error(what: &str, error: &libbpf_rs::Error) -> KernelError {
    error_of(what, error, &take_said())
}

fn error_of(what: &str, error: &libbpf_rs::Error, said: &Said) -> KernelError {
    let text = reason_of(what, error, said);
    // The verifier says EACCES of many a program that it does not like.
    if error.kind() == ErrorKind::PermissionDenied && !said.is_of_verifier() {
        KernelError::Permission(text)
    } else {
        KernelError::Other(text)
    }
}

/// How the safepoints of this libjvm can be seen.
pub(super) fn plan(target: &Target) -> Plan {
    let file = match &target.libjvm {
        Ok(file) => Arc::clone(file),
        Err(why) => return Plan::None(format!("cannot open libjvm: {why}")),
    };
    let windows = target.windows;
    let plan = aside::run(KIND, &[file.as_raw_fd()], || plan_of(&file, windows));
    plan.unwrap_or_else(|error| Plan::None(format!("cannot read libjvm: {error}")))
}

const KIND: Kind = Kind::with_thread(c"whypause-library", Some(CapabilitySet::empty()));

/// As lines: `usdt N OFFSET SEMAPHORE ARGUMENT`, of the probe with number N, `symbol N OFFSET`, or the
/// words of who has none.
impl Passed for Plan {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        let text: String = match self {
            Plan::Usdt(probes) => {
                let sites =
                    probes.iter().enumerate().flat_map(|(n, it)| it.iter().map(move |it| (n, it)));
                let line = |(n, it): (usize, &Site)| {
                    format!("usdt {n} {} {} {}\n", it.offset, it.semaphore, it.argument)
                };
                sites.map(line).collect()
            }
            Plan::Symbols(functions) => {
                let number = |function| SYMBOLS.iter().position(|it| it.1 == function).unwrap_or(0);
                functions.iter().map(|it| format!("symbol {} {}\n", number(it.0), it.1)).collect()
            }
            Plan::None(why) => why,
        };
        (text.into_bytes(), None)
    }

    fn together(bytes: Vec<u8>, _: Option<OwnedFd>) -> Option<Plan> {
        let text = String::from_utf8(bytes).ok()?;
        let (mut probes, mut functions) = ([const { Vec::new() }; USDT.len()], Vec::new());
        for line in text.lines() {
            let mut words = line.split(' ');
            let kind = words.next();
            let numbers: Result<Vec<u64>, _> = words.map(str::parse).collect();
            match (kind, numbers.as_deref()) {
                (Some("usdt"), Ok(&[n, offset, semaphore, argument])) => {
                    let site = Site { offset, semaphore, argument };
                    probes.get_mut(usize::try_from(n).ok()?)?.push(site);
                }
                (Some("symbol"), Ok(&[n, offset])) => {
                    functions.push((SYMBOLS.get(usize::try_from(n).ok()?)?.1, offset));
                }
                _ => return Some(Plan::None(text)),
            }
        }
        Some(if functions.is_empty() {
            Plan::Usdt(Box::new(probes))
        } else {
            Plan::Symbols(functions)
        })
    }
}

fn plan_of(file: &File, windows: Windows) -> io::Result<Plan> {
    let library = Libjvm::open(file.try_clone()?)?;
    if windows != Windows::Symbols
        && let Some(sites) = library.probes(USDT.map(|(_, provider, name)| (provider, name)))?
    {
        return Ok(Plan::Usdt(Box::new(sites)));
    }
    if windows == Windows::Usdt {
        return Ok(Plan::None("this libjvm has no USDT probes".into()));
    }
    let functions = library.functions()?;
    Ok(match functions.len() {
        n if n == SYMBOLS.len() => Plan::Symbols(functions),
        0 => Plan::None(NO_WINDOWS.into()),
        _ => {
            Plan::None("the symbol table of this libjvm lacks some of the functions needed".into())
        }
    })
}

/// Loads what is wanted and what the kernel takes of it. libbpf loads all or nothing, so what is
/// refused is left out, one program after the other; where it is one that all others hang on, less
/// is wanted.
pub(super) fn load(
    target: &Target,
    mut wanted: Wanted,
) -> Result<(Object, Wanted, Refused), KernelError> {
    let mut refused = Refused::new();
    loop {
        let Refusal { program, why } = match load_without(target, &wanted, &refused) {
            Ok(object) => return Ok((object, wanted, refused)),
            Err((Some(refusal), _)) if !refused.contains_key(&refusal.program) => refusal,
            Err((_, error)) => return Err(error),
        };
        if SCHEDULER.contains(&program.as_str()) {
            wanted = wanted.without_scheduler(why.clone())?;
        } else if is_usdt(&program) || is_symbol(&program) {
            wanted = wanted.without_windows(why.clone())?;
        }
        refused.insert(program, why);
    }
}

/// One attempt. The error comes with the program that was refused, if it was one.
fn load_without(
    target: &Target,
    wanted: &Wanted,
    refused: &Refused,
) -> Result<Object, (Option<Refusal>, KernelError)> {
    let open = ObjectBuilder::default().open_memory(OBJECT);
    let mut open =
        open.map_err(|error| (None, kernel_error("cannot open the programs", &error)))?;
    configure(&mut open, target, wanted).map_err(|error| (None, error))?;
    for mut program in open.progs_mut() {
        let name = program.name().to_string_lossy().into_owned();
        program.set_autoload(wanted.program(&name, target) && !refused.contains_key(&name));
        #[cfg(test)]
        if target.refuse == Some(name.as_str()) {
            spoil(&program);
        }
    }
    take_said();
    open.load().map_err(|error| {
        let said = take_said();
        let error = error_of("cannot load the programs", &error, &said);
        let permitted = !matches!(error, KernelError::Permission(_));
        // Some kernels without fentry say EPERM of it, to whoever may do all else. Whoever may not
        // is told so of the next program.
        let is_one_program = |it: &Refusal| permitted || it.program == FILE_FAULT_ENTRY;
        (said.refusal().filter(is_one_program), error)
    })
}

/// Replaces the last instruction, which ends the program, so that the kernel's verifier refuses it.
#[cfg(test)]
#[expect(unsafe_code, reason = "libbpf-rs has no wrapper for bpf_program__set_insns")]
fn spoil(program: &libbpf_rs::OpenProgramMut<'_>) {
    use libbpf_rs::{AsRawLibbpf, libbpf_sys};
    let mut instructions = program.insns().to_vec();
    if let Some(last) = instructions.last_mut() {
        last.code = 0xb7; // r0 = 0
    }
    let program = program.as_libbpf_object().as_ptr();
    // SAFETY: the program is open and not loaded; libbpf copies as many instructions as it has, so
    // that those which it will relocate are where they were.
    let failed = unsafe {
        libbpf_sys::bpf_program__set_insns(
            program,
            instructions.as_mut_ptr(),
            instructions.len() as libbpf_sys::size_t,
        )
    };
    assert_eq!(failed, 0);
}

/// Fills `config` of `state.bpf.h`.
fn configure(open: &mut OpenObject, target: &Target, wanted: &Wanted) -> Result<(), KernelError> {
    small::shrink(open, target).map_err(|error| kernel_error("cannot size the maps", &error))?;
    let absent = || KernelError::Other("the programs have no `config`".into());
    let mut map = open
        .maps_mut()
        .find(|it| it.name().to_string_lossy().ends_with(".rodata"))
        .ok_or_else(absent)?;
    let value = map.initial_value_mut().filter(|it| it.len() >= 32).ok_or_else(absent)?;
    value[..4].copy_from_slice(&target.pid.to_ne_bytes());
    value[4..8].copy_from_slice(&u32::from(wanted.scheduler.is_ok()).to_ne_bytes());
    let counters = target.counters.unwrap_or_default();
    value[8..16].copy_from_slice(&counters.0.to_ne_bytes());
    value[16..24].copy_from_slice(&counters.1.to_ne_bytes());
    value[24..28].copy_from_slice(&u32::from(wanted.is_windowless()).to_ne_bytes());
    let stall_us = u32::try_from(target.stalls_over.as_micros()).unwrap_or(u32::MAX);
    value[28..32].copy_from_slice(&stall_us.to_ne_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jvm, Roots, host::ProbedLibrary};

    #[test]
    fn a_plan_that_was_made_aside_is_the_same_here() {
        let site = |n| Site { offset: n, semaphore: n + 1, argument: u64::MAX };
        let probes = [vec![site(1)], vec![site(2), site(3)], vec![], vec![site(4)]];
        let symbols = SYMBOLS.iter().zip(5..).map(|(it, offset)| (it.1, offset)).collect();
        let none = || Plan::None("this libjvm has no USDT probes".into());
        for make in [Plan::Usdt(Box::new(probes)), Plan::Symbols(symbols), none()] {
            let text = make.apart().0;
            let again = Plan::together(text.clone(), None).unwrap();
            assert_eq!(again.apart().0, text);
        }
        assert_eq!(Plan::together(b"usdt 9 1 2 3".to_vec(), None), None);
        assert_eq!(Plan::together(none().apart().0, None), Some(none()));
    }

    #[test]
    fn a_file_that_is_no_libjvm_leaves_no_windows() {
        let target = Target {
            pid: 1,
            libjvm: Ok(Arc::new(File::open("/etc/passwd").unwrap())),
            probed: ProbedLibrary::of(&Roots::default(), &Jvm::default()),
            windows: Windows::Auto,
            measure: false,
            counters: None,
            late_code: false,
            stalls_over: std::time::Duration::ZERO,
            small_for: None,
            cpus: Vec::new(),
            refuse: None,
            without_tracepoint: false,
        };
        assert!(matches!(plan(&target), Plan::None(_)));
    }
}
