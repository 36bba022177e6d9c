//! Every JDK at hand starts with the flags that are advised for it, in addition to those of the log that they
//! were advised for, and says nothing about them.
use diagnose::log_text;
use lab::Jdk;
use remedy::Advice;
use std::collections::BTreeSet;

/// Those of this host, and those of `WHYPAUSE_JDKS`, a list like `PATH` of where JDKs are.
fn jdks() -> Vec<Jdk> {
    let more = std::env::var_os("WHYPAUSE_JDKS").unwrap_or_default();
    let more = std::env::split_paths(&more).filter_map(|home| Jdk::at(&home));
    lab::jdks::found().into_iter().chain(more).collect()
}

/// Collectors that it has: as the log names them, and the flag.
fn collectors(jdk: &Jdk) -> Vec<(&'static str, &'static str)> {
    let mut all = vec![
        ("G1", "-XX:+UseG1GC"),
        ("Parallel", "-XX:+UseParallelGC"),
        ("Serial", "-XX:+UseSerialGC"),
    ];
    match jdk.major {
        ..14 => all.push(("Concurrent Mark Sweep", "-XX:+UseConcMarkSweepGC")),
        15.. => all.push(("The Z Garbage Collector", "-XX:+UseZGC")),
        14 => {}
    }
    all
}

/// Starts it with these flags in an empty directory; what it says about one of `names`.
fn complains(jdk: &Jdk, flags: &[String], names: &[String]) -> Option<String> {
    let directory = tempfile::tempdir_in("/dev/shm").expect("a directory");
    let here = directory.path().to_str().expect("UTF-8");
    let mut command = spawn::command(jdk.java());
    command.args(flags.iter().map(|it| it.replace("/dev/shm", here))).arg("-version");
    command.current_dir(directory.path());
    let output = spawn::run(command, crate::run::PATIENCE).expect("it starts and ends");
    let said = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    let said = said.concat();
    let about = |line: &&str| {
        names.iter().any(|name| line.contains(name.as_str()))
            || line.contains("Unrecognized")
            || line.contains("Conflicting")
    };
    let line = said.lines().find(about);
    match output.status.success() {
        false => Some(said),
        true => line.map(str::to_owned),
    }
}

/// Pauses of all kinds that a log shows, for a JVM with this head.
fn log(version: &str, collector: &str, flags: &str) -> String {
    let mut log = format!(
        "[0.001s][info][gc] Using {collector}\n[0.002s][info][gc,init] Version: {version}\n\
         [0.002s][info][gc,init] CPUs: 8 total, 8 available\n\
         [0.002s][info][gc,init] Memory: 64G\n[0.002s][info][gc,init] Heap Region Size: 1M\n\
         [0.002s][info][gc,init] Heap Max Capacity: 64M\n\
         [0.002s][info][gc,init] Concurrent Workers: 2\n\
         [0.002s][info][gc,init] CommandLine flags: {flags}\n\
         [0.9s][debug][gc,ergo] Request concurrent cycle initiation (occupancy higher than threshold) occupancy: 477102080B allocation request: 2097152B threshold: 483183820B (45.00) source: concurrent humongous allocation\n\
         [0.9s][info][gc,metaspace] GC(90) Metaspace: 90000K(92160K)->90000K(92160K)\n"
    );
    let pauses = [
        "Young (Normal) (G1 Evacuation Pause) 60M->20M(64M)",
        "Young (Concurrent Start) (G1 Humongous Allocation) 60M->59M(64M)",
        "Full (Metadata GC Threshold) 60M->9M(64M)",
        "Full (System.gc()) 60M->9M(64M)",
        "Full (Heap Dump Initiated GC) 60M->9M(64M)",
        "Full (G1 Compaction Pause) 63M->60M(64M)",
        "Full (Ergonomics) 63M->61M(64M)",
        "Full (Allocation Failure) 63M->60M(64M)",
        "Young (Normal) (GCLocker Initiated GC) 60M->20M(64M)",
        "Young (Normal) (G1 Evacuation Pause) (Evacuation Failure) 63M->63M(64M)",
        "Remark 30M->30M(64M)",
    ];
    for (n, pause) in pauses.iter().enumerate() {
        let (n, id) = (n + 1, n * 2);
        log += &format!(
            "[{n}.000s][debug][gc,phases] GC({id})     Reference Processing: 300.0ms\n\
             [{n}.000s][info][gc] GC({id}) Pause {pause} 400.000ms\n\
             [{n}.000s][info][gc,cpu] GC({id}) User=0.02s Sys=0.30s Real=0.40s\n"
        );
    }
    log += "[13.0s][info][gc] Allocation Stall (main) 120.000ms\n";
    log
}

/// The flags with which a JVM is to be started that had `given`.
fn followed(advice: &Advice, given: &[String]) -> Vec<String> {
    let stays = |it: &&String| !advice.replaces.contains(it);
    given.iter().filter(stays).chain(advice.action.jvm_flags()).cloned().collect()
}

fn names(flags: &[String]) -> Vec<String> {
    let name = |flag: &String| {
        let flag = flag.trim_start_matches("-XX:").trim_start_matches(['+', '-']);
        flag.split(['=', ':']).next().unwrap_or_default().to_owned()
    };
    flags.iter().map(name).collect()
}

#[test]
fn every_jdk_starts_with_what_it_is_advised() {
    let jdks = jdks();
    if jdks.is_empty() {
        println!("SKIPPED: no JDK");
        return;
    }
    let mut starts = Vec::new();
    for jdk in &jdks {
        let mut tried = BTreeSet::new();
        for (collector, flag) in collectors(jdk) {
            let mut given = vec!["-Xmx64m".to_owned(), flag.to_owned()];
            // A small machine has one GC thread, and some advice is for several.
            given.push("-XX:ParallelGCThreads=2".to_owned());
            if collector.starts_with("Serial") {
                given.pop();
            }
            let diagnosis = log_text::diagnose(&log(&jdk.version, collector, &given.join(" ")));
            for advice in remedy::advise(&diagnosis).iter().flatten() {
                let flags = followed(advice, &given);
                if advice.action.jvm_flags().is_empty() || !tried.insert(flags.clone()) {
                    continue;
                }
                starts.push((jdk, flags, names(advice.action.jvm_flags()), advice.remedy));
            }
        }
        println!("JDK {}: {} sets of flags", jdk.version, tried.len());
    }
    let started = starts.len();
    assert!(started >= 10 * jdks.len(), "only {started} sets of flags: the test tests too little");
    let complaints = each(&starts, |(jdk, flags, names, remedy)| {
        let said = complains(jdk, flags, names)?;
        Some(format!("JDK {}: {} ({remedy}): {said}", jdk.version, flags.join(" ")))
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What is said of each, a few at a time: a JVM that starts leaves much of a CPU free.
fn each<T: Sync>(all: &[T], say: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    const AT_ONCE: usize = 3;
    let every = |first| all.iter().skip(first).step_by(AT_ONCE).filter_map(&say).collect();
    std::thread::scope(|scope| {
        let parts: [_; AT_ONCE] = std::array::from_fn(|n| scope.spawn(move || every(n)));
        parts.into_iter().flat_map(|it| -> Vec<String> { it.join().expect("no panic") }).collect()
    })
}

/// All flags of one diagnosis at once, in addition to those given that stay.
#[test]
fn every_jdk_starts_with_the_whole_line() {
    let jdks = jdks();
    if jdks.is_empty() {
        println!("SKIPPED: no JDK");
        return;
    }
    let mut complaints = Vec::new();
    for jdk in &jdks {
        for (collector, flag) in collectors(jdk) {
            let given = ["-Xmx64m".to_owned(), flag.to_owned()];
            let line = remedy::flag_line(&log_text::diagnose(&log(
                &jdk.version,
                collector,
                &given.join(" "),
            )));
            let stays = given.iter().filter(|it| !line.replaces.contains(it));
            let flags: Vec<String> = stays.cloned().chain(line.words()).collect();
            if collector == "G1" {
                assert!(line.flags.len() > 1, "JDK {}: {line:?}", jdk.version);
            }
            let said = complains(jdk, &flags, &names(&line.words()));
            complaints
                .extend(said.map(|it| format!("JDK {}: {}: {it}", jdk.version, flags.join(" "))));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The flags for a log in memory and for an output that is switched off, as they are typed.
#[test]
fn every_jdk_starts_with_the_flags_for_its_log() {
    let facts = |version: &str, more: &str| {
        format!(
            "{more}
             thread 1 vm-thread VM Thread
             output 1 pipe pipe:[9] log looked 40 0
             safepoint 0ms 1000ms op G1CollectForAllocation 1ms 999ms vm 1
             1 on-cpu 0ms 10ms
             1 blocked 10ms 990ms write {} stack do_get_write_access ext4_dirty_inode vfs_write
             1 on-cpu 990ms 1000ms",
            if more.contains(" log ") { "gc.log" } else { "fd1" }
        )
        .replace("VERSION", version)
    };
    for jdk in &jdks() {
        let old = jdk.major < 9;
        let log = if old { "-Xloggc:gc.log" } else { "-Xlog:gc*:file=gc.log" };
        let stream = if old { "-verbose:gc" } else { "-Xlog:gc*" };
        for more in [
            format!("jvm VERSION g1 log gc.log flags {log}"),
            format!("jvm VERSION g1 flags {stream}"),
        ] {
            let given = vec![more.rsplit(' ').next().expect("a flag").to_owned()];
            let diagnosis = diagnose::facts_text::diagnose(&facts(&jdk.version, &more));
            let advice = remedy::advise(&diagnosis);
            let flags = advice.iter().flatten().filter(|it| !it.action.jvm_flags().is_empty());
            let mut count = 0;
            for advice in flags {
                count += 1;
                let flags = followed(advice, &given);
                let said = complains(jdk, &flags, &["-Xlog".into(), "-Xloggc".into()]);
                assert_eq!(said, None, "JDK {}: {flags:?}", jdk.version);
            }
            assert!(count > 0, "nothing is advised for JDK {} with {given:?}", jdk.version);
        }
    }
}

/// Flags that some JDK ignores or refuses, and combinations that none starts with.
const DOUBTFUL: [&str; 26] = [
    "-XX:+UseConcMarkSweepGC",
    "-XX:CMSInitiatingOccupancyFraction=70",
    "-XX:+UseCMSInitiatingOccupancyOnly",
    "-XX:+UseParNewGC",
    "-XX:+UseParallelOldGC",
    "-XX:+AggressiveOpts",
    "-XX:MaxPermSize=64m",
    "-XX:+UseMembar",
    "-XX:+UseBiasedLocking",
    "-XX:MaxRAMFraction=2",
    "-XX:G1ConcRefinementGreenZone=5",
    "-XX:G1ConcRSLogCacheSize=10",
    "-XX:+UseGCLogFileRotation",
    "-XX:GCLogFileSize=8M",
    "-XX:+PrintGCDateStamps",
    "-XX:+PrintGCCause",
    "-XX:+PrintHeapAtGC",
    "-XX:+PrintTenuringDistribution",
    "-XX:+PrintGCApplicationStoppedTime",
    "-Xlog:gc:file=/dev/shm/gc.log",
    "-Xlog:async",
    "-XX:+UseG1GC -XX:+UseSerialGC",
    "-Xms64m -Xmx32m",
    "-Xms32m -Xmx32m",
    "-XX:+UseG1GC -XX:ConcGCThreads=8 -XX:ParallelGCThreads=2",
    "-XX:+UseG1GC -XX:MaxGCPauseMillis=50",
];

/// Flags that are in no JDK, or in a form that it does not take, and the right ones beside them.
const MISTYPED: [&str; 29] = [
    "-Xmx4q",
    "-Xmx",
    "-Xmx1.5g",
    "-Xms4q",
    "-Xmn4q",
    "-Xss1q",
    "-Xss1024k",
    "-Xmx4q -XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UseFooGC",
    "-XX:UseFooGC",
    "-XX:+UseFooGC -XX:+IgnoreUnrecognizedVMOptions",
    "-XX:UseG1GC",
    "-XX:UseG1GC=true",
    "-XX:+UseG1GC=1",
    "-XX:ParallelGCThreads",
    "-XX:+ParallelGCThreads",
    "-XX:ParallelGCThreads=2q",
    "-XX:ParallelGCThreads=2q -XX:+IgnoreUnrecognizedVMOptions",
    "-XX:MaxGCPauseMillis=200ms",
    "-XX:MaxHeapSize=4q",
    "-XX:MaxRAMPercentage=75",
    "-XX:MaxRAMPercentage=75.0",
    "-XX:ErrorFile",
    "-XX:ErrorFile=",
    "-XX:G1NewSizePercent=10",
    "-XX:+UnlockExperimentalVMOptions -XX:G1NewSizePercent=10",
    "-XX:G1NewSizePercent=10 -XX:+UnlockExperimentalVMOptions",
    "-XX:+PrintInlining",
    "-XX:+UnlockDiagnosticVMOptions -XX:+PrintInlining",
];

/// One of this number of entries of the table of flags that a JDK does not have, or ignores.
const ONE_IN: usize = 25;

/// What `doctor` should know to be refused or ignored, from the table.
fn of_table(jdk: &Jdk) -> Vec<String> {
    let table = include_str!("../../../diagnose/src/hazards/jdk-flags.txt");
    let jdks = table.lines().find_map(|it| it.strip_prefix("jdks ")).expect("the JDKs");
    let Some(column) = jdks.split(' ').position(|it| it == jdk.major.to_string()) else {
        return Vec::new();
    };
    let rows = table.lines().skip_while(|it| !it.starts_with("made-of")).skip(1);
    let is_gone = |it: &&str| {
        matches!(it.as_bytes()[it.len() - jdks.split(' ').count() + column], b'-' | b'o')
    };
    let name = |it: &str| format!("-XX:+{}", it.split(' ').next().expect("a name"));
    // Of builds with flags of their own nothing is said.
    let of_others = ["JVMCI", "Shenandoah", "UnlockCommercialFeatures"];
    let is_ours = |it: &&str| !of_others.iter().any(|name| it.contains(name));
    rows.filter(is_gone).filter(is_ours).step_by(ONE_IN).map(name).collect()
}

/// `refused`, `ignored` or nothing, as the JDK itself does.
fn truth(jdk: &Jdk, flags: &str) -> &'static str {
    let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
    match complains(jdk, &flags, &["gnoring option".to_owned()]) {
        None => "",
        Some(said) if said.contains("gnoring option") && !said.contains("Error") => "ignored",
        Some(_) => "refused",
    }
}

#[test]
fn doctor_knows_which_flags_each_jdk_ignores_and_refuses() {
    for jdk in jdks() {
        let version = jdk.major.to_string();
        let of_table = of_table(&jdk);
        let flags = DOUBTFUL.into_iter().chain(MISTYPED).chain(of_table.iter().map(String::as_str));
        for flags in flags {
            let args = ["doctor", "--flags", flags, "--jdk", &version, "--format", "json"];
            let reported = crate::run::run(&args).stdout;
            let found = match () {
                () if reported.contains("\"id\": \"flags-refused\"") => "refused",
                () if reported.contains("\"id\": \"flags-ignored\"") => "ignored",
                () => "",
            };
            assert_eq!(found, truth(&jdk, flags), "JDK {version} with {flags}");
        }
    }
}
