//! One text sent by HTTP, with or without TLS, to a receiver that may be slow, dead or hostile.
use crate::{TlsError, Url, body::Answer, sockets::Stream, tls};
use hyper::{
    Method, Request,
    body::Bytes,
    client::conn::http1,
    header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT},
};
use std::{
    fmt,
    net::{SocketAddr, ToSocketAddrs},
    time::{Duration, SystemTime},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    runtime::Builder,
    time::timeout,
};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};

/// Nothing of an answer but its status and one header is of use: one that goes on, also with `100 Continue`
/// without end, is given up.
const MOST_OF_ANSWER: usize = 64 << 10;
/// How long one attempt may take, from the connection to the answer.
pub(crate) const TIME_FOR_ONE: Duration = Duration::from_secs(10);
/// The first wait after a failure; each further one is twice as long.
pub(crate) const FIRST_RETRY: Duration = Duration::from_secs(1);
/// The longest wait after a failure, whatever the receiver asks for.
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// Sends to one URL.
pub struct Poster {
    url: Url,
    /// Whose certificate is expected, and how it is checked.
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl fmt::Debug for Poster {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Poster").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Why an attempt failed, and when the receiver wants to be asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// For people: nothing of it was chosen by the receiver, unless it is a name in its certificate.
    pub why: String,
    /// Whether the same again would be refused again.
    pub is_final: bool,
    again_after: Option<Duration>,
}

impl Failed {
    fn new(why: impl fmt::Display) -> Failed {
        Failed { why: why.to_string(), is_final: false, again_after: None }
    }

    /// How long to wait before the next attempt, after this many failures in a row.
    #[must_use]
    pub fn wait(&self, failures: u32) -> Duration {
        retry_after(failures, self.again_after, jitter())
    }
}

impl Poster {
    /// One that sends to `url`. For TLS it reads which authorities this host trusts, now.
    ///
    /// # Errors
    ///
    /// [`TlsError`], where the URL is one of TLS.
    pub fn new(url: Url) -> Result<Poster, TlsError> {
        let connector = url.is_secure().then(tls::connector).transpose()?;
        Poster::with(url, connector)
    }

    /// One that sends without TLS.
    pub(crate) fn plain(url: Url) -> Poster {
        Poster { url, tls: None }
    }

    fn with(url: Url, connector: Option<TlsConnector>) -> Result<Poster, TlsError> {
        let name = |connector| {
            let name = ServerName::try_from(url.host().to_owned());
            name.map(|it| (connector, it)).map_err(|_| TlsError::Name(url.host().to_owned()))
        };
        let tls = connector.map(name).transpose()?;
        Ok(Poster { url, tls })
    }

    /// Where it sends to.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Sends `body`, which may take this long once the address of the host is known. No redirect is followed.
    ///
    /// # Errors
    ///
    /// [`Failed`], where it is not known that the receiver has taken it.
    pub fn post(
        &self,
        content_type: &'static str,
        body: Vec<u8>,
        limit: Duration,
    ) -> Result<(), Failed> {
        let addresses = (self.url.host(), self.url.port()).to_socket_addrs();
        let addresses: Vec<SocketAddr> = addresses.map_err(Failed::new)?.collect();
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        runtime.map_err(Failed::new)?.block_on(async {
            let sent = timeout(limit, self.send(&addresses, content_type, body)).await;
            sent.unwrap_or_else(|_| {
                Err(Failed::new(format!("no answer within {:?}", whole(limit))))
            })
        })
    }

    async fn send(
        &self,
        addresses: &[SocketAddr],
        content_type: &'static str,
        body: Vec<u8>,
    ) -> Result<(), Failed> {
        let mut socket = Err(Failed::new("the host has no address"));
        for address in addresses {
            socket = TcpStream::connect(address).await.map_err(Failed::new);
            if socket.is_ok() {
                break;
            }
        }
        let socket = socket?;
        match &self.tls {
            None => self.ask(socket, content_type, body).await,
            Some((connector, name)) => {
                let secured = connector.connect(name.clone(), socket).await;
                self.ask(secured.map_err(Failed::new)?, content_type, body).await
            }
        }
    }

    async fn ask<S>(
        &self,
        socket: S,
        content_type: &'static str,
        body: Vec<u8>,
    ) -> Result<(), Failed>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let stream = Stream::new(socket, TIME_FOR_ONE).reading_at_most(MOST_OF_ANSWER);
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(16 << 10)
            .handshake(stream)
            .await
            .map_err(Failed::new)?;
        let connection = tokio::spawn(connection);
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.url.path())
            .header(HOST, self.url.authority())
            .header(USER_AGENT, concat!("whypause/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, content_type)
            .body(Answer::Whole(Some(Bytes::from(body))))
            .map_err(Failed::new)?;
        let response = sender.send_request(request).await;
        connection.abort();
        let response = response.map_err(|it| Failed::new(reason(&it)))?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|it| it.to_str().ok()?.parse().ok());
        let to = if status.is_redirection() { ", and no redirect is followed" } else { "" };
        Err(Failed {
            why: format!("{status}{to}"),
            is_final: !(status.is_server_error() || matches!(status.as_u16(), 408 | 429)),
            again_after: seconds.map(Duration::from_secs),
        })
    }
}

/// To the millisecond.
fn whole(limit: Duration) -> Duration {
    let millis = (limit + Duration::from_micros(500)).as_millis();
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
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

/// What an error says, and what was behind it.
fn reason(error: &dyn std::error::Error) -> String {
    let behind = error.source().map_or_else(String::new, |it| format!(": {it}"));
    format!("{error}{behind}")
}

#[cfg(test)]
mod tests;
