//! Numbers sent to a collector, again and again.
use crate::{
    Poster, Url,
    post::{FIRST_RETRY, TIME_FOR_ONE},
};
use hyper::Uri;
use std::{
    fmt, io,
    str::FromStr,
    sync::{
        Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::Duration,
};

/// The same at the end, while the process waits to exit.
const TIME_FOR_LAST: Duration = Duration::from_millis(700);
/// How long a server that stops is waited for; then the process ends without it.
const TIME_TO_STOP: Duration = Duration::from_secs(1);
/// The port of OTLP over HTTP where none is given.
const PORT: u16 = 4318;
/// The path of metrics where none is given.
const PATH: &str = "/v1/metrics";

/// Where to send to: `http://HOST[:PORT][/PATH]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    host: String,
    port: u16,
    path: String,
}

/// Why a text is no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It would have to be encrypted.
    #[error(
        "only http:// can be sent to: give a collector of this host, such as http://127.0.0.1:4318, and let it encrypt"
    )]
    NotHttp,
    /// It is none.
    #[error("`{0}` is no URL to send to: give one such as http://127.0.0.1:4318")]
    NoUrl(String),
}

impl FromStr for Target {
    type Err = TargetError;

    /// Without a port it is 4318, without a path `/v1/metrics`.
    fn from_str(text: &str) -> Result<Target, TargetError> {
        let no_url = || TargetError::NoUrl(text.chars().take(80).collect());
        let uri: Uri = text.parse().map_err(|_| no_url())?;
        match uri.scheme_str() {
            Some("http") => {}
            Some(_) => return Err(TargetError::NotHttp),
            None => return Err(no_url()),
        }
        let authority = uri.authority().ok_or_else(no_url)?;
        // A password in a command line is for everybody to read.
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(no_url());
        }
        let path = uri.path_and_query().map_or("/", |it| it.as_str());
        Ok(Target {
            host: authority.host().to_owned(),
            port: authority.port_u16().unwrap_or(PORT),
            path: if path == "/" { PATH } else { path }.to_owned(),
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "http://{}:{}{}", self.host, self.port, self.path)
    }
}

/// Sends until it is dropped, in a thread of its own.
#[derive(Debug)]
pub struct Push {
    stop: Option<Sender<()>>,
    stopped: Mutex<Receiver<()>>,
}

impl Push {
    /// Sends what `body` makes to `target` as `content_type`, every `period` and once at the end.
    ///
    /// What could not be sent is not kept: the next body is to have all of it, as sums have. `report` gets
    /// a line where it begins to fail and where it works again.
    ///
    /// # Errors
    ///
    /// Where the kernel refuses a thread.
    pub fn start(
        target: Target,
        content_type: &'static str,
        period: Duration,
        mut body: impl FnMut() -> Vec<u8> + Send + 'static,
        mut report: impl FnMut(&str) + Send + 'static,
    ) -> io::Result<Push> {
        let (stop, stopping) = channel();
        let (end, stopped) = sync_channel::<()>(1);
        let poster = Poster::plain(Url::plain(&target.host, target.port, &target.path));
        let mut state = State { target, poster, content_type, period, failures: 0 };
        thread::Builder::new().name("whypause-push".into()).spawn(move || {
            crate::server::give_up_rights();
            work(&mut state, &stopping, &mut body, &mut report);
            drop::<SyncSender<()>>(end);
        })?;
        Ok(Push { stop: Some(stop), stopped: Mutex::new(stopped) })
    }
}

impl Drop for Push {
    /// Sends once more, for less than a second.
    fn drop(&mut self) {
        drop(self.stop.take());
        // A name that is being looked up cannot be interrupted; nobody waits for that.
        if let Ok(stopped) = self.stopped.get_mut() {
            let _ = stopped.recv_timeout(TIME_TO_STOP);
        }
    }
}

struct State {
    target: Target,
    poster: Poster,
    content_type: &'static str,
    period: Duration,
    failures: u32,
}

fn work(
    state: &mut State,
    stopping: &Receiver<()>,
    body: &mut dyn FnMut() -> Vec<u8>,
    report: &mut dyn FnMut(&str),
) {
    // That it does not work is said soon.
    let mut wait = state.period.min(FIRST_RETRY);
    loop {
        let is_last = stopping.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
        let limit = if is_last { TIME_FOR_LAST } else { TIME_FOR_ONE };
        wait = match state.poster.post(state.content_type, body(), limit) {
            Ok(()) => {
                if std::mem::take(&mut state.failures) > 0 {
                    report(&format!("metrics are sent to `{}` again", state.target));
                }
                state.period
            }
            Err(failed) => {
                if state.failures == 0 {
                    report(&format!("cannot send metrics to `{}`: {}", state.target, failed.why));
                }
                state.failures += 1;
                failed.wait(state.failures)
            }
        };
        if is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let read = text.parse::<Target>();
        let read = read.map_or_else(|it| it.to_string(), |it| it.to_string());
        assert!(read.starts_with(wanted), "{text}: {read}");
    }

    #[test]
    fn a_base_gets_the_port_and_path_of_the_protocol() {
        check("http://collector", "http://collector:4318/v1/metrics");
        check("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/metrics");
        check("http://[::1]:9/a/b?c=d", "http://[::1]:9/a/b?c=d");
    }

    #[test]
    fn nothing_else_is_sent_to() {
        check("https://collector:4318", "only http:// can be sent to");
        for text in ["collector:4318", "http://", "", "http://user:word@collector", "/v1/metrics"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
