//! What a watch lets other programs read: numbers, where they were asked for.
use crate::{
    Failure,
    args::{Part, WatchArgs},
    console::Console,
};
use recorder::Roots;
use report::metrics::{Exposition, JvmMetrics, Metrics};
use serve::{Address, Bound, Options, Response, Server, StartError};
use std::{io::ErrorKind, time::SystemTime};

/// Numbers and who serves them.
#[derive(Debug)]
pub(super) struct Published {
    metrics: Option<Metrics>,
    /// It answers until it is dropped.
    _server: Option<Server>,
}

impl Published {
    /// Serves what the arguments ask for. Of a watch in parts, only the one that watches does.
    pub(super) fn start(args: &WatchArgs, console: &Console) -> Result<Published, Failure> {
        let nothing = Published { metrics: None, _server: None };
        let Some(address) = args.metrics else { return Ok(nothing) };
        if args.part == Some(Part::Find) {
            return Ok(nothing);
        }
        let bound = Bound::bind(address).map_err(|it| failure(address, &it))?;
        if args.wait && args.part.is_none() {
            // The part that watches binds it again; that it is in use is said before there is one.
            return Ok(nothing);
        }
        let (local, is_remote) = (bound.local(), bound.is_remote());
        let metrics = Metrics::new(args.over);
        let server = bound.start(routes(&metrics)).map_err(|it| failure(address, &it))?;
        let whom = if is_remote { ", open to every host that can reach it" } else { "" };
        console.say(&format!("metrics at http://{local}/metrics{whom}"));
        Ok(Published { metrics: Some(metrics), _server: Some(server) })
    }

    /// Where the stops of a JVM with this main class are counted.
    pub(super) fn jvm(&self, main: &str) -> Option<JvmMetrics> {
        self.metrics.as_ref().map(|it| it.jvm(main))
    }
}

fn routes(metrics: &Metrics) -> Options {
    let metrics = metrics.clone();
    let mut options = Options::default();
    options.host_name = recorder::host_fact(&Roots::default()).name;
    options.route("/metrics", move |request| {
        let format = Exposition::accepted(request.header("accept"));
        let body = metrics.text(format, SystemTime::now()).into_bytes();
        Response::Bytes { content_type: format.content_type(), body }
    })
}

fn failure(address: Address, error: &StartError) -> Failure {
    let kind = match error {
        StartError::Bind { source, .. } => source.kind(),
        StartError::Start(source) => source.kind(),
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
