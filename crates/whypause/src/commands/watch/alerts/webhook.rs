//! A URL that alerts are sent to, and where it and its key are taken from: both are secrets.
use super::{Delivery, Limit, Refused};
use crate::{
    Failure,
    args::{AlertArgs, Part, WebhookFormat},
    failure::reason,
};
use report::{Event, Receiver};
use serve::{Poster, TlsError, Url};
use std::{
    env,
    fs::File,
    io::{self, Read},
    process::Command,
};

/// The URL, where the option does not have it.
const URL: &str = "WHYPAUSE_WEBHOOK";
/// PagerDuty's routing key.
const KEY: &str = "WHYPAUSE_PAGERDUTY_KEY";
/// A file with a URL and a key has no more.
const MOST_OF_FILE: u64 = 8 << 10;
/// What is sent.
const CONTENT_TYPE: &str = "application/json";

/// Where and how alerts are posted.
#[derive(Debug)]
pub(super) struct Webhook {
    poster: Poster,
    format: WebhookFormat,
    key: String,
    failures: u32,
}

impl Webhook {
    /// The one that the arguments or the environment name.
    pub(super) fn of(args: &AlertArgs) -> Result<Option<Webhook>, Failure> {
        let variable = |name| env::var(name).ok().filter(|it| !it.trim().is_empty());
        let Some(given) = args.webhook.as_ref().map(|it| it.0.clone()).or_else(|| variable(URL))
        else {
            return Ok(None);
        };
        let lines = match given.strip_prefix('@') {
            Some(path) => read(path).map_err(|error| {
                let message =
                    format!("cannot read the webhook's file `{path}`: {}", reason(&error));
                Failure::input(message, "its first line is the URL, its second PagerDuty's key")
            })?,
            None => given,
        };
        let mut lines = lines.lines().map(str::trim);
        let url: Url = lines.next().unwrap_or_default().parse().map_err(|it| {
            Failure::input(format!("`--webhook`: {it}"), "a file of it is given as `@FILE`")
        })?;
        let format = args.webhook_format.unwrap_or_else(|| guessed(url.host()));
        let key = lines.next().filter(|it| !it.is_empty()).map(str::to_owned);
        let key = key.or_else(|| variable(KEY)).unwrap_or_default();
        if format == WebhookFormat::Pagerduty && key.is_empty() {
            return Err(Failure::input(
                "PagerDuty takes a routing key, and there is none",
                format!(
                    "set {KEY}, or write it into the second line of the file of `--webhook @FILE`"
                ),
            ));
        }
        let poster = Poster::new(url).map_err(|it| failure(&it))?;
        Ok(Some(Webhook { poster, format, key: key.trim().to_owned(), failures: 0 }))
    }

    /// Scheme and host.
    pub(super) fn name(&self) -> String {
        match self.format {
            WebhookFormat::Json => format!("`{}`", self.poster.url()),
            format => format!("`{}` ({format})", self.poster.url()),
        }
    }
}

impl Delivery for Webhook {
    fn deliver(&mut self, event: &Event, left_out: u64, limit: &Limit<'_>) -> Result<(), Refused> {
        let receiver = match self.format {
            WebhookFormat::Json => Receiver::Json,
            WebhookFormat::Slack => Receiver::Slack,
            WebhookFormat::Pagerduty => Receiver::PagerDuty(&self.key),
        };
        let body = event.alert(receiver, left_out).into_bytes();
        match self.poster.post(CONTENT_TYPE, body, limit.left()) {
            Ok(()) => {
                self.failures = 0;
                Ok(())
            }
            Err(failed) => {
                self.failures = self.failures.saturating_add(1);
                let again_after = (!failed.is_final).then(|| failed.wait(self.failures));
                Err(Refused { why: failed.why, again_after })
            }
        }
    }
}

/// A part of a watch that watches a JVM gets the URL that was an argument in its environment, which other users
/// cannot read; the one that looks for a JVM gets none of the secrets.
pub(super) fn give(args: &AlertArgs, part: Part, command: &mut Command) {
    if part == Part::Find {
        command.env_remove(URL).env_remove(KEY);
    } else if let Some(url) = args.webhook.as_ref().filter(|it| !it.0.starts_with('@')) {
        command.env(URL, &url.0);
    }
}

/// What the host of a URL takes.
fn guessed(host: &str) -> WebhookFormat {
    let host = host.to_ascii_lowercase();
    let is_of = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
    if is_of("slack.com") {
        WebhookFormat::Slack
    } else if is_of("pagerduty.com") {
        WebhookFormat::Pagerduty
    } else {
        WebhookFormat::Json
    }
}

fn read(path: &str) -> io::Result<String> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut text = String::new();
    file.take(MOST_OF_FILE).read_to_string(&mut text)?;
    Ok(text)
}

fn failure(error: &TlsError) -> Failure {
    let hint = match error {
        TlsError::NoRoots => {
            "install ca-certificates, or name a file with certificates in SSL_CERT_FILE"
        }
        TlsError::Name(_) | TlsError::Library(_) => "",
    };
    Failure::input(error.to_string(), hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Secret;

    fn of(text: &str) -> Result<Option<Webhook>, Failure> {
        Webhook::of(&AlertArgs { webhook: Some(Secret(text.to_owned())), ..AlertArgs::default() })
    }

    #[track_caller]
    fn refused(text: &str) -> String {
        match of(text) {
            Err(Failure::Said { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_has_the_url_and_the_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let given = format!("@{}", file.path().display());
        std::fs::write(file.path(), "http://127.0.0.1:9/hush\nKEY\n").unwrap();
        let webhook = of(&given).unwrap().unwrap();
        assert_eq!((&*webhook.name(), &*webhook.key), ("`http://127.0.0.1:9`", "KEY"));
        std::fs::write(file.path(), "").unwrap();
        assert!(refused(&given).contains("no URL to send to"));
        assert!(refused("@/dev/zero").contains("no regular file"));
        assert!(refused("@/nonexistent/x").contains("`/nonexistent/x`: no such file"));
    }

    #[test]
    fn no_message_has_what_may_be_a_secret() {
        for text in ["hush", "ftp://host/hush", "https://me:hush@host/", "http://host/hush\n\n"] {
            match of(text) {
                Ok(webhook) => assert!(!format!("{webhook:?}").contains("hush"), "{text}"),
                Err(failure) => assert!(!format!("{failure:?}").contains("hush"), "{text}"),
            }
        }
    }

    #[test]
    fn the_format_is_that_of_the_host() {
        assert_eq!(guessed("hooks.slack.com"), WebhookFormat::Slack);
        assert_eq!(guessed("Events.EU.PagerDuty.com"), WebhookFormat::Pagerduty);
        assert_eq!(guessed("notslack.com"), WebhookFormat::Json);
        assert_eq!(guessed("slack.com.example.org"), WebhookFormat::Json);
    }

    #[test]
    fn the_part_that_looks_for_a_jvm_gets_no_secret() {
        let args =
            AlertArgs { webhook: Some(Secret("http://h/hush".into())), ..AlertArgs::default() };
        let given = |part| {
            let mut command = spawn::command("x");
            give(&args, part, &mut command);
            let variables = command.get_envs();
            variables.map(|it| it.1.map(|it| it.to_string_lossy().into_owned())).collect::<Vec<_>>()
        };
        assert_eq!(given(Part::Find), [None, None]);
        assert_eq!(given(Part::One), [Some("http://h/hush".to_owned())]);
    }
}
