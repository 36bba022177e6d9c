//! What a watch lets others have: numbers and a page, where they were asked for. Another path is a route here.
use super::live::{self, Live};
use crate::{
    Failure,
    args::{Part, WatchArgs},
    console::Console,
    users::Users,
};
use recorder::Roots;
use report::{
    Redactor,
    metrics::{Exposition, JvmMetrics, Metrics, OTLP_CONTENT_TYPE},
};
use serve::{Address, Bound, Options, Push, Response, Server, StartError, Target};
use std::{
    env,
    io::{self, ErrorKind},
    net::SocketAddr,
    os::fd::{AsFd, OwnedFd},
    process::Command,
    time::{Duration, SystemTime},
};

/// How often numbers are sent to a collector.
const PUSH_EVERY: Duration = Duration::from_secs(15);

/// What a part of a watch finds the token of its page in. No argument: all users can read those.
const TOKEN: &str = "WHYPAUSE_PAGE_TOKEN";

/// Numbers and a page, and who hands them out.
#[derive(Debug, Default)]
pub(super) struct Published {
    metrics: Option<Metrics>,
    live: Option<Live>,
    /// Where a page will be, in the process that serves none itself.
    place: Option<Place>,
    addresses: Addresses,
    /// They answer until they are dropped.
    _servers: Vec<Server>,
    /// It sends once more when it is dropped.
    _push: Option<Push>,
}

/// Where others find what is published, with the ports that the kernel chose where 0 was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Addresses {
    pub(super) page: Option<SocketAddr>,
    pub(super) metrics: Option<SocketAddr>,
}

/// Where a page is.
#[derive(Debug)]
struct Place {
    bound: Bound,
    token: String,
}

impl Place {
    /// A new one, whose address is said.
    fn take(address: Address, console: &Console) -> Result<Place, Failure> {
        let (bound, token) = (bind(address)?, live::token()?);
        let whom = reach(&bound);
        console.say(&format!("live page at http://{}/{token}/{whom}", bound.local()));
        Ok(Place { bound, token })
    }

    /// The one that the process which started this one has [given](Published::give) it.
    fn given() -> Result<Place, Failure> {
        let missing = || Failure::input("a part of a watch was given no token for its page", "");
        let token = env::var(TOKEN).ok().filter(|it| !it.is_empty()).ok_or_else(missing)?;
        let listener = io::stdin().as_fd().try_clone_to_owned()?;
        let bound = Bound::inherit(listener).map_err(|it| Failure::input(it.to_string(), ""))?;
        Ok(Place { bound, token })
    }
}

impl Published {
    /// Starts what the arguments ask for. Of a watch in parts, each part does while it is there: the one
    /// that waits for a JVM has a page that says so, and no numbers to push.
    pub(super) fn start(args: &WatchArgs, console: &Console) -> Result<Published, Failure> {
        let mut published = Published::default();
        // That a port is in use is said before anything is served. Both may be on one port.
        let is_one = args.serve.is_some() && args.serve == args.metrics;
        let for_metrics = args.metrics.filter(|_| !is_one).map(bind).transpose()?;
        let place = args.serve.map(|it| match args.part {
            None => Place::take(it, console),
            Some(_) => Place::given(),
        });
        published.place = place.transpose()?;
        let of_page = published.place.as_ref().map(|it| &it.bound);
        let of_metrics = for_metrics.as_ref().or(of_page.filter(|_| is_one));
        if let (None, Some(bound)) = (args.part, of_metrics) {
            console.say(&format!("metrics at http://{}/metrics{}", bound.local(), reach(bound)));
        }
        let [page, metrics] = [of_page, of_metrics].map(|it| it.map(Bound::local));
        published.addresses = Addresses { page, metrics };
        if args.wait && args.part.is_none() {
            // The parts bind it again.
            return Ok(published);
        }
        let host = recorder::host_fact(&Roots::default()).name;
        let wants_metrics = args.metrics.is_some() || args.otlp.is_some();
        let metrics = wants_metrics.then(|| Metrics::new(args.over, SystemTime::now()));
        if let Some(Place { bound, token }) = published.place.take() {
            let live = Live::default();
            let mut options = page_routes(Options::named(host.clone()), &live, &token);
            if let Some(metrics) = metrics.as_ref().filter(|_| is_one) {
                options = metrics_route(options, metrics);
            }
            published._servers.push(started(bound, options)?);
            published.live = Some(live);
        }
        if let Some((bound, metrics)) = for_metrics.zip(metrics.as_ref()) {
            let options = metrics_route(Options::named(host.clone()), metrics);
            published._servers.push(started(bound, options)?);
        }
        let pushes = args.part != Some(Part::Find);
        if let Some((target, metrics)) = args.otlp.clone().zip(metrics.as_ref()).filter(|_| pushes)
        {
            let host = if args.redact { "host-1".to_owned() } else { host };
            published._push = Some(push(target, metrics, host, *console)?);
        }
        published.metrics = metrics;
        Ok(published)
    }

    /// Gives a part of the watch the place of the page: the socket that listens, as its standard input,
    /// so that the address stays and who comes too early waits.
    pub(super) fn give(&self, part: &mut Command) -> io::Result<()> {
        if let Some(place) = &self.place {
            let listener: OwnedFd = place.bound.share()?;
            part.stdin(listener).env(TOKEN, &place.token);
        }
        Ok(())
    }

    /// Where it is.
    pub(super) fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// The page, where one is served.
    pub(super) fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }

    /// Where the stops of a JVM with this main class, of this process and user, are counted. The class is one that may
    /// be shown already.
    pub(super) fn jvm(
        &self,
        main: &str,
        (pid, uid): (u32, u32),
        redactor: &mut Redactor,
    ) -> Option<JvmMetrics> {
        let metrics = self.metrics.as_ref()?;
        let user = redactor.user(&Users::of_this_host().name(uid));
        let group = redactor.group(&recorder::control_group(&Roots::default(), pid));
        let place = diagnose::container_or_unit(&group).unwrap_or_default();
        Some(metrics.jvm(main, &user, &place, SystemTime::now()))
    }

    /// Sets the number of JVMs left out because there are too many.
    pub(super) fn left_out(&self, jvms: usize) {
        if let Some(metrics) = &self.metrics {
            metrics.left_out(jvms);
        }
    }
}

fn bind(address: Address) -> Result<Bound, Failure> {
    Bound::bind(address).map_err(|it| failure(address, &it))
}

fn started(bound: Bound, options: Options) -> Result<Server, Failure> {
    bound.start(options).map_err(|it| Failure::input(it.to_string(), ""))
}

/// Whether others can look.
fn reach(bound: &Bound) -> &'static str {
    if bound.is_remote() { ", open to every host that can reach it" } else { "" }
}

fn metrics_route(options: Options, metrics: &Metrics) -> Options {
    let metrics = metrics.clone();
    options.route("/metrics", move |request| {
        let format = Exposition::accepted(request.header("accept"));
        let body = metrics.text(format, SystemTime::now()).into_bytes();
        Response::Bytes { content_type: format.content_type(), body }
    })
}

/// The page needs the token in its address: other users of this host can connect, too.
fn page_routes(options: Options, live: &Live, token: &str) -> Options {
    let (page, reader) = (live.clone(), live.clone());
    options
        .route(format!("/{token}/"), move |_| page.page())
        .route(format!("/{token}/events"), move |request| {
            reader.reader(request.header("last-event-id"))
        })
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
        StartError::Bind { source, .. }
        | StartError::NoListener(source)
        | StartError::Start(source) => source.kind(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Main class and host had placeholders, and the user's name was a label.
    #[test]
    fn a_redacted_watch_names_no_user() {
        let metrics = Metrics::new(Duration::from_millis(50), SystemTime::now());
        let published = Published { metrics: Some(metrics.clone()), ..Published::default() };
        for (redacts, user) in [(false, "4294967293"), (true, "user-1")] {
            let mut redactor = Redactor::new(redacts, None);
            let _counted = published.jvm("Orders", (0, 4_294_967_293), &mut redactor);
            let text = metrics.text(Exposition::Prometheus, SystemTime::now());
            let series = format!("whypause_watched_jvms{{jvm=\"Orders\",user=\"{user}\"}} 1");
            assert!(text.contains(&series), "{series}: {text}");
        }
        let pushed = metrics.otlp("host-1", SystemTime::now());
        let wanted: &[u8] = b"Orders/user-1@host-1";
        assert!(pushed.windows(wanted.len()).any(|it| it == wanted));
    }
}
