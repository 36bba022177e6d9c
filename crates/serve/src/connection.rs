//! One connection: a request, its answer, and no more.
use crate::{
    Request, Response,
    body::{Answer, Stream as Events},
    request::Hosts,
    server::Route,
    sockets::{Clock, Stream},
};
use hyper::{
    HeaderMap, Method, StatusCode,
    body::{Bytes, Incoming},
    header::{self, HeaderName, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
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
const TIME_TO_ASK: Duration = Duration::from_secs(5);
/// How long a client may take nothing of its answer.
const TIME_TO_TAKE: Duration = Duration::from_secs(10);
/// How long a whole answer may be under way, however slowly it is taken.
const TIME_TO_ANSWER: Duration = Duration::from_secs(30);
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
}

/// Answers one request, and gives the place among the connections back.
pub(crate) async fn answer(socket: TcpStream, shared: Arc<Shared>, place: OwnedSemaphorePermit) {
    // A stream's events are small and shall be there at once. Without it all works.
    let _ = socket.set_nodelay(true);
    let lasts = AtomicBool::new(false);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let response = shared.respond(request.method(), request.uri(), request.headers());
        lasts.store(matches!(response.body(), Answer::Events(_)), Relaxed);
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
            Response::Bytes { content_type, body } => {
                with(StatusCode::OK, content_type, Answer::Whole(Some(Bytes::from(body))))
            }
            Response::Events(events) => {
                let body = match self.streams.clone().try_acquire_owned() {
                    Ok(_) if method == Method::HEAD => Answer::Whole(None),
                    Ok(place) => Answer::Events(Events::new(events, place)),
                    Err(_) => return refused(StatusCode::SERVICE_UNAVAILABLE),
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
