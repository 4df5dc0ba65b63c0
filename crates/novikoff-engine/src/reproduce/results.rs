//! Results of runs, kept in a file as they are made: a second call goes on where the first stopped.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::Error;

/// What one run came to, by measure.
pub(super) type Values = BTreeMap<String, f64>;

/// What is kept of one run.
#[derive(Clone, Debug, Default)]
struct Kept {
    values: Values,
    /// Seconds of one core; 0 if they were not kept.
    seconds: f64,
}

/// Results by all that they depend on, in a file of one JSON object per line.
pub(super) struct Results {
    known: Mutex<HashMap<String, Kept>>,
    file: Mutex<File>,
    path: PathBuf,
    /// Lines of the file that are no results.
    damaged: u64,
}

impl Results {
    /// The results that a file has, and room for more. A last line that was not written to its end is left out.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let cannot = |doing: &str, error: std::io::Error| {
            Error::refused(
                format!("{}: cannot {doing}: {error}", path.display()),
                "name a directory that can be written to",
            )
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|e| cannot("make its directory", e))?;
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(cannot("read it", error)),
        };
        let known: HashMap<String, Kept> = text.lines().filter_map(line).collect();
        let filled = text.lines().filter(|text| !text.trim().is_empty());
        let damaged = filled.filter(|text| line(text).is_none()).count() as u64;
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|e| cannot("write to it", e))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")
                .map_err(|e| cannot("write to it", e))?;
        }
        Ok(Results {
            known: Mutex::new(known),
            file: Mutex::new(file),
            path: path.to_owned(),
            damaged,
        })
    }

    /// How many lines of the file are no results.
    pub(super) fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The result of a run, if it was made before.
    pub(super) fn get(&self, key: &str) -> Option<Values> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).map(|kept| kept.values.clone())
    }

    /// The seconds of one core that a run took, if it was made.
    pub(super) fn seconds(&self, key: &str) -> Option<f64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).map(|kept| kept.seconds)
    }

    /// Keeps the result of a run.
    pub(super) fn keep(&self, key: &str, values: Values, seconds: f64) -> Result<(), Error> {
        let line = json!({"run": key, "values": values, "seconds": seconds});
        let text = format!("{line}\n");
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(text.as_bytes()).map_err(|error| {
                Error::refused(
                    format!("{}: cannot write to it: {error}", self.path.display()),
                    "free some space, and run it again: it goes on from here",
                )
            })?;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key.to_owned(), Kept { values, seconds });
        Ok(())
    }
}

fn line(text: &str) -> Option<(String, Kept)> {
    let object: Value = serde_json::from_str(text).ok()?;
    let values = object.get("values")?.as_object()?;
    let values = values
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
    let kept = Kept {
        values: values.collect(),
        seconds: object.get("seconds").and_then(Value::as_f64).unwrap_or(0.0),
    };
    Some((object.get("run")?.as_str()?.to_owned(), kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_outlive_the_process_and_a_torn_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/runs.jsonl");
        let values = |x: f64| Values::from([("errors@1".to_owned(), x)]);
        let results = Results::open(&path).expect("opened");
        results.keep("one", values(1.5), 2.5).expect("kept");
        results.keep("two", values(0.1), 0.5).expect("kept");
        drop(results);
        let mut bytes = std::fs::read(&path).expect("a file");
        bytes.truncate(bytes.len() - 4);
        std::fs::write(&path, bytes).expect("torn");
        let results = Results::open(&path).expect("opened");
        assert_eq!(results.get("one"), Some(values(1.5)));
        assert_eq!(results.get("two"), None);
        assert_eq!(results.damaged(), 1);
        results.keep("two", values(0.2), 1.0).expect("kept");
        let again = Results::open(&path).expect("opened");
        assert_eq!(again.get("two"), Some(values(0.2)));
        assert_eq!(again.get("three"), None);
        let seconds = ["one", "two", "three"].map(|key| again.seconds(key));
        assert_eq!(seconds, [Some(2.5), Some(1.0), None]);
    }
}
