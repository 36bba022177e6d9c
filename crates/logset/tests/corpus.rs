//! Public logs with expected values, where they are at hand: in `shared/corpus` beside the checkout,
//! or in the directory that `WHYPAUSE_CORPUS` names.
//!
//! Where reading a log by eye shows that an expected value is wrong, the log is listed with the
//! reason in `testdata/corpus-exceptions.tsv`.
use gclog::{Event, LineCounts};
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Duration,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("WHYPAUSE_CORPUS").map(PathBuf::from);
    let beside = || root().join("..").join("shared").join("corpus");
    let place = given.unwrap_or_else(beside);
    place.join("expected.tsv").is_file().then_some(place)
}

/// Number, sum and longest.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u64,
    total: Duration,
    max: Duration,
}

impl Sums {
    fn add(&mut self, duration: Duration) {
        self.count += 1;
        self.total += duration;
        self.max = self.max.max(duration);
    }

    /// Counts exact; sums and longest within 0.2 %, or half a millisecond for tiny ones.
    fn differs_from(&self, expected: &[&str]) -> Option<String> {
        let wanted = |at: usize| expected[at].parse::<f64>().expect("a number");
        let near = |is: Duration, wanted: f64| {
            (is.as_secs_f64() - wanted).abs() <= (wanted * 0.002).max(0.000_5)
        };
        let same = self.count as f64 == wanted(0)
            && near(self.total, wanted(1))
            && near(self.max, wanted(2));
        (!same).then(|| {
            format!(
                "{}/{:.4}/{:.4}, expected {}",
                self.count,
                self.total.as_secs_f64(),
                self.max.as_secs_f64(),
                expected.join("/")
            )
        })
    }
}

#[test]
fn every_expected_value_holds_or_has_a_reason() {
    let Some(corpus) = corpus() else {
        eprintln!("SKIPPED: no public logs: WHYPAUSE_CORPUS names no directory with expected.tsv");
        return;
    };
    let only = std::env::var("WHYPAUSE_CORPUS_ONLY").unwrap_or_default();
    let exceptions = std::fs::read_to_string(root().join("testdata/corpus-exceptions.tsv"))
        .expect("the list of exceptions is readable");
    let exceptions: BTreeMap<&str, &str> =
        exceptions.lines().filter_map(|line| line.split_once('\t')).collect();
    let expected = std::fs::read_to_string(corpus.join("expected.tsv")).expect("readable");
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for row in expected.lines().skip(1) {
        let fields: Vec<&str> =
            row.split('\t').chain(std::iter::repeat_n("", 12)).take(12).collect();
        let name = fields[0];
        if (!only.is_empty() && fields[2] != only) || exceptions.contains_key(name) {
            continue;
        }
        checked += 1;
        if let Some(what) = check(&corpus.join("logs").join(name), &fields) {
            wrong.push(format!("{name} [{} {} {}]: {what}", fields[1], fields[2], fields[3]));
        }
    }
    assert!(checked > 0, "no log was checked");
    assert!(wrong.is_empty(), "{} logs differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn check(path: &Path, fields: &[&str]) -> Option<String> {
    let found = logset::find(&[path], Box::new(std::io::empty()));
    if fields[2] == "non-hotspot" {
        let refused = found.as_ref().is_err_and(|it| it.to_string().contains("not by HotSpot"));
        return (!refused).then(|| format!("not refused by name: {:?}", found.err()));
    }
    let sets = match found {
        Ok(sets) => sets,
        // Text that has nothing of a GC log in it.
        Err(_) if fields[2] == "other" => return None,
        Err(error) => return Some(error.to_string()),
    };
    let (gc, stops, counts) = read(&sets);
    let sum = |of: fn(&LineCounts) -> u64| counts.iter().map(of).sum::<u64>();
    let (lines, unrecognised) = (sum(|it| it.lines), sum(LineCounts::unrecognised));
    let mut wrong = Vec::new();
    if !fields[4].is_empty() {
        wrong.extend(gc.differs_from(&fields[4..7]).map(|it| format!("gc {it}")));
    }
    if !fields[8].is_empty() {
        wrong.extend(stops.differs_from(&fields[8..11]).map(|it| format!("stops {it}")));
    }
    if fields[2] != "other" && sum(|it| it.events) == 0 {
        wrong.push("no events".to_owned());
    }
    if lines != sum(|it| it.used + it.of_no_interest) + unrecognised {
        wrong.push(format!("{counts:?} do not add up"));
    }
    if fields[2] != "other" && unrecognised * 50 > lines + 100 {
        wrong.push(format!("{unrecognised} of {lines} lines unrecognised"));
    }
    (!wrong.is_empty()).then(|| wrong.join("; "))
}

fn read(sets: &[logset::LogSet]) -> (Sums, Sums, Vec<LineCounts>) {
    let (mut gc, mut stops) = (Sums::default(), Sums::default());
    let mut counts = Vec::new();
    for set in sets {
        let summary = set.events(&mut |_| ControlFlow::Continue(()), &mut |event| match event {
            Event::Gc(it) if !it.nested => gc.add(it.duration),
            Event::Safepoint(it) => stops.add(it.total),
            _ => {}
        });
        counts.push(summary.expect("readable").counts);
    }
    (gc, stops, counts)
}
