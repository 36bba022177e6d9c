//! A small HTTP server for those who ask for one: numbers to scrape, a page to look at; and numbers sent.
//!
//! * [`Address`]: what a user typed; without a host it is the loopback interface.
//! * [`Bound`] takes the port, so that a port in use is said at once; [`Bound::start`] answers on it
//!   in a thread of its own until the [`Server`] is dropped.
//! * [`Push`]: numbers sent to a [`Target`] again and again, where that is asked for.
//! * [`Poster`]: one text sent to a [`Url`], with or without TLS.
//! * [`Request`], [`Response`]: what a route is asked and what it answers, a whole or a stream of
//!   server-sent events ([`events`]).
//!
//! The only crate that opens a socket to a network, and it knows nothing of what it serves.
//! Every client that reaches the address may read and none can change anything: there is nothing but GET
//! and HEAD. A page of another site that a browser shows cannot read either: the `Host` and the
//! `Origin` of a request are checked. Everything that a client can take up is bounded: connections,
//! headers, time to send them, time to take the answer, and events that wait for a slow reader.
mod address;
mod body;
mod connection;
mod events;
mod open;
mod post;
mod push;
mod request;
mod route;
mod server;
mod sockets;
mod tls;
mod url;

pub use address::{Address, AddressError};
pub use events::{EventReceiver, EventSender, events};
pub use post::{Failed, Poster};
pub use push::{Push, Target, TargetError};
pub use request::{Request, Response};
pub use server::{Bound, Options, Server, StartError};
pub use tls::TlsError;
pub use url::{Url, UrlError};
