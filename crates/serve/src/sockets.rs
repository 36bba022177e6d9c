//! A connection as the HTTP library wants it, given up where its other end takes nothing.
use hyper::rt::{Read, ReadBufCursor, Sleep, Timer, Write};
use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// Size of a read; a request is seldom longer.
const READ_BYTES: usize = 4 << 10;

/// A connection.
#[derive(Debug)]
pub(crate) struct Stream<S = TcpStream> {
    inner: S,
    patience: Duration,
    /// When it is given up, while its other end takes nothing.
    stalled: Option<Pin<Box<tokio::time::Sleep>>>,
    /// How much more of what the other end sends is read.
    left: usize,
}

impl<S> Stream<S> {
    /// `patience` is how long its other end may take nothing of what it is sent.
    pub(crate) fn new(inner: S, patience: Duration) -> Stream<S> {
        Stream { inner, patience, stalled: None, left: usize::MAX }
    }

    /// The same, given up when its other end sends more than this many bytes in all.
    pub(crate) fn reading_at_most(self, bytes: usize) -> Stream<S> {
        Stream { left: bytes, ..self }
    }

    /// What a write came to, with its limit.
    fn within<T>(
        &mut self,
        cx: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let patience = self.patience;
        let limit = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(limit.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> Read for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut out: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; READ_BYTES];
        let most = out.remaining().min(READ_BYTES);
        let mut buffer = ReadBuf::new(&mut bytes[..most]);
        ready!(Pin::new(&mut self.inner).poll_read(cx, &mut buffer))?;
        let Some(left) = self.left.checked_sub(buffer.filled().len()) else {
            let error = io::Error::new(io::ErrorKind::FileTooLarge, "the answer is too long");
            return Poll::Ready(Err(error));
        };
        self.left = left;
        out.put_slice(buffer.filled());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> Write for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.within(cx, result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        self.within(cx, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.within(cx, result)
    }
}

/// The clock of the runtime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock;

/// A sleep of hyper's timer, by tokio.
#[derive(Debug)]
struct Wait(Pin<Box<tokio::time::Sleep>>);

impl Timer for Clock {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(Wait(Box::pin(tokio::time::sleep(duration))))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Wait(Box::pin(tokio::time::sleep_until(deadline.into()))))
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(cx)
    }
}

impl Sleep for Wait {}
