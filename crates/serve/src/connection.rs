//! One connection: a request, its answer, and no more.
use crate::{
    Request, Response,
    body::{Answer, Stream as Events},
    open::Open,
    request::Hosts,
    route::Route,
    sockets::{Clock, Stream},
};
use hyper::{
    HeaderMap, Method, StatusCode,
    body::{Bytes, Incoming},
    header::{self, HeaderName, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use rustix::net::sockopt::set_tcp_user_timeout;
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// A request has to be there by then.
pub(crate) const TIME_TO_ASK: Duration = Duration::from_secs(5);
/// Who wants events where too many have some asks again after this.
const WHEN_FULL: Duration = Duration::from_secs(60);
/// How long a client may take nothing of its answer.
const TIME_TO_TAKE: Duration = Duration::from_secs(10);
/// How long a whole answer may be under way, however slowly it is taken.
pub(crate) const TIME_TO_ANSWER: Duration = Duration::from_secs(30);
/// A client whose host acknowledges nothing for this many milliseconds is gone. On a stream of events it is
/// sent something each [`HEARTBEAT`](crate::body::HEARTBEAT); the kernel would retry for a quarter
/// of an hour.
const GONE_AFTER_MS: u32 = 30_000;
/// Longer headers are refused; the least that the HTTP library can be limited to is 8 KiB.
const MAX_HEADER_BYTES: usize = 16 << 10;
/// More headers are refused.
const MAX_HEADERS: usize = 64;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) hosts: Hosts,
    pub(crate) routes: Vec<Route>,
    /// Places for streams of events, which last.
    pub(crate) streams: Arc<Semaphore>,
    /// Those that end where others want their places.
    pub(crate) open: Open,
}

/// Answers one request, and gives the place among the connections back.
pub(crate) async fn answer(
    socket: TcpStream,
    shared: Arc<Shared>,
    place: OwnedSemaphorePermit,
    id: u64,
) {
    prepare(&socket);
    let lasts = AtomicBool::new(false);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let response = shared.respond(request.method(), request.uri(), request.headers());
        let is_stream = matches!(response.body(), Answer::Events(_));
        lasts.store(is_stream, Relaxed);
        shared.open.has_asked(id, is_stream);
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let mut http = http1::Builder::new();
    http.timer(Clock)
        .header_read_timeout(TIME_TO_ASK)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_headers(MAX_HEADERS)
        .keep_alive(false)
        .half_close(false);
    let connection = http.serve_connection(Stream::new(socket, TIME_TO_TAKE), service);
    let mut connection = std::pin::pin!(connection);
    let whole = timeout(TIME_TO_ANSWER, connection.as_mut()).await;
    if whole.is_err() && lasts.load(Relaxed) {
        // A client that does not take its events is found out by `TIME_TO_TAKE`.
        let _ = connection.await;
    }
    drop(place);
}

/// What a connection does better with; without it all works.
fn prepare(socket: &TcpStream) {
    // A stream's events are small and shall be there at once.
    let _ = socket.set_nodelay(true);
    let _ = set_tcp_user_timeout(socket, GONE_AFTER_MS);
}

impl Shared {
    fn respond(
        &self,
        method: &Method,
        uri: &hyper::Uri,
        headers: &HeaderMap,
    ) -> hyper::Response<Answer> {
        if let Some(refusal) = self.hosts.refusal(method, uri, headers) {
            return refused(refusal);
        }
        let request = Request { uri, headers };
        let found =
            self.routes.iter().find(|it| same(it.path.as_bytes(), request.path().as_bytes()));
        match found.map_or(Response::NotFound, |it| (it.handler)(&request)) {
            Response::NotFound => refused(StatusCode::NOT_FOUND),
            Response::Busy(wait) => busy(wait),
            Response::Bytes { content_type, body } => {
                with(StatusCode::OK, content_type, Answer::Whole(Some(Bytes::from(body))))
            }
            Response::Events(events) => {
                let body = match self.streams.clone().try_acquire_owned() {
                    Ok(_) if method == Method::HEAD => Answer::Whole(None),
                    Ok(place) => Answer::Events(Events::new(events, place)),
                    Err(_) => return busy(WHEN_FULL),
                };
                with(StatusCode::OK, "text/event-stream", body)
            }
        }
    }
}

/// Whether two paths are the same, in a time that says nothing of where they differ: a path may hold a
/// secret.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn refused(status: StatusCode) -> hyper::Response<Answer> {
    let body = format!("{status}\n");
    let mut response =
        with(status, "text/plain; charset=utf-8", Answer::Whole(Some(Bytes::from(body))));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// There is no room.
fn busy(wait: Duration) -> hyper::Response<Answer> {
    let mut response = refused(StatusCode::SERVICE_UNAVAILABLE);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs()));
    response
}

/// With what keeps a browser from guessing, storing, framing or passing on what it got.
fn with(status: StatusCode, content_type: &'static str, body: Answer) -> hyper::Response<Answer> {
    let mut response = hyper::Response::new(body);
    *response.status_mut() = status;
    let headers: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::sockopt::tcp_user_timeout;
    use tokio::net::TcpListener;

    /// It kept its place on the page until the kernel had tried for a quarter of an hour.
    #[test]
    fn a_browser_that_vanishes_is_gone_after_half_a_minute() {
        let builder = &mut tokio::runtime::Builder::new_current_thread();
        builder.enable_io().build().unwrap().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let _browser = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (socket, _) = listener.accept().await.unwrap();
            assert_eq!(tcp_user_timeout(&socket), Ok(0), "as long as the kernel likes");
            prepare(&socket);
            assert_eq!(tcp_user_timeout(&socket), Ok(30_000));
        });
    }
}
