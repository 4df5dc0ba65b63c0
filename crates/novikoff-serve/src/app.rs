//! What all requests share.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::watch;

use crate::auth::Tokens;
use crate::certificate::Certificates;
use crate::origin::HostCheck;
use crate::registry::Registry;

/// Limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Bytes of a body with rows.
    pub body: usize,
    /// Bytes of a model file.
    pub model: usize,
    /// How long a body and its answer may take.
    pub time: Duration,
}

/// What all requests share.
pub struct App {
    /// The models.
    pub registry: Registry,
    /// Who may do what; none: everybody.
    pub tokens: ArcSwapOption<Tokens>,
    /// Which requests are meant for this server.
    pub hosts: HostCheck,
    /// Limits of requests.
    pub limits: RequestLimits,
    /// Certificates being made, and made.
    pub certificates: Certificates,
    /// Turns metrics into text.
    pub metrics: PrometheusHandle,
    /// Requests per second, if they are limited.
    pub rate: Option<DefaultDirectRateLimiter>,
    /// Tokens that are not known, per second.
    pub guesses: DefaultDirectRateLimiter,
    /// The server stops.
    pub stopping: Arc<AtomicBool>,
    /// Told when the server stops: events end.
    pub stop: watch::Receiver<bool>,
}

/// A limit of this many per second.
pub fn per_second(count: NonZeroU32) -> DefaultDirectRateLimiter {
    RateLimiter::direct(Quota::per_second(count))
}
