//! What all requests share.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::auth::Tokens;
use crate::body::BodyLimits;
use crate::body_bytes::BufferPool;
use crate::certificate::Certificates;
use crate::origin::HostCheck;
use crate::registry::Registry;

/// Limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Bytes of a body with rows.
    pub body: usize,
    /// Rows of a body.
    pub rows: usize,
    /// Bytes of a model file.
    pub model: usize,
    /// How long a body and its answer may take.
    pub time: Duration,
}

impl RequestLimits {
    /// What a body with rows may come to.
    pub fn of_rows(&self) -> BodyLimits {
        BodyLimits {
            bytes: self.body,
            rows: self.rows,
        }
    }
}

/// Memory that the rows of large bodies may take at a time.
pub struct RequestMemory {
    /// In units of [`UNIT`].
    room: Semaphore,
    all: u32,
}

/// The unit of memory: rows are counted in it.
const UNIT: u64 = 64 << 10;

/// How many times larger than a body its rows are, at most, about: short names take the most.
const GROWTH: u64 = 16;

impl RequestMemory {
    /// This many bytes.
    pub fn new(bytes: u64) -> Self {
        let all = (bytes / UNIT).clamp(1, 1 << 28) as u32;
        RequestMemory {
            room: Semaphore::new(all as usize),
            all,
        }
    }

    /// Room for the rows of a body of this many bytes, once there is some; none if that takes longer than `time`. A body that would take more than all there
    /// is has it for itself.
    pub async fn take(&self, bytes: usize, time: Duration) -> Option<SemaphorePermit<'_>> {
        let units = (bytes as u64 * GROWTH).div_ceil(UNIT);
        let units = u32::try_from(units).unwrap_or(u32::MAX).min(self.all);
        let taken = tokio::time::timeout(time, self.room.acquire_many(units)).await;
        taken.ok()?.ok()
    }
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
    /// Memory of large bodies.
    pub memory: RequestMemory,
    /// Memory that large bodies have left.
    pub buffers: BufferPool,
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
