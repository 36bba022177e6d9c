//! Receivers that are what they should be, and others.
use super::*;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};
use tokio_rustls::rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// What is waited for comes sooner.
const LIMIT: Duration = Duration::from_secs(120);

/// The head of a request, and its body.
fn read(socket: impl Read) -> (String, String) {
    let mut reader = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let head = head.to_lowercase();
    let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |it| it.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

/// Posts to a receiver that reads the request and does this then; with what the request was.
fn posted(
    limit: Duration,
    answer: impl FnOnce(&TcpStream) + Send + 'static,
) -> (Result<(), Failed>, (String, String)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let receiver = thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        socket.set_write_timeout(Some(LIMIT)).unwrap();
        let request = read(&socket);
        answer(&socket);
        request
    });
    let poster = Poster::plain(format!("http://{to}/secret?key=1").parse().unwrap());
    let result = poster.post("application/json", b"{}".to_vec(), limit);
    (result, receiver.join().unwrap())
}

/// What is said of a receiver that writes this, again and again until the other end is gone.
fn said_of(once: &'static str, again: &'static str) -> String {
    let (result, _) = posted(LIMIT, move |mut socket| {
        let again = again.repeat(4096);
        let _ = socket.write_all(once.as_bytes());
        while !again.is_empty() && socket.write_all(again.as_bytes()).is_ok() {}
    });
    result.unwrap_err().why
}

#[test]
fn a_receiver_gets_the_whole_and_its_path() {
    let (result, (head, body)) = posted(LIMIT, |mut socket| {
        socket.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok").unwrap();
    });
    assert_eq!(result, Ok(()));
    assert!(head.starts_with("post /secret?key=1 http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
    assert_eq!(body, "{}");
}

#[test]
fn an_answer_without_an_end_is_given_up_after_so_many_bytes() {
    for (once, again) in [
        ("HTTP/1.1 200 OK\r\n", "X-More: 0123456789012345678901234567890123456789\r\n"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nX: ", "0123456789012345678901234567890123456789"),
    ] {
        // Not because it took too long, as it would without a limit.
        let why = said_of(once, again);
        assert!(!why.contains("no answer within"), "{once}: {why}");
    }
}

#[test]
fn a_body_without_an_end_is_not_read() {
    let (result, _) = posted(LIMIT, |mut socket| {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        let chunk = "1000\r\n".to_owned() + &"x".repeat(4096) + "\r\n";
        while socket.write_all(chunk.as_bytes()).is_ok() {}
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn no_redirect_is_followed() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let to = other.local_addr().unwrap();
    let (result, _) = posted(LIMIT, move |mut socket| {
        let head = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://";
        let _ = socket.write_all(format!("{head}{to}/\r\nContent-Length: 0\r\n\r\n").as_bytes());
    });
    let failed = result.unwrap_err();
    assert_eq!(failed.why, "307 Temporary Redirect, and no redirect is followed");
    assert!(failed.is_final);
    assert_eq!(other.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn garbage_and_an_early_end_are_failures_without_a_word_of_the_receiver() {
    for answer in ["\0\u{1b}[2J SECRET", "HTTP/1.1 abc SECRET\r\n\r\n", "HTTP/1.1 200", ""] {
        let why = said_of(answer, "");
        assert!(!why.contains("SECRET") && !why.contains('\u{1b}') && !why.is_empty(), "{why}");
    }
    let why = said_of("HTTP/1.1 500 SECRET\r\n\r\n", "");
    assert_eq!(why, "500 Internal Server Error");
}

#[test]
fn a_receiver_that_never_answers_is_given_up() {
    let (result, _) = posted(Duration::from_millis(200), |socket| {
        // Until the other end is gone.
        let _ = (&mut &*socket).read(&mut [0]);
    });
    let failed = result.unwrap_err();
    assert_eq!(failed.why, "no answer within 200ms");
    assert_eq!(format!("{:?}", whole(Duration::from_nanos(9_999_973_831))), "10s");
    assert!(!failed.is_final);
}

#[test]
fn a_closed_port_is_a_failure() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let poster = Poster::plain(format!("http://{gone}/").parse().unwrap());
    let failed = poster.post("application/json", Vec::new(), LIMIT).unwrap_err();
    assert!(failed.why.contains("onnection refused"), "{}", failed.why);
}

#[test]
fn what_would_be_refused_again_is_final() {
    for (answer, is_final) in
        [("400 x", true), ("404 x", true), ("429 x", false), ("503 x", false), ("408 x", false)]
    {
        let (result, _) = posted(LIMIT, move |mut socket| {
            let _ = write!(socket, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
        });
        assert_eq!(result.unwrap_err().is_final, is_final, "{answer}");
    }
}

#[test]
fn retries_are_ever_rarer_within_bounds() {
    let seconds =
        |n, asked: Option<u64>| retry_after(n, asked.map(Duration::from_secs), 0.0).as_secs();
    assert_eq!([1, 2, 3, 6, 7, 8, u32::MAX].map(|n| seconds(n, None)), [1, 2, 4, 32, 60, 60, 60]);
    assert_eq!((seconds(1, Some(30)), seconds(1, Some(86_400))), (30, 60));
    assert_eq!(retry_after(1, None, 1.0), Duration::from_millis(750));
}

/// Made for these tests, valid for a hundred years: `localhost` and `127.0.0.1`.
const RECEIVER: &[u8] = include_bytes!("tls/receiver.pem");
const RECEIVER_KEY: &[u8] = include_bytes!("tls/receiver.key");
/// Who has signed it.
const AUTHORITY: &[u8] = include_bytes!("tls/authority.pem");

fn certificate(pem: &[u8]) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem).unwrap()
}

/// Posts with TLS to a host of this name, trusting this authority.
fn posted_with_tls(host: &str, authority: &[u8]) -> Result<(), Failed> {
    let key = PrivateKeyDer::from_pem_slice(RECEIVER_KEY).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate(RECEIVER)], key)
        .unwrap();
    let listener = TcpListener::bind((host, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let connection = ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = StreamOwned::new(connection, socket);
        let mut head = [0; 4];
        if stream.read_exact(&mut head).is_ok() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let url = format!("https://{host}:{port}/").parse().unwrap();
    let connector = tls::trusting([certificate(authority)]).unwrap();
    let poster = Poster::with(url, Some(connector)).unwrap();
    poster.post("application/json", b"{}".to_vec(), LIMIT)
}

#[test]
fn a_receiver_with_a_trusted_certificate_gets_it() {
    assert_eq!(posted_with_tls("127.0.0.1", AUTHORITY), Ok(()));
}

#[test]
fn nothing_is_sent_where_the_certificate_is_not_trusted_or_of_another_name() {
    // The receiver's own certificate is no authority's.
    let why = posted_with_tls("127.0.0.1", RECEIVER).unwrap_err().why;
    assert!(why.contains("certificate"), "{why}");
    let why = posted_with_tls("127.0.0.2", AUTHORITY).unwrap_err().why;
    assert!(why.contains("certificate not valid for name"), "{why}");
}

#[test]
fn a_receiver_without_tls_gets_nothing_over_https() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap();
    let receiver = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut first = [0; 1];
        socket.read_exact(&mut first).unwrap();
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        first[0]
    });
    let connector = tls::trusting([certificate(AUTHORITY)]).unwrap();
    let url = format!("https://{to}/secret").parse().unwrap();
    let poster = Poster::with(url, Some(connector)).unwrap();
    assert!(poster.post("application/json", b"{}".to_vec(), LIMIT).is_err());
    // The first byte of a handshake, and of no request.
    assert_eq!(receiver.join().unwrap(), 22);
}

#[test]
fn without_authorities_nothing_is_trusted() {
    assert_eq!(tls::trusting([]).err(), Some(TlsError::NoRoots));
}
