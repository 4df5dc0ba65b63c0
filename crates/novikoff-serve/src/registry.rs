//! The models of a directory: opened, made, removed.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;

use arc_swap::ArcSwap;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch};

use crate::api::ModelOptions;
use crate::commit::{Commits, Committer};
use crate::fold::Fold;
use crate::handle::{ModelHandle, Published, Task};
use crate::log::file::sync_folder;
use crate::log::segment::Place;
use crate::log::{End, Entry, Log, Sync};
use crate::pending::{PendingLimits, PendingRows};
use crate::replay::{Replayed, State, remove_unfinished, replay};
use crate::settings::{CheckedSettings, Settings};
use crate::status::Status;
use crate::writer::{SnapshotPolicy, Writer};

/// How models are kept.
#[derive(Clone, Copy, Debug)]
pub struct Keeping {
    /// When the disk must have a label.
    pub sync: Sync,
    /// The length of a segment.
    pub segment_bytes: u64,
    /// When snapshots are written.
    pub snapshots: SnapshotPolicy,
    /// Request ids remembered per model.
    pub request_ids: usize,
    /// Requests that wait per model.
    pub queue: usize,
    /// Predictions that wait for their labels.
    pub pending: PendingLimits,
    /// Bytes that a model may take.
    pub memory: u64,
    /// The highest feature.
    pub max_features: u32,
    /// The most models.
    pub models: usize,
}

impl Keeping {
    /// The settings of a model that is to be made.
    pub fn settings(&self, spec: String, options: ModelOptions) -> Settings {
        Settings {
            spec,
            options,
            memory: self.memory,
            max_features: self.max_features,
        }
    }
}

/// Why a model cannot be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Not a name.
    #[error("name {0:?}: must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -")]
    Name(String),
    /// There is one of that name.
    #[error("there is a model {0} already; delete it first, or choose another name")]
    Exists(String),
    /// There are too many.
    #[error(
        "there are {0} models already; delete one, or start the server with a higher --max-models"
    )]
    TooMany(usize),
    /// A spec or an option.
    #[error("{0}")]
    Settings(String),
    /// The disk is full.
    #[error("{0}")]
    Full(String),
    /// The system, the log, a snapshot.
    #[error("{0}")]
    Failed(String),
}

/// The models of a directory. The directory is locked as long as it lives.
pub struct Registry {
    models_folder: PathBuf,
    keeping: Keeping,
    models: RwLock<BTreeMap<String, Arc<ModelHandle>>>,
    /// One model is made or removed at a time.
    changing: Mutex<()>,
    fatal: UnboundedSender<String>,
    /// Different in every process.
    process: u64,
    _lock: File,
}

/// Whether that may be the name of a model.
pub fn is_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}

/// Whether that may be the name of a model, or what is wrong with it.
pub fn check_name(name: &str) -> Result<(), RegistryError> {
    if is_name(name) {
        return Ok(());
    }
    Err(RegistryError::Name(name.chars().take(80).collect()))
}

fn failed(path: &Path, doing: &str, error: &io::Error) -> RegistryError {
    let text = format!("{}: cannot {doing}: {error}", path.display());
    if crate::log::file::is_full(error) {
        RegistryError::Full(text)
    } else {
        RegistryError::Failed(text)
    }
}

impl Registry {
    /// Opens a directory with all its models, which is made if it is not there.
    pub fn open(
        folder: &Path,
        keeping: Keeping,
        fatal: UnboundedSender<String>,
    ) -> Result<Self, RegistryError> {
        let models_folder = folder.join("models");
        fs::create_dir_all(&models_folder)
            .map_err(|error| failed(folder, "make the directory", &error))?;
        let path = folder.join("novikoff.lock");
        let lock = File::options().create(true).append(true).open(&path);
        let lock = lock.map_err(|error| failed(&path, "write to the directory", &error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RegistryError::Failed(format!(
                "{}: another server works on this directory; stop it, or give this one another --dir",
                folder.display()
            )),
            TryLockError::Error(error) => failed(&path, "lock the directory", &error),
        })?;
        let mut process = [0; 8];
        getrandom::fill(&mut process)
            .map_err(|error| RegistryError::Failed(format!("no random numbers: {error}")))?;
        let registry = Registry {
            keeping,
            models: RwLock::default(),
            changing: Mutex::new(()),
            fatal,
            process: u64::from_le_bytes(process),
            _lock: lock,
            models_folder: models_folder.clone(),
        };
        let io = |error: io::Error| failed(&models_folder, "read it", &error);
        for entry in fs::read_dir(&models_folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default()
                .to_owned();
            if is_name(&name) {
                let handle = registry.load(&name, &path)?;
                registry.insert(handle);
            } else if name.starts_with('.') {
                // half made, or half removed
                fs::remove_dir_all(&path).map_err(|error| failed(&path, "remove it", &error))?;
            }
        }
        Ok(registry)
    }

    /// What replies to learners wait for.
    pub fn sync(&self) -> &'static str {
        self.keeping.sync.name()
    }

    /// All models, by name.
    pub fn list(&self) -> Vec<Arc<ModelHandle>> {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        models.values().cloned().collect()
    }

    /// The model of a name.
    pub fn get(&self, name: &str) -> Option<Arc<ModelHandle>> {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        models.get(name).cloned()
    }

    fn insert(&self, handle: Arc<ModelHandle>) {
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        models.insert(handle.name.clone(), handle);
    }

    /// The settings of a model that is to be made.
    pub fn settings(&self, spec: String, options: ModelOptions) -> Settings {
        self.keeping.settings(spec, options)
    }

    /// Makes a model: it is there as a whole, or not at all.
    pub fn create(
        &self,
        name: &str,
        settings: Settings,
    ) -> Result<Arc<ModelHandle>, RegistryError> {
        check_name(name)?;
        let checked = settings.check().map_err(RegistryError::Settings)?;
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.get(name).is_some() {
            return Err(RegistryError::Exists(name.to_owned()));
        }
        let models = self.list().len();
        if models >= self.keeping.models {
            return Err(RegistryError::TooMany(models));
        }
        let folder = self.models_folder.join(name);
        let unfinished = self.models_folder.join(format!(".new-{name}"));
        let made = self.make(&unfinished, &checked).and_then(|()| {
            fs::rename(&unfinished, &folder)
                .and_then(|()| sync_folder(&folder))
                .map_err(|error| failed(&folder, "make the model", &error))
        });
        if let Err(error) = made {
            let _ = fs::remove_dir_all(&unfinished);
            return Err(error);
        }
        let handle = self.load(name, &folder)?;
        self.insert(Arc::clone(&handle));
        Ok(handle)
    }

    fn make(&self, folder: &Path, settings: &CheckedSettings) -> Result<(), RegistryError> {
        fs::create_dir(folder).map_err(|error| failed(folder, "make the directory", &error))?;
        let end = End {
            segment: None,
            length: 0,
            next: Place::BEGINNING,
        };
        let text = |error: crate::log::LogError| {
            let text = error.to_string();
            if error.is_full() {
                RegistryError::Full(text)
            } else {
                RegistryError::Failed(text)
            }
        };
        let mut log =
            Log::open(folder, end, Sync::Always, self.keeping.segment_bytes).map_err(text)?;
        let settings = serde_json::to_string(&settings.given);
        let settings = settings.map_err(|error| RegistryError::Failed(error.to_string()))?;
        let mut payload = Vec::new();
        Entry::Created { settings }.write(&mut payload);
        log.append(&payload, 0)
            .and_then(|()| log.commit())
            .map_err(text)
    }

    /// Brings a model back and starts its writer.
    fn load(&self, name: &str, folder: &Path) -> Result<Arc<ModelHandle>, RegistryError> {
        let Keeping {
            sync,
            segment_bytes,
            snapshots,
            request_ids,
            queue,
            pending,
            ..
        } = self.keeping;
        let begun = std::time::Instant::now();
        let replayed = replay(folder, request_ids)
            .map_err(|error| RegistryError::Failed(error.to_string()))?;
        let Replayed {
            state,
            found,
            snapshot,
            frames,
            passed_over,
        } = replayed;
        for what in passed_over {
            tracing::warn!(model = name, "passed over a snapshot: {what}");
        }
        if let Some(torn) = &found.torn {
            let (path, at, bytes) = (torn.path.display(), torn.at, torn.bytes);
            tracing::warn!(
                model = name,
                "{path}: dropped {bytes} bytes at {at} that were never finished, so none was acknowledged after a sync"
            );
        }
        remove_unfinished(&found)
            .map_err(|error| failed(folder, "remove an unfinished segment", &error))?;
        let log = Log::open(folder, found.end.clone(), sync, segment_bytes);
        let log = log.map_err(|error| RegistryError::Failed(error.to_string()))?;
        tracing::info!(
            model = name,
            seq = state.seq,
            frames,
            milliseconds = begun.elapsed().as_millis() as u64,
            "model ready"
        );
        let pending = PendingRows::open(folder, pending, self.process)
            .map_err(|error| failed(folder, "read the predictions that wait for labels", &error))?;
        let State { fold, .. } = &state;
        let settings: &CheckedSettings = Fold::settings(fold);
        let mut status = Status::new(settings.given.clone(), sync.name());
        status.snapshot = snapshot;
        status.log.first_seq = found.first.rows + 1;
        let (standing, _) = watch::channel(status.standing());
        let (sender, receiver) = sync_channel(queue.max(1));
        let handle = Arc::new(ModelHandle {
            name: name.to_owned(),
            folder: folder.to_owned(),
            settings: Arc::new(settings.clone()),
            columns: ArcSwap::from_pointee(fold.columns()),
            queue: sender,
            published: ArcSwap::from_pointee(Published {
                seq: 0,
                model: None,
            }),
            published_seq: watch::channel(0).0,
            acknowledged: AtomicU64::new(0),
            wanted: AtomicBool::new(false),
            status: Mutex::new(status),
            standing,
            remarks: Mutex::default(),
            pending: Mutex::new(pending),
            uploaded: AtomicBool::new(false),
        });
        let commits = Arc::new(Commits::new(log, state.seq));
        let committer = Committer::new(
            Arc::clone(&handle),
            Arc::clone(&commits),
            sync.name(),
            self.fatal.clone(),
        );
        let writer = Writer::new(
            Arc::clone(&handle),
            state,
            commits,
            snapshots,
            self.fatal.clone(),
        );
        let no_thread = |error: io::Error| failed(folder, "start a thread", &error);
        thread::Builder::new()
            .name(format!("log-{name}"))
            .spawn(move || committer.run())
            .map_err(no_thread)?;
        thread::Builder::new()
            .name(format!("writer-{name}"))
            .spawn(move || writer.run(&receiver))
            .map_err(no_thread)?;
        Ok(handle)
    }

    /// Takes a model away, with its files. False if there is none.
    pub async fn remove(&self, name: &str) -> Result<bool, RegistryError> {
        let gone = {
            let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
            models.remove(name)
        };
        let Some(handle) = gone else {
            return Ok(false);
        };
        stop(&handle).await;
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let grave = self.models_folder.join(format!(".gone-{name}"));
        let removed = fs::rename(&handle.folder, &grave)
            .and_then(|()| sync_folder(&grave))
            .and_then(|()| fs::remove_dir_all(&grave));
        removed.map_err(|error| failed(&handle.folder, "remove it", &error))?;
        Ok(true)
    }

    /// Everything in files, the logs on disk, and a snapshot of each model.
    pub async fn stop(&self) {
        for handle in self.list() {
            handle.pending().write();
            stop(&handle).await;
        }
    }
}

/// Stops a writer, and waits for it.
async fn stop(handle: &Arc<ModelHandle>) {
    let (done, finished) = oneshot::channel();
    let (queue, task) = (handle.queue.clone(), Task::Stop { done });
    // the queue may be full: this waits its turn
    let sent = tokio::task::spawn_blocking(move || queue.send(task).is_ok()).await;
    if sent.unwrap_or(false) {
        let _ = finished.await;
    }
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_are_no_paths() {
        for name in ["spam", "A-1_b", &"x".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "a.b",
            "%2e",
            "a\0",
            "ä",
            " a",
            &"x".repeat(65),
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
