//! One pause, or one episode of stalled threads, as it ended, for other programs: as an object, and as what
//! Slack and PagerDuty take. Another receiver with a form of its own is added here.
use crate::{
    clean::{clean, clean_name},
    json, line, when,
};
use diagnose::{Attribution, Diagnosis, Episode};
use serde::Serialize;
use std::time::Duration;

/// Characters of a sentence that a chat or a pager gets, before they are escaped.
const MOST_OF_SENTENCE: usize = 900;
/// Characters of a name that others have chosen.
const MOST_OF_NAME: usize = 80;
/// Bytes of the object that PagerDuty gets: it refuses an event of more than 512 KB.
const MOST_OF_DETAILS: usize = 256 << 10;

/// What has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// One line, without a line end.
    object: String,
    length: Duration,
    is_stall: bool,
    host: String,
    main: String,
    pid: u32,
    /// Id of what most of it is attributed to; empty where there is none.
    cause: &'static str,
    text: String,
    start: Option<String>,
}

/// In which form an event is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver<'a> {
    /// The object itself.
    Json,
    /// An incoming webhook of Slack, or of what takes the same: Mattermost, Rocket.Chat.
    Slack,
    /// Events API v2 of PagerDuty, with its routing key.
    PagerDuty(&'a str),
}

impl Event {
    /// The pause of a diagnosis of it alone. `host` may be shown already; it is empty where it is not known.
    #[must_use]
    pub fn pause(of: &Diagnosis, it: &Attribution, host: &str) -> Event {
        let text = clean(&line::sentence(of, it));
        Event {
            object: json::pause_event(of, it, host, &text),
            length: it.pause.duration,
            is_stall: false,
            cause: it.parts.first().map_or("", |it| it.cause.id),
            start: when::rfc3339(of.clock, &it.pause),
            ..Event::of(of, host, text)
        }
    }

    /// The episode of stalled threads of a diagnosis of it alone; likewise.
    #[must_use]
    pub fn stall(of: &Diagnosis, it: &Episode, host: &str) -> Event {
        let text = clean(&line::sentence_of_stall(of, it));
        Event {
            object: json::stall_event(of, it, host, &text),
            length: it.longest(),
            is_stall: true,
            cause: it.cause.map_or("", |it| it.id),
            start: when::rfc3339(of.clock, &it.interval),
            ..Event::of(of, host, text)
        }
    }

    fn of(of: &Diagnosis, host: &str, text: String) -> Event {
        let main = if of.jvm.main.is_empty() { "java" } else { &of.jvm.main };
        Event {
            object: String::new(),
            length: Duration::ZERO,
            is_stall: false,
            host: clean_name(host, MOST_OF_NAME),
            main: clean_name(main, MOST_OF_NAME),
            pid: of.jvm.pid,
            cause: "",
            text,
            start: None,
        }
    }

    /// How long the application was stopped, or the longest of the threads stood.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.length
    }

    /// The object on one line, with a line end.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}\n", self.object)
    }

    /// What `receiver` gets, where `left_out` others were left out since it got the last one.
    #[must_use]
    pub fn alert(&self, receiver: Receiver<'_>, left_out: u64) -> String {
        match receiver {
            Receiver::Json => self.object_with(left_out),
            Receiver::Slack => {
                let text = escaped_for_slack(&self.sentence(left_out));
                json::on_one_line(&Slack { text, mrkdwn: false })
            }
            Receiver::PagerDuty(key) => json::on_one_line(&self.for_pagerduty(key, left_out)),
        }
    }

    /// It is the last of the object's fields: of the event that is sent in the end it is known only then.
    fn object_with(&self, left_out: u64) -> String {
        let open = self.object.strip_suffix('}').unwrap_or_default();
        format!("{open},\"left_out\":{left_out}}}")
    }

    /// `orders (pid 4242) on db-1: 3.36 s stopped: 3.35 s GC log write blocked · … (12 more left out)`.
    fn sentence(&self, left_out: u64) -> String {
        let on = if self.host.is_empty() { String::new() } else { format!(" on {}", self.host) };
        let more = match left_out {
            0 => String::new(),
            n => format!(" ({n} more since the last alert)"),
        };
        let text = format!("{} (pid {}){on}: {}", self.main, self.pid, self.text);
        let text = match text.char_indices().nth(MOST_OF_SENTENCE) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        text + &more
    }

    fn for_pagerduty<'a>(&'a self, key: &'a str, left_out: u64) -> PagerDuty<'a> {
        let whole = (self.object.len() <= MOST_OF_DETAILS).then(|| self.object_with(left_out));
        let whole = whole.and_then(|it| serde_json::from_str(&it).ok());
        let cause = if self.cause.is_empty() { "unexplained" } else { self.cause };
        PagerDuty {
            routing_key: key,
            event_action: "trigger",
            dedup_key: format!("whypause/{}/{}/{cause}", self.host, self.main),
            client: "whypause",
            payload: Payload {
                summary: self.sentence(left_out),
                source: if self.host.is_empty() { &self.main } else { &self.host },
                severity: if self.is_stall { "warning" } else { "error" },
                timestamp: self.start.as_deref(),
                component: &self.main,
                class: cause,
                custom_details: whole.unwrap_or_else(|| self.text.clone().into()),
            },
        }
    }
}

/// <https://api.slack.com/messaging/webhooks>.
#[derive(Serialize)]
struct Slack {
    text: String,
    /// Whether signs such as `*` are markup.
    mrkdwn: bool,
}

/// What stands for mentions, links and entities otherwise
/// (<https://api.slack.com/reference/surfaces/formatting#escaping>).
fn escaped_for_slack(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// <https://developer.pagerduty.com/docs/events-api-v2/trigger-events/>.
#[derive(Serialize)]
struct PagerDuty<'a> {
    routing_key: &'a str,
    event_action: &'static str,
    /// The same for all with one cause in JVMs of one name on one host: they are one incident.
    dedup_key: String,
    client: &'static str,
    payload: Payload<'a>,
}

#[derive(Serialize)]
struct Payload<'a> {
    summary: String,
    source: &'a str,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    component: &'a str,
    class: &'a str,
    custom_details: serde_json::Value,
}
