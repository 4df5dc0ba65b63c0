//! The ids of requests that were learned: each is learned once, however often it is sent.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// A request that was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The rows that the model had learned with it.
    pub seq: u64,
    /// The checksum of its rows.
    pub digest: u32,
}

/// The last ids, by hash.
#[derive(Clone, Debug)]
pub struct RequestIds {
    known: HashMap<[u8; 16], Known>,
    order: VecDeque<[u8; 16]>,
    limit: usize,
}

/// The ids as a snapshot keeps them, oldest first.
pub type StoredIds = Vec<([u8; 16], Known)>;

fn hash(id: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
    short
}

impl RequestIds {
    /// Remembers the last `limit` ids.
    pub fn new(limit: usize) -> Self {
        RequestIds {
            known: HashMap::new(),
            order: VecDeque::new(),
            limit: limit.max(1),
        }
    }

    /// What was kept.
    pub fn restore(limit: usize, stored: StoredIds) -> Self {
        let mut ids = Self::new(limit);
        for (hash, known) in stored {
            ids.insert_hash(hash, known);
        }
        ids
    }

    /// What to keep.
    pub fn store(&self) -> StoredIds {
        let known = |hash: &[u8; 16]| Some((*hash, *self.known.get(hash)?));
        self.order.iter().filter_map(known).collect()
    }

    /// The request of an id, if it was learned.
    pub fn get(&self, id: &str) -> Option<Known> {
        self.known.get(&hash(id)).copied()
    }

    /// A request was learned.
    pub fn insert(&mut self, id: &str, known: Known) {
        self.insert_hash(hash(id), known);
    }

    fn insert_hash(&mut self, hash: [u8; 16], known: Known) {
        if self.known.insert(hash, known).is_none() {
            self.order.push_back(hash);
        }
        while self.order.len() > self.limit {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ids_go_first() {
        let mut ids = RequestIds::new(3);
        for seq in 0..5_u64 {
            ids.insert(&format!("r{seq}"), Known { seq, digest: 7 });
        }
        assert_eq!(ids.get("r1"), None);
        assert_eq!(ids.get("r2"), Some(Known { seq: 2, digest: 7 }));
        let again = RequestIds::restore(2, ids.store());
        assert_eq!(
            (again.get("r2"), again.get("r4").map(|k| k.seq)),
            (None, Some(4))
        );
    }
}
