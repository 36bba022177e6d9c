//! `watch --serve`: a page that receives each pause as it ends, and that only users who know its
//! address can see.
use crate::newest;
use serde_json::Value;
use spawn::Running;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, SystemTime},
};
use testing::{Java, PATIENCE, busy, program, until};

/// The watch of a JVM that collects all the time, where it listens and under which path.
fn watch(jvm: &Java) -> (Running, SocketAddr, String) {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", &jvm.pid(), "--over", "1ms", "-d", "100s", "--serve", "0"]);
    let watch = Running::start_heard(command).unwrap();
    let (address, path) = place(&watch);
    until("it watches", || said(&watch).contains("watching "));
    (watch, address, path)
}

pub(crate) fn said(watch: &Running) -> String {
    String::from_utf8_lossy(&watch.stderr()).into_owned()
}

/// Where it listens and under which path, as soon as it says so.
pub(crate) fn place(watch: &Running) -> (SocketAddr, String) {
    let mut found = None;
    until("it says where its page is", || {
        let text = said(watch);
        let line = text.lines().find_map(|it| it.split_once("live page at http://"));
        found = line.and_then(|(_, it)| {
            let (address, path) = it.split_once('/')?;
            Some((address.parse().ok()?, format!("/{path}")))
        });
        found.is_some()
    });
    found.unwrap()
}

/// What is answered to a request: its lines.
pub(crate) fn ask(to: SocketAddr, path: &str, host: &str) -> BufReader<TcpStream> {
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
fn next_event(stream: &mut BufReader<TcpStream>, wanted: &str) -> Value {
    loop {
        let (name, data) = event(stream).unwrap_or_else(|| panic!("no `{wanted}` any more"));
        if name == wanted {
            return data;
        }
    }
}

/// The next event: its name and data; `None` where the stream has ended.
pub(crate) fn event(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let (mut line, mut name) = (String::new(), String::new());
    loop {
        line.clear();
        // A connection that its process has left behind is reset.
        if stream.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if let Some(it) = line.strip_prefix("event: ") {
            it.trim_end().clone_into(&mut name);
        } else if let Some(data) = line.strip_prefix("data: ") {
            return Some((name, serde_json::from_str(data).unwrap()));
        }
    }
}

/// How long ago the pause of an event ended.
pub(crate) fn since_end(pause: &Value) -> Duration {
    let columns = &pause["pauses"];
    let us = |list: &str| columns[list][0].as_f64().unwrap();
    let origin_ms = columns["origin_wall_ms"].as_f64().unwrap();
    let end_ms = origin_ms + (us("start_us") + us("length_us")) / 1e3;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Duration::from_secs_f64((now.as_secs_f64() * 1e3 - end_ms).max(0.0) / 1e3)
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
        // Of one that had begun before the watch no cause may be known.
        let whole = !pause["line"].as_str().unwrap().contains("before the recording");
        assert!(!whole || !pause["causes"].as_array().unwrap().is_empty(), "{pause}");
        soonest = soonest.min(since_end(&pause));
    }
    // How soon depends on the host; that it is soon at all does not.
    assert!(soonest < Duration::from_secs(10), "{soonest:?}");
    println!("a pause was on the page {} ms after its end", soonest.as_millis());
    drop(jvm);
    let end = next_event(&mut stream, "end");
    assert!(end["why"].as_str().unwrap().contains("exited"), "{end}");
    assert_eq!(end["next"], false);
    drop(watch);
}

/// The readings of the events so far: of the host, of each line, and of the heap.
#[derive(Debug, Default)]
struct Beneath {
    host: BTreeMap<String, Vec<f64>>,
    heap: Vec<f64>,
}

impl Beneath {
    fn take(&mut self, event: &Value) {
        for it in event["host"].as_array().unwrap() {
            let name = format!("{} {}", it["kind"].as_str().unwrap(), it["name"].as_str().unwrap());
            let times = it["at_ms"].as_array().unwrap();
            assert_eq!(times.len(), it["value"].as_array().unwrap().len());
            let line = self.host.entry(name).or_default();
            line.extend(times.iter().map(|it| it.as_f64().unwrap()));
        }
        let heap = event["heap"].as_array().unwrap();
        self.heap.extend(heap.iter().map(|it| it[0].as_f64().unwrap()));
    }

    /// What a browser has is in the order of time, and nothing twice.
    #[track_caller]
    fn assert_in_order(&self) {
        for line in self.host.values().chain([&self.heap]) {
            assert!(line.is_sorted_by(|a, b| a < b), "{self:?}");
        }
    }
}

#[test]
fn the_heap_and_the_host_are_on_the_page_while_they_are_read() {
    let Some(jdk) = newest() else { return };
    let dir = tempfile::tempdir().unwrap();
    let log = format!("-Xlog:gc:file={}", dir.path().join("gc.log").display());
    let mut command = jdk.java();
    command.args(busy("-XX:+UseG1GC")).arg(log).arg(program("Alloc"));
    let jvm = Java::start_by(command);
    let (_watch, address, path) = watch(&jvm);
    let host = address.to_string();
    let mut stream = ask(address, &format!("{path}events"), &host);
    next_event(&mut stream, "hello");
    let mut first = Beneath::default();
    while first.heap.len() < 3 || first.host.values().all(|it| it.len() < 3) {
        first.take(&next_event(&mut stream, "readings"));
    }
    first.assert_in_order();
    // Who comes late has all of it, and at once.
    let mut stream = ask(address, &format!("{path}events"), &host);
    next_event(&mut stream, "hello");
    let mut late = Beneath::default();
    late.take(&next_event(&mut stream, "readings"));
    late.assert_in_order();
    for (name, line) in &first.host {
        let of_late = late.host.get(name).map_or(&[][..], Vec::as_slice);
        assert!(line.iter().all(|it| of_late.contains(it)), "{name}: {line:?}, {of_late:?}");
    }
    assert!(late.heap.len() >= first.heap.len(), "{first:?} {late:?}");
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

#[test]
fn page_continues_with_the_next_jvm_at_the_same_address() {
    let Some(jdk) = newest() else { return };
    // A name that only this test has.
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("OfThePage.java");
    std::fs::copy(program("Alloc"), &source).unwrap();
    let start = || {
        let mut command = jdk.java();
        command.args(busy("-XX:+UseG1GC")).arg(&source);
        Java::start_by(command)
    };
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    let arguments = ["--match", "OfThePage", "--over", "1ms", "-d", "300s"];
    command.args(["watch", "--wait", "--serve", "0", "--metrics", "0"]).args(arguments);
    let watch = Running::start_heard(command).unwrap();
    let (address, path) = place(&watch);
    let host = address.to_string();
    assert_waits(address, &path);
    let mut stream = ask(address, &format!("{path}events"), &host);
    let mut ended: Vec<Value> = Vec::new();
    for _ in 0..2 {
        let jvm = start();
        let mut hello = None;
        while hello.is_none() {
            match event(&mut stream) {
                Some((name, it)) if name == "hello" && !ended.contains(&it) => hello = Some(it),
                Some(_) => {}
                None => stream = ask(address, &format!("{path}events"), &host),
            }
        }
        let hello = hello.unwrap();
        assert!(hello["title"].as_str().unwrap().contains(&jvm.pid()), "{hello}");
        next_event(&mut stream, "pause");
        assert!(!is_in_a_command_line(path.trim_matches('/')), "all users can read those");
        drop(jvm);
        let end = next_event(&mut stream, "end");
        assert!(end["why"].as_str().unwrap().contains("exited"), "{end}");
        assert_eq!(end["next"], true);
        ended.push(hello);
        assert_waits(address, &path);
        // The process that has ended may take one more connection, as a browser's.
        stream = ask(address, &format!("{path}events"), &host);
    }
    let text = said(&watch);
    assert_eq!(text.matches("live page at").count(), 1, "{text}");
    assert_eq!(text.matches("metrics at").count(), 1, "{text}");
}

/// Who comes while no JVM is there sees why nothing comes, and has numbers.
#[track_caller]
fn assert_waits(address: SocketAddr, path: &str) {
    let host = address.to_string();
    until("the page says that it waits", || {
        let mut stream = ask(address, &format!("{path}events"), &host);
        event(&mut stream).is_some_and(|(name, data)| {
            name == "end"
                && data["next"] == true
                && data["why"]
                    .as_str()
                    .is_some_and(|it| it.starts_with("no JVM matches `OfThePage"))
        })
    });
    assert_eq!(first_line(address, path, &host), "HTTP/1.1 200 OK");
    assert_eq!(first_line(address, "/metrics", &host), "HTTP/1.1 200 OK");
}

fn is_in_a_command_line(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    lines.any(|it| String::from_utf8_lossy(&it).contains(text))
}
