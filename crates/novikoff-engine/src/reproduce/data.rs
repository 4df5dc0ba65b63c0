//! The data of experiments: files of a directory, the built-in digits, or generators.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use novikoff::classes::Task;
use novikoff::random::SplitMix64;
use novikoff::rows::{Block, Rows};
use novikoff_data::generate::is_generator;

use super::experiment::Set;
use crate::Error;
use crate::data::Data;
use crate::events::Context;
use crate::load::Load;
use crate::options::RowOptions;

/// Where the data of experiments is.
#[derive(Clone, Debug)]
pub(super) struct DataRoot {
    /// The directory that was named.
    pub(super) folder: Option<PathBuf>,
}

/// The rows of a set.
pub(super) struct SetRows {
    pub(super) train: Rows,
    pub(super) test: Rows,
    pub(super) task: Task,
}

/// Which rows of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) set: String,
    /// The number of the draw, where rows are generated.
    pub(super) draw: u32,
    /// The name of the topic, where each is a problem of its own.
    pub(super) topic: Option<String>,
}

/// Rows that were read last, for runs that share them.
pub(super) struct SetCache<'r> {
    root: &'r DataRoot,
    rows: &'r RowOptions,
    kept: Mutex<Vec<(Wanted, Arc<SetRows>)>>,
    /// Files as they are on disk, for sets that take several parts of one.
    files: Mutex<Vec<(PathBuf, Arc<Rows>)>>,
}

/// How many sets are kept at once: those of runs side by side.
const KEPT: usize = 3;

fn is_built_in(name: &str) -> bool {
    name == "digits" || is_generator(name)
}

impl DataRoot {
    /// The file of a name, as it is or without its compression.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        let names = [Some(name), name.strip_suffix(".gz")];
        let mut paths = names.into_iter().flatten().map(|name| folder.join(name));
        paths.find(|path| path.is_file())
    }

    /// The files that a set needs.
    pub(super) fn needs(set: &Set) -> Vec<&str> {
        let all = [Some(&set.train), set.test.as_ref(), set.features.as_ref()];
        let files = all.into_iter().flatten().map(String::as_str);
        files.filter(|name| !is_built_in(name)).collect()
    }

    /// The files that a set needs and that are not there.
    pub(super) fn missing<'s>(&self, set: &'s Set) -> Vec<&'s str> {
        let mut needs = Self::needs(set);
        needs.retain(|name| self.file(name).is_none());
        needs
    }

    /// What a name means for a draw.
    fn data(&self, name: &str, draw: u32) -> Result<Data, Error> {
        if is_built_in(name) {
            // rows for tests are drawn from streams of their own
            let other = u64::from(draw) + 1_000_000;
            let name = name.replace("{draw}", &draw.to_string());
            return Data::named(&[name.replace("{other}", &other.to_string())]);
        }
        match self.file(name) {
            Some(path) => Ok(Data::Files(vec![path])),
            None => Err(Error::refused(
                format!("{name}: there is no such file in the data directory"),
                "check the name of the directory",
            )),
        }
    }
}

impl<'r> SetCache<'r> {
    pub(super) fn new(root: &'r DataRoot, rows: &'r RowOptions) -> Self {
        SetCache {
            root,
            rows,
            kept: Mutex::default(),
            files: Mutex::default(),
        }
    }

    /// The rows of a set, read or from the last time.
    pub(super) fn rows(
        &self,
        set: &Set,
        wanted: &Wanted,
        context: Context<'_>,
    ) -> Result<Arc<SetRows>, Error> {
        // read under the lock: runs side by side want the same rows
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rows)) = kept.iter().find(|(known, _)| known == wanted) {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(self.read(set, wanted, context)?);
        kept.truncate(KEPT - 1);
        kept.insert(0, (wanted.clone(), Arc::clone(&rows)));
        Ok(rows)
    }

    /// The training rows of a set, as data for other jobs.
    pub(super) fn data(&self, set: &Set, draw: u32) -> Result<Data, Error> {
        self.root.data(&set.train, draw)
    }

    fn read(&self, set: &Set, wanted: &Wanted, context: Context<'_>) -> Result<SetRows, Error> {
        let mut all = self.load(&set.train, wanted.draw, context)?;
        if set.shuffled {
            let mut order: Vec<usize> = (0..all.len()).collect();
            SplitMix64::new(0).shuffle(&mut order);
            all = Arc::new(picked(all.view(), &order));
        }
        let test = match &set.test {
            Some(name) => Some(self.load(name, wanted.draw, context)?),
            None => None,
        };
        let features = match (&set.features, &wanted.topic) {
            (Some(name), Some(topic)) => Some(self.features(name, topic)?),
            _ => None,
        };
        let mut topics = set.topics.iter();
        let topic = topics.find(|(name, _)| Some(name) == wanted.topic.as_ref());
        let shape = Shape {
            bias: set.bias,
            binary: set.binary,
            features: features.as_ref(),
            positive: topic.map(|(_, label)| label.as_bytes()),
        };
        let held_out = set.held_out.unwrap_or(0).min(all.len());
        let end = all.len() - held_out;
        let train = shape.rows(all.view(), 0..set.limit.map_or(end, |limit| limit.min(end)));
        let test = match &test {
            Some(test) => shape.rows(test.view(), 0..test.len()),
            None => shape.rows(all.view(), end..all.len()),
        };
        Ok(SetRows {
            task: task_of(train.view()),
            train,
            test,
        })
    }

    /// All rows of a name.
    fn load(&self, name: &str, draw: u32, context: Context<'_>) -> Result<Arc<Rows>, Error> {
        let data = self.root.data(name, draw)?;
        let path = match &data {
            Data::Files(paths) => paths.first().cloned(),
            _ => None,
        };
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &path
            && let Some((_, rows)) = files.iter().find(|(known, _)| known == path)
        {
            return Ok(Arc::clone(rows));
        }
        let load = Load {
            data,
            rows: self.rows.clone(),
        };
        let rows = Arc::new(load.run(context.quiet())?.rows);
        if let Some(path) = path {
            files.truncate(KEPT);
            files.insert(0, (path, Arc::clone(&rows)));
        }
        Ok(rows)
    }

    /// The features of a topic, numbered from 1: learners whose weights begin evenly must not see the others.
    fn features(&self, name: &str, topic: &str) -> Result<HashMap<u32, u32>, Error> {
        let path = self.root.file(name);
        let path = path.as_deref().unwrap_or(Path::new(name));
        let damaged = |what: String| {
            let what = format!("{}: {what}", path.display());
            Error::refused(what, "check that the data directory is whole")
        };
        let text = std::fs::read_to_string(path).map_err(|error| damaged(error.to_string()))?;
        let mut lines = text.lines().filter_map(|line| line.split_once('\t'));
        let (_, numbers) = lines
            .find(|(name, _)| *name == topic)
            .ok_or_else(|| damaged(format!("has no line of the topic {topic}")))?;
        let parsed: Result<Vec<u32>, _> = numbers.split_whitespace().map(str::parse).collect();
        let parsed = parsed.map_err(|_| {
            damaged(format!(
                "the line of {topic} has something that is no number"
            ))
        })?;
        Ok(parsed.into_iter().zip(1..).collect())
    }
}

/// What is made of the rows of a file.
struct Shape<'s> {
    bias: Option<f32>,
    binary: bool,
    /// The features that are kept, with their new numbers.
    features: Option<&'s HashMap<u32, u32>>,
    /// The label that becomes +1; all others become -1.
    positive: Option<&'s [u8]>,
}

impl Shape<'_> {
    fn rows(&self, block: Block<'_>, range: std::ops::Range<usize>) -> Rows {
        let mut rows = Rows::new();
        for i in range {
            if let Some(bias) = self.bias {
                rows.push(0, bias);
            }
            if !self.binary && self.features.is_none() && self.positive.is_none() {
                rows.copy_row(block, i);
                continue;
            }
            for (slot, value) in block.row(i).iter() {
                let value = if self.binary { 1.0 } else { value as f32 };
                match self.features {
                    None => rows.push(slot as u32, value),
                    Some(kept) => {
                        if let Some(&slot) = kept.get(&(slot as u32)) {
                            rows.push_any(slot, value);
                        }
                    }
                }
            }
            match self.positive {
                Some(positive) if block.labels(i).any(|label| label.text() == positive) => {
                    rows.push_label(1.0, b"+1");
                }
                Some(_) => rows.push_label(-1.0, b"-1"),
                None => {
                    for label in block.labels(i) {
                        rows.push_label(label.number().unwrap_or(f64::NAN), label.text());
                    }
                }
            }
            rows.end_row(block.line(i));
        }
        rows
    }
}

/// Rows with a constant feature.
pub(super) fn with_constant(block: Block<'_>, constant: f32) -> Rows {
    let mut rows = Rows::new();
    for i in 0..block.len() {
        rows.push(0, constant);
        rows.copy_row(block, i);
    }
    rows
}

/// Rows in an order of their own.
pub(super) fn picked(block: Block<'_>, order: &[usize]) -> Rows {
    let mut rows = Rows::new();
    for &i in order {
        rows.copy_row(block, i);
    }
    rows
}

/// Labels -1 and +1 are two-valued, all others one class each.
fn task_of(rows: Block<'_>) -> Task {
    let is_sign = |number: &f64| number.abs() == 1.0;
    if rows.label_number.iter().all(is_sign) {
        Task::plus_minus()
    } else {
        Task::OneVsRest
    }
}
