//! Rows that a door has in arrays of its own. They are put together part by part, while a model answers or learns.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use novikoff::names::Names;
use novikoff::rows::Rows;

use crate::Error;
use crate::reader::{BlockSource, MemoryRows};

/// Values that are put together at once: they stay in the cache of a core until they are used.
pub(crate) const VALUES_TOGETHER: usize = 32_768;

/// Values below which another thread costs more than it saves.
pub(crate) const VALUES: usize = 100_000;

/// Threads that put rows together while another one learns from them.
const MAKERS: usize = 2;

/// Rows that a door has in arrays of its own.
pub trait DoorRows: Sync {
    /// How many rows.
    fn len(&self) -> usize;

    /// True if there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values they have in all.
    fn values(&self) -> usize;

    /// Adds these rows to `out`, each with this constant feature in slot 0 if there is one, and with its labels and its weight if it has some; or
    /// says what is wrong with one of them.
    fn fill(
        &self,
        rows: &mut dyn Iterator<Item = usize>,
        bias: Option<f32>,
        out: &mut Rows,
    ) -> Result<(), String>;

    /// Adds the products of these rows with a vector, each with this constant feature if there is one; false, with nothing added, if a row has to be
    /// put together for that.
    fn products(
        &self,
        _rows: Range<usize>,
        _constant: Option<f32>,
        _w: &[f64],
        _out: &mut Vec<f64>,
    ) -> bool {
        false
    }
}

/// How many rows are put together at once.
pub(crate) fn rows_together(rows: &dyn DoorRows) -> usize {
    let mean = rows.values() / rows.len().max(1);
    (VALUES_TOGETHER / mean.max(1)).clamp(16, 4096)
}

/// Rows with labels that a door lends to a run.
#[derive(Clone, Copy)]
pub struct LearnedRows<'a> {
    /// The rows.
    pub rows: &'a dyn DoorRows,
    /// The constant feature that the run gives them.
    pub constant: Option<f32>,
    /// The names of the features, where they are not their numbers.
    pub names: &'a Names,
}

impl LearnedRows<'_> {
    /// All rows, copied.
    pub fn held(&self) -> Result<MemoryRows, Error> {
        let mut rows = Rows::new();
        rows.reserve(self.rows.values() + self.rows.len());
        let fill = |mut range: Range<usize>, rows: &mut Rows| {
            let filled = self.rows.fill(&mut range, self.constant, rows);
            filled.map_err(Error::plain)
        };
        // the first rows tell whether slots are kept once
        let first = rows_together(self.rows).min(self.rows.len());
        fill(0..first, &mut rows)?;
        rows.share_repeated_slots();
        fill(first..self.rows.len(), &mut rows)?;
        Ok(MemoryRows {
            rows,
            constant: self.constant,
            names: self.names.clone(),
            ..MemoryRows::default()
        })
    }

    /// What `learn` makes of the rows, which come once and in this order. Other threads put them together, a few parts ahead.
    pub(crate) fn in_parts<T>(
        &self,
        order: &[usize],
        learn: impl FnOnce(Box<dyn BlockSource>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let together = rows_together(self.rows);
        thread::scope(|scope| {
            let mut makers = Vec::new();
            for maker in 0..MAKERS {
                let (full, parts) = sync_channel(2);
                let (empty, used) = channel();
                let mine = order.chunks(together).skip(maker).step_by(MAKERS);
                scope.spawn(move || self.make(mine, &full, &used));
                makers.push(Made { parts, empty });
            }
            let fault = Arc::new(Mutex::default());
            let learned = learn(Box::new(Parts {
                makers,
                next: 0,
                names: self.names.clone(),
                fault: Arc::clone(&fault),
            }));
            // a row is to blame, and not its source
            let fault = fault.lock().ok().and_then(|mut fault| fault.take());
            fault.map_or(learned, |what| Err(Error::plain(what)))
        })
    }

    /// Puts parts together until all are made, or nobody takes them.
    fn make<'o>(
        &self,
        parts: impl Iterator<Item = &'o [usize]>,
        full: &SyncSender<Result<Rows, String>>,
        used: &Receiver<Rows>,
    ) {
        for part in parts {
            let mut rows = used.try_recv().unwrap_or_default();
            rows.clear();
            let filled = self
                .rows
                .fill(&mut part.iter().copied(), self.constant, &mut rows);
            let is_bad = filled.is_err();
            if full.send(filled.map(|()| rows)).is_err() || is_bad {
                return;
            }
        }
    }
}

/// The parts of one thread, and where used memory goes back to.
struct Made {
    parts: Receiver<Result<Rows, String>>,
    empty: Sender<Rows>,
}

/// Parts of rows in their order, made by threads in turn.
struct Parts {
    makers: Vec<Made>,
    next: usize,
    names: Names,
    /// What is wrong with the row that the run has come to.
    fault: Arc<Mutex<Option<String>>>,
}

impl BlockSource for Parts {
    fn next_rows(&mut self, out: &mut Rows) -> Result<bool, String> {
        let maker = &self.makers[self.next % self.makers.len()];
        self.next += 1;
        match maker.parts.recv() {
            Ok(Ok(rows)) => {
                let used = std::mem::replace(out, rows);
                let _ = maker.empty.send(used);
                Ok(true)
            }
            Ok(Err(what)) => {
                if let Ok(mut fault) = self.fault.lock() {
                    *fault = Some(what.clone());
                }
                Err(what)
            }
            Err(_) => Ok(false),
        }
    }

    fn names(&self) -> Names {
        self.names.clone()
    }
}
