//! How long the headers of a request may take, on a connection that may be idle for longer, and how long a client may leave an answer unread.
//!
//! hyper has one timer for both. The headers of the first request are waited for from the beginning of the connection, those of later ones from their first
//! byte. A request whose first bytes came together with the one before it has the time of an idle connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Headers are awaited, or have begun.
const HEADERS: u8 = 0;
/// A request is being answered.
const REQUEST: u8 = 1;
/// Nothing of the next request has come.
const BETWEEN: u8 = 2;

/// Where a connection is between its requests.
#[derive(Clone)]
pub(super) struct Phase(Arc<AtomicU8>);

impl Phase {
    /// The headers of a request are there.
    pub(super) fn request(&self) {
        self.0.store(REQUEST, Ordering::Relaxed);
    }

    /// A request was answered.
    pub(super) fn between(&self) {
        self.0.store(BETWEEN, Ordering::Relaxed);
    }
}

/// A stream whose reads fail when headers take too long.
pub(super) struct Timed<S> {
    stream: S,
    phase: Phase,
    /// When the headers that are awaited began.
    since: Instant,
    time: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    /// How long a write may wait for the client, and the end of that while one waits.
    write_time: Duration,
    write_timer: Option<Pin<Box<Sleep>>>,
}

/// A stream that gives headers this much time and clients that do not read what they asked for that much, and the phase that has to be set when a request begins and ends.
pub(super) fn timed<S>(stream: S, time: Duration, write_time: Duration) -> (Timed<S>, Phase) {
    let phase = Phase(Arc::new(AtomicU8::new(HEADERS)));
    let timed = Timed {
        stream,
        phase: phase.clone(),
        since: Instant::now(),
        time,
        timer: None,
        write_time,
        write_timer: None,
    };
    (timed, phase)
}

impl<S> Timed<S> {
    /// A write that waits fails in the end; one that does not begins the time again.
    fn timed_write<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_timer = None;
            return written;
        }
        let time = self.write_time;
        let timer = self
            .write_timer
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + time)));
        if timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut own.stream).poll_read(context, buffer);
        let phase = &own.phase.0;
        match &read {
            Poll::Ready(Ok(()))
                if buffer.filled().len() > before && phase.load(Ordering::Relaxed) == BETWEEN =>
            {
                phase.store(HEADERS, Ordering::Relaxed);
                (own.since, own.timer) = (Instant::now(), None);
            }
            Poll::Pending if phase.load(Ordering::Relaxed) == HEADERS => {
                let until = own.since + own.time;
                let timer = own
                    .timer
                    .get_or_insert_with(|| Box::pin(sleep_until(until)));
                if timer.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            _ => {}
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        let written = Pin::new(&mut own.stream).poll_write(context, bytes);
        own.timed_write(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        let written = Pin::new(&mut own.stream).poll_write_vectored(context, parts);
        own.timed_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let flushed = Pin::new(&mut own.stream).poll_flush(context);
        own.timed_write(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
