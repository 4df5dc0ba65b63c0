//! What is removed once snapshots have it: old snapshots, and old segments beyond what is to be kept.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::log::file::sync_folder;
use crate::log::read::segments;
use crate::log::segment::{self, Place};
use crate::snapshot;

/// How many snapshots stay: one to begin with, and one in case it is damaged.
const SNAPSHOTS: usize = 2;

/// Removes what is no longer needed. Gives the number of the first row that the log still has, counted from 1.
pub fn apply(folder: &Path, keep: Option<u64>) -> io::Result<u64> {
    let snapshots = snapshot::list(folder);
    for (_, path) in snapshots.iter().skip(SNAPSHOTS) {
        fs::remove_file(path)?;
    }
    let mut list = segments(folder).map_err(|error| io::Error::other(error.to_string()))?;
    if let (Some(keep), Some((covered, _))) = (keep, snapshots.get(SNAPSHOTS - 1)) {
        // a segment whose successor begins at or before the snapshot has nothing that the snapshot does not
        let mut spare = Vec::new();
        for pair in list.windows(2).take_while(|pair| pair[1].0 <= *covered) {
            spare.push(fs::metadata(&pair[0].1)?.len());
        }
        let mut bytes: u64 = spare.iter().sum();
        let mut gone = 0;
        while gone < spare.len() && bytes > keep {
            fs::remove_file(&list[gone].1)?;
            bytes -= spare[gone];
            gone += 1;
        }
        if gone > 0 {
            sync_folder(&list[0].1)?;
        }
        list.drain(..gone);
    }
    let mut beginning = Vec::new();
    if let Some((_, path)) = list.first() {
        fs::File::open(path)?
            .take(segment::HEADER as u64)
            .read_to_end(&mut beginning)?;
    }
    let place = Place::read(&beginning).ok();
    Ok(place.map_or(0, |place| place.rows) + 1)
}
