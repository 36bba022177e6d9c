//! The thread that answers.
use crate::{
    Address, Request, Response,
    connection::{Shared, answer},
    open::Open,
    request::Hosts,
    route::Route,
};
use std::{
    io,
    net::{SocketAddr, TcpListener},
    os::fd::OwnedFd,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore, oneshot},
};

/// Connections at once. For a further one the oldest ends that asks for nothing or takes its answer slowly.
const MAX_CONNECTIONS: usize = 64;
/// Streams of events among them: the rest stays free for those who ask once.
const MAX_STREAMS: usize = 48;
/// At the end, how long clients may take to read what was sent before it.
const TIME_TO_END: Duration = Duration::from_millis(500);
/// How long to wait for the next connection after an error of the kernel, such as too many open files.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// What is served.
#[derive(Debug, Default)]
pub struct Options {
    /// What this host calls itself.
    host_name: String,
    routes: Vec<Route>,
}

impl Options {
    /// Nothing yet. A request may ask for this host by this name, which is what it calls itself, where
    /// the address is not one of loopback.
    #[must_use]
    pub fn named(host_name: String) -> Options {
        Options { host_name, routes: Vec::new() }
    }

    /// Answers requests of exactly this path by `handler`, which is called in the server's thread and
    /// must not wait for anything.
    #[must_use]
    pub fn route(
        mut self,
        path: impl Into<String>,
        handler: impl Fn(&Request<'_>) -> Response + Send + Sync + 'static,
    ) -> Options {
        self.routes.push(Route { path: path.into(), handler: Box::new(handler) });
        self
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be had.
    #[error("cannot listen on `{address}`: {source}")]
    Bind {
        /// The address asked for.
        address: Address,
        /// The error of the system.
        source: io::Error,
    },
    /// What another process gave is no socket that listens.
    #[error("the descriptor that was given listens on no port: {0}")]
    NoListener(io::Error),
    /// The kernel refuses what it takes to answer.
    #[error("cannot start the server: {0}")]
    Start(#[from] io::Error),
}

/// A bound port on which no request is answered yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    local: SocketAddr,
}

impl Bound {
    /// Takes the port.
    ///
    /// # Errors
    ///
    /// Where it is in use, not to be had, or the address is none of this host.
    pub fn bind(address: Address) -> Result<Bound, StartError> {
        let failed = |source| StartError::Bind { address, source };
        let listener = TcpListener::bind(address.socket()).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        Ok(Bound { listener, local })
    }

    /// A port that another process has taken, and [shared](Bound::share).
    ///
    /// # Errors
    ///
    /// Where the descriptor is no socket that listens.
    pub fn inherit(listener: OwnedFd) -> Result<Bound, StartError> {
        let listener = TcpListener::from(listener);
        let accepts = rustix::net::sockopt::socket_acceptconn(&listener);
        let local = accepts.map_err(io::Error::from).and_then(|accepts| match accepts {
            true => listener.local_addr(),
            false => Err(io::ErrorKind::InvalidInput.into()),
        });
        let local = local.map_err(StartError::NoListener)?;
        listener.set_nonblocking(true)?;
        Ok(Bound { listener, local })
    }

    /// Another descriptor of the same port, for a process that answers on it. Who connects while no
    /// process does waits in the kernel.
    ///
    /// # Errors
    ///
    /// Where there are too many descriptors.
    pub fn share(&self) -> io::Result<OwnedFd> {
        Ok(self.listener.try_clone()?.into())
    }

    /// The address, with the port that the kernel chose where 0 was asked for.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Whether other hosts can reach it.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        !self.local.ip().is_loopback()
    }

    /// Answers, in a thread of its own, which has no rights but those of its user's id.
    ///
    /// # Errors
    ///
    /// Where the kernel refuses a thread or descriptors.
    pub fn start(self, options: Options) -> Result<Server, StartError> {
        let bound = self.local.ip();
        let name = if bound.is_loopback() { String::new() } else { options.host_name };
        let shared = Shared {
            hosts: Hosts { bound, name },
            routes: options.routes,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            open: Open::default(),
        };
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let listener = self.listener;
        let thread = thread::Builder::new()
            .name("whypause-serve".into())
            .spawn(move || work(&runtime, listener, Arc::new(shared), stopped))?;
        Ok(Server { local: self.local, stop: Some(stop), thread: Some(thread) })
    }
}

/// A server that answers until it is dropped.
#[derive(Debug)]
pub struct Server {
    local: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Takes the port and answers.
    ///
    /// # Errors
    ///
    /// Those of [`Bound::bind`] and [`Bound::start`].
    pub fn start(address: Address, options: Options) -> Result<Server, StartError> {
        Bound::bind(address)?.start(options)
    }

    /// The address, with the port that the kernel chose where 0 was asked for.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.local
    }
}

impl Drop for Server {
    /// Lets clients take what they were sent, within [`TIME_TO_END`], and closes all connections.
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What it panicked of, it has said.
            let _ = thread.join();
        }
    }
}

fn work(
    runtime: &Runtime,
    listener: TcpListener,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) {
    give_up_rights();
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let accepting = tokio::spawn(accept(listener, shared, places.clone()));
        let _ = stopped.await;
        accepting.abort();
        let all = u32::try_from(MAX_CONNECTIONS).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(TIME_TO_END, places.acquire_many(all)).await;
    });
}

async fn accept(listener: tokio::net::TcpListener, shared: Arc<Shared>, places: Arc<Semaphore>) {
    for id in 0.. {
        let Ok((socket, _)) = listener.accept().await else {
            tokio::time::sleep(AFTER_ERROR).await;
            continue;
        };
        let Ok(place) = place(&places, &shared.open).await else { return };
        let answering = tokio::spawn(answer(socket, shared.clone(), place, id));
        shared.open.add(id, answering.abort_handle());
        // Whoever asks at once is heard before the next one comes.
        tokio::task::yield_now().await;
    }
}

/// A place for one more connection.
async fn place(places: &Arc<Semaphore>, open: &Open) -> Result<OwnedSemaphorePermit, AcquireError> {
    loop {
        let place = places.clone().acquire_owned();
        let Some(wait) = open.make_room(places.available_permits()) else { return place.await };
        if let Ok(place) = tokio::time::timeout(wait, place).await {
            return place;
        }
    }
}

/// This thread reads what strangers send: it needs nothing else, and has nothing else. Without the right
/// to give up rights there are none to give up.
pub(crate) fn give_up_rights() {
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};
    let none = CapabilitySet::empty();
    let _ = set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    );
    let _ = set_no_new_privs(true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{TIME_TO_ANSWER, TIME_TO_ASK};
    use tokio::time::{Instant, sleep};

    /// How long one more has to wait for a place behind five hundred, each of which would keep its own for
    /// this time; measured in time that goes on only while all tasks are idle.
    fn wait_behind(five_hundred: Duration, have_asked: bool) -> Duration {
        let builder = &mut Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(async {
            let (places, open) = (Arc::new(Semaphore::new(MAX_CONNECTIONS)), Open::default());
            let begun = Instant::now();
            for id in 0..500 {
                let place = place(&places, &open).await.unwrap();
                let task = tokio::spawn(async move {
                    sleep(five_hundred).await;
                    drop(place);
                });
                open.add(id, task.abort_handle());
                if have_asked {
                    open.has_asked(id, false);
                }
            }
            drop(place(&places, &open).await.unwrap());
            begun.elapsed()
        })
    }

    /// They took the places one after the other before, for five seconds each: a scrape failed.
    #[test]
    fn five_hundred_that_say_nothing_do_not_keep_a_scrape_waiting() {
        let waited = wait_behind(TIME_TO_ASK, false);
        assert!(waited < TIME_TO_ASK, "{waited:?}");
    }

    /// They did the same with half a minute each.
    #[test]
    fn five_hundred_that_take_nothing_do_not_keep_a_scrape_waiting() {
        let waited = wait_behind(TIME_TO_ANSWER, true);
        assert!(waited < TIME_TO_ANSWER / 3, "{waited:?}");
    }
}
