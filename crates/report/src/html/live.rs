//! A page that grows: what a browser gets of each pause as it ends. `web/src/live/` draws it.
use super::{
    columns,
    finding::{self, Finding},
    glossary::{self, Meaning},
    head,
    numbered::{self, CauseInfo, Chapter, Numbered},
    opened::{self, Opened},
    stalls,
};
use crate::{Options, clean::clean, line, view::View, when};
use diagnose::{Diagnosis, Episode};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

/// What is watched; see `Hello` in `web/src/model.ts`.
#[derive(Clone, Debug)]
pub struct Watched {
    /// `orders.jar (pid 4242)`.
    pub title: String,
    /// Pauses of at least this are shown.
    pub limit: Duration,
    /// Since when, in milliseconds since 1970 UTC.
    pub since_wall_ms: i64,
    /// How long a pause is kept.
    pub kept: Duration,
    /// Of how many pauses, the longest, it is shown what their threads did.
    pub opened: usize,
}

#[derive(Serialize)]
struct Hello<'a> {
    version: &'static str,
    title: &'a str,
    limit_ms: f64,
    since_wall_ms: i64,
    zone_minutes: Option<i32>,
    kept_ms: f64,
    opened: usize,
    /// The pages of all causes, by their ids: the events of pauses leave them out.
    pages: BTreeMap<&'static str, Vec<Chapter>>,
    /// The terms of the field: which of them the page will need is not known.
    words: Vec<Meaning>,
}

/// See `LivePause` in `web/src/model.ts`.
#[derive(Serialize)]
struct LivePause<'a> {
    line: String,
    jvm: Option<String>,
    causes: Vec<CauseInfo>,
    pauses: columns::Columns,
    findings: Vec<Finding<'a>>,
    opened: Vec<Opened<'a>>,
}

/// See `LiveStall` in `web/src/model.ts`.
#[derive(Serialize)]
struct LiveStall {
    line: String,
    jvm: Option<String>,
    causes: Vec<CauseInfo>,
    origin_wall_ms: f64,
    stalls: stalls::Episodes,
    who: Vec<String>,
}

#[derive(Serialize)]
struct LiveEnd<'a> {
    why: &'a str,
    next: bool,
}

/// The page itself, which has its events from the relative address `events`.
#[must_use]
pub fn page(title: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let written = head(title, "; connect-src 'self'", &mut out);
    debug_assert!(written.is_ok(), "memory takes all");
    out.extend_from_slice(
        b"<main id=\"page\" data-live=\"events\">\n<noscript><p>This page needs JavaScript. \
          <code>whypause watch</code> shows the same on a terminal.</p></noscript>\n</main>\n<script>",
    );
    out.extend_from_slice(super::SCRIPT.as_bytes());
    out.extend_from_slice(b"</script>\n</body>\n</html>\n");
    out
}

/// The page of recordings that were kept, in a file of its own: the same as a live page that had all these events
/// ([`pause`] and [`stall`], by time) and got no more.
///
/// # Errors
///
/// Those of `out`.
pub fn kept_page(
    watched: &Watched,
    (pauses, stalls): (&[String], &[String]),
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(&watched.title, "", out)?;
    out.write_all(
        b"<main id=\"page\">\n<noscript><p>This page needs JavaScript. <code>whypause explain</code> lists the \
          same on a terminal.</p></noscript>\n</main>\n<script type=\"application/json\" id=\"kept\">",
    )?;
    let texts = pauses.iter().chain(stalls).map(String::as_str);
    let words = glossary::of(texts.chain(["pause", "stall"]));
    let data = format!(
        "{{\"hello\":{},\"pauses\":[{}],\"stalls\":[{}]}}",
        hello_with(watched, options, words),
        pauses.join(","),
        stalls.join(",")
    );
    out.write_all(data.replace('<', "\\u003c").as_bytes())?;
    out.write_all(b"</script>\n<script>")?;
    out.write_all(super::SCRIPT.as_bytes())?;
    out.write_all(b"</script>\n</body>\n</html>\n")
}

/// The event `hello`.
#[must_use]
pub fn hello(watched: &Watched, options: &Options) -> String {
    hello_with(watched, options, glossary::all())
}

fn hello_with(watched: &Watched, options: &Options, words: Vec<Meaning>) -> String {
    let since = jiff::Timestamp::from_millisecond(watched.since_wall_ms).ok();
    let zone = since.map(|at| options.zone.to_offset(at).seconds() / 60).filter(|it| *it != 0);
    let pages = diagnose::causes().iter().map(|it| (it.id, numbered::chapters(&it.page())));
    json(&Hello {
        version: env!("CARGO_PKG_VERSION"),
        title: &watched.title,
        limit_ms: watched.limit.as_secs_f64() * 1e3,
        since_wall_ms: watched.since_wall_ms,
        zone_minutes: zone,
        kept_ms: watched.kept.as_secs_f64() * 1e3,
        opened: watched.opened,
        pages: pages.collect(),
        words,
    })
}

/// The event `pause` of a pause.
#[derive(Clone, Debug)]
pub struct PauseEvent {
    /// Without what its threads did, which is a hundred times as large as the rest.
    pub brief: String,
    /// With that, where it is known.
    pub whole: Option<String>,
}

/// The event of the pause at `at` in a diagnosis that should be of this pause alone; `None` where there
/// is none. `jvm`: whose it is, where several are watched.
#[must_use]
pub fn pause(
    diagnosis: &Diagnosis,
    at: usize,
    jvm: Option<&str>,
    options: &Options,
) -> Option<PauseEvent> {
    let attribution = diagnosis.pauses.get(at)?;
    let view = View::new(diagnosis, options);
    let mut causes = Numbered::default();
    let mut one = std::slice::from_ref(attribution);
    // Pauses that are in memory are always given.
    let pauses = columns::of(diagnosis, &mut one, options, &mut causes).unwrap_or_default();
    let opened = diagnosis.opened.iter().find(|it| it.pause == at);
    let opened = opened.map(|it| opened::opened(diagnosis, it, 0, &attribution.pause, &mut causes));
    let findings = view.findings.iter().map(|it| finding::finding(it, &mut causes)).collect();
    let plain = Options { style: crate::Style::PLAIN, ..options.clone() };
    let mut event = LivePause {
        line: clean(line::render(diagnosis, attribution, &plain).trim_end()),
        jvm: jvm.map(clean),
        causes: causes.brief(),
        pauses,
        findings,
        opened: Vec::new(),
    };
    let brief = json(&event);
    event.opened.extend(opened);
    let whole = (!event.opened.is_empty()).then(|| json(&event));
    Some(PauseEvent { brief, whole })
}

/// The event `stall` of threads that stood while the JVM ran, of which a diagnosis of this episode alone tells;
/// `None` where the time of day is not known. `jvm`: as of [`pause`].
#[must_use]
pub fn stall(
    diagnosis: &Diagnosis,
    episode: &Episode,
    jvm: Option<&str>,
    options: &Options,
) -> Option<String> {
    let wall = when::wall(diagnosis.clock, &episode.interval)?;
    #[expect(clippy::cast_precision_loss, reason = "to the microsecond")]
    let origin_wall_ms = (wall.as_nanosecond() / 1_000) as f64 / 1e3;
    let mut causes = Numbered::default();
    let stalls = stalls::one(diagnosis, episode, &mut causes);
    let plain = Options { style: crate::Style::PLAIN, ..options.clone() };
    let view = View::new(diagnosis, options);
    let findings = view.stalls.iter().flat_map(|it| &it.findings);
    let is_of_it = |id: &str| episode.cause.is_some_and(|it| it.id == id);
    let who = findings.filter(|it| is_of_it(it.finding.cause.id)).flat_map(|it| it.who.clone());
    Some(json(&LiveStall {
        line: clean(line::render_stall(diagnosis, episode, &plain).trim_end()),
        jvm: jvm.map(clean),
        origin_wall_ms,
        stalls,
        who: who.collect(),
        causes: causes.brief(),
    }))
}

/// The event `end`. With `next` another JVM is awaited, whose page will be at the same address.
#[must_use]
pub fn end(why: &str, next: bool) -> String {
    json(&LiveEnd { why, next })
}

pub(super) fn json(it: &impl Serialize) -> String {
    // Maps with text as keys, and no map or number that JSON lacks: it never fails.
    serde_json::to_string(it).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_all_causes_before_it_is_told_of_any() {
        let watched = Watched {
            title: "orders.jar (pid 4242)".into(),
            limit: Duration::from_millis(100),
            since_wall_ms: 1_795_269_761_118,
            kept: Duration::from_secs(3_600),
            opened: 24,
        };
        let hello = hello(&watched, &Options::default());
        let hello: serde_json::Value = serde_json::from_str(&hello).expect("JSON");
        assert_eq!(hello["limit_ms"], 100.0);
        assert_eq!(hello["kept_ms"], 3_600_000.0);
        let pages = hello["pages"].as_object().expect("a map");
        assert_eq!(pages.len(), diagnose::causes().len());
        assert!(hello.to_string().len() < 400_000, "it is sent for each connection");
    }

    #[test]
    fn the_live_page_may_ask_its_own_server_and_no_other() {
        let page = String::from_utf8(page("<b>")).expect("UTF-8");
        assert!(page.contains("; connect-src 'self'\">"), "its own events");
        assert!(page.contains("<title>Pauses of &lt;b&gt;</title>"), "a name is text");
    }
}
