//! From the files of a model to its state: the newest snapshot that is whole, and the log behind it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use novikoff_data::named_rows::NamedRows;

use crate::api::SnapshotState;
use crate::course::Course;
use crate::fold::{Fold, Refused};
use crate::log::Entry;
use crate::log::file::sync_folder;
use crate::log::read::{Found, ReadError, read};
use crate::log::segment::Place;
use crate::request_ids::{Known, RequestIds};
use crate::settings::Settings;
use crate::snapshot::{self, SnapshotHeader};

/// Why a model cannot be brought back.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log.
    #[error("{0}{advice}", advice = advice(.0))]
    Log(#[from] ReadError),
    /// The log ends before what a snapshot knows to have been acknowledged.
    #[error(
        "{folder}: the log ends at record {found}, but record {acknowledged} was acknowledged: it was cut at a boundary; restore the log from a copy, or `novikoff log repair` goes on from the snapshot"
    )]
    Cut {
        /// The model's folder.
        folder: String,
        /// Where the log ends.
        found: u64,
        /// What a snapshot knows.
        acknowledged: u64,
    },
    /// The log and the snapshot are of different models.
    #[error("{folder}: the log does not go on where the snapshot ends")]
    Foreign {
        /// The model's folder.
        folder: String,
    },
    /// There is no beginning.
    #[error("{folder}: the log begins at record {first}, and no snapshot has what was before it")]
    NoBeginning {
        /// The model's folder.
        folder: String,
        /// Where the log begins.
        first: u64,
    },
    /// Rows of the log that this version does not take.
    #[error("{folder}: record {record}: {what}")]
    Entry {
        /// The model's folder.
        folder: String,
        /// The record.
        record: u64,
        /// What is wrong.
        what: String,
    },
}

/// What to do about a log. What another version wrote is whole, so there is nothing to repair.
fn advice(error: &ReadError) -> &'static str {
    match error {
        ReadError::Damaged { .. } | ReadError::Gap { .. } => {
            "; `novikoff log check` shows more, and `novikoff log repair` keeps what is before it"
        }
        ReadError::Io { .. } | ReadError::Entries { .. } => "",
    }
}

/// A model with everything that goes with it.
pub struct State {
    /// The model.
    pub fold: Fold,
    /// Requests that were learned.
    pub ids: RequestIds,
    /// How it has done.
    pub course: Course,
    /// Rows learned.
    pub seq: u64,
    /// A model file took its place once, so that the log alone does not give it.
    pub uploaded: bool,
}

/// A model that was brought back.
pub struct Replayed {
    /// The model.
    pub state: State,
    /// Its log.
    pub found: Found,
    /// The snapshot that was used.
    pub snapshot: Option<SnapshotState>,
    /// Frames behind the snapshot.
    pub frames: u64,
    /// Snapshots that could not be used, and why.
    pub passed_over: Vec<String>,
}

impl State {
    /// Before the first entry.
    pub fn new(fold: Fold, ids: usize) -> Self {
        State {
            fold,
            ids: RequestIds::new(ids),
            course: Course::default(),
            seq: 0,
            uploaded: false,
        }
    }

    /// What a snapshot has.
    fn restored(header: SnapshotHeader, model: &[u8], ids: usize) -> Result<Self, String> {
        Ok(State {
            fold: snapshot::restore(&header, model)?,
            course: header.course(),
            seq: header.seq,
            uploaded: header.uploaded,
            ids: RequestIds::restore(ids, header.ids),
        })
    }

    /// What happened next.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Created { .. } => {}
            Entry::Learned { id, body, .. } => {
                let rows = NamedRows::decode(body).map_err(|error| error.to_string())?;
                let trials = self
                    .fold
                    .learn(&rows)
                    .map_err(|Refused { detail, .. }| detail)?;
                self.seq += rows.len() as u64;
                self.course.add(&rows, &trials);
                if let Some(id) = id {
                    let digest = crc32fast::hash(body);
                    self.ids.insert(
                        id,
                        Known {
                            seq: self.seq,
                            digest,
                        },
                    );
                }
            }
            Entry::Uploaded { model } => {
                self.fold.upload(model)?;
                self.uploaded = true;
            }
        }
        Ok(())
    }
}

/// The state of a model from its files. Nothing is written.
pub fn replay(folder: &Path, ids: usize) -> Result<Replayed, ReplayError> {
    let snapshots = snapshot::list(folder);
    let acknowledged = snapshots.first().map_or(0, |(frame, _)| *frame);
    let (mut passed_over, mut begun) = (Vec::new(), None);
    for (_, path) in snapshots {
        let restored = snapshot::read(&path).and_then(|(header, model)| {
            let (place, bytes) = (header.place(), model.len() as u64);
            let state = State::restored(header, &model, ids);
            let state = state.map_err(|what| format!("{}: {what}", path.display()))?;
            Ok((state, place, bytes))
        });
        match restored {
            Ok(restored) => {
                begun = Some(restored);
                break;
            }
            Err(what) => passed_over.push(what),
        }
    }
    let shown = || folder.display().to_string();
    let (state, place, bytes) = match begun {
        Some((state, place, bytes)) => (Some(state), place, Some(bytes)),
        None => (None, Place::BEGINNING, None),
    };
    let snapshot = bytes.map(|bytes| SnapshotState {
        seq: place.rows,
        bytes,
    });
    let mut state = state;
    let mut frames = 0;
    let found = read(folder, place.first, |frame| {
        let failed = |what: String| ReplayError::Entry {
            folder: shown(),
            record: frame.index,
            what,
        };
        if frames == 0 && frame.previous != place.previous {
            return Err(ReplayError::Foreign { folder: shown() });
        }
        frames += 1;
        for entry in &frame.entries {
            let state = match (&mut state, entry) {
                (Some(state), _) => state,
                (None, Entry::Created { settings }) => {
                    let settings: Result<Settings, _> = serde_json::from_str(settings);
                    let settings = settings.map_err(|error| failed(error.to_string()))?;
                    let settings = settings.check().map_err(failed)?;
                    state.insert(State::new(Fold::new(settings), ids))
                }
                (None, _) => {
                    return Err(ReplayError::NoBeginning {
                        folder: shown(),
                        first: frame.index,
                    });
                }
            };
            state.apply(entry).map_err(failed)?;
        }
        Ok(())
    })?;
    let end = found.end.next.first;
    if end < acknowledged {
        return Err(ReplayError::Cut {
            folder: shown(),
            found: end,
            acknowledged,
        });
    }
    let first = found.first.first;
    if first > place.first {
        return Err(ReplayError::NoBeginning {
            folder: shown(),
            first,
        });
    }
    let state = state.ok_or(ReplayError::NoBeginning {
        folder: shown(),
        first,
    })?;
    Ok(Replayed {
        state,
        found,
        snapshot,
        frames,
        passed_over,
    })
}

/// Removes a segment that has no more than its name, so that the log can go on.
pub fn remove_unfinished(found: &Found) -> std::io::Result<()> {
    match &found.torn {
        Some(torn) if torn.at == 0 => {
            std::fs::remove_file(&torn.path)?;
            sync_folder(&torn.path)
        }
        _ => Ok(()),
    }
}

/// All rows of a log, if it still has the first.
pub struct AllRows {
    /// What the model was made with.
    pub settings: Settings,
    /// The rows, request by request.
    pub requests: Vec<Arc<NamedRows>>,
}

/// Why there are not all rows.
#[derive(Debug, thiserror::Error)]
pub enum NotAllRows {
    /// The log.
    #[error(transparent)]
    Log(#[from] ReadError),
    /// The beginning is gone.
    #[error(
        "the log no longer has the first row; start the server with a higher --log-keep to keep more"
    )]
    Removed,
    /// There was something before the first row.
    #[error("a model file was uploaded, and what it had learned before is not in the log")]
    Uploaded,
    /// Too many.
    #[error("the rows of the log take more than {megabytes} MB of memory")]
    TooLarge {
        /// The limit.
        megabytes: u128,
    },
    /// What this version cannot read.
    #[error("record {0} is of another version")]
    Version(u64),
}

/// The first `seq` rows of a log, or all of them.
pub fn all_rows(folder: &Path, seq: Option<u64>, memory: u128) -> Result<AllRows, NotAllRows> {
    let (mut settings, mut requests) = (None, Vec::new());
    let (mut rows, mut bytes) = (0, 0_u128);
    let found = read(folder, 0, |frame| {
        for entry in frame.entries {
            match entry {
                Entry::Created { settings: text } => {
                    settings = Some(
                        serde_json::from_str(&text)
                            .map_err(|_| NotAllRows::Version(frame.index))?,
                    );
                }
                Entry::Uploaded { .. } => return Err(NotAllRows::Uploaded),
                Entry::Learned { body, .. } => {
                    if seq.is_some_and(|seq| rows >= seq) {
                        continue;
                    }
                    let body =
                        NamedRows::decode(&body).map_err(|_| NotAllRows::Version(frame.index))?;
                    rows += body.len() as u64;
                    bytes += body.bytes() as u128;
                    if bytes > memory {
                        return Err(NotAllRows::TooLarge {
                            megabytes: memory >> 20,
                        });
                    }
                    requests.push(Arc::new(body));
                }
            }
        }
        Ok(())
    })?;
    if found.first.first > 0 {
        return Err(NotAllRows::Removed);
    }
    let settings = settings.ok_or(NotAllRows::Removed)?;
    Ok(AllRows { settings, requests })
}

/// The folders of models below a server's directory, or the directory itself if it is a model's.
pub fn model_folders(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let models = folder.join("models");
    if !models.is_dir() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(models)? {
        let path = entry?.path();
        if path.is_dir()
            && !path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
