//! A snapshot on disk: the model after some frames of its log, so that a restart need not read them. It only saves time.
//!
//! A file `FRAME.snapshot`: a magic, the length and the checksum of the header, the header, and the model file, which has checksums of its own.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Validation};
use novikoff_data::atomic::NewFile;
use serde::{Deserialize, Serialize};

use crate::course::Course;
use crate::fold::Fold;
use crate::log::segment::Place;
use crate::request_ids::StoredIds;
use crate::settings::{Settings, begin};

const MAGIC: &[u8; 8] = b"NVKSNAP1";

/// Everything besides the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SnapshotHeader {
    /// The settings, as JSON.
    pub settings: String,
    /// The number of the frame that comes next.
    pub frame: u64,
    /// Rows learned.
    pub seq: u64,
    /// The checksum of the last frame.
    pub previous: u32,
    /// The ids of requests.
    pub ids: StoredIds,
    /// The course, as JSON.
    pub course: String,
    /// Errors of the predictor: which, rows, errors.
    pub validation: Option<(u8, u64, u64)>,
    /// A model file was uploaded.
    pub uploaded: bool,
    /// Whether there is a model.
    pub has_model: bool,
}

impl SnapshotHeader {
    /// Where the log goes on.
    pub fn place(&self) -> Place {
        Place {
            first: self.frame,
            rows: self.seq,
            previous: self.previous,
        }
    }

    /// The course that was kept.
    pub fn course(&self) -> Course {
        serde_json::from_str(&self.course).unwrap_or_default()
    }
}

const HYPOTHESES: [Hypothesis; 3] = [Hypothesis::Final, Hypothesis::Averaged, Hypothesis::Voted];

/// The validation of a model, as it is kept.
pub fn validation_of(model: Option<&Model>) -> Option<(u8, u64, u64)> {
    let counted = model?.validation()?;
    let by = HYPOTHESES.iter().position(|&by| by == counted.by)?;
    Some((by as u8, counted.rows, counted.errors))
}

/// The name of the snapshot before a frame.
pub fn name(frame: u64) -> String {
    format!("{frame:020}.snapshot")
}

/// Snapshots of a folder, newest first.
pub fn list(folder: &Path) -> Vec<(u64, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let number = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        name.strip_suffix(".snapshot")
            .filter(|n| n.len() == 20)?
            .parse()
            .ok()
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<(u64, PathBuf)> = paths
        .filter_map(|path| Some((number(&path)?, path)))
        .collect();
    found.sort();
    found.reverse();
    found
}

/// Writes a snapshot, whole or not at all; gives its size.
pub fn save(folder: &Path, header: &SnapshotHeader, model: &[u8]) -> Result<u64, String> {
    let path = folder.join(name(header.frame));
    let failed = |error: &dyn std::fmt::Display| {
        format!("{}: cannot write the snapshot: {error}", path.display())
    };
    let head = postcard::to_stdvec(header).map_err(|error| failed(&error))?;
    let mut file = NewFile::create(&path).map_err(|error| failed(&error))?;
    let parts: [&[u8]; 5] = [
        MAGIC,
        &(head.len() as u64).to_le_bytes(),
        &crc32fast::hash(&head).to_le_bytes(),
        &head,
        model,
    ];
    for part in parts {
        file.write_all(part).map_err(|error| failed(&error))?;
    }
    file.commit().map_err(|error| failed(&error))?;
    Ok(parts.iter().map(|part| part.len() as u64).sum())
}

/// Reads a snapshot: everything besides the model, and the model's bytes.
pub fn read(path: &Path) -> Result<(SnapshotHeader, Vec<u8>), String> {
    let wrong = |what: &str| format!("{}: {what}", path.display());
    let bytes = fs::read(path).map_err(|error| wrong(&error.to_string()))?;
    parse(&bytes).map_err(wrong)
}

/// The parts of a snapshot.
pub fn parse(bytes: &[u8]) -> Result<(SnapshotHeader, Vec<u8>), &'static str> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a snapshot")?;
    let (length, rest) = rest.split_first_chunk::<8>().ok_or("it ends early")?;
    let (checksum, rest) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| "it ends early")?;
    let (head, model) = rest.split_at_checked(length).ok_or("it ends early")?;
    if crc32fast::hash(head) != u32::from_le_bytes(*checksum) {
        return Err("its header does not have its checksum");
    }
    let header: SnapshotHeader =
        postcard::from_bytes(head).map_err(|_| "its header is of another version")?;
    if header.has_model == model.is_empty() {
        return Err("its model is missing, or there should be none");
    }
    Ok((header, model.to_vec()))
}

/// The fold that was kept.
pub fn restore(header: &SnapshotHeader, model: &[u8]) -> Result<Fold, String> {
    let settings: Settings =
        serde_json::from_str(&header.settings).map_err(|error| error.to_string())?;
    let settings = settings.check()?;
    if !header.has_model {
        return Ok(Fold::new(settings));
    }
    let loaded = novikoff_data::model::from_bytes(model, settings.memory());
    let mut model = loaded.map_err(|error| error.to_string())?.model;
    begin(&mut model);
    if let Some((by, rows, errors)) = header.validation {
        let by = HYPOTHESES
            .get(usize::from(by))
            .ok_or("a predictor that there is not")?;
        model.resume_validation(Validation {
            by: *by,
            rows,
            errors,
        });
    }
    Ok(Fold::with_model(settings, Some(model)))
}
