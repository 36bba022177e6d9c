//! What an answer sends: bytes at once, or events as they come.
use crate::EventReceiver;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, Sleep, sleep},
};

/// A comment is sent so often where nothing else is: proxies close what is silent, and a reader that
/// has gone without a word is found out.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);
/// A comment of a stream of events.
const COMMENT: &[u8] = b":\n\n";

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Answer {
    Whole(Option<Bytes>),
    Events(Stream),
}

/// Events for one reader.
#[derive(Debug)]
pub(crate) struct Stream {
    events: EventReceiver,
    silent: Pin<Box<Sleep>>,
    /// Its place among the streams.
    _place: OwnedSemaphorePermit,
}

impl Stream {
    pub(crate) fn new(events: EventReceiver, place: OwnedSemaphorePermit) -> Stream {
        Stream { events, silent: Box::pin(sleep(HEARTBEAT)), _place: place }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let next = match self.events.0.poll_recv(cx) {
            Poll::Ready(event) => event.map(Bytes::from),
            Poll::Pending => {
                ready!(self.silent.as_mut().poll(cx));
                Some(Bytes::from_static(COMMENT))
            }
        };
        self.silent.as_mut().reset(Instant::now() + HEARTBEAT);
        Poll::Ready(next)
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut *self {
            Answer::Whole(bytes) => bytes.take().filter(|it| !it.is_empty()),
            Answer::Events(stream) => ready!(stream.poll(cx)),
        };
        Poll::Ready(next.map(|it| Ok(Frame::data(it))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Answer::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Answer::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |it| it.len() as u64))
            }
            Answer::Events(_) => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    #[test]
    fn a_silent_stream_beats_and_an_event_does_not_wait_for_it() {
        let builder = &mut tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(async {
            let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
            let (sender, receiver) = crate::events(4);
            let mut stream = Stream::new(receiver, place);
            let begun = Instant::now();
            let mut next = async || std::future::poll_fn(|cx| stream.poll(cx)).await;
            assert_eq!(next().await.as_deref(), Some(COMMENT));
            assert_eq!(begun.elapsed().as_secs(), HEARTBEAT.as_secs());
            assert!(sender.send("it", "x"));
            assert_eq!(next().await.as_deref(), Some(&b"event: it\ndata: x\n\n"[..]));
            assert_eq!(begun.elapsed().as_secs(), HEARTBEAT.as_secs());
            drop(sender);
            assert_eq!(next().await, None);
        });
    }
}
