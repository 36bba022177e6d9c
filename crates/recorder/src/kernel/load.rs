//! Chooses the programs that a JVM and this kernel have a use for, and loads them.
use super::{Function, Libjvm, NO_WINDOWS, Target, Windows};
use libbpf_rs::{ErrorKind, Object, ObjectBuilder, OpenObject, PrintLevel};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
pub(super) const EXIT: &str = "on_exit";
/// On the faults of all processes, so only where there is something to see.
pub(super) const COUNTERS_FAULT: &str = "counters_fault";
/// At the clock of each CPU, so only where the JVM will be asked what the addresses mean.
pub(super) const CLOCK: &str = "on_clock";

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
pub(super) enum Plan {
    Usdt,
    Symbols(Vec<(Function, u64)>),
    None(String),
}

/// What libbpf said last; it returns an error number and prints the reason.
static LAST_WARNING: Mutex<String> = Mutex::new(String::new());

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic elsewhere left is whole: nothing panics while it holds a lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn keep_warning(_: PrintLevel, message: String) {
    let line = message.trim().trim_start_matches("libbpf: ");
    line.clone_into(&mut locked(&LAST_WARNING));
}

/// One lower-case line: what failed, and libbpf's own words where it had any.
pub(super) fn reason(what: &str, error: &libbpf_rs::Error) -> String {
    let warning = std::mem::take(&mut *locked(&LAST_WARNING));
    let detail = if warning.is_empty() { format!("{error:#}") } else { warning };
    format!("{what}: {}", detail.lines().next().unwrap_or_default())
}

pub(super) fn kernel_error(what: &str, error: &libbpf_rs::Error) -> KernelError {
    let text = reason(what, error);
    match error.kind() {
        ErrorKind::PermissionDenied => KernelError::Permission(text),
        _ => KernelError::Other(text),
    }
}

pub(super) fn plan(target: &Target) -> Plan {
    let library = match Libjvm::open(&target.libjvm) {
        Ok(library) => library,
        Err(error) => return Plan::None(format!("cannot read libjvm: {error}")),
    };
    if target.windows != Windows::Symbols && library.has_probes() {
        return Plan::Usdt;
    }
    if target.windows == Windows::Usdt {
        return Plan::None("this libjvm has no usdt probes".into());
    }
    match library.functions() {
        Ok(functions) if functions.len() == SYMBOLS.len() => Plan::Symbols(functions),
        Ok(functions) if functions.is_empty() => Plan::None(NO_WINDOWS.into()),
        Ok(_) => {
            Plan::None("the symbol table of this libjvm lacks some of the functions needed".into())
        }
        Err(error) => Plan::None(format!("cannot read the symbol table of libjvm: {error}")),
    }
}

pub(super) fn load(target: &Target, plan: &Plan, scheduler: bool) -> Result<Object, KernelError> {
    let open = ObjectBuilder::default().open_memory(OBJECT);
    let mut open = open.map_err(|error| kernel_error("cannot open the programs", &error))?;
    configure(&mut open, target, scheduler, matches!(plan, Plan::None(_)))?;
    for mut program in open.progs_mut() {
        let name = program.name().to_string_lossy().into_owned();
        let wanted = match () {
            () if name == EXIT => true,
            () if name == CLOCK => target.late_code && !matches!(plan, Plan::None(_)),
            () if name == COUNTERS_FAULT => scheduler && target.counters.is_some(),
            () if USDT.iter().any(|it| it.0 == name) => matches!(plan, Plan::Usdt),
            () if SYMBOLS.iter().any(|it| it.0 == name) => matches!(plan, Plan::Symbols(_)),
            () => scheduler,
        };
        program.set_autoload(wanted);
    }
    open.load().map_err(|error| kernel_error("cannot load the programs", &error))
}

/// Fills `config` of `state.bpf.h`.
fn configure(
    open: &mut OpenObject,
    target: &Target,
    scheduler: bool,
    windowless: bool,
) -> Result<(), KernelError> {
    let absent = || KernelError::Other("the programs have no `config`".into());
    let mut map = open
        .maps_mut()
        .find(|it| it.name().to_string_lossy().ends_with(".rodata"))
        .ok_or_else(absent)?;
    let value = map.initial_value_mut().filter(|it| it.len() >= 32).ok_or_else(absent)?;
    value[..4].copy_from_slice(&target.pid.to_ne_bytes());
    value[4..8].copy_from_slice(&u32::from(scheduler).to_ne_bytes());
    let counters = target.counters.unwrap_or_default();
    value[8..16].copy_from_slice(&counters.0.to_ne_bytes());
    value[16..24].copy_from_slice(&counters.1.to_ne_bytes());
    value[24..28].copy_from_slice(&u32::from(windowless).to_ne_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_libjvm_leaves_no_windows() {
        let target = Target {
            pid: 1,
            libjvm: "/etc/passwd".into(),
            windows: Windows::Auto,
            measure: false,
            counters: None,
            late_code: false,
            cpus: Vec::new(),
        };
        assert!(matches!(plan(&target), Plan::None(_)));
    }
}
