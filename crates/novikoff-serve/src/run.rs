//! `novikoff serve`: everything put together, and its end.

use std::io::IsTerminal as _;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;

use crate::api::ModelOptions;
use crate::app::{App, RequestLimits, RequestMemory, per_second};
use crate::args::{ServeArgs, SyncWord};
use crate::auth::Tokens;
use crate::body_bytes::BufferPool;
use crate::certificate::Certificates;
use crate::log::Sync;
use crate::origin::HostCheck;
use crate::pending::PendingLimits;
use crate::registry::{Keeping, Registry, RegistryError, check_name};
use crate::routes::router;
use crate::server::{ConnectionLimits, serve};
use crate::settings::DEFAULT_SPEC;
use crate::tls::acceptor;
use crate::writer::SnapshotPolicy;

/// Bytes of rows that wait for their labels, per model.
const PENDING_BYTES: usize = 256 << 20;

/// The signal of a file that grows beyond its limit: seen as an error of the write instead.
const SIGXFSZ: i32 = 25;

/// Tokens that are not known, per second; then 429.
const GUESSES: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// Why the server ended with an error.
#[derive(Debug)]
pub enum Ended {
    /// It could not start.
    NotStarted(String),
    /// Its log has failed.
    Failed(String),
}

impl ServeArgs {
    fn keeping(&self) -> Result<Keeping, String> {
        let keep = match &*self.log_keep {
            "all" => None,
            text => Some(
                text.parse()
                    .map_err(|_| format!("--log-keep {text}: must be a number of bytes, or all"))?,
            ),
        };
        Ok(Keeping {
            sync: match self.sync {
                SyncWord::Always => Sync::Always,
                SyncWord::Interval => Sync::Interval(Duration::from_secs(1)),
                SyncWord::Never => Sync::Never,
            },
            segment_bytes: self.segment_bytes.max(4096),
            snapshots: SnapshotPolicy {
                rows: self.snapshot_rows.max(1),
                keep,
            },
            request_ids: self.request_ids,
            queue: self.queue,
            pending: PendingLimits {
                rows: self.feedback_rows,
                bytes: PENDING_BYTES,
                expiry: Duration::from_secs(self.feedback_expiry),
            },
            memory: self.model_memory,
            max_features: self.max_features,
            models: self.max_models,
        })
    }

    /// Beyond this machine, labels and models need a token, and a token needs TLS.
    fn check_address(&self) -> Result<(), String> {
        let is_guarded = self.tokens.is_some() && self.tls_certificate.is_some();
        if self.listen.ip().is_loopback() || is_guarded || self.insecure {
            return Ok(());
        }
        Err(format!(
            "--listen {}: an address beyond this machine needs --tls-certificate, --tls-key and --tokens; --insecure does without them",
            self.listen
        ))
    }

    fn tls(&self) -> Result<Option<Arc<TlsAcceptor>>, String> {
        let files = self.tls_certificate.as_ref().zip(self.tls_key.as_ref());
        files
            .map(|(certificate, key)| acceptor(certificate, key).map(Arc::new))
            .transpose()
    }

    fn load_tokens(&self) -> Result<Option<Arc<Tokens>>, String> {
        self.tokens
            .as_ref()
            .map(|path| Tokens::load(path).map(Arc::new))
            .transpose()
    }
}

/// Starts the logs of the process on stderr.
fn log_to_stderr(args: &ServeArgs) {
    let builder = tracing_subscriber::fmt()
        .with_max_level(args.log_level)
        .with_writer(std::io::stderr);
    // a second subscriber in one process is refused, and the first goes on
    if args.log_json || !std::io::stderr().is_terminal() {
        let _ =
            tracing::subscriber::set_global_default(builder.json().flatten_event(true).finish());
    } else {
        let _ = tracing::subscriber::set_global_default(builder.with_target(false).finish());
    }
}

/// Serves until a signal comes, or the log fails.
pub fn run(args: &ServeArgs) -> Result<(), Ended> {
    log_to_stderr(args);
    std::panic::set_hook(Box::new(|about| {
        // what the decoder of a body gives up on is the fault of the body, and is its answer
        if !novikoff_data::error::panics_are_caught() {
            tracing::error!("{about}");
        }
    }));
    args.check_address().map_err(Ended::NotStarted)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime =
        runtime.map_err(|error| Ended::NotStarted(format!("cannot start threads: {error}")))?;
    let ended = runtime.block_on(serve_until_stopped(args));
    // certificates that are being made are given up
    runtime.shutdown_background();
    ended
}

fn connection_limits(args: &ServeArgs) -> ConnectionLimits {
    ConnectionLimits {
        connections: args.connections.max(1),
        header_time: Duration::from_secs(args.header_timeout.max(1)),
        idle_time: Duration::from_secs(args.idle_timeout.max(1)),
        write_time: Duration::from_secs(args.timeout.max(1)),
        header_bytes: args.max_header.max(8192),
        drain: Duration::from_secs(args.drain),
    }
}

async fn serve_until_stopped(args: &ServeArgs) -> Result<(), Ended> {
    let not_started = |what: String| Ended::NotStarted(what);
    let keeping = args.keeping().map_err(not_started)?;
    let tokens = args.load_tokens().map_err(not_started)?;
    let tls = args.tls().map_err(not_started)?;
    let handlers =
        signals().map_err(|error| not_started(format!("cannot catch signals: {error}")))?;
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    // a second recorder in one process is refused, and the first goes on
    let _ = metrics::set_global_recorder(recorder);
    check_models(&keeping, &args.model).map_err(not_started)?;
    // before the directory is touched: whoever waits for an answer is heard once the models are there
    let listener = TcpListener::bind(args.listen).await;
    let listener = listener.map_err(|error| {
        not_started(format!(
            "--listen {}: cannot listen there: {error}; stop what does, or give another address",
            args.listen
        ))
    })?;
    let address = listener.local_addr().map_or(args.listen, |address| address);
    let (fatal, mut failures) = mpsc::unbounded_channel();
    let dir = args.dir.clone();
    let opened = tokio::task::spawn_blocking(move || Registry::open(&dir, keeping, fatal)).await;
    let registry = opened.map_err(|error| not_started(error.to_string()))?;
    let registry = registry.map_err(|error| not_started(error.to_string()))?;
    make_models(&registry, &args.model).map_err(not_started)?;
    let (stop_events, stop) = watch::channel(false);
    let stopping = Arc::new(AtomicBool::new(false));
    let app = Arc::new(App {
        registry,
        tokens: ArcSwapOption::new(tokens),
        hosts: HostCheck::new(address.ip(), &args.host),
        limits: RequestLimits {
            body: args.max_body,
            rows: args.max_rows,
            model: args.max_upload,
            time: Duration::from_secs(args.timeout.max(1)),
        },
        memory: RequestMemory::new(args.request_memory),
        buffers: BufferPool::default(),
        certificates: Certificates::new(u128::from(args.certificate_memory)),
        metrics: metrics.clone(),
        rate: args.rate.map(per_second),
        guesses: per_second(GUESSES),
        stopping: Arc::clone(&stopping),
        stop,
    });
    let scheme = if tls.is_some() { "https" } else { "http" };
    let tls = Arc::new(ArcSwapOption::new(tls));
    tracing::info!("listening on {scheme}://{address}");
    let kept_up = Arc::clone(&app);
    let upkeep = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(5)).await;
            metrics.run_upkeep();
            for model in kept_up.registry.list() {
                model.pending().expire();
            }
        }
    });
    let reload = tokio::spawn(reload_on_signal(
        handlers.reload,
        args.clone(),
        Arc::clone(&app),
        Arc::clone(&tls),
    ));
    let (mut failure, mut end, mut again) = (None, handlers.end, handlers.again);
    let limits = connection_limits(args);
    let until = async {
        tokio::select! {
            _ = end.recv() => tracing::info!("stopping"),
            what = failures.recv() => failure = what,
        }
        stopping.store(true, Ordering::Relaxed);
        stop_events.send_replace(true);
    };
    let router = router(Arc::clone(&app));
    // a second signal ends the process at once: logs are complete without snapshots
    let cut = tokio::select! {
        cut = serve(listener, router, tls, limits, until) => cut,
        _ = again.recv() => return Ok(()),
    };
    if cut > 0 {
        tracing::warn!("{cut} connections did not end in time");
    }
    upkeep.abort();
    reload.abort();
    if let Some(what) = failure {
        return Err(Ended::Failed(what));
    }
    tokio::select! {
        () = app.registry.stop() => {}
        _ = again.recv() => {}
    }
    match failures.try_recv() {
        Ok(what) => Err(Ended::Failed(what)),
        Err(_) => Ok(()),
    }
}

/// The name and the spec of a model of the command line.
fn name_and_spec(word: &str) -> (&str, &str) {
    word.split_once('=').unwrap_or((word, DEFAULT_SPEC))
}

/// Whether the models of the command line can be made, before anything is.
fn check_models(keeping: &Keeping, words: &[String]) -> Result<(), String> {
    for word in words {
        let (name, spec) = name_and_spec(word);
        let wrong = |error: RegistryError| format!("--model {word}: {error}");
        check_name(name).map_err(wrong)?;
        let settings = keeping.settings(spec.to_owned(), ModelOptions::default());
        let checked = settings.check().map_err(RegistryError::Settings);
        checked.map_err(wrong)?;
    }
    Ok(())
}

/// Makes the models of the command line that are not there.
fn make_models(registry: &Registry, words: &[String]) -> Result<(), String> {
    for word in words {
        let (name, spec) = name_and_spec(word);
        let settings = registry.settings(spec.to_owned(), ModelOptions::default());
        match registry.create(name, settings) {
            Ok(_) | Err(RegistryError::Exists(_)) => {}
            Err(error) => return Err(format!("--model {word}: {error}")),
        }
    }
    Ok(())
}

struct Handlers {
    /// The first signal to end.
    end: mpsc::Receiver<()>,
    /// Those behind it.
    again: mpsc::Receiver<()>,
    reload: tokio::signal::unix::Signal,
}

fn signals() -> std::io::Result<Handlers> {
    let (sender, mut all) = mpsc::channel(4);
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let (mut caught, sender) = (signal(kind)?, sender.clone());
        tokio::spawn(async move {
            while caught.recv().await.is_some() && sender.send(()).await.is_ok() {}
        });
    }
    let ((first, end), (others, again)) = (mpsc::channel(1), mpsc::channel(1));
    tokio::spawn(async move {
        if all.recv().await.is_some() {
            let _ = first.send(()).await;
        }
        while all.recv().await.is_some() && others.send(()).await.is_ok() {}
    });
    // caught, so that it does not end the process; the write that it is about fails
    let mut too_large = signal(SignalKind::from_raw(SIGXFSZ))?;
    tokio::spawn(async move { while too_large.recv().await.is_some() {} });
    Ok(Handlers {
        end,
        again,
        reload: signal(SignalKind::hangup())?,
    })
}

/// Reads tokens and certificates again. What cannot be read leaves what there is.
async fn reload_on_signal(
    mut caught: tokio::signal::unix::Signal,
    args: ServeArgs,
    app: Arc<App>,
    tls: Arc<ArcSwapOption<TlsAcceptor>>,
) {
    while caught.recv().await.is_some() {
        match args
            .load_tokens()
            .and_then(|tokens| Ok((tokens, args.tls()?)))
        {
            Ok((tokens, acceptor)) => {
                app.tokens.store(tokens);
                tls.store(acceptor);
                tracing::info!("tokens and certificates read again");
            }
            Err(what) => tracing::error!("{what}; tokens and certificates stay as they were"),
        }
    }
}
