//! The bytes of bodies. Those of large ones lie in memory that is used again, for to get fresh memory from the system costs more than to copy a body.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Body as _;

/// Bodies that are larger than this are put together in memory of the pool.
const LARGE: u64 = 64 << 10;

/// How many pieces of memory are kept, and how large one may be.
const KEPT: usize = 4;
const KEPT_BYTES: usize = 4 << 20;

/// Memory that bodies have left.
#[derive(Clone, Default)]
pub struct BufferPool(Arc<Mutex<Vec<Vec<u8>>>>);

/// The bytes of a body.
pub struct BodyBytes(Content);

enum Content {
    Shared(Bytes),
    Pooled(Vec<u8>, BufferPool),
}

impl Deref for BodyBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Content::Shared(bytes) => bytes,
            Content::Pooled(bytes, _) => bytes,
        }
    }
}

impl Drop for BodyBytes {
    fn drop(&mut self) {
        if let Content::Pooled(bytes, pool) = &mut self.0 {
            pool.put(std::mem::take(bytes));
        }
    }
}

/// Why there are no bytes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBytes {
    /// There are more than are allowed.
    TooMany,
    /// It ended before its end.
    Broken,
}

impl BufferPool {
    fn get(&self) -> Vec<u8> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.pop().unwrap_or_default()
    }

    fn put(&self, mut bytes: Vec<u8>) {
        bytes.clear();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.capacity() <= KEPT_BYTES && kept.len() < KEPT {
            kept.push(bytes);
        }
    }

    /// The bytes of a body, at most `limit` of them.
    pub async fn read(&self, body: Body, limit: usize) -> Result<BodyBytes, NoBytes> {
        let length = body.size_hint().lower();
        let mut body = Limited::new(body, limit);
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            if error.is::<LengthLimitError>() {
                NoBytes::TooMany
            } else {
                NoBytes::Broken
            }
        };
        if length <= LARGE {
            let collected = body.collect().await.map_err(failed)?;
            return Ok(BodyBytes(Content::Shared(collected.to_bytes())));
        }
        // given back in any case
        let mut bytes = BodyBytes(Content::Pooled(self.get(), self.clone()));
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(failed)?;
            if let (Content::Pooled(bytes, _), Ok(data)) = (&mut bytes.0, frame.into_data()) {
                if bytes.is_empty() {
                    // a client that says much and sends little has made room for nothing
                    bytes.reserve(usize::try_from(length).unwrap_or(limit).min(limit));
                }
                bytes.extend_from_slice(&data);
            }
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(future)
    }

    #[test]
    fn bodies_come_whole_and_their_memory_is_used_again() {
        let pool = BufferPool::default();
        for size in [0, 1, 1000, 70_000, 500_000, 5_000_000, 70_000] {
            let sent: Vec<u8> = (0..size).map(|k| (k * 31 % 251) as u8).collect();
            let read = block_on(pool.read(Body::from(sent.clone()), 6_000_000));
            assert!(read.is_ok_and(|bytes| *bytes == sent[..]), "{size}");
        }
        let kept = pool.0.lock().expect("nobody panicked");
        assert_eq!(kept.len(), 1);
        assert!(kept[0].capacity() <= KEPT_BYTES);
        drop(kept);
        let over = block_on(pool.read(Body::from(vec![0; 70_001]), 70_000));
        assert_eq!(over.err(), Some(NoBytes::TooMany));
    }
}
