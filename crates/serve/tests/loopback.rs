//! A server on loopback, and clients that are slow, greedy, many, or not what they say.
#![allow(clippy::unwrap_used, reason = "a test may")]
use serve::{Bound, Options, Response, Server, StartError};
use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, mpsc::channel},
    thread,
    time::{Duration, Instant},
};

/// Whatever is waited for comes sooner, on a busy host too.
const LIMIT: Duration = Duration::from_secs(120);

fn server() -> Server {
    let options = Options::default()
        .route("/metrics", |request| Response::Bytes {
            content_type: "text/plain; version=0.0.4; charset=utf-8",
            body: format!("accept {}\n", request.header("accept").unwrap_or("none")).into_bytes(),
        })
        .route("/large", |_| Response::Bytes {
            content_type: "text/plain",
            body: vec![b'x'; 64 << 20],
        });
    Server::start("0".parse().unwrap(), options).unwrap()
}

fn connect(to: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(to).unwrap();
    socket.set_read_timeout(Some(LIMIT)).unwrap();
    socket
}

/// All that comes until the other end closes; a connection that is reset has ended as well.
fn rest(socket: &mut TcpStream) -> String {
    let mut all = Vec::new();
    match socket.read_to_end(&mut all) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn ask(to: SocketAddr, request: &str) -> String {
    let mut socket = connect(to);
    socket.write_all(request.as_bytes()).unwrap();
    rest(&mut socket)
}

/// The status of the answer to these lines.
#[track_caller]
fn check(request: &[&str], wanted: &str) {
    let server = server();
    let answer = ask(server.local(), &format!("{}\r\n\r\n", request.join("\r\n")));
    assert_eq!(answer.split(' ').nth(1), Some(wanted), "{request:?}: {answer}");
}

#[test]
fn a_route_answers_and_others_do_not() {
    check(&["GET /metrics HTTP/1.1", "Host: localhost"], "200");
    check(&["GET /metrics?a=b HTTP/1.1", "Host: localhost"], "200");
    for path in
        ["/", "/metrics/", "/METRICS", "/metric", "//metrics", "/a/../metrics", "/%6detrics"]
    {
        check(&[&format!("GET {path} HTTP/1.1"), "Host: localhost"], "404");
    }
}

#[test]
fn who_must_not_ask_gets_no_answer() {
    check(&["POST /metrics HTTP/1.1", "Host: localhost", "Content-Length: 0"], "405");
    check(&["GET /metrics HTTP/1.1", "Host: evil.example"], "421");
    check(&["GET /metrics HTTP/1.1", "Host: localhost", "Origin: http://evil.example"], "403");
    check(&["GET /metrics HTTP/1.1"], "400");
    check(&["nonsense"], "400");
}

#[test]
fn an_answer_says_what_it_is_and_keeps_browsers_from_guessing() {
    let server = server();
    let get =
        |method| format!("{method} /metrics HTTP/1.1\r\nhost: localhost\r\naccept: a\r\n\r\n");
    let answer = ask(server.local(), &get("GET")).to_lowercase();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, "accept a\n");
    for header in [
        "content-type: text/plain; version=0.0.4; charset=utf-8",
        "content-length: 9",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "x-frame-options: deny",
        "connection: close",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    assert!(!head.contains("access-control"), "{head}");
    let answer = ask(server.local(), &get("HEAD")).to_lowercase();
    assert!(answer.contains("content-length: 9") && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[test]
fn long_headers_are_refused() {
    let long = "a".repeat(40 << 10);
    check(&["GET /metrics HTTP/1.1", "Host: localhost", &format!("X: {long}")], "431");
    let many = vec!["X: a"; 200];
    let request = [&["GET /metrics HTTP/1.1", "Host: localhost"][..], &many].concat();
    check(&request, "431");
    check(&[&format!("GET /{long} HTTP/1.1"), "Host: localhost"], "431");
}

#[test]
fn who_asks_too_slowly_is_sent_away_and_holds_up_nobody() {
    let server = server();
    let begun = Instant::now();
    let mut slow = connect(server.local());
    let mut silent = connect(server.local());
    let mut dripping = slow.try_clone().unwrap();
    let drip = thread::spawn(move || {
        // One byte at a time, faster than any timeout for a single byte, until nobody takes it.
        while dripping.write_all(b"G").is_ok() {
            assert!(begun.elapsed() < LIMIT, "it is never sent away");
            thread::sleep(Duration::from_millis(200));
        }
    });
    let answer = ask(server.local(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let held = [&slow, &silent].map(|it| is_connected(server.local(), it));
    assert_eq!(held, [true; 2], "they were still there when the other was answered");
    for socket in [&mut slow, &mut silent] {
        let answer = rest(socket);
        assert!(!answer.contains(" 200 "), "{answer}");
    }
    assert!(begun.elapsed() >= Duration::from_secs(4), "{:?}", begun.elapsed());
    drip.join().unwrap();
}

/// Whether the server still has its end of this connection, as the kernel says.
fn is_connected(server: SocketAddr, client: &TcpStream) -> bool {
    const ESTABLISHED: &str = "01";
    let port = |it: SocketAddr| format!(":{:04X}", it.port());
    let (from, to) = (port(server), port(client.local_addr().unwrap()));
    let sockets = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let mut sockets = sockets.lines().map(|it| it.split_ascii_whitespace().collect::<Vec<_>>());
    sockets.any(|it| it[1].ends_with(&from) && it[2].ends_with(&to) && it[3] == ESTABLISHED)
}

#[test]
fn who_takes_nothing_of_the_answer_is_given_up() {
    let server = server();
    let mut greedy = connect(server.local());
    greedy.write_all(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let begun = Instant::now();
    while is_connected(server.local(), &greedy) {
        assert!(begun.elapsed() < LIMIT, "it is never given up");
        thread::sleep(Duration::from_millis(50));
    }
    let answer = rest(&mut greedy);
    assert!(answer.len() < 32 << 20, "{}", answer.len());
}

#[test]
fn two_hundred_at_once_are_answered_in_their_turn() {
    let server = server();
    let (to, request) = (server.local(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let clients: Vec<_> = (0..200).map(|_| thread::spawn(move || ask(to, request))).collect();
    for client in clients {
        let answer = client.join().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

/// Of these one takes each place, and they never say anything.
#[test]
fn a_hundred_that_say_nothing_are_sent_away_for_others() {
    let server = server();
    let silent: Vec<_> = (0..100).map(|_| connect(server.local())).collect();
    let answer = ask(server.local(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(silent);
}

#[test]
fn it_stops_though_clients_hang() {
    let (server, senders) = streaming();
    let mut silent = connect(server.local());
    let mut greedy = connect(server.local());
    greedy.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    assert!(rest_until(&mut greedy, "\r\n\r\n").starts_with("HTTP/1.1 200"));
    let (stopped, stops) = channel();
    thread::spawn(move || {
        drop(server);
        stopped.send(()).unwrap();
    });
    stops.recv_timeout(LIMIT).expect("who asks for events stays for ever: it is not waited for");
    assert_eq!(rest(&mut silent), "");
    drop(rest(&mut greedy));
    assert!(senders.lock().unwrap().iter().all(|it| !it.send("it", "x")));
}

#[test]
fn a_port_in_use_is_said() {
    let server = server();
    let address = server.local().to_string().parse().unwrap();
    let second = Server::start(address, Options::default());
    assert!(matches!(&second, Err(StartError::Bind { .. })), "{second:?}");
    let text = second.unwrap_err().to_string();
    assert!(text.starts_with(&format!("cannot listen on `{address}`: ")), "{text}");
}

type Senders = Arc<Mutex<Vec<serve::EventSender>>>;

/// A server of events, and where to put them.
fn streaming() -> (Server, Senders) {
    let senders = Senders::default();
    let all = senders.clone();
    let options = Options::default().route("/events", move |_| {
        let (sender, receiver) = serve::events(64);
        all.lock().unwrap().push(sender);
        Response::Events(receiver)
    });
    (Server::start("0".parse().unwrap(), options).unwrap(), senders)
}

/// What comes until this has come.
fn rest_until(socket: &mut TcpStream, end: &str) -> String {
    let mut all = String::new();
    let mut byte = [0];
    while !all.ends_with(end) && socket.read(&mut byte).unwrap() == 1 {
        all.push(char::from(byte[0]));
    }
    all
}

#[test]
fn events_arrive_as_they_happen_and_the_stream_ends_with_its_sender() {
    let (server, senders) = streaming();
    let mut socket = connect(server.local());
    socket.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let head = rest_until(&mut socket, "\r\n\r\n");
    assert!(head.contains("text/event-stream"), "{head}");
    let sender = senders.lock().unwrap().pop().unwrap();
    assert!(sender.send("it", "one"));
    assert!(rest_until(&mut socket, "\n\n").ends_with("data: one\n\n"));
    assert!(sender.send("it", "two"));
    assert!(rest_until(&mut socket, "\n\n").ends_with("data: two\n\n"));
    drop(sender);
    rest(&mut socket);
}

#[test]
fn what_was_sent_before_the_end_arrives() {
    for _ in 0..50 {
        let (server, senders) = streaming();
        let mut socket = connect(server.local());
        socket.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        rest_until(&mut socket, "\r\n\r\n");
        let sender = senders.lock().unwrap().pop().unwrap();
        assert!(sender.send("end", "x"));
        drop(sender);
        drop(server);
        let all = rest(&mut socket);
        assert!(all.contains("event: end\ndata: x\n\n"), "{all}");
    }
}

#[test]
fn a_slow_reader_is_dropped_and_others_go_on() {
    let (server, senders) = streaming();
    let ask = || {
        let mut socket = connect(server.local());
        socket.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        rest_until(&mut socket, "\r\n\r\n");
        (socket, senders.lock().unwrap().pop().unwrap())
    };
    let (_slow, to_slow) = ask();
    let (mut quick, to_quick) = ask();
    let event = "x".repeat(64 << 10);
    let begun = Instant::now();
    while to_slow.send("it", &event) {
        assert!(begun.elapsed() < LIMIT, "never dropped");
        thread::sleep(Duration::from_millis(1));
    }
    assert!(to_quick.send("it", "still here"));
    assert!(rest_until(&mut quick, "\n\n").ends_with("data: still here\n\n"));
}

#[test]
fn streams_leave_room_for_those_who_ask_once() {
    let (server, _senders) = streaming();
    let request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut open = Vec::new();
    for n in 0..50 {
        let mut socket = connect(server.local());
        socket.write_all(request.as_bytes()).unwrap();
        let status = rest_until(&mut socket, "\r\n\r\n");
        let wanted = if n < 48 { "HTTP/1.1 200" } else { "HTTP/1.1 503" };
        assert!(status.starts_with(wanted), "{n}: {status}");
        open.push(socket);
    }
    let other = ask(server.local(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(other.starts_with("HTTP/1.1 404"), "{other}");
}

#[test]
fn shared_port_outlives_its_server_and_queues_connections() {
    let kept = Bound::bind("0".parse().unwrap()).unwrap();
    for body in ["first", "second"] {
        // Before anybody answers.
        let mut early = connect(kept.local());
        early.write_all(b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let shared = Bound::inherit(kept.share().unwrap()).unwrap();
        assert_eq!(shared.local(), kept.local());
        let options = Options::default().route("/x", move |_| Response::Bytes {
            content_type: "text/plain",
            body: body.as_bytes().to_vec(),
        });
        let _server = shared.start(options).unwrap();
        assert!(rest(&mut early).ends_with(body));
    }
}

#[test]
fn what_does_not_listen_is_not_inherited() {
    let null = std::fs::File::open("/dev/null").unwrap();
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for other in [null.into(), socket.into()] {
        assert!(matches!(Bound::inherit(other), Err(StartError::NoListener(_))));
    }
}
