//! A matrix as a page of Markdown that reads well as it is.
use super::{Count, LogCount, LogTally, Made, Matrix, OfStalls, Seen, Tally};
use crate::Privilege;
use comfy_table::{Table, presets};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// The page.
pub(super) fn text(matrix: &Matrix) -> String {
    let mut text = String::new();
    // writing to a string does not fail
    let _ = writeln!(text, "{}\n", surroundings(matrix));
    for &privilege in Privilege::ALL {
        let _ = write!(text, "{}", of_privilege(&matrix.tally, privilege));
    }
    for &privilege in Privilege::ALL {
        let _ = write!(text, "{}", of_stalls(&matrix.tally.stalls, privilege));
    }
    let _ = write!(text, "{}", from_log(&matrix.tally.from_log));
    let _ = write!(text, "{}", quiet(&matrix.tally));
    let _ = write!(text, "{}", made(&matrix.recordings));
    for note in &matrix.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for shortfall in &matrix.tally.shortfalls {
        let _ = writeln!(text, "not met: {shortfall}");
    }
    let verdict = match matrix.recordings.len() {
        0 => "nothing was run",
        _ if matrix.left > 0 => "none yet: some runs are left",
        _ if matrix.passed() => "every bar is met",
        _ => "not every bar is met",
    };
    let _ = writeln!(text, "verdict: {verdict}");
    text
}

fn surroundings(matrix: &Matrix) -> String {
    let host = &matrix.host;
    let gib = host.memory_bytes >> 30;
    format!(
        "whypause {}, {}, kernel {}, {} CPUs ({}), {gib} GiB, {} recordings",
        crate::host::build(),
        host.date,
        host.kernel,
        host.cpus,
        host.cpu_model,
        matrix.recordings.len(),
    )
}

/// Of which day and build each recording is. Those of several builds are distinguished run by run.
fn made(recordings: &[Seen]) -> String {
    if recordings.is_empty() {
        return String::new();
    }
    let made: BTreeSet<&Made> = recordings.iter().map(|it| &it.made).collect();
    let known = |it: &str| if it.is_empty() { "not known".to_owned() } else { it.to_owned() };
    if let (Some(first), 0 | 1) = (made.first(), made.len()) {
        let (day, build) = (known(&first.measured), known(&first.build));
        return format!("All recordings are of one day ({day}) and one build ({build}).\n\n");
    }
    let mut runs: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for it in recordings {
        let key = (&it.key.scenario, it.jdk_feature, it.key.collector.id(), &it.made);
        runs.entry(key).or_default().insert(&it.key.variant);
    }
    let builds = made.iter().map(|it| &it.build).collect::<BTreeSet<_>>().len();
    let days = made.iter().map(|it| &it.measured).collect::<BTreeSet<_>>().len();
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header(["scenario", "JDK", "collector", "variants", "measured", "build"]);
    for ((scenario, jdk, collector, made), variants) in runs {
        let variants = variants.into_iter().collect::<Vec<_>>().join(", ");
        let (day, build) = (known(&made.measured), known(&made.build));
        table.add_row([scenario.clone(), jdk.to_string(), collector.into(), variants, day, build]);
    }
    let of = format!("{} and {}", count(days, "day"), count(builds, "build"));
    format!("## When and by which build each was measured\n\nOf {of}.\n\n{table}\n\n")
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn of_privilege(tally: &Tally, privilege: Privilege) -> String {
    let rows: Vec<_> = tally.confusion.iter().filter(|it| it.privilege == privilege).collect();
    let Some(total) = tally.total.get(privilege.id()) else { return String::new() };
    let mut table = table("pauses", &["true cause", "variant"]);
    for row in rows {
        table.add_row(cells([&row.scenario, &row.variant], &row.count));
    }
    table.add_row(cells(["all", ""], total));
    let mut by_jdk = self::table("pauses", &["JDK", "collector"]);
    for it in tally.surroundings.iter().filter(|it| it.privilege == privilege) {
        by_jdk.add_row(cells([&it.jdk_feature.to_string(), it.collector.id()], &it.count));
    }
    format!("## Recorded {}\n\n{table}\n\n{by_jdk}\n\n", privilege.id())
}

/// Stalls that were found with these rights; nothing where no scenario of stalls was run, or none was found.
fn of_stalls(stalls: &OfStalls, privilege: Privilege) -> String {
    let Some(total) = stalls.total.get(privilege.id()).filter(|it| it.pauses > 0) else {
        return String::new();
    };
    let mut table = table("stalls", &["scenario", "variant"]);
    for row in stalls.confusion.iter().filter(|it| it.privilege == privilege) {
        table.add_row(cells([&row.scenario, &row.variant], &row.count));
    }
    table.add_row(cells(["all", ""], total));
    let mut text = format!("## Stalls, recorded {}\n\n{table}\n\n", privilege.id());
    if privilege == Privilege::Privileged {
        let (found, measured) = (stalls.found_ns, stalls.measured_ns);
        let (ms, share) = (measured / 1_000_000, percent(found, measured));
        text += &format!(
            "Of {ms} ms that the workloads measured in stalled calls, found: {share}.\n\n"
        );
    }
    text
}

fn table(what: &str, first: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let long = format!("{what} of 50 ms and more");
    let rest = [
        long.as_str(),
        "right cause",
        "right class",
        "longer than without the fault",
        "right cause of these",
        "right class of these",
        "attributed",
        "found first",
    ];
    table.set_header(first.iter().chain(&rest));
    table
}

fn cells(first: [&str; 2], count: &Count) -> Vec<String> {
    let mut cells = first.map(str::to_owned).to_vec();
    cells.extend([
        count.pauses.to_string(),
        percent(count.right_cause, count.pauses),
        percent(count.right_class, count.pauses),
        count.beyond.to_string(),
        percent(count.beyond_right_cause, count.beyond),
        percent(count.beyond_right_class, count.beyond),
        percent(count.stopped_ns - count.unattributed_ns.min(count.stopped_ns), count.stopped_ns),
        firsts(&count.firsts),
    ]);
    cells
}

/// What the logs alone say; nothing where nothing was recorded with privilege.
fn from_log(tally: &LogTally) -> String {
    let title = "## From the GC log alone\n\n";
    let all = tally.measured + tally.not_measured;
    match tally.measured {
        0 if all == 0 => return String::new(),
        0 => return format!("{title}Not measured: the log of no run was explained alone.\n\n"),
        _ => {}
    }
    let mut table = log_table(&["true cause"]);
    for row in &tally.causes {
        table.add_row(log_cells(&[&row.cause], &row.count));
    }
    table.add_row(log_cells(&["all"], &tally.total));
    let mut by_jdk = log_table(&["JDK", "collector"]);
    for it in &tally.surroundings {
        by_jdk.add_row(log_cells(&[&it.jdk_feature.to_string(), it.collector.id()], &it.count));
    }
    let LogTally { hiccups, cut, ordinary, not_found, .. } = tally;
    let mut text = format!(
        "{title}{table}\n\n{by_jdk}\n\nPauses of 50 ms and more that were left out: {hiccups} \
         hiccups, which no GC log shows, {cut} that the recording cut, {ordinary} without a fault of \
         a known kind as the largest part, {not_found} not found in the log.\n\n"
    );
    if tally.not_measured > 0 {
        let missing = tally.not_measured;
        text += &format!("Not measured in {missing} of {all} recordings with privilege.\n\n");
    }
    text
}

fn log_table(first: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let rest = [
        "pauses of 50 ms and more",
        "true cause refuted",
        "right class among the first two suspects",
        "unexplained time matches the wait",
        "suspected first",
    ];
    table.set_header(first.iter().chain(&rest));
    table
}

fn log_cells(first: &[&str], count: &LogCount) -> Vec<String> {
    let rest = [
        count.pauses.to_string(),
        count.refuted.to_string(),
        percent(count.right_class, count.pauses),
        percent(count.right_wait, count.pauses),
        firsts(&count.suspects),
    ];
    first.iter().map(|it| (*it).to_owned()).chain(rest).collect()
}

/// The causes found first, most often first.
fn firsts(firsts: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<_> = firsts.iter().collect();
    sorted.sort_by_key(|(_, pauses)| std::cmp::Reverse(**pauses));
    let words: Vec<_> = sorted.iter().map(|(cause, pauses)| format!("{cause} {pauses}")).collect();
    words.join(", ")
}

fn quiet(tally: &Tally) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header(["recorded", "named", "in", "recordings", "time", ""]);
    for alarm in &tally.alarms {
        let time = format!("{} ms", alarm.time_ns / 1_000_000);
        let verdict = if alarm.expected {
            "true: happens on any host, or was counted by the kernel"
        } else {
            "false alarm"
        };
        let recordings = alarm.recordings.to_string();
        let of = if alarm.of_stalls { "stalls" } else { "pauses" };
        table.add_row([alarm.privilege.id(), &alarm.cause, of, &recordings, &time, verdict]);
    }
    let quiet = tally.quiet_recordings;
    let intro = format!("## Named where nothing was wrong ({quiet} recordings)\n\n");
    let mut text = match tally.alarms.len() {
        0 => format!("{intro}Nothing but ordinary work.\n\n"),
        _ => format!("{intro}{table}\n\n"),
    };
    if !tally.quiet_symptoms.is_empty() {
        let found = firsts(&tally.quiet_symptoms);
        text += "Symptoms, which say that time is not explained and name no cause, by recordings: ";
        text += &format!("{found}.\n\n");
    }
    text
}

/// Rounded down, so that 100 % means all.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    let permille = u128::from(part) * 1000 / u128::from(whole);
    format!("{}.{} %", permille / 10, permille % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of the given day and build.
    fn run(variant: &str, measured: &str, build: &str) -> Seen {
        let line = format!(
            r#"{{"scenario":"swap-in","variant":"{variant}","jdk":"17.0.15","collector":"g1",
            "privilege":"privileged","run":1,"role":"fault","jdk_feature":17,"stopped_ns":0,
            "unattributed_ns":0,"longest_ns":0,"observed_longest_ns":0,"long":[],"named":{{}},
            "symptoms":{{}},"stolen_ns":0,"lost_events":0,"measured":"{measured}",
            "build":"{build}"}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn one_build_is_named_in_a_sentence_and_several_in_a_table() {
        let day = "2026-11-24";
        let one = made(&[run("baseline", day, "0.1.0 (a)"), run("fault", day, "0.1.0 (a)")]);
        assert_eq!(
            one,
            "All recordings are of one day (2026-11-24) and one build (0.1.0 (a)).\n\n"
        );
        let old = run("fault", "", "");
        let two = made(&[run("baseline", day, "0.1.0 (a)"), old, run("fixed", day, "0.1.0 (a)")]);
        assert!(two.contains("Of 2 days and 2 builds."), "{two}");
        let has = |words: [&str; 4]| {
            two.lines().any(|line| {
                let cells: Vec<_> = line.split('|').map(str::trim).collect();
                cells.windows(4).any(|it| it == words)
            })
        };
        assert!(has(["g1", "baseline, fixed", day, "0.1.0 (a)"]), "{two}");
        assert!(has(["g1", "fault", "not known", "not known"]), "{two}");
        assert_eq!(made(&[]), "");
    }

    #[test]
    fn what_the_logs_say_is_on_the_page_and_what_was_not_measured_is_said() {
        let old = run("fault", "", "");
        let page = |seen: &[Seen]| from_log(&Tally::of(seen).from_log);
        assert_eq!(page(&[]), "");
        let none =
            "## From the GC log alone\n\nNot measured: the log of no run was explained alone.\n\n";
        assert_eq!(page(std::slice::from_ref(&old)), none);
        let log = r#"{"judged":[{"cause":"swap-in","duration_ns":9,"wait_ns":9,"unexplained_ns":8,
            "suspects":["direct-reclaim"]}],"hiccups":4,"cut":1,"ordinary":2,"not_found":3}"#;
        let new = Seen { from_log: serde_json::from_str(log).unwrap(), ..old.clone() };
        let text = page(&[old, new]);
        let row = ["| swap-in", "| 1", "| 0", "| 100.0 %", "| 0.0 %", "| direct-reclaim 1"];
        let is_row = |line: &str| row.iter().all(|it| line.contains(it));
        assert!(text.lines().any(is_row), "{text}");
        assert!(
            text.contains("1 that the recording cut, 2 without a fault of a known kind"),
            "{text}"
        );
        assert!(text.contains("3 not found in the log."), "{text}");
        assert!(text.ends_with("Not measured in 1 of 2 recordings with privilege.\n\n"), "{text}");
    }

    #[test]
    fn all_means_all() {
        assert_eq!(percent(1, 1), "100.0 %");
        assert_eq!(percent(9_999, 10_000), "99.9 %");
        assert_eq!(percent(0, 0), "");
    }

    #[test]
    fn what_was_found_most_comes_first() {
        let found = BTreeMap::from([("gc-work".into(), 1), ("swap-in".into(), 9)]);
        assert_eq!(firsts(&found), "swap-in 9, gc-work 1");
    }
}
