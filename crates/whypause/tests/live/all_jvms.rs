//! `watch --all`: JVMs that come and go, in one process.
use crate::newest;
use spawn::Running;
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};
use testing::{Java, Jdk, PATIENCE, until};

/// Of the program that only this test runs: other tests have JVMs of their own.
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
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
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
