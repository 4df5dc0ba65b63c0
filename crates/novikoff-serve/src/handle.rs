//! A model as requests see it: a queue to its writer, and what the writer has published.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use novikoff::model::Snapshot;
use novikoff_data::json::ObjectColumns;
use novikoff_data::named_rows::NamedRows;
use tokio::sync::{oneshot, watch};

use crate::api::{Description, Learned, Standing};
use crate::log::entry::LearnedEntry;
use crate::pending::PendingRows;
use crate::remarks::Remarks;
use crate::settings::CheckedSettings;
use crate::status::Status;

/// Why a writer did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// A row is refused.
    Refused {
        /// The row, counted from 0.
        row: Option<usize>,
        /// What is wrong.
        detail: String,
    },
    /// The id was used for other rows.
    IdTaken {
        /// When.
        seq: u64,
    },
    /// No room on the disk.
    Full(String),
    /// The log has failed.
    Failed(String),
    /// The queue is full.
    Busy,
    /// The server stops, or the model is gone.
    Stopped,
}

/// What a reply is sent to.
pub type Reply<T> = oneshot::Sender<Result<T, WriteError>>;

/// What a writer is asked for.
pub enum Task {
    /// Learn rows.
    Learn {
        /// The id of the request.
        id: Option<String>,
        /// The rows.
        rows: Arc<NamedRows>,
        /// The rows as the log has them.
        entry: LearnedEntry,
        /// Where the reply goes.
        reply: Reply<Learned>,
    },
    /// Whether a request was learned, and with which `seq`.
    Lookup {
        /// The id of the request.
        id: String,
        /// Where the reply goes.
        reply: Reply<Option<u64>>,
    },
    /// Go on from a model file.
    Upload {
        /// The file.
        bytes: Vec<u8>,
        /// Where the reply goes.
        reply: Reply<()>,
    },
    /// Somebody waits for the newest model.
    Publish,
    /// A snapshot was written, or could not be.
    SnapshotWritten(Result<(u64, u64, u64), String>),
    /// Write a snapshot and end.
    Stop {
        /// Told when it is done.
        done: oneshot::Sender<()>,
    },
}

/// A model that readers use.
pub struct Published {
    /// Rows learned.
    pub seq: u64,
    /// The model; none before the first row.
    pub model: Option<Snapshot>,
}

/// A model as requests see it.
pub struct ModelHandle {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What it was made with.
    pub settings: Arc<CheckedSettings>,
    /// What the fields of JSON objects are; another one when a model file is uploaded.
    pub(crate) columns: ArcSwap<ObjectColumns>,
    pub(crate) queue: SyncSender<Task>,
    /// The newest model that readers have.
    pub(crate) published: ArcSwap<Published>,
    /// Told of every model that is published.
    pub(crate) published_seq: watch::Sender<u64>,
    /// Rows acknowledged.
    pub(crate) acknowledged: AtomicU64,
    /// Somebody waits for a model that is newer than the published one.
    pub(crate) wanted: AtomicBool,
    pub(crate) status: Mutex<Status>,
    pub(crate) standing: watch::Sender<Standing>,
    /// What a person should know.
    pub(crate) remarks: Mutex<Remarks>,
    /// Rows that wait for their labels.
    pub(crate) pending: Mutex<PendingRows>,
    /// A model file took its place once.
    pub(crate) uploaded: AtomicBool,
}

/// How long a description waits for a model to look at.
const LOOK: Duration = Duration::from_secs(2);

/// How long a reader waits for a model that has learned enough.
const WAIT: Duration = Duration::from_secs(5);

impl ModelHandle {
    /// What is known of the model.
    pub fn status(&self) -> Status {
        self.lock_status().clone()
    }

    /// What is known of the model, looked at.
    pub fn with_status<T>(&self, look: impl FnOnce(&Status) -> T) -> T {
        look(&self.lock_status())
    }

    pub(crate) fn remarks(&self) -> MutexGuard<'_, Remarks> {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model's description. Its remarks are those of an earlier one where the model has few more rows, or its writer has no time.
    pub async fn description(&self) -> Description {
        let rows = self.with_status(|status| status.totals.0);
        if self.remarks().is_old(rows) {
            let newest = tokio::time::timeout(LOOK, self.at_least(0)).await;
            let published = newest.ok().flatten();
            if let Some(model) = published.as_ref().and_then(|p| p.model.as_ref()) {
                self.remarks().look_at(model);
            }
        }
        let remarks = self.remarks().list().to_vec();
        self.lock_status().description(&self.name, remarks)
    }

    /// What is known of the model, to be changed.
    pub(crate) fn lock_status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rows that wait for their labels.
    pub fn pending(&self) -> MutexGuard<'_, PendingRows> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// News of the model.
    pub fn news(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Rows acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Acquire)
    }

    /// Puts a task into the queue, if there is room.
    pub fn send(&self, task: Task) -> Result<(), WriteError> {
        self.queue.try_send(task).map_err(|error| match error {
            TrySendError::Full(_) => WriteError::Busy,
            TrySendError::Disconnected(_) => WriteError::Stopped,
        })
    }

    /// Asks the writer and waits for its answer.
    pub async fn ask<T>(&self, task: impl FnOnce(Reply<T>) -> Task) -> Result<T, WriteError> {
        let (reply, answer) = oneshot::channel();
        self.send(task(reply))?;
        answer.await.unwrap_or(Err(WriteError::Stopped))
    }

    /// A model that has every row acknowledged before this call, and at least `seq` rows. None if there are not that many in time.
    pub async fn at_least(&self, seq: u64) -> Option<Arc<Published>> {
        let target = self.acknowledged().max(seq);
        let published = self.published.load_full();
        if published.seq >= target {
            return Some(published);
        }
        let mut news = self.published_seq.subscribe();
        let mut acknowledged = self.standing.subscribe();
        let wait = async {
            loop {
                let published = self.published.load_full();
                if published.seq >= target {
                    return Some(published);
                }
                if self.acknowledged() >= target {
                    self.wanted.store(true, Ordering::SeqCst);
                    match self.send(Task::Publish) {
                        // a writer whose queue is full looks for wanted models after its next group
                        Ok(()) | Err(WriteError::Busy) => news.changed().await.ok()?,
                        Err(_) => return None,
                    }
                } else {
                    acknowledged.changed().await.ok()?;
                }
            }
        };
        tokio::time::timeout(WAIT, wait).await.ok().flatten()
    }
}
