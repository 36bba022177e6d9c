//! Receivers that are slow, dead or hostile: none of them holds up who offers, and each event is counted.
use super::*;
use crate::args::{AlertArgs, Secret};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::mpsc::{Receiver, Sender, channel},
};

/// What is waited for comes sooner.
const PATIENCE: Duration = Duration::from_secs(120);
const OFTEN: Duration = Duration::from_millis(100);
/// More than any test lasts.
const SELDOM: Duration = Duration::from_secs(3_600);
const MANY: u64 = 100;

fn event() -> Event {
    let text = "jvm 17.0.15 g1\nsafepoint 5000ms 5200ms op Full 5001ms 5199ms vm 1\nthread 1 vm-thread VM Thread";
    let diagnosis = diagnose::facts_text::diagnose(text);
    Event::pause(&diagnosis, &diagnosis.pauses[0], "db-1")
}

/// Alerts to one receiver, and what is said of it.
struct One {
    alerts: Alerts,
    event: Event,
    said: Receiver<String>,
}

impl One {
    fn start(delivery: Box<dyn Delivery>, every: Duration) -> One {
        let (sender, said) = channel();
        let say = move |line: &str| drop(sender.send(line.to_owned()));
        let shared = begin("it".into(), every, delivery, say).unwrap();
        let alerts = Alerts { receivers: vec![shared], over: Duration::ZERO };
        One { alerts, event: event(), said }
    }

    fn webhook(to: SocketAddr, every: Duration) -> One {
        let webhook = Some(Secret(format!("http://{to}/hush")));
        let args = AlertArgs { webhook, ..AlertArgs::default() };
        One::start(Box::new(Webhook::of(&args).unwrap().unwrap()), every)
    }

    fn exec(command: &str, every: Duration) -> One {
        One::start(Box::new(Exec::of(command).unwrap()), every)
    }

    fn offer(&self, events: u64) {
        for _ in 0..events {
            self.alerts.offer(Duration::from_millis(200), || self.event.clone());
        }
    }

    fn says(&self) -> String {
        self.said.recv_timeout(PATIENCE).unwrap()
    }

    /// Ends it; what has become of the events, of which there were `offered`.
    fn end(&self, offered: u64) -> Counts {
        self.alerts.finish(&Console::new(crate::args::Colour::Never));
        let counts = self.alerts.receivers[0].lock().pace.end();
        assert_eq!(counts.sent + counts.failed + counts.left_out, offered, "{counts:?}");
        counts
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The body of a request.
fn body(socket: &TcpStream) -> String {
    let mut reader = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    let head = head.to_lowercase();
    let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |it| it.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

/// A receiver that hands over each request, and does `answer` when the channel says so.
fn receiver(
    answer: impl Fn(&TcpStream) + Send + 'static,
) -> (SocketAddr, Receiver<String>, Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, requests) = channel();
    let (go, gone) = channel();
    thread::spawn(move || {
        while let Ok((socket, _)) = listener.accept() {
            let request = body(&socket);
            if sender.send(request).is_err() || gone.recv().is_err() {
                return;
            }
            answer(&socket);
        }
    });
    (address, requests, go)
}

fn is_fine(mut socket: &TcpStream) {
    let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

#[test]
fn a_hundred_are_offered_while_a_receiver_takes_its_time_and_the_next_alert_has_their_number() {
    let (to, requests, go) = receiver(is_fine);
    let one = One::webhook(to, OFTEN);
    one.offer(1);
    let first = requests.recv_timeout(PATIENCE).unwrap();
    assert!(first.starts_with('{') && first.ends_with(",\"left_out\":0}"), "{first}");
    // It answers only after all these were offered: whoever waited for it would wait for ever.
    one.offer(MANY);
    go.send(()).unwrap();
    let second = requests.recv_timeout(PATIENCE).unwrap();
    assert!(second.ends_with(",\"left_out\":99}"), "{second}");
    go.send(()).unwrap();
    until("both are counted", || one.alerts.receivers[0].lock().pace.counts().sent == 2);
    assert_eq!(one.end(MANY + 1), Counts { sent: 2, failed: 0, left_out: 99 });
    assert_eq!(one.said.try_iter().count(), 0);
}

#[test]
fn what_waits_at_the_end_is_sent_at_the_end() {
    let (to, requests, go) = receiver(is_fine);
    let one = One::webhook(to, SELDOM);
    go.send(()).unwrap();
    go.send(()).unwrap();
    one.offer(1);
    requests.recv_timeout(PATIENCE).unwrap();
    until("it is counted", || one.alerts.receivers[0].lock().pace.counts().sent == 1);
    one.offer(MANY);
    let counts = one.end(MANY + 1);
    assert_eq!((counts.sent + counts.failed, counts.left_out), (2, 99));
}

#[test]
fn a_closed_port_is_said_once_and_all_is_counted() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let one = One::webhook(gone, OFTEN);
    one.offer(MANY);
    let said = one.says();
    assert!(said.starts_with("an alert to it failed: ") && said.contains("refused"), "{said}");
    one.offer(MANY);
    assert_eq!(one.end(2 * MANY).sent, 0);
    assert_eq!(one.said.try_iter().count(), 0);
}

#[test]
fn a_receiver_that_never_answers_holds_up_neither_the_events_nor_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = One::webhook(listener.local_addr().unwrap(), OFTEN);
    one.offer(1);
    let (mut socket, _) = listener.accept().unwrap();
    one.offer(MANY);
    let counts = one.end(MANY + 1);
    assert_eq!((counts.sent, counts.left_out), (0, 99));
    // It still waits for the answer: the end has not waited for that.
    let request = body(&socket);
    assert!(request.contains("\"event\":\"pause\""), "{request}");
    socket.set_nonblocking(true).unwrap();
    let more = socket.read(&mut [0]).map_err(|it| it.kind());
    assert!(matches!(more, Err(io::ErrorKind::WouldBlock) | Ok(0)), "{more:?}");
}

#[test]
fn hostile_receivers_hold_up_nothing_and_all_is_counted() {
    let cases: [(&str, &'static [u8], &'static [u8]); 5] = [
        ("headers without end", b"HTTP/1.1 200 OK\r\n", b"X-More: 0123456789\r\n"),
        ("100 Continue without end", b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ("garbage", b"\0\x1b[2J", b"garbage "),
        ("a redirect", b"HTTP/1.1 301 x\r\nLocation: http://127.0.0.1:1/\r\n\r\n", b""),
        ("a refusal", b"HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n", b""),
    ];
    for (what, once, again) in cases {
        let (to, requests, go) = receiver(move |mut socket| {
            let again = again.repeat(4096);
            let _ = socket.write_all(once);
            while !again.is_empty() && socket.write_all(&again).is_ok() {}
        });
        let one = One::webhook(to, OFTEN);
        one.offer(1);
        requests.recv_timeout(PATIENCE).unwrap();
        one.offer(MANY);
        (0..10).for_each(|_| go.send(()).unwrap());
        let said = one.says();
        assert!(said.starts_with("an alert to it failed: "), "{what}: {said}");
        assert!(!said.contains("hush") && !said.contains("garbage"), "{what}: {said}");
        assert_eq!(one.end(MANY + 1).sent, 0, "{what}");
    }
}

#[test]
fn a_body_without_an_end_is_not_waited_for() {
    let (to, requests, go) = receiver(|mut socket| {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
        while socket.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let one = One::webhook(to, OFTEN);
    go.send(()).unwrap();
    one.offer(1);
    requests.recv_timeout(PATIENCE).unwrap();
    until("it is sent", || one.alerts.receivers[0].lock().pace.counts().sent == 1);
    one.end(1);
}

#[test]
fn a_receiver_that_works_again_is_said_once() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let one = One::exec(&format!("test -s {}", file.path().display()), OFTEN);
    one.offer(1);
    assert_eq!(one.says(), "an alert to it failed: exit status: 1");
    one.offer(1);
    fs::write(file.path(), "x").unwrap();
    let again = loop {
        one.offer(1);
        if let Ok(line) = one.said.recv_timeout(OFTEN * 3) {
            break line;
        }
    };
    assert_eq!(again, "alerts to it work again");
}

#[test]
fn a_command_gets_the_object_and_nothing_of_ours() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let script = format!(
        "cat >&3; env >&3; grep -E ^Cap /proc/$$/status >&3; mv {0}.part {0}",
        out.display()
    );
    let one = One::exec(&format!("sh -c 'exec 3>{}.part; {script}' 'a  b'", out.display()), OFTEN);
    one.offer(1);
    until("it has ended", || out.exists());
    let text = fs::read_to_string(&out).unwrap();
    let (object, rest) = text.split_once('\n').unwrap();
    assert_eq!(object, event().alert(report::Receiver::Json, 0));
    for line in rest.lines() {
        let (name, value) = line.split_once(['=', ':']).unwrap();
        let is_harmless = ["PATH", "LANG", "TZ", "PWD", "OLDPWD", "SHLVL", "_"].contains(&name);
        let has_no_rights = name == "CapBnd" || value.trim().chars().all(|it| it == '0');
        assert!(is_harmless || (name.starts_with("Cap") && has_no_rights), "{line}");
    }
    one.end(1);
}

#[test]
fn a_command_that_fails_is_said_with_its_first_words() {
    let one = One::exec("sh -c 'echo; echo no network >&2; echo more >&2; exit 7'", OFTEN);
    one.offer(1);
    assert_eq!(one.says(), "an alert to it failed: exit status: 7: no network");
    one.offer(MANY);
    until("another one has failed", || one.alerts.receivers[0].lock().pace.counts().failed == 2);
    assert_eq!(one.end(MANY + 1), Counts { sent: 0, failed: 2, left_out: 99 });
    assert_eq!(one.said.try_iter().count(), 0);
}

/// A command that does this and never ends: at its limit nothing of it is left.
#[track_caller]
fn ends(script: &str) {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let command = format!(
        "sh -c 'sleep 600 & echo $$ $! >{0}.part; mv {0}.part {0}; {script}'",
        pids.display()
    );
    let one = One::exec(&command, OFTEN);
    one.offer(1);
    until("it runs", || pids.exists());
    one.offer(MANY);
    assert_eq!(one.end(MANY + 1).sent, 0, "{script}");
    let pids = fs::read_to_string(&pids).unwrap();
    for pid in pids.split_whitespace() {
        until(&format!("{script}: {pid} is gone"), || !runs(pid));
    }
}

fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|it| !it.1.starts_with(['Z', 'X']))
}

#[test]
fn hostile_commands_hold_up_nothing_and_leave_nothing() {
    ends("wait");
    ends("trap \"\" TERM INT HUP; while :; do sleep 600; done");
    ends("exec <&-; while :; do echo gigabytes >&2; done");
    ends("yes >&2");
    ends("yes");
}

#[test]
fn what_a_command_leaves_running_ends_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let command = format!("sh -c 'sleep 600 & echo $! >{0}.part; mv {0}.part {0}'", pid.display());
    let one = One::exec(&command, OFTEN);
    one.offer(1);
    until("it has ended", || one.alerts.receivers[0].lock().pace.counts().sent == 1);
    let pid = fs::read_to_string(&pid).unwrap();
    until("its child is gone", || !runs(pid.trim()));
    one.end(1);
}

#[test]
fn a_command_is_killed_at_its_limit() {
    let mut exec = Exec::of("sleep 600").unwrap();
    let state = State { pace: Pace::new(OFTEN), ending: None, ended: false };
    let shared = Shared { name: "it".into(), state: Mutex::new(state), changed: Condvar::new() };
    let limit = Limit { until: Instant::now() + OFTEN, shared: &shared };
    let refused = exec.deliver(&event(), 0, &limit).unwrap_err();
    assert_eq!(refused.why, "it did not end in time and was killed");
}

#[test]
fn words_are_split_and_nothing_is_expanded() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let command = format!(
        "sh -c 'printf \"[%s]\" \"$@\" >{0}.part; mv {0}.part {0}' x 'a b' \"c d\" $HOME * ';' e\\ f",
        out.display()
    );
    let one = One::exec(&command, OFTEN);
    one.offer(1);
    until("it has ended", || out.exists());
    assert_eq!(fs::read_to_string(&out).unwrap(), "[a b][c d][$HOME][*][;][e f]");
    one.end(1);
}

#[test]
fn what_cannot_be_started_is_refused_before() {
    let refused = |command: &str| match Exec::of(command) {
        Err(Failure::Said { message, hint, .. }) => (message, hint.is_some()),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused("no-such-program -x"),
        ("no program `no-such-program` for `--exec`".into(), true)
    );
    assert_eq!(refused("/etc/passwd"), ("no program `/etc/passwd` for `--exec`".into(), true));
    assert_eq!(refused("/tmp"), ("no program `/tmp` for `--exec`".into(), true));
    assert_eq!(refused("sh -c 'x"), ("a quote in the command of `--exec` has no end".into(), true));
    assert_eq!(refused("  "), ("the command of `--exec` is empty".into(), true));
    assert_eq!(refused("''"), ("the command of `--exec` is empty".into(), true));
}
