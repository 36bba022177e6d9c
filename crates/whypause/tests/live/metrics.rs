//! `watch --metrics` and `--otlp`: numbers that agree with what the JVM itself logs of its stops.
use crate::{newest, receiver::receiver};
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest, metrics::v1::metric::Data,
};
use prost::Message;
use spawn::Running;
use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::mpsc::Receiver,
};
use testing::{Java, Jdk, PATIENCE, until};

/// How often the JVM collects.
const COLLECTIONS: u32 = 30;

/// A JVM that stops on command, and logs that.
struct Stopping {
    jvm: Java,
    directory: tempfile::TempDir,
}

impl Stopping {
    fn start(jdk: &Jdk) -> Stopping {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let log = format!("-Xlog:safepoint:file={}", directory.path().join("log").display());
        let mut command = jdk.java();
        command.args([
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:GuaranteedSafepointInterval=0",
            &log,
        ]);
        command.arg(testing::program("Burst"));
        command.arg(directory.path().join("go")).arg(COLLECTIONS.to_string());
        Stopping { jvm: Java::start_by(command), directory }
    }

    /// Stops of at least this, as logged so far: number and seconds.
    fn logged(&self) -> (u64, f64) {
        let text = fs::read_to_string(self.directory.path().join("log")).unwrap();
        let totals = text.lines().filter_map(|it| {
            let (_, total) = it.split_once("Total: ")?;
            total.split_whitespace().next()?.parse::<f64>().ok()
        });
        totals.fold((0, 0.0), |(count, sum), it| (count + 1, sum + it / 1e9))
    }

    fn go(&mut self) {
        fs::write(self.directory.path().join("go"), "").unwrap();
        self.jvm.child.says("done", PATIENCE).unwrap();
    }
}

fn watch(jvm: &Java, arguments: &[&str]) -> (Running, SocketAddr) {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", &jvm.pid(), "-d", "100s", "--metrics", "0"]).args(arguments);
    let watch = Running::start_heard(command).unwrap();
    let mut address = None;
    until("it says where its metrics are, and watches", || {
        let text = String::from_utf8_lossy(&watch.stderr()).into_owned();
        let line = text.lines().find_map(|it| it.split_once("metrics at http://"));
        address = line.and_then(|(_, it)| it.split_once('/')?.0.parse().ok());
        address.is_some() && text.contains("watching ")
    });
    (watch, address.unwrap())
}

fn ask(to: SocketAddr, method: &str, headers: &str) -> String {
    let mut socket = TcpStream::connect(to).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(socket, "{method} /metrics HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer
}

fn scrape(to: SocketAddr) -> String {
    ask(to, "GET", &format!("Host: {to}\r\n"))
}

/// The sum of all samples whose line begins so.
fn sum(text: &str, name: &str) -> f64 {
    let lines = text.lines().filter(|it| it.starts_with(name));
    lines.filter_map(|it| it.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

const COUNT: &str = "whypause_stw_pause_seconds_count{";
const SUM: &str = "whypause_stw_pause_seconds_sum{";
const BY_CAUSE: &str = "whypause_stw_attributed_seconds_total{";
const BY_PHASE: &str = "whypause_stw_phase_seconds_total{";
const OVER: &str = "whypause_stw_limit_exceeded_total{";

/// Watches the JVM stop, and compares what was counted with what it logged.
fn compare(arguments: &[&str], over_limit: bool) {
    let Some(jdk) = newest() else { return };
    let mut stopping = Stopping::start(&jdk);
    let (_watch, to) = watch(&stopping.jvm, arguments);
    let before = stopping.logged();
    stopping.go();
    let after = stopping.logged();
    let (count, seconds) = (after.0 - before.0, after.1 - before.1);
    assert!(count >= u64::from(COLLECTIONS), "{count}");
    let mut text = String::new();
    until("all stops are counted", || {
        text = scrape(to);
        sum(&text, COUNT) >= f64::from(u32::try_from(count).unwrap())
    });
    // Stops of the attach itself may be among those that were counted, and were logged before.
    let counted = sum(&text, COUNT);
    assert!(counted - f64::from(u32::try_from(count).unwrap()) <= 3.0, "{counted} {count}");
    let stopped = sum(&text, SUM);
    assert!((stopped / seconds - 1.0).abs() < 0.2, "{stopped} s, and {seconds} s by the log");
    for parts in [BY_CAUSE, BY_PHASE] {
        let all = sum(&text, parts);
        assert!((all - stopped).abs() < 1e-6, "{parts} {all} of {stopped}\n{text}");
    }
    assert_eq!(sum(&text, OVER), if over_limit { counted } else { 0.0 });
    assert!(text.contains(r#"{jvm="Burst"#), "{text}");
    assert_eq!(sum(&text, "whypause_recorder_dropped_events_total{"), 0.0);
    assert!(sum(&text, "whypause_recorder_cpu_seconds_total") > 0.0, "{text}");
    assert!(!text.contains(&stopping.jvm.pid()), "{text}");
}

#[test]
fn stops_shorter_than_the_limit_are_counted() {
    compare(&["--over", "10s"], false);
}

#[test]
fn stops_over_the_limit_are_counted_by_their_causes() {
    compare(&["--over", "1ms"], true);
}

#[test]
fn stops_that_are_sampled_are_counted() {
    compare(&["--over", "10s", "--without-ebpf"], false);
}

#[test]
fn who_may_not_ask_gets_no_numbers_and_the_port_is_free_again() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::busy(&jdk);
    let (mut watch, to) = watch(&jvm, &[]);
    let host = format!("Host: {to}\r\n");
    let status = |method, headers: &str| {
        let answer = ask(to, method, headers);
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(status("GET", &host), "200");
    assert_eq!(status("POST", &host), "405");
    assert_eq!(status("GET", "Host: rebound.example\r\n"), "421");
    assert_eq!(status("GET", &format!("{host}Origin: http://evil.example\r\n")), "403");
    let accept = format!("{host}Accept: application/openmetrics-text; version=1.0.0\r\n");
    let text = ask(to, "GET", &accept);
    assert!(text.contains("application/openmetrics-text") && text.ends_with("# EOF\n"), "{text}");
    assert_rights(watch.id());
    let hanging = TcpStream::connect(to).unwrap();
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    drop(hanging);
    drop(TcpListener::bind(to).expect("the port is free again"));
}

/// The thread that strangers can reach has no rights at all.
#[track_caller]
fn assert_rights(pid: u32) {
    let tasks = fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).unwrap();
    let threads = tasks.filter_map(|it| fs::read_to_string(it.ok()?.path().join("status")).ok());
    let status = threads.into_iter().find(|it| it.contains("whypause-serve")).unwrap();
    for line in ["CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1"] {
        assert!(status.contains(line), "{line}: {status}");
    }
}

#[test]
fn a_port_in_use_is_said_before_anything_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    for way in [&["-p", "1"][..], &["--wait", "--match", "nothing.has.this.Name"]] {
        let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
        command.args(["watch", "--metrics", &address]).args(way);
        let answer = spawn::run(command, PATIENCE).unwrap();
        let text = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert_eq!(answer.status.code(), Some(2), "{text}");
        assert!(text.contains(&format!("cannot listen on `{address}`")), "{text}");
        assert!(text.contains("hint: another program listens there"), "{text}");
    }
}

/// A collector, and the requests that it gets.
fn collector() -> (SocketAddr, Receiver<ExportMetricsServiceRequest>) {
    receiver(|head, body| {
        assert!(head.starts_with("POST /v1/metrics HTTP/1.1"), "{head}");
        assert!(head.contains("application/x-protobuf"), "{head}");
        ExportMetricsServiceRequest::decode(body).unwrap()
    })
}

/// Count and sum of the histogram of stops.
fn stops(request: &ExportMetricsServiceRequest) -> (u64, f64) {
    let scopes = request.resource_metrics.iter().flat_map(|it| &it.scope_metrics);
    let metrics = scopes.flat_map(|it| &it.metrics);
    let stops = metrics.filter(|it| it.name == "whypause.jvm.stw.duration");
    let points = stops.filter_map(|it| match &it.data {
        Some(Data::Histogram(it)) => it.data_points.first(),
        _ => None,
    });
    points.fold((0, 0.0), |(count, sum), it| (count + it.count, sum + it.sum.unwrap_or_default()))
}

#[test]
fn numbers_are_pushed_and_those_of_the_last_second_at_the_end() {
    let Some(jdk) = newest() else { return };
    let mut stopping = Stopping::start(&jdk);
    let (to, requests) = collector();
    let (mut watch, scraped) = watch(&stopping.jvm, &["--otlp", &format!("http://{to}")]);
    let first = requests.recv_timeout(PATIENCE).expect("it pushes soon");
    assert!(format!("{first:?}").contains("host.name"), "{first:?}");
    stopping.go();
    until("all stops are counted", || sum(&scrape(scraped), COUNT) >= f64::from(COLLECTIONS));
    let (count, seconds) = (sum(&scrape(scraped), COUNT), sum(&scrape(scraped), SUM));
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    let last = requests.try_iter().last().expect("it pushes at the end");
    let pushed = stops(&last);
    let more = f64::from(u32::try_from(pushed.0).unwrap()) - count;
    assert!((0.0..=2.0).contains(&more), "{pushed:?} {count}");
    assert!((pushed.1 / seconds - 1.0).abs() < 0.1, "{pushed:?} {seconds}");
    let text = format!("{last:?}");
    assert!(text.contains("service.instance.id"), "{text}");
}
