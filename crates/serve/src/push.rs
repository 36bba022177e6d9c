//! Numbers sent to a collector, again and again.
use crate::{body::Answer, sockets::Stream};
use hyper::{
    Method, Request, Uri,
    body::Bytes,
    client::conn::http1,
    header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT},
};
use std::{
    fmt, io,
    net::{SocketAddr, ToSocketAddrs},
    str::FromStr,
    sync::{
        Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::{Duration, SystemTime},
};
use tokio::{net::TcpStream, runtime::Builder, time::timeout};

/// Nothing of an answer but its status and one header is of use: one that goes on, also with `100 Continue`
/// without end, is given up.
const MOST_OF_ANSWER: usize = 64 << 10;
/// How long one attempt may take, from the connection to the answer.
const TIME_FOR_ONE: Duration = Duration::from_secs(10);
/// The same at the end, while the process waits to exit.
const TIME_FOR_LAST: Duration = Duration::from_millis(700);
/// How long a server that stops is waited for; then the process ends without it.
const TIME_TO_STOP: Duration = Duration::from_secs(1);
/// The first wait after a failure; each further one is twice as long.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// The longest wait after a failure, whatever the collector asks for.
const LONGEST_RETRY: Duration = Duration::from_secs(60);
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

/// Why an attempt failed, and when the collector wants to be asked again.
struct Failed {
    why: String,
    again_after: Option<Duration>,
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
        let mut state = State { target, content_type, period, failures: 0 };
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
        wait = match send(&state.target, state.content_type, body(), limit) {
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
                retry_after(state.failures, failed.again_after, jitter())
            }
        };
        if is_last {
            return;
        }
    }
}

/// Twice as long each time, and not all senders at once: `jitter` is from 0 to 1.
fn retry_after(failures: u32, asked: Option<Duration>, jitter: f64) -> Duration {
    let doubled = FIRST_RETRY.saturating_mul(1 << failures.saturating_sub(1).min(10));
    let wait = doubled.max(asked.unwrap_or_default()).min(LONGEST_RETRY);
    wait.mul_f64(1.0 - jitter / 4.0)
}

/// From 0 to 1, as the clock happens to be.
fn jitter() -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    f64::from(now.subsec_micros() % 1000) / 1000.0
}

fn send(
    target: &Target,
    content_type: &'static str,
    body: Vec<u8>,
    limit: Duration,
) -> Result<(), Failed> {
    let failed = |why: String| Failed { why, again_after: None };
    let host = target.host.trim_start_matches('[').trim_end_matches(']');
    let addresses = (host, target.port).to_socket_addrs().map_err(|it| failed(it.to_string()))?;
    let addresses: Vec<SocketAddr> = addresses.collect();
    let runtime = Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|it| failed(it.to_string()))?;
    runtime.block_on(async {
        let sent = timeout(limit, post(target, &addresses, content_type, body)).await;
        sent.unwrap_or_else(|_| Err(failed(format!("no answer within {limit:?}"))))
    })
}

async fn post(
    target: &Target,
    addresses: &[SocketAddr],
    content_type: &'static str,
    body: Vec<u8>,
) -> Result<(), Failed> {
    let failed = |why: &dyn fmt::Display| Failed { why: why.to_string(), again_after: None };
    let mut socket = Err(Failed { why: "the host has no address".into(), again_after: None });
    for address in addresses {
        socket = TcpStream::connect(address).await.map_err(|it| failed(&it));
        if socket.is_ok() {
            break;
        }
    }
    let stream = Stream::new(socket?, TIME_FOR_ONE).reading_at_most(MOST_OF_ANSWER);
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(16 << 10)
        .handshake(stream)
        .await
        .map_err(|it| failed(&it))?;
    let connection = tokio::spawn(connection);
    let request = Request::builder()
        .method(Method::POST)
        .uri(&target.path)
        .header(HOST, format!("{}:{}", target.host, target.port))
        .header(USER_AGENT, concat!("whypause/", env!("CARGO_PKG_VERSION")))
        .header(CONTENT_TYPE, content_type)
        .body(Answer::Whole(Some(Bytes::from(body))))
        .map_err(|it| failed(&it))?;
    let response = sender.send_request(request).await.map_err(|it| failed(&reason(&it)));
    connection.abort();
    let response = response?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    let seconds = response.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok()?.parse().ok());
    Err(Failed { why: status.to_string(), again_after: seconds.map(Duration::from_secs) })
}

/// What an error says, and what was behind it.
fn reason(error: &dyn std::error::Error) -> String {
    let behind = error.source().map_or_else(String::new, |it| format!(": {it}"));
    format!("{error}{behind}")
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

    #[test]
    fn retries_are_ever_rarer_within_bounds() {
        let seconds =
            |n, asked: Option<u64>| retry_after(n, asked.map(Duration::from_secs), 0.0).as_secs();
        assert_eq!(
            [1, 2, 3, 6, 7, 8, u32::MAX].map(|n| seconds(n, None)),
            [1, 2, 4, 32, 60, 60, 60]
        );
        assert_eq!((seconds(1, Some(30)), seconds(1, Some(86_400))), (30, 60));
        assert_eq!(retry_after(1, None, 1.0), Duration::from_millis(750));
    }
}
