//! Sending to collectors that work, fail, hang, or are not there.
#![allow(clippy::unwrap_used, reason = "a test may")]
use serve::Push;
use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

/// What is waited for comes sooner.
const LIMIT: Duration = Duration::from_secs(120);
const OFTEN: Duration = Duration::from_millis(20);

/// A collector that answers each request with the next of these, and the last of them from then on.
fn collector(answers: &'static [&'static str]) -> (SocketAddr, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for n in 0.. {
            let Ok((socket, _)) = listener.accept() else { return };
            let request = read(&socket);
            let answer = answers[n.min(answers.len() - 1)];
            let _ = write!(&socket, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
            if sender.send(request).is_err() {
                return;
            }
        }
    });
    (address, receiver)
}

/// The head of a request, and its body.
fn read(socket: &TcpStream) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let head = head.to_lowercase();
    let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |it| it.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    (head, body)
}

/// Sends to this address, often; with what it tells.
fn push(to: SocketAddr) -> (Push, Receiver<String>) {
    let (sender, said) = channel();
    let mut n = 0;
    let body = move || {
        n += 1;
        format!("body {n}").into_bytes()
    };
    let report = move |it: &str| drop(sender.send(it.to_owned()));
    let target = format!("http://{to}").parse().unwrap();
    (Push::start(target, "application/x-protobuf", OFTEN, body, report).unwrap(), said)
}

#[test]
fn it_sends_again_and_again_and_once_more_at_the_end() {
    let (to, received) = collector(&["200 OK"]);
    let (push, said) = push(to);
    let (head, body) = received.recv_timeout(LIMIT).unwrap();
    assert!(head.starts_with("post /v1/metrics http/1.1\r\n"), "{head}");
    for line in
        [&format!("host: {to}")[..], "content-type: application/x-protobuf", "content-length: 6"]
    {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert_eq!(body, b"body 1");
    assert_eq!(received.recv_timeout(LIMIT).unwrap().1, b"body 2");
    drop(push);
    let rest: Vec<_> = received.try_iter().collect();
    assert!(!rest.is_empty());
    assert_eq!(said.try_iter().count(), 0);
}

#[test]
fn what_fails_is_said_once_and_sent_anew() {
    let (to, received) = collector(&["503 Busy", "429 Slower", "200 OK"]);
    let (_push, said) = push(to);
    let bodies: Vec<_> = (0..3).map(|_| received.recv_timeout(LIMIT).unwrap().1).collect();
    assert_eq!(bodies, [b"body 1", b"body 2", b"body 3"]);
    let first = said.recv_timeout(LIMIT).unwrap();
    assert!(
        first.starts_with(&format!("cannot send metrics to `http://{to}/v1/metrics`: 503")),
        "{first}"
    );
    let second = said.recv_timeout(LIMIT).unwrap();
    assert!(second.ends_with("again"), "{second}");
}

#[test]
fn absent_collector_is_reported_and_a_hanging_one_blocks_nothing() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (absent, said) = push(gone);
    let line = said.recv_timeout(LIMIT).unwrap();
    assert!(line.contains("onnection refused"), "{line}");
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let (slow, _told) = push(hanging.local_addr().unwrap());
    let (mut socket, _) = hanging.accept().unwrap();
    drop((absent, slow));
    // Nobody waited until this request was given up.
    socket.set_nonblocking(true).unwrap();
    let mut all = Vec::new();
    let more = socket.read_to_end(&mut all).unwrap_err();
    assert_eq!(more.kind(), ErrorKind::WouldBlock, "{}", String::from_utf8_lossy(&all));
}

#[test]
fn an_answer_without_an_end_is_given_up_after_so_many_bytes() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (_push, said) = push(listener.local_addr().unwrap());
    let (socket, _) = listener.accept().unwrap();
    socket.set_write_timeout(Some(LIMIT)).unwrap();
    read(&socket);
    let many = "HTTP/1.1 100 Continue\r\n\r\n".repeat(4096);
    while (&socket).write_all(many.as_bytes()).is_ok() {}
    // Not because it took too long, as it would without a limit.
    let line = said.recv_timeout(LIMIT).unwrap();
    assert!(line.starts_with("cannot send metrics"), "{line}");
    assert!(line.ends_with(": the answer is too long"), "{line}");
}
