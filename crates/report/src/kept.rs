//! The recordings that a watch has kept, for people and for programs.
use crate::{
    Options, bytes,
    clean::{MOST_NAME, clean_name},
    duration,
    text::{Page, Role, columns_of, row},
};
use jiff::tz::TimeZone;
use recording::{Kept, KeptKind};
use serde::Serialize;
use std::collections::BTreeSet;

/// One recording, with its path as it is shown.
#[derive(Clone, Debug)]
pub struct Row {
    /// Path.
    pub path: String,
    /// What its name says.
    pub kept: Kept,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    kept: Vec<One<'a>>,
}

#[derive(Serialize)]
struct One<'a> {
    path: &'a str,
    jvm: &'a str,
    kind: &'static str,
    /// RFC 3339, in UTC.
    start: String,
    length_ns: u64,
    cause: &'a str,
    bytes: u64,
}

/// What a cause is called in a table: as in the lines of `watch`.
fn cause_of(it: &Kept) -> String {
    let known = diagnose::causes().iter().find(|cause| cause.id == it.cause);
    known.map_or_else(|| it.cause.clone(), |cause| cause.short.to_owned())
}

/// One recording in the middle of a sentence: `pause of 1.90 s at 2026-11-30 04:12:33.512 +01:00, GC log write
/// blocked`.
#[must_use]
pub fn words(it: &Kept, zone: &TimeZone) -> String {
    let zoned = it.at.to_zoned(zone.clone());
    let at = match zoned.offset().seconds() {
        0 => zoned.strftime("%F %H:%M:%S.%3f UTC").to_string(),
        _ => zoned.strftime("%F %H:%M:%S.%3f %:z").to_string(),
    };
    match it.kind {
        KeptKind::Asked => format!("kept on request at {at}"),
        kind => format!("{} of {} at {at}, {}", kind.id(), duration(it.length), cause_of(it)),
    }
}

/// A table, one recording a line in order of time, below a line that sums them up.
#[must_use]
pub fn text(directory: &str, rows: &[Row], options: &Options) -> String {
    let mut page = Page::new(options.style);
    page.wrapped(0, None, &summary(directory, rows, &options.zone));
    page.blank();
    let offset = rows.first().map(|it| it.kept.at.to_zoned(options.zone.clone()).offset());
    let zone = match offset.filter(|it| it.seconds() != 0) {
        Some(offset) => offset.to_string(),
        None => "UTC".to_owned(),
    };
    let titles = [format!("at ({zone})"), "length".into(), "kept for".into(), "JVM".into()];
    let cells: Vec<[String; 4]> = rows.iter().map(|it| cells_of(&it.kept, options)).collect();
    let width = |column: usize| {
        let all = cells.iter().map(|it| &it[column]).chain([&titles[column]]);
        all.map(|it| columns_of(it)).max().unwrap_or(0)
    };
    let widths: [usize; 4] = std::array::from_fn(width);
    let title = page.paint(Role::Faint, row(&titles, &widths).trim_end());
    page.line(&title);
    for it in &cells {
        page.line(row(it, &widths).trim_end());
    }
    page.finish()
}

fn cells_of(it: &Kept, options: &Options) -> [String; 4] {
    let at = it.at.to_zoned(options.zone.clone()).strftime("%F %H:%M:%S.%3f").to_string();
    let length = if it.kind == KeptKind::Asked { "-".to_owned() } else { duration(it.length) };
    let what = match it.kind {
        KeptKind::Pause => cause_of(it),
        KeptKind::Stall => format!("stall: {}", cause_of(it)),
        KeptKind::Asked => "on request".to_owned(),
    };
    [at, length, what, clean_name(&it.jvm, MOST_NAME)]
}

/// `12 recordings of 2 JVMs in DIR, 1.9 MiB; the longest pause: 1.90 s, GC log write blocked`
fn summary(directory: &str, rows: &[Row], zone: &TimeZone) -> String {
    let jvms: BTreeSet<&str> = rows.iter().map(|it| it.kept.jvm.as_str()).collect();
    let sum: u64 = rows.iter().map(|it| it.kept.bytes).sum();
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let mut text = format!(
        "{} recording{} of {} JVM{} in {}, {}",
        rows.len(),
        s(rows.len()),
        jvms.len(),
        s(jvms.len()),
        clean_name(directory, usize::MAX),
        bytes(sum)
    );
    let longest = rows.iter().map(|it| &it.kept).filter(|it| it.kind != KeptKind::Asked);
    if let Some(longest) = longest.max_by_key(|it| it.length) {
        text += &format!("; the longest: {}", words(longest, zone));
    }
    text
}

fn one_of(it: &Row) -> One<'_> {
    let Row { path, kept } = it;
    One {
        path,
        jvm: &kept.jvm,
        kind: kept.kind.id(),
        start: format!("{:.3}", kept.at),
        length_ns: u64::try_from(kept.length.as_nanos()).unwrap_or(u64::MAX),
        cause: &kept.cause,
        bytes: kept.bytes,
    }
}

/// One JSON document with a line end.
#[must_use]
pub fn json(rows: &[Row]) -> String {
    let kept = rows.iter().map(one_of).collect();
    let document = Document { schema_version: crate::json::SCHEMA_VERSION, kept };
    crate::json::text(&document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use expect_test::expect;
    use std::time::Duration;

    fn one(ms: i64, length: u64, kind: KeptKind, cause: &str, jvm: &str) -> Row {
        let kept = Kept {
            jvm: jvm.into(),
            kind,
            at: jiff::Timestamp::from_millisecond(1_795_925_553_512 + ms).expect("a time"),
            length: Duration::from_millis(length),
            cause: cause.into(),
            bytes: 130 << 10,
        };
        Row { path: format!("/kept/{jvm}/{}", kept.name()), kept }
    }

    fn rows() -> Vec<Row> {
        vec![
            one(0, 1900, KeptKind::Pause, "gc-log-write-blocked", "kafka.Kafka"),
            one(7000, 300, KeptKind::Stall, "fsync-blocked", "kafka.Kafka"),
            one(86_400_000, 80, KeptKind::Pause, "unexplained", "orders.jar"),
            one(90_000_000, 0, KeptKind::Asked, "on-request", "orders.jar"),
        ]
    }

    #[test]
    fn a_table_for_people() {
        let options = Options { style: Style { width: 100, ..Style::PLAIN }, ..Options::default() };
        expect![[r#"
            4 recordings of 2 JVMs in /var/lib/whypause/kept, 532 kB; the longest: pause of 1.90 s at 2026-11-29
            04:12:33.512 UTC, GC log write blocked

                           at (UTC)  length  kept for              JVM
            2026-11-29 04:12:33.512  1.90 s  GC log write blocked  kafka.Kafka
            2026-11-29 04:12:40.512  300 ms  stall: fsync-blocked  kafka.Kafka
            2026-11-30 04:12:33.512  80 ms   unexplained           orders.jar
            2026-11-30 05:12:33.512  -       on request            orders.jar
        "#]].assert_eq(&text("/var/lib/whypause/kept", &rows(), &options));
    }

    #[test]
    fn a_document_for_programs() {
        expect![[r#"
            {
              "schema_version": 1,
              "kept": [
                {
                  "path": "/kept/kafka.Kafka/20261129T041233.512Z_1900ms_pause_gc-log-write-blocked",
                  "jvm": "kafka.Kafka",
                  "kind": "pause",
                  "start": "2026-11-29T04:12:33.512Z",
                  "length_ns": 1900000000,
                  "cause": "gc-log-write-blocked",
                  "bytes": 133120
                }
              ]
            }
        "#]].assert_eq(&json(&rows()[..1]));
    }
}
