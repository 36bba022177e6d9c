//! What is asked, who may ask, and what is answered. Who may is decided here alone.
use crate::EventReceiver;
use hyper::{
    HeaderMap, Method, StatusCode, Uri,
    header::{HOST, HeaderName, ORIGIN},
};
use std::{net::IpAddr, time::Duration};

/// The parts of a request that a route sees.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
}

impl<'a> Request<'a> {
    /// The path, as it was sent: nothing in it is decoded.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.uri.path()
    }

    /// What is behind `?`; empty where nothing is.
    #[must_use]
    pub fn query(&self) -> &'a str {
        self.uri.query().unwrap_or_default()
    }

    /// The value of a header, by its name in small letters; `None` where it is missing or not text.
    #[must_use]
    pub fn header(&self, name: &'static str) -> Option<&'a str> {
        self.headers.get(HeaderName::from_static(name))?.to_str().ok()
    }
}

/// What a route answers.
#[derive(Debug)]
pub enum Response {
    /// All of it.
    Bytes {
        /// Its media type.
        content_type: &'static str,
        /// The bytes.
        body: Vec<u8>,
    },
    /// Server-sent events until the sender is dropped or the reader goes.
    Events(EventReceiver),
    /// No capacity now; the client should retry after this time.
    Busy(Duration),
    /// There is nothing here, as for a path that is not known.
    NotFound,
}

/// Who may be asked for: the names that a request may have in `Host`.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    pub(crate) bound: IpAddr,
    /// What this host calls itself; nothing on loopback.
    pub(crate) name: String,
}

impl Hosts {
    /// Why a request is refused before anything else of it is looked at.
    ///
    /// A page of another site can have its own name resolve to this address and then read answers as
    /// its own (DNS rebinding); the browser then sends that name as `Host`. An address is no name, so
    /// it cannot have been rebound. `Origin` is where a script came from, and must be the same place.
    pub(crate) fn refusal(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Option<StatusCode> {
        if method != Method::GET && method != Method::HEAD {
            return Some(StatusCode::METHOD_NOT_ALLOWED);
        }
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next(), uri.host()) {
            (Some(host), None, None) => host.to_str().ok(),
            // None, two, or one in the request line, as a proxy is asked.
            _ => return Some(StatusCode::BAD_REQUEST),
        };
        let Some(host) = host.filter(|it| self.is_ours(it)) else {
            return Some(StatusCode::MISDIRECTED_REQUEST);
        };
        let same = |origin: &str| {
            origin.strip_prefix("http://").is_some_and(|it| it.eq_ignore_ascii_case(host))
        };
        let foreign = |it: &hyper::header::HeaderValue| !it.to_str().is_ok_and(same);
        headers.get_all(ORIGIN).iter().any(foreign).then_some(StatusCode::FORBIDDEN)
    }

    /// The port is no matter: it may have been forwarded.
    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host);
        let literal = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name);
        match literal.parse::<IpAddr>() {
            Ok(it) if self.bound.is_loopback() => it.is_loopback(),
            // Through a translation of addresses it may be any.
            Ok(_) => true,
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || !self.name.is_empty() && name.eq_ignore_ascii_case(&self.name)
            }
        }
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bound: &str, request: &str) -> u16 {
        let mut lines = request.lines().map(str::trim);
        let (method, uri) = lines.next().and_then(|it| it.split_once(' ')).unwrap();
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(':').unwrap();
            headers.append(name.parse::<HeaderName>().unwrap(), value.trim().parse().unwrap());
        }
        let hosts = Hosts { bound: bound.parse().unwrap(), name: "node7".into() };
        let refusal = hosts.refusal(&method.parse().unwrap(), &uri.parse().unwrap(), &headers);
        refusal.map_or(200, |it| it.as_u16())
    }

    #[track_caller]
    fn check(request: &str, wanted: u16) {
        assert_eq!(refusal("127.0.0.1", request), wanted, "{request}");
    }

    #[test]
    fn names_of_this_host_are_served() {
        for host in ["127.0.0.1:9464", "localhost:9464", "LOCALHOST", "[::1]:9464", "127.1.2.3"] {
            check(&format!("GET /\nHost: {host}"), 200);
        }
    }

    #[test]
    fn a_name_that_was_rebound_is_not() {
        for host in
            ["evil.example", "localhost.evil.example:9464", "127.0.0.1.evil.example", "[", ""]
        {
            check(&format!("GET /\nHost: {host}"), 421);
        }
        check("GET /\nHost: 10.0.0.7:9464", 421);
        check("GET /", 400);
        check("GET /\nHost: localhost\nHost: evil.example", 400);
        check("GET http://evil.example/\nHost: localhost", 400);
    }

    #[test]
    fn where_the_user_opened_it_to_others_any_address_will_do() {
        let check = |host: &str| refusal("0.0.0.0", &format!("GET /\nHost: {host}"));
        assert_eq!((check("10.0.0.7:9464"), check("node7:9464"), check("node8")), (200, 200, 421));
    }

    #[test]
    fn a_script_of_another_place_may_not_ask() {
        check("GET /\nHost: localhost:9464\nOrigin: http://localhost:9464", 200);
        check("GET /\nHost: localhost:9464\nOrigin: http://localhost:80", 403);
        check("GET /\nHost: localhost:9464\nOrigin: https://localhost:9464", 403);
        check("GET /\nHost: localhost:9464\nOrigin: null", 403);
    }

    #[test]
    fn nothing_can_be_changed() {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "X"] {
            check(&format!("{method} /\nHost: localhost"), 405);
        }
        check("HEAD /\nHost: localhost", 200);
    }
}
