//! A JVM under test: its command line and its life.
use crate::{
    Cleanup, Collector, Interrupt, Isolation, Jdk, LabError, Running, Takes, privilege,
    process::{self, PrivateMount},
    small_file::{last_line, read},
    stdout_reader,
    workloads::Workload,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// A JVM that is up within this, on any host that can run the lab.
const START_PATIENCE: Duration = Duration::from_secs(60);

/// Where the GC log goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcLog {
    /// The file.
    pub path: PathBuf,
    /// Whether a thread of its own writes it (`-Xlog:async`, since JDK 17).
    pub asynchronous: bool,
    /// Whether it is written in detail (level debug): many lines in every pause.
    pub detailed: bool,
    /// Whether it goes to standard output instead of the file.
    pub to_stdout: bool,
}

/// What to run.
#[derive(Debug)]
pub struct JvmCommand<'a> {
    /// With which JDK.
    pub jdk: &'a Jdk,
    /// Class path.
    pub classes: &'a Path,
    /// Largest heap, in MiB.
    pub heap_mib: u32,
    /// Young generation, in MiB; 0 where the collector chooses its size.
    pub young_mib: u32,
    /// Whether nearly all that the workload allocates is dead after two collections, and is meant
    /// to die young: see [`heap_flags`].
    pub dies_young: bool,
    /// The collector.
    pub collector: Collector,
    /// Stop-the-world GC threads; the same on hosts of any size.
    pub gc_threads: u32,
    /// GC log.
    pub gc_log: GcLog,
    /// Whether standard output is a pipe that another process reads, as in a container, instead of
    /// a file.
    pub stdout_reader: bool,
    /// Further flags, such as `-XX:-UseCountedLoopSafepoints`.
    pub flags: Vec<String>,
    /// Files of control groups to write `0` to, in order to join, before it starts.
    pub groups: Vec<PathBuf>,
    /// Whether it keeps a file of performance counters; a fault of its own on a slow disk.
    pub perf_data: bool,
    /// A mount that only it sees.
    pub private_mount: Option<PrivateMount>,
    /// The program.
    pub workload: Workload,
    /// Its arguments, `key=value`.
    pub arguments: Vec<String>,
}

impl JvmCommand<'_> {
    /// Whether the heap has room for survivors: see [`heap_flags`].
    fn has_room(&self) -> bool {
        self.dies_young && self.collector != Collector::G1
    }

    /// Largest heap with that room, in MiB.
    pub(crate) fn most_mib(&self) -> u32 {
        if self.has_room() { with_room(self.heap_mib, self.young_mib) } else { self.heap_mib }
    }

    /// Flags and arguments of `java`.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let mut all = vec![
            self.collector.flag().to_owned(),
            // A load whose threads died would pass for a quiet one.
            "-XX:+ExitOnOutOfMemoryError".to_owned(),
            format!("-XX:ParallelGCThreads={}", self.gc_threads),
        ];
        let room = self.has_room();
        all.append(&mut heap_flags(self.collector, self.heap_mib, self.young_mib, room));
        if !self.perf_data {
            all.push("-XX:-UsePerfData".to_owned());
        }
        all.extend(self.flags.iter().cloned());
        all.append(&mut log_flags(self.jdk.major, &self.gc_log));
        all.push("-cp".to_owned());
        all.push(self.classes.display().to_string());
        all.push(self.workload.main_class().to_owned());
        all.extend(self.arguments.iter().cloned());
        all
    }
}

/// Sizes of the heap, with `room` for survivors or as HotSpot divides it.
///
/// G1 takes as many regions for survivors as it needs. Parallel and Serial promote what does not fit
/// into a survivor space, and free the old generation by full collections only, so a load whose
/// objects outlive one collection sooner or later has a long pause without any fault. With room,
/// eden and each survivor space are as large as the young generation was to be, they stay so, and
/// the old generation is no smaller for it (`SurvivorRatio` in HotSpot `gc_globals.hpp`).
fn heap_flags(collector: Collector, heap_mib: u32, young_mib: u32, room: bool) -> Vec<String> {
    if !room {
        let young = (young_mib > 0).then(|| format!("-Xmn{young_mib}m"));
        // Giving memory back holds the lock of the address space, and others wait for that.
        let keep = "-XX:MaxHeapFreeRatio=100".to_owned();
        return [format!("-Xmx{heap_mib}m")].into_iter().chain(young).chain([keep]).collect();
    }
    let heap_mib = with_room(heap_mib, young_mib);
    let mut flags = vec![
        format!("-Xmx{heap_mib}m"),
        format!("-Xms{heap_mib}m"),
        format!("-Xmn{}m", 3 * young_mib),
        "-XX:SurvivorRatio=1".into(),
    ];
    if collector == Collector::Parallel {
        flags.push("-XX:-UseAdaptiveSizePolicy".into());
    }
    flags
}

/// A heap with the same old generation and two more spaces of the young one's size, in MiB.
const fn with_room(heap_mib: u32, young_mib: u32) -> u32 {
    heap_mib + 2 * young_mib
}

/// Unified logging came with JDK 9.
fn log_flags(major: u32, log: &GcLog) -> Vec<String> {
    let path = log.path.display();
    if major < 9 {
        let mut flags = vec![
            format!("-Xloggc:{path}"),
            "-XX:+PrintGCDetails".into(),
            "-XX:+PrintGCDateStamps".into(),
            "-XX:+PrintGCTimeStamps".into(),
            "-XX:+PrintGCApplicationStoppedTime".into(),
        ];
        if log.detailed {
            flags.push("-XX:+PrintHeapAtGC".into());
        }
        return flags;
    }
    let decorators = "tn,time,uptime,level,tags";
    let what = if log.detailed { "gc*=debug,safepoint*=debug" } else { "gc*,safepoint*" };
    let mut flags = match log.to_stdout {
        true => vec![format!("-Xlog:{what}:stdout:{decorators}")],
        false => vec![format!("-Xlog:{what}:file={path}:{decorators}:filecount=0")],
    };
    if log.asynchronous {
        flags.push("-Xlog:async".into());
    }
    flags
}

/// A running JVM.
#[derive(Debug)]
pub struct Jvm {
    running: Running,
    /// The process that reads its standard output, where that is a pipe.
    reader: Option<Running>,
    stdout: PathBuf,
    gc_log: PathBuf,
    is_isolated: bool,
}

impl Jvm {
    /// Starts it and waits until its workload runs. Its output goes to `jvm.out` and `jvm.err` in
    /// `output`.
    ///
    /// # Errors
    /// [`LabError::Program`] with its last words where it ends before that.
    pub fn start(
        cleanup: &mut Cleanup,
        interrupt: &Interrupt,
        isolation: Option<&Isolation>,
        what: &JvmCommand<'_>,
        output: &Path,
    ) -> Result<Jvm, LabError> {
        cleanup.needs(&Takes::Heap { mib: what.most_mib() })?;
        if what.private_mount.is_some() {
            cleanup.needs(&Takes::CountersMount)?;
        }
        let mut command = spawn::command(what.jdk.java());
        command.args(what.arguments()).current_dir(output);
        // flags of the surroundings would change the experiment
        for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"] {
            command.env_remove(variable);
        }
        process::join(&mut command, what.groups.clone());
        if let Some(mount) = what.private_mount.clone() {
            mount.give(&mut command);
        }
        // Last, as what comes before needs rights.
        privilege::drop_all(&mut command);
        let (stdout, stderr) = (output.join("jvm.out"), output.join("jvm.err"));
        let (reader, pipe) = match what.stdout_reader {
            true => stdout_reader::start(cleanup, &stdout, &output.join("reader.err"))?,
            false => (None, None),
        };
        let mut running = match pipe {
            Some(pipe) => Running::start_into(cleanup, command, pipe, &stderr)?,
            None => Running::start(cleanup, command, &stdout, &stderr)?,
        };
        if let Some(isolation) = isolation {
            isolation.admit(running.pid(), &what.groups)?;
        }
        let ready = interrupt.wait(START_PATIENCE, || {
            if let Some(status) = running.ended()? {
                let message = last_line(&stderr).unwrap_or_else(|| status.to_string());
                return Err(LabError::Program { program: "java".into(), message });
            }
            Ok(read(&stdout).contains("ready=1").then_some(()))
        })?;
        if ready.is_none() {
            let message = format!("not running after {} s", START_PATIENCE.as_secs());
            return Err(LabError::Program { program: "java".into(), message });
        }
        let gc_log = if what.gc_log.to_stdout { &stdout } else { &what.gc_log.path }.clone();
        Ok(Jvm { running, reader, stdout, gc_log, is_isolated: isolation.is_some() })
    }

    /// Process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// The process that reads its standard output, where that is a pipe.
    #[must_use]
    pub fn reader(&self) -> Option<u32> {
        self.reader.as_ref().map(Running::pid)
    }

    /// Whether it has more CPU weight than others on the host.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.is_isolated
    }

    /// Its GC log.
    #[must_use]
    pub fn gc_log(&self) -> &Path {
        &self.gc_log
    }

    /// Whether it still runs.
    ///
    /// # Errors
    /// [`LabError::Program`] where it ended on its own.
    pub fn check(&mut self) -> Result<(), LabError> {
        match self.running.ended()? {
            None => Ok(()),
            Some(status) => {
                Err(LabError::Program { program: "java".into(), message: status.to_string() })
            }
        }
    }

    /// Ends it and answers what its workload measured, by name; empty where it had to be killed.
    pub fn end(&mut self, patience: Duration) -> BTreeMap<String, u64> {
        self.running.end(patience);
        // It ends by itself when it has read all that was written.
        if let Some(reader) = &mut self.reader {
            reader.wait(patience);
        }
        results(&read(&self.stdout))
    }
}

/// The `key=number` pairs of a workload's output.
pub(crate) fn results(text: &str) -> BTreeMap<String, u64> {
    let pairs = text.split_ascii_whitespace().filter_map(|word| word.split_once('='));
    pairs.filter_map(|(key, value)| Some((key.to_owned(), value.parse().ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(major: u32, asynchronous: bool) -> String {
        let log =
            GcLog { path: "/log/gc.log".into(), asynchronous, detailed: false, to_stdout: false };
        log_flags(major, &log).join(" ")
    }

    #[test]
    fn log_flags_are_those_of_the_jdk() {
        assert!(flags(8, false).starts_with("-Xloggc:/log/gc.log -XX:+PrintGCDetails"));
        let unified = "-Xlog:gc*,safepoint*:file=/log/gc.log:tn,time,uptime,level,tags:filecount=0";
        assert_eq!(flags(11, false), unified);
        assert_eq!(flags(17, true), format!("{unified} -Xlog:async"));
    }

    #[test]
    fn promoting_collectors_get_a_larger_young_generation() {
        let check = |collector, room, expected: &str| {
            assert_eq!(heap_flags(collector, 768, 64, room).join(" "), expected);
        };
        check(Collector::Parallel, false, "-Xmx768m -Xmn64m -XX:MaxHeapFreeRatio=100");
        let larger = "-Xmx896m -Xms896m -Xmn192m -XX:SurvivorRatio=1";
        check(Collector::Serial, true, larger);
        check(Collector::Parallel, true, &format!("{larger} -XX:-UseAdaptiveSizePolicy"));
    }

    #[test]
    fn results_are_numbers_by_name() {
        let found = results("ready=1\nread_count=12 read_max_us=3 note=text x\n");
        assert_eq!(found.get("read_count"), Some(&12));
        assert_eq!(found.len(), 3);
    }
}
