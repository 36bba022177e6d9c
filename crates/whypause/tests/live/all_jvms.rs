//! `watch --all`: JVMs that come and go, in one process.
use crate::{
    newest,
    page::{ask, event, place, since_end},
};
use serde_json::Value;
use spawn::Running;
use std::{
    collections::BTreeSet,
    io::{BufReader, Read, Write},
    net::TcpStream,
    time::Instant,
};
use testing::{Java, Jdk, PATIENCE, until};

/// Of the program that only these tests run: other tests have JVMs of their own.
fn few(jdk: &Jdk) -> Java {
    let flags = ["-Xmx16m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
    Java::start(jdk, &flags, "Few")
}

fn said(watch: &Running) -> String {
    String::from_utf8_lossy(&watch.stderr()).into_owned()
}

/// The sum of the samples of this metric.
fn sum(watch: &Running, name: &str) -> f64 {
    let said = said(watch);
    let address = said.lines().find_map(|it| it.split_once("metrics at http://"));
    let Some((address, _)) = address.and_then(|(_, it)| it.split_once('/')) else { return 0.0 };
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(socket, "GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    let lines = text.lines().filter(|it| it.starts_with(name));
    lines.filter_map(|it| it.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

#[test]
fn jvms_that_come_and_go_are_watched_in_one_process() {
    let Some(jdk) = newest() else { return };
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    let arguments = ["watch", "--all", "--match", "Few", "--over", "1ms", "--metrics", "0"];
    command.args(arguments);
    let mut first = few(&jdk);
    let mut watch = Running::start_heard(command).unwrap();
    let watched = |watch: &Running| sum(watch, "whypause_watched_jvms{");
    until("the one that is there is watched", || (watched(&watch) - 1.0).abs() < 0.5);
    let (_second, _third) = (few(&jdk), few(&jdk));
    until("those that came are watched", || (watched(&watch) - 3.0).abs() < 0.5);
    let counted = sum(&watch, "whypause_stw_pause_seconds_count{");
    first.child.kill().unwrap();
    until("the one that went is gone", || (watched(&watch) - 2.0).abs() < 0.5);
    until("stops of the others are counted", || {
        sum(&watch, "whypause_stw_pause_seconds_count{") >= counted + 6.0
    });
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    let text = said(&watch);
    let one = format!("(pid {}): ", first.pid());
    assert!(text.lines().any(|it| it.contains(&one) && it.contains("the JVM")), "{text}");
    assert!(text.contains("interrupted"), "{text}");
    // Stops of a millisecond need not have been.
    let printed = String::from_utf8_lossy(&watch.stdout()).into_owned();
    assert!(printed.lines().skip(1).all(|it| it.contains("(pid ")), "{printed}");
}

/// On a host that is short of CPUs threads also stall.
fn is_of_a_jvm(event: &str) -> bool {
    ["pause", "stall"].contains(&event)
}

/// The next event that is not of the host.
fn next_of_a_jvm(
    stream: &mut BufReader<TcpStream>,
    lines: &mut BTreeSet<String>,
) -> (String, Value) {
    loop {
        let (name, data) = event(stream).expect("the watch goes on");
        if name != "readings" {
            return (name, data);
        }
        assert_eq!(data["heap"].as_array().map(Vec::len), Some(0), "of several JVMs none: {data}");
        let of = |it: &Value| format!("{} {}", it["kind"], it["name"]);
        lines.extend(data["host"].as_array().unwrap().iter().map(of));
    }
}

#[test]
fn one_page_shows_the_pauses_of_all_jvms_and_whose_they_are() {
    let Some(jdk) = newest() else { return };
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    let arguments = ["watch", "--all", "--match", "Paged", "--over", "1ms", "--serve", "0"];
    command.args(arguments);
    let mut watch = Running::start_heard(command).unwrap();
    let (address, path) = place(&watch);
    let mut stream = ask(address, &format!("{path}events"), &address.to_string());
    let (name, hello) = event(&mut stream).unwrap();
    assert_eq!(
        (&*name, hello["title"].as_str()),
        ("hello", Some("all JVMs with `Paged` in their names"))
    );
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("Paged.java");
    std::fs::copy(testing::program("Alloc"), &source).unwrap();
    let start = || {
        let mut command = jdk.java();
        // Not compiled it collects some times a second, and no browser is too slow for that.
        command.args(testing::busy("-XX:+UseSerialGC")).arg("-Xint").arg(&source);
        Java::start_by(command)
    };
    let jvms = [start(), start()];
    let mut lines = BTreeSet::new();
    let mut missing: Vec<_> = jvms.iter().map(|it| format!("(pid {})", it.pid())).collect();
    while !missing.is_empty() {
        let (name, pause) = next_of_a_jvm(&mut stream, &mut lines);
        assert!(is_of_a_jvm(&name), "{name}");
        let jvm = pause["jvm"].as_str().expect("it says whose it is");
        missing.retain(|it| !jvm.ends_with(it));
    }
    let [first, second] = jvms;
    let exited = format!("(pid {}): ", first.pid());
    drop(first);
    until("one of them has exited", || said(&watch).contains(&exited));
    let gone = Instant::now();
    loop {
        let (name, pause) = next_of_a_jvm(&mut stream, &mut lines);
        assert!(is_of_a_jvm(&name), "one JVM that exits ends nothing: {name}");
        let is_of_second = pause["jvm"].as_str().unwrap().contains(&second.pid());
        if name == "pause" && is_of_second && since_end(&pause) < gone.elapsed() {
            break;
        }
    }
    while !lines.iter().any(|it| it.starts_with("\"cpu_used\"")) {
        next_of_a_jvm(&mut stream, &mut lines);
    }
    let groups = lines.iter().filter(|it| it.starts_with("\"cpu_used\""));
    assert!(groups.clone().all(|it| it.contains("(pid ")), "{lines:?}");
    watch.terminate();
    // Who does not read is given up, so read to the end first.
    let end = std::iter::from_fn(|| event(&mut stream)).last().unwrap();
    assert!(watch.wait(PATIENCE).unwrap().success());
    assert_eq!((&*end.0, end.1["next"].as_bool()), ("end", Some(false)));
}
