//! `watch --serve`: a page that is told of each pause as it ends, and that only those see who know its
//! address.
use crate::newest;
use spawn::Running;
use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, SystemTime},
};
use testing::{Java, PATIENCE, until};

/// The watch of a JVM that collects all the time, where it listens and under which path.
fn watch(jvm: &Java) -> (Running, SocketAddr, String) {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", &jvm.pid(), "--over", "1ms", "-d", "100s", "--serve", "0"]);
    let watch = Running::start_heard(command).unwrap();
    let mut found = None;
    until("it says where its page is, and watches", || {
        let text = String::from_utf8_lossy(&watch.stderr()).into_owned();
        let line = text.lines().find_map(|it| it.split_once("live page at http://"));
        found = line.and_then(|(_, it)| {
            let (address, path) = it.split_once('/')?;
            Some((address.parse().ok()?, format!("/{path}")))
        });
        found.is_some() && text.contains("watching ")
    });
    let (address, path) = found.unwrap();
    (watch, address, path)
}

/// What is answered to a request: its lines.
fn ask(to: SocketAddr, path: &str, host: &str) -> BufReader<TcpStream> {
    let mut socket = TcpStream::connect(to).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(socket, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    BufReader::new(socket)
}

fn first_line(to: SocketAddr, path: &str, host: &str) -> String {
    let mut line = String::new();
    ask(to, path, host).read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

/// The data of the next event of this name.
fn next_event(stream: &mut BufReader<TcpStream>, name: &str) -> serde_json::Value {
    let (wanted, mut is_it) = (format!("event: {name}"), false);
    let mut line = String::new();
    loop {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ends before `{name}`");
        let text = line.trim_end();
        if let Some(data) = text.strip_prefix("data: ").filter(|_| is_it) {
            return serde_json::from_str(data).unwrap();
        }
        is_it |= text == wanted;
    }
}

#[test]
fn each_pause_is_on_the_page_with_its_cause_soon_after_it_ended() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::busy(&jdk);
    let (watch, address, path) = watch(&jvm);
    let host = address.to_string();
    let page = first_line(address, &path, &host);
    assert_eq!(page, "HTTP/1.1 200 OK");
    let mut stream = ask(address, &format!("{path}events"), &host);
    let hello = next_event(&mut stream, "hello");
    let title = hello["title"].as_str().unwrap();
    assert!(title.contains(&jvm.pid()), "{title}");
    let mut soonest = Duration::MAX;
    for _ in 0..20 {
        let pause = next_event(&mut stream, "pause");
        let columns = &pause["pauses"];
        assert_eq!(columns["count"], 1);
        assert!(!pause["causes"].as_array().unwrap().is_empty(), "{pause}");
        let us = |list: &str| columns[list][0].as_f64().unwrap();
        let origin_ms = columns["origin_wall_ms"].as_f64().unwrap();
        let end_ms = origin_ms + (us("start_us") + us("length_us")) / 1e3;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let since = (now.as_secs_f64() * 1e3 - end_ms).max(0.0) / 1e3;
        soonest = soonest.min(Duration::from_secs_f64(since));
    }
    // How soon depends on the host; that it is soon at all does not.
    assert!(soonest < Duration::from_secs(10), "{soonest:?}");
    println!("a pause was on the page {} ms after its end", soonest.as_millis());
    drop(jvm);
    let end = next_event(&mut stream, "end");
    assert!(end["why"].as_str().unwrap().contains("exited"), "{end}");
    drop(watch);
}

#[test]
fn the_page_is_not_found_without_its_address_or_under_another_name() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::busy(&jdk);
    let (_watch, address, path) = watch(&jvm);
    let host = address.to_string();
    assert_eq!(first_line(address, "/", &host), "HTTP/1.1 404 Not Found");
    assert_eq!(first_line(address, "/events", &host), "HTTP/1.1 404 Not Found");
    let rebound = first_line(address, &path, "attacker.example");
    assert!(rebound.contains(" 421 "), "{rebound}");
    assert_eq!(path.len(), "/".len() + 32 + "/".len());
}
