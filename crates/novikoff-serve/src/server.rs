//! Connections: our own accept loop, with limits in number, time and size, and an end that lets requests finish.

mod clock;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// The least that hyper takes for its buffer.
const LEAST_BUFFER: usize = 8192;

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// How many there may be; then new ones wait to be accepted.
    pub connections: usize,
    /// How long headers may take.
    pub header_time: Duration,
    /// How long a connection may be idle between requests.
    pub idle_time: Duration,
    /// How long a client may take nothing of an answer.
    pub write_time: Duration,
    /// Bytes of headers.
    pub header_bytes: usize,
    /// How long requests may take to finish when the server stops.
    pub drain: Duration,
}

/// Serves until `stop` is done, then lets requests finish. Gives how many connections were cut off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Arc<ArcSwapOption<TlsAcceptor>>,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) -> usize {
    let room = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        // a connection is accepted once there is room for it
        let permit = tokio::select! {
            permit = Arc::clone(&room).acquire_owned() => permit,
            () = &mut stop => break,
        };
        let Ok(permit) = permit else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // no more descriptors, or a client that is gone: neither is a reason to end
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (router, watcher, tls) = (router.clone(), graceful.watcher(), tls.load_full());
        metrics::gauge!("novikoff_connections")
            .set((limits.connections - room.available_permits()) as f64);
        tokio::spawn(async move {
            match tls {
                None => connection(stream, router, limits, watcher).await,
                Some(tls) => {
                    let shaken = tokio::time::timeout(limits.header_time, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = shaken {
                        connection(stream, router, limits, watcher).await;
                    }
                }
            }
            drop(permit);
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => 0,
        () = tokio::time::sleep(limits.drain) => limits.connections - room.available_permits(),
    }
}

async fn connection<S>(
    stream: S,
    router: Router,
    limits: ConnectionLimits,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (stream, phase) = clock::timed(stream, limits.header_time, limits.write_time);
    let inner = TowerToHyperService::new(router);
    let service = service_fn(move |request| {
        phase.request();
        let (answered, phase) = (inner.call(request), phase.clone());
        async move {
            let response = answered.await;
            phase.between();
            response
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        // its timer begins with the end of the request before; the clock of the stream has the time of headers
        .header_read_timeout(limits.idle_time.max(limits.header_time))
        .max_header_size(limits.header_bytes)
        .max_buf_size(limits.header_bytes.max(LEAST_BUFFER))
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(serving).await {
        tracing::debug!("connection: {error}");
    }
}
