//! What `watch` sends of pauses and stalls to other programs, and which secrets it takes for that.
use super::duration;
use clap::{Args, ValueEnum};
use std::{fmt, time::Duration};

const DAY: Duration = Duration::from_secs(86_400);

/// Which alerts are sent, and how often.
#[derive(Clone, Debug, Default, Args)]
pub struct AlertArgs {
    /// Start this command for pauses and stalls, with a JSON object on its standard input, as in --json; words are
    /// split as a shell does it, nothing is expanded, and no shell is used. It has 10 s and no capabilities
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// POST the same object to this URL: `http://` or `https://`. A file has it in its first line
    /// [default: $WHYPAUSE_WEBHOOK]
    #[arg(long, value_name = "URL|@FILE")]
    pub webhook: Option<Secret>,
    /// What the webhook takes; PagerDuty's routing key is $WHYPAUSE_PAGERDUTY_KEY, or in the second line of the
    /// file [default: by the host in the URL]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub webhook_format: Option<WebhookFormat>,
    /// Send no more than one alert in this time, from 100ms to 1d; the longest of those that came meanwhile is
    /// sent, with the number of the others [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_every)]
    pub alert_every: Option<Duration>,
    /// Send alerts of pauses and stalls of at least this, from 1ms to 7d [default: that of --over]
    #[arg(long, value_name = "TIME", value_parser = super::parse_watch_over)]
    pub alert_over: Option<Duration>,
}

/// What a webhook takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WebhookFormat {
    /// The object itself
    Json,
    /// An incoming webhook of Slack, or of what takes the same
    Slack,
    /// Events API v2 of PagerDuty
    Pagerduty,
}

impl WebhookFormat {
    fn id(self) -> &'static str {
        match self {
            WebhookFormat::Json => "json",
            WebhookFormat::Slack => "slack",
            WebhookFormat::Pagerduty => "pagerduty",
        }
    }
}

impl fmt::Display for WebhookFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}

/// A text that is in no message.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl From<&str> for Secret {
    fn from(text: &str) -> Secret {
        Secret(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a secret")
    }
}

impl AlertArgs {
    /// The same as arguments for a part of this program, without what may be a secret.
    pub(crate) fn words(&self) -> Vec<String> {
        let file = self.webhook.as_ref().filter(|it| it.0.starts_with('@'));
        let millis = |it: Duration| format!("{}ms", it.as_millis().max(1));
        let options = [
            ("exec", self.exec.clone()),
            ("webhook", file.map(|it| it.0.clone())),
            ("webhook-format", self.webhook_format.map(|it| it.id().to_owned())),
            ("alert-every", self.alert_every.map(millis)),
            ("alert-over", self.alert_over.map(millis)),
        ];
        let word = |(name, value): (&str, Option<String>)| value.map(|it| format!("--{name}={it}"));
        options.into_iter().filter_map(word).collect()
    }
}

fn parse_every(text: &str) -> Result<Duration, String> {
    duration::parse_within(text, &(Duration::from_millis(100)..=DAY))
}
