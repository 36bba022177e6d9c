//! The JVMs of a host, for people and for programs.
use crate::{
    Style,
    clean::{MOST_NAME, clean, clean_name},
    text::{Page, Role, columns_of, row},
};
use serde::Serialize;

/// One JVM. Empty strings where something is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Process id.
    pub pid: u32,
    /// Name of its user, or the number.
    pub user: String,
    /// Version as the JVM prints it.
    pub version: String,
    /// `g1`, `parallel`, …
    pub collector: String,
    /// Main class or jar.
    pub main: String,
    /// Flags about the heap's size.
    pub heap: Vec<String>,
    /// Path of the GC log as the JVM sees it.
    pub gc_log: String,
    /// Whether its application threads are stopped now; `None` where that cannot be known.
    pub stopped: Option<bool>,
}

/// A process that does not let itself be read. It may be a JVM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotResponding {
    /// Process id.
    pub pid: u32,
    /// Name of its user, or the number.
    pub user: String,
    /// Its name.
    pub name: String,
    /// Why, and what it waits for, as one line.
    pub reason: String,
    /// Whether the lock of its memory map was seen to be what others wait for.
    pub memory_map_locked: bool,
    /// Whether it was seen to be in `execve`, which did not end.
    pub in_execve: bool,
    /// Thread that waits in the kernel; `None` where none was seen.
    pub thread: Option<WaitingThread>,
}

/// A thread that waits uninterruptibly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WaitingThread {
    /// Thread id.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// Function of the kernel in which it sleeps; empty where that may not be known.
    pub wait_channel: String,
    /// Functions that led there, the innermost first; empty where they may not be known.
    pub stack: Vec<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    jvms: &'a [Row],
    not_responding: &'a [NotResponding],
    /// Processes that could not be inspected; some may be JVMs.
    unreadable: u64,
}

/// A table, one JVM a line, and what others wait for; empty where there are none.
#[must_use]
pub fn text(rows: &[Row], stuck: &[NotResponding], style: Style) -> String {
    const TITLES: [&str; 6] = ["PID", "USER", "JDK", "GC", "MAIN", "GC LOG"];
    let mut page = Page::new(style);
    if rows.is_empty() && stuck.is_empty() {
        return String::new();
    }
    let mut cells: Vec<(u32, [String; 6])> = rows.iter().map(|it| (it.pid, cells_of(it))).collect();
    cells.extend(stuck.iter().map(|it| (it.pid, cells_of_stuck(it))));
    cells.sort_by_key(|it| it.0);
    let width = |column: usize| {
        let widest = cells.iter().map(|(_, row)| columns_of(&row[column])).max().unwrap_or(0);
        widest.max(TITLES[column].len())
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    let title = row(&TITLES.map(ToOwned::to_owned), &widths);
    let title = page.paint(Role::Strong, title.trim_end());
    page.line(&title);
    for (_, cells) in &cells {
        page.line(&row(cells, &widths));
    }
    for it in stuck {
        page.line(&format!(
            "{} {}: {}",
            it.pid,
            clean_name(&it.name, MOST_NAME),
            clean(&it.reason)
        ));
    }
    page.finish()
}

/// Behind the name of a JVM that is stopped.
const STOPPED: &str = " (stopped)";

/// Behind the name of a process that is not.
const NOT_RESPONDING: &str = " (not responding)";

fn known(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { clean_name(text, MOST_NAME) }
}

fn cells_of_stuck(it: &NotResponding) -> [String; 6] {
    let unknown = || known("");
    let name = known(&it.name) + NOT_RESPONDING;
    [it.pid.to_string(), known(&it.user), unknown(), unknown(), name, unknown()]
}

fn cells_of(row: &Row) -> [String; 6] {
    [
        row.pid.to_string(),
        known(&row.user),
        known(row.version.split(['+', '-']).next().unwrap_or_default()),
        known(&row.collector),
        known(&row.main) + if row.stopped == Some(true) { STOPPED } else { "" },
        known(&row.gc_log),
    ]
}

/// One JSON document with a line end.
#[must_use]
pub fn json(rows: &[Row], stuck: &[NotResponding], unreadable: u64) -> String {
    let schema_version = crate::json::SCHEMA_VERSION;
    let document = Document { schema_version, jvms: rows, not_responding: stuck, unreadable };
    crate::json::text(&document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn rows() -> Vec<Row> {
        let kafka = Row {
            pid: 4242,
            user: "kafka".into(),
            version: "17.0.15+6-Debian-1deb12u1".into(),
            collector: "g1".into(),
            main: "kafka.Kafka".into(),
            heap: vec!["-Xmx4g".into()],
            gc_log: "/var/log/kafka/gc.log".into(),
            stopped: Some(true),
        };
        vec![kafka, Row { pid: 7, main: "evil\u{1b}[2J".into(), ..Row::default() }]
    }

    #[test]
    fn a_table_for_people() {
        expect![[r#"
             PID  USER   JDK      GC  MAIN                   GC LOG
               7  -      -        -   evil\u{1b}[2J          -
            4242  kafka  17.0.15  g1  kafka.Kafka (stopped)  /var/log/kafka/gc.log
        "#]]
        .assert_eq(&text(&rows(), &[], Style::PLAIN));
        assert_eq!(text(&[], &[], Style::PLAIN), "");
    }

    #[test]
    fn names_in_characters_of_two_columns_leave_the_table_straight() {
        let row =
            |pid, main: &str| Row { pid, main: main.into(), gc_log: "x".into(), ..Row::default() };
        let table = text(&[row(1, "服务"), row(2, "kafka")], &[], Style::PLAIN);
        let ends: Vec<usize> = table.lines().skip(1).map(columns_of).collect();
        assert_eq!(ends[0], ends[1], "{table}");
    }

    #[test]
    fn a_process_that_does_not_respond_is_listed_with_what_it_waits_for() {
        let stuck = NotResponding {
            pid: 77,
            user: "kafka".into(),
            name: "java".into(),
            reason: "not responding: its memory map is locked; thread 78 `a\u{1b}` waits".into(),
            ..NotResponding::default()
        };
        expect![[r#"
             PID  USER   JDK      GC  MAIN                   GC LOG
               7  -      -        -   evil\u{1b}[2J          -
              77  kafka  -        -   java (not responding)  -
            4242  kafka  17.0.15  g1  kafka.Kafka (stopped)  /var/log/kafka/gc.log
            77 java: not responding: its memory map is locked; thread 78 `a\u{1b}` waits
        "#]]
        .assert_eq(&text(&rows(), &[stuck], Style::PLAIN));
    }

    #[test]
    fn a_main_class_of_900_000_characters_neither_panics_nor_floods() {
        let mut rows = rows();
        rows[0].main = "x".repeat(900_000) + ".Main";
        rows[0].gc_log = "\u{202e}".repeat(900_000);
        rows[0].user = "y".repeat(70_000);
        rows[0].heap = vec!["-Xmx".repeat(100_000)];
        let table = text(&rows, &[], Style::PLAIN);
        assert!(table.lines().all(|it| it.chars().count() < 400), "{table}");
        assert!(table.contains("x.Main "), "{table}");
        assert!(json(&rows, &[], 0).len() < 200_000);
    }

    #[test]
    fn json_for_programs() {
        expect![[r#"
            {
              "schema_version": 1,
              "jvms": [
                {
                  "pid": 4242,
                  "user": "kafka",
                  "version": "17.0.15+6-Debian-1deb12u1",
                  "collector": "g1",
                  "main": "kafka.Kafka",
                  "heap": [
                    "-Xmx4g"
                  ],
                  "gc_log": "/var/log/kafka/gc.log",
                  "stopped": true
                }
              ],
              "not_responding": [],
              "unreadable": 12
            }
        "#]]
        .assert_eq(&json(&rows()[..1], &[], 12));
    }
}
