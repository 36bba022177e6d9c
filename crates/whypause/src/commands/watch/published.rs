//! What a watch lets others read: numbers and a page, where they were asked for.
use super::live::{self, Live};
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
    live: Option<Live>,
    /// They answer until they are dropped.
    _servers: Vec<Server>,
}

impl Published {
    /// Serves what the arguments ask for. Of a watch in parts, only the one that watches does.
    pub(super) fn start(args: &WatchArgs, console: &Console) -> Result<Published, Failure> {
        let mut published = Published { metrics: None, live: None, _servers: Vec::new() };
        if args.part == Some(Part::Find) {
            return Ok(published);
        }
        // That a port is in use is said before anything is served.
        let bind = |address: Address| Bound::bind(address).map_err(|it| failure(address, &it));
        let same = args.metrics.filter(|it| args.serve == Some(*it));
        let for_page = args.serve.map(bind).transpose()?;
        let for_metrics = args.metrics.filter(|_| same.is_none()).map(bind).transpose()?;
        if args.wait && args.part.is_none() {
            // The part that watches binds it again.
            return Ok(published);
        }
        let metrics = args.metrics.map(|_| Metrics::new(args.over));
        let with_metrics = |options, bound: &Bound| match &metrics {
            Some(metrics) => {
                let whom = reach(bound);
                console.say(&format!("metrics at http://{}/metrics{whom}", bound.local()));
                metrics_route(options, metrics)
            }
            None => options,
        };
        if let Some(bound) = for_page {
            let live = Live::default();
            let token = live::token()?;
            let whom = reach(&bound);
            console.say(&format!("live page at http://{}/{token}/{whom}", bound.local()));
            let mut options = page_routes(options(), &live, &token);
            if same.is_some() {
                options = with_metrics(options, &bound);
            }
            published._servers.push(started(bound, options)?);
            published.live = Some(live);
        }
        if let Some(bound) = for_metrics {
            let options = with_metrics(options(), &bound);
            published._servers.push(started(bound, options)?);
        }
        published.metrics = metrics;
        Ok(published)
    }

    /// The page, where one is served.
    pub(super) fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }

    /// Where the stops of a JVM with this main class are counted.
    pub(super) fn jvm(&self, main: &str) -> Option<JvmMetrics> {
        self.metrics.as_ref().map(|it| it.jvm(main))
    }
}

fn started(bound: Bound, options: Options) -> Result<Server, Failure> {
    bound.start(options).map_err(|it| Failure::input(it.to_string(), ""))
}

/// Whether others can look.
fn reach(bound: &Bound) -> &'static str {
    if bound.is_remote() { ", open to every host that can reach it" } else { "" }
}

fn options() -> Options {
    let mut options = Options::default();
    options.host_name = recorder::host_fact(&Roots::default()).name;
    options
}

fn metrics_route(options: Options, metrics: &Metrics) -> Options {
    let metrics = metrics.clone();
    options.route("/metrics", move |request| {
        let format = Exposition::accepted(request.header("accept"));
        let body = metrics.text(format, SystemTime::now()).into_bytes();
        Response::Bytes { content_type: format.content_type(), body }
    })
}

/// The page is where only those look who were told the token: other users of this host can connect, too.
fn page_routes(options: Options, live: &Live, token: &str) -> Options {
    let (page, reader) = (live.clone(), live.clone());
    options
        .route(format!("/{token}/"), move |_| page.page())
        .route(format!("/{token}/events"), move |_| reader.reader())
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
