//! The CSV: all other numbers are sums of its rows.
use super::of;
use serde_json::Value;
use std::collections::BTreeMap;

/// Up to this number of lengths percentiles are exact; of more they have three digits.
const EXACT: usize = 512;

pub(super) struct Row {
    pub(super) duration_ns: u64,
    pub(super) reaching_ns: u64,
    pub(super) kind: String,
    pub(super) collection_ns: Option<u64>,
    unattributed_ns: u64,
    parts: Vec<(String, u64)>,
}

pub(super) struct Table {
    pub(super) rows: Vec<Row>,
}

/// The cells of a line of which some are in quotes.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for it in line.chars() {
        match it {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            it => cells.last_mut().expect("one is there").push(it),
        }
    }
    cells
}

fn row(names: &[String], line: &str) -> Row {
    let cells = cells(line);
    let cell = |name: &str| {
        let at = names.iter().position(|it| it == name).expect("the column is there");
        cells[at].clone()
    };
    let number = |name: &str| cell(name).parse::<u64>().expect("a number");
    let parts = cell("parts");
    let parts = parts.split_whitespace().map(|it| it.split_once('=').expect("cause and time"));
    Row {
        duration_ns: number("duration_ns"),
        reaching_ns: number("time_to_safepoint_ns"),
        kind: cell("kind"),
        collection_ns: cell("collection_ns").parse().ok(),
        unattributed_ns: number("unattributed_ns"),
        parts: parts.map(|it| (it.0.to_owned(), it.1.parse().expect("a time"))).collect(),
    }
}

/// Number, sum and longest.
fn count(lengths: impl Iterator<Item = u64>) -> [u64; 3] {
    lengths.fold([0; 3], |[n, sum, max], it| [n + 1, sum + it, max.max(it)])
}

fn counted(json: &Value) -> [u64; 3] {
    ["/count", "/total_ns", "/max_ns"].map(|it| of(json, it))
}

impl Table {
    pub(super) fn of(csv: &str) -> Table {
        let mut lines = csv.lines();
        let names = cells(lines.next().expect("a header"));
        Table { rows: lines.map(|it| row(&names, it)).collect() }
    }

    /// Whether the numbers of the JSON are those of the rows.
    pub(super) fn check(&self, json: &Value, name: &str) {
        let pauses = &json["pauses"];
        let rows = || self.rows.iter();
        assert_eq!(counted(pauses), count(rows().map(|it| it.duration_ns)), "{name}: pauses");
        let hiccups = rows().filter(|it| it.kind == "hiccup").map(|it| it.duration_ns);
        assert_eq!(counted(&pauses["hiccups"]), count(hiccups), "{name}: hiccups");
        let reaching = &pauses["time_to_safepoint"];
        if of(reaching, "/count") > 0 {
            let stops = rows().filter(|it| it.kind != "hiccup").map(|it| it.reaching_ns);
            assert_eq!(counted(reaching), count(stops), "{name}: time to safepoint");
        }
        let unattributed: u64 = rows().map(|it| it.unattributed_ns).sum();
        assert_eq!(of(json, "/unattributed_ns"), unattributed, "{name}: unattributed");
        for it in rows() {
            let parts: u64 = it.parts.iter().map(|it| it.1).sum();
            assert_eq!(parts + it.unattributed_ns, it.duration_ns, "{name}: a row");
        }
        self.check_percentiles(pauses, name);
        self.check_causes(json, name);
    }

    fn check_percentiles(&self, pauses: &Value, name: &str) {
        let mut lengths: Vec<u64> = self.rows.iter().map(|it| it.duration_ns).collect();
        lengths.sort_unstable();
        for (key, tenths) in [("p50_ns", 500), ("p90_ns", 900), ("p99_ns", 990), ("p99_9_ns", 999)]
        {
            let rank = (lengths.len() * tenths).div_ceil(1000).saturating_sub(1);
            let exact = lengths.get(rank).copied().unwrap_or(0);
            let told = of(pauses, &format!("/{key}"));
            let unsure = if lengths.len() <= EXACT { 0 } else { exact / 500 };
            assert!(told.abs_diff(exact) <= unsure, "{name}: {key} {told}, and the rows {exact}");
        }
        for (over, limit_ms) in
            [("100ms", 100), ("250ms", 250), ("500ms", 500), ("1s", 1_000), ("2s", 2_000)]
        {
            let long = lengths.iter().filter(|it| **it > limit_ms * 1_000_000).count() as u64;
            assert_eq!(of(pauses, &format!("/over/{over}")), long, "{name}: over {over}");
        }
    }

    fn check_causes(&self, json: &Value, name: &str) {
        let mut sums: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        for (cause, time) in self.rows.iter().flat_map(|it| &it.parts) {
            let [n, sum, max] = sums.get(cause.as_str()).copied().unwrap_or_default();
            sums.insert(cause, [n + 1, sum + time, max.max(*time)]);
        }
        let causes = json["causes"].as_array().expect("causes");
        for it in causes.iter().filter(|it| it["nature"] != "symptom") {
            let id = it["id"].as_str().expect("an id");
            let told = [of(it, "/pauses"), of(it, "/time_ns"), of(it, "/longest_ns")];
            assert_eq!(told, sums.remove(id).unwrap_or_default(), "{name}: {id}");
        }
        assert!(sums.is_empty(), "{name}: {sums:?} are in rows and not among the causes");
    }
}
