//! The log of a running JVM, and how it is moved.
use crate::{
    Change, JvmLog, Keep, KeptLog, LogDirectory, Plan, Process, Refusal, Target,
    change::jvm_log_value, log_output::BOUND,
};
use recorder::{LogOutput, MemoryDirectory};
use std::time::Duration;

/// What [`BOUND`] comes to.
const BOUND_BYTES: u64 = (3 * 8) << 20;
/// What is left free beside it: others use `/dev/shm`, too.
const SPARE_BYTES: u64 = 8 << 20;
/// How often a log is copied where nothing else was asked for.
pub(crate) const PERIOD: Duration = Duration::from_secs(5);

/// Where a JVM writes its log now.
///
/// Refused for JDK 8, which has no `VM.log`, and where the JVM does not answer.
pub(crate) fn outputs(target: &Target<'_>) -> Result<Vec<LogOutput>, Refusal> {
    let jvm = target.the_jvm()?;
    if target.situation.feature().is_some_and(|it| it < 9) {
        return Err(Refusal::new(
            "this JVM cannot move its log while it runs",
            "JDK 9 and later can; `whypause explain` names the flags for its next start",
        ));
    }
    recorder::log_outputs(target.roots, jvm, target.interrupt).map_err(|error| {
        Refusal::new(
            format!("{} (pid {}) did not report its log outputs: {error}", jvm.main, jvm.pid),
            "run it as the JVM's user or as root",
        )
    })
}

/// Files that a JVM in this directory in memory writes for one log.
fn files(name: &str) -> Vec<String> {
    let rotated = (0..2).map(|it| format!("{name}.{it}"));
    [name.to_owned()].into_iter().chain(rotated).collect()
}

/// A log that goes from one output to a file in memory.
pub(crate) struct Moved<'a> {
    /// The output that is left.
    pub(crate) from: &'a LogOutput,
    /// The name of the new file.
    pub(crate) name: String,
    /// Where copies of it are kept on a disk, as the JVM sees it; `None` for no copy.
    pub(crate) kept_in: Option<String>,
}

/// The plan that moves logs into memory: a directory of the JVM's own, then for each log its copy,
/// the new output, and the old one off. It is taken back in the opposite order, so that no line is
/// lost on the way either.
pub(crate) fn move_to_memory(
    mut plan: Plan,
    target: &Target<'_>,
    all: &[Moved<'_>],
) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let name = LogDirectory::new_name(plan.remedy, jvm);
    let directory = MemoryDirectory::of(target.roots, jvm, name.as_str(), target.interrupt)
        .map_err(|error| Refusal::new(error.to_string(), "give the container a /dev/shm"))?;
    let need = BOUND_BYTES * all.len() as u64 + SPARE_BYTES;
    if directory.free_bytes().is_ok_and(|free| free < need) {
        return Err(Refusal::new(
            format!("/dev/shm of the JVM has less than {} MiB free", need >> 20),
            "make room there, or give the container more (`--shm-size`)",
        ));
    }
    let (process, owner) = (Process::of_jvm(jvm), directory.owner());
    plan = plan.change(Change::LogDirectory(LogDirectory {
        process: process.clone(),
        name: name.clone(),
        files: all.iter().flat_map(|it| files(&it.name)).collect(),
        is_copied: all.iter().all(|it| it.kept_in.is_some()),
        owner,
    }));
    for moved in all {
        let path = format!("{}/{}", directory.path(), moved.name);
        let log = |output: &str, to: Option<String>| {
            let (process, output) = (process.clone(), output.to_owned());
            Change::JvmLog(JvmLog { process, uid: owner.0, output, to })
        };
        let to =
            LogOutput { name: format!("file={path}"), options: BOUND.into(), ..moved.from.clone() };
        if let Some(kept_in) = &moved.kept_in {
            plan = plan.change(Change::Keep(Keep {
                log: KeptLog::OfJvm {
                    process: process.clone(),
                    owner,
                    directory: name.clone(),
                    sees_ours: recorder::sees_our_mounts(target.roots, jvm).unwrap_or(false),
                },
                file: moved.name.clone(),
                to: kept_in.clone(),
                period_ms: millis(target.wishes.period.unwrap_or(PERIOD)),
            }));
        }
        plan = plan.change(log(&to.name, jvm_log_value(&to))).change(log(&moved.from.name, None));
    }
    Ok(plan)
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
