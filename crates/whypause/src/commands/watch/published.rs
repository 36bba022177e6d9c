//! What a watch lets other programs have: numbers, where they were asked for.
use crate::{
    Failure,
    args::{Part, WatchArgs},
    console::Console,
};
use recorder::Roots;
use report::metrics::{Exposition, JvmMetrics, Metrics, OTLP_CONTENT_TYPE};
use serve::{Address, Bound, Options, Push, Response, Server, StartError, Target};
use std::{
    io::ErrorKind,
    time::{Duration, SystemTime},
};

/// How often numbers are sent to a collector.
const PUSH_EVERY: Duration = Duration::from_secs(15);

/// Numbers, and who hands them out.
#[derive(Debug, Default)]
pub(super) struct Published {
    metrics: Option<Metrics>,
    /// It answers until it is dropped.
    _server: Option<Server>,
    /// It sends once more when it is dropped.
    _push: Option<Push>,
}

impl Published {
    /// Starts what the arguments ask for. Of a watch in parts, only the one that watches does.
    pub(super) fn start(args: &WatchArgs, console: &Console) -> Result<Published, Failure> {
        if args.part == Some(Part::Find) || (args.metrics.is_none() && args.otlp.is_none()) {
            return Ok(Published::default());
        }
        let bound = args.metrics.map(|it| Bound::bind(it).map_err(|error| failure(it, &error)));
        let bound = bound.transpose()?;
        if args.wait && args.part.is_none() {
            // The part that watches binds it again; that it is in use is said before there is one.
            return Ok(Published::default());
        }
        let metrics = Metrics::new(args.over, SystemTime::now());
        let host = recorder::host_fact(&Roots::default()).name;
        let server = bound.map(|it| serve(it, &metrics, host.clone(), console)).transpose()?;
        let host = if args.redact { "host-1".to_owned() } else { host };
        let push = args.otlp.clone().map(|it| push(it, &metrics, host, *console)).transpose()?;
        Ok(Published { metrics: Some(metrics), _server: server, _push: push })
    }

    /// Where the stops of a JVM with this main class are counted.
    pub(super) fn jvm(&self, main: &str, pid: u32) -> Option<JvmMetrics> {
        self.metrics.as_ref().map(|it| it.jvm(main, pid, SystemTime::now()))
    }
}

fn serve(
    bound: Bound,
    metrics: &Metrics,
    host_name: String,
    console: &Console,
) -> Result<Server, Failure> {
    let (local, is_remote) = (bound.local(), bound.is_remote());
    let metrics = metrics.clone();
    let options = Options::named(host_name).route("/metrics", move |request| {
        let format = Exposition::accepted(request.header("accept"));
        let body = metrics.text(format, SystemTime::now()).into_bytes();
        Response::Bytes { content_type: format.content_type(), body }
    });
    let server = bound.start(options).map_err(|it| Failure::input(it.to_string(), ""))?;
    let whom = if is_remote { ", open to every host that can reach it" } else { "" };
    console.say(&format!("metrics at http://{local}/metrics{whom}"));
    Ok(server)
}

fn push(
    target: Target,
    metrics: &Metrics,
    host: String,
    console: Console,
) -> Result<Push, Failure> {
    let metrics = metrics.clone();
    let body = move || metrics.otlp(&host, SystemTime::now());
    let say = move |line: &str| console.say(line);
    Ok(Push::start(target, OTLP_CONTENT_TYPE, PUSH_EVERY, body, say)?)
}

fn failure(address: Address, error: &StartError) -> Failure {
    let kind = match error {
        StartError::Bind { source, .. } | StartError::Start(source) => source.kind(),
    };
    let hint = match kind {
        ErrorKind::AddrInUse => "another program listens there: give another port".to_owned(),
        ErrorKind::AddrNotAvailable => {
            format!(
                "this host has no such address: give only the port, {}",
                address.socket().port()
            )
        }
        ErrorKind::PermissionDenied => "ports below 1024 take root".to_owned(),
        _ => String::new(),
    };
    Failure::input(error.to_string(), hint)
}
