//! Data: from the words of the command line to rows, streamed or held in memory.

use std::path::{Path, PathBuf};

use novikoff::classes::{LabelError, Task};
use novikoff::label::LabelName;
use novikoff::model::TrialError;
use novikoff::rows::{Block, Rows};
use novikoff::run::Stopped;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};
use novikoff_data::digits::digits;
use novikoff_data::generate::{Generator, is_generator};
use novikoff_data::scan::scan;

use crate::error::Failure;
use crate::progress::Progress;

/// How many rows, or values, of a stream are looked at to tell what its labels are.
const GLANCE_ROWS: usize = 10_000;
const GLANCE_VALUES: usize = 250_000;

/// Where the rows come from.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Files(Vec<PathBuf>),
    Stdin,
    Digits,
    Generated(String),
}

impl Data {
    /// What the words mean; several paths are read as one.
    pub(crate) fn named(words: &[String]) -> Result<Self, Failure> {
        let built_in = |word: &str| word == "digits" || is_generator(word);
        match words {
            [word] if word == "-" => Ok(Data::Stdin),
            [word] if word == "digits" => Ok(Data::Digits),
            [word] if is_generator(word) => {
                Generator::new(word)?;
                Ok(Data::Generated(word.clone()))
            }
            words => match words.iter().find(|word| *word == "-" || built_in(word)) {
                Some(word) => Err(format!(
                    "{word}: several inputs are read as one, but only files can be; write ./{word} for a file of that name"
                )
                .into()),
                None => Ok(Data::Files(words.iter().map(PathBuf::from).collect())),
            },
        }
    }

    /// Whether the rows come from somewhere that cannot be read twice.
    pub(crate) fn is_stream(&self) -> bool {
        match self {
            Data::Stdin => true,
            // what is there but no regular file: a pipe
            Data::Files(paths) => paths
                .iter()
                .any(|path| path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())),
            Data::Digits | Data::Generated(_) => false,
        }
    }

    /// Fails at once if the data is not there.
    pub(crate) fn check(&self, options: &ReadOptions) -> Result<(), Failure> {
        if let Data::Files(paths) = self {
            Reader::open(
                paths.iter().cloned().map(Input::Path).collect(),
                options.clone(),
                1,
            )?;
        }
        Ok(())
    }

    /// Whether a path is one of those read.
    pub(crate) fn reads(&self, path: &Path) -> bool {
        let same = |other: &PathBuf| match (path.canonicalize(), other.canonicalize()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        };
        matches!(self, Data::Files(paths) if paths.iter().any(same))
    }

    /// A reader of the text, if the data is text.
    pub(crate) fn reader(
        &self,
        options: &ReadOptions,
        threads: usize,
    ) -> Result<Option<Reader>, Failure> {
        let inputs = match self {
            Data::Files(paths) => paths.iter().cloned().map(Input::Path).collect(),
            Data::Stdin => vec![Input::Stdin],
            Data::Digits | Data::Generated(_) => return Ok(None),
        };
        Ok(Some(Reader::open(inputs, options.clone(), threads)?))
    }

    /// All rows in memory.
    pub(crate) fn load(
        &self,
        options: &ReadOptions,
        threads: usize,
        limit: u128,
        progress: &Progress,
    ) -> Result<Memory, Failure> {
        let mut memory = Memory::default();
        if let Some(mut reader) = self.reader(options, threads)? {
            progress.begin(reader.total_bytes(), "reading");
            while let Some(block) = reader.next_block()? {
                memory.append(block, limit)?;
                let rows = memory.rows.len();
                let place = reader.place(0);
                memory.blocks.push((rows, place.file, place.line));
                progress.at(reader.bytes_read());
            }
            progress.end();
            return Ok(memory);
        }
        match self {
            Data::Generated(spec) => {
                let mut generator = Generator::new(spec)?.with_bias(options.bias);
                while let Ok(Some(block)) = generator.next_block() {
                    memory.append(block, limit)?;
                }
            }
            _ => memory.rows = digits(options.bias),
        }
        Ok(memory)
    }

    /// What the labels of the data ask for, given its first rows (all of them if `complete`).
    pub(crate) fn task(
        &self,
        first: &Rows,
        complete: bool,
        options: &ReadOptions,
    ) -> Result<Task, Failure> {
        if !first.is_empty() && first.labels(0).len() > 1 {
            return Ok(Task::MultiLabel);
        }
        let rows = if self.is_stream() {
            glance(first)
        } else {
            first.len()
        };
        if (0..rows).all(|row| {
            first
                .labels(row)
                .all(|l| matches!(l.number(), Some(-1.0 | 1.0)))
        }) {
            return Ok(Task::plus_minus());
        }
        if self.is_stream() {
            return Ok(Task::OneVsRest);
        }
        if !complete {
            return self.scanned_task(options);
        }
        let mut names: Vec<LabelName> = Vec::new();
        for label in (0..first.len()).flat_map(|row| first.labels(row)) {
            if !names.iter().any(|name| name.is(label)) {
                names.push(LabelName::new(label));
                if names.len() > 2 {
                    break;
                }
            }
        }
        Ok(two_or_more(names))
    }

    /// What the labels of files ask for, after a look at all of them.
    pub(crate) fn scanned_task(&self, options: &ReadOptions) -> Result<Task, Failure> {
        Ok(match self {
            Data::Files(paths) => two_or_more(scan(paths, options)?.labels),
            _ => Task::OneVsRest,
        })
    }

    /// The highest feature number, where it can be known before the rows are read.
    pub(crate) fn scanned_width(&self, options: &ReadOptions) -> Result<Option<u32>, Failure> {
        Ok(match self {
            Data::Files(paths) => Some(scan(paths, options)?.width),
            _ => None,
        })
    }
}

fn two_or_more(names: Vec<LabelName>) -> Task {
    match <[LabelName; 2]>::try_from(names) {
        Ok([a, b]) => Task::pair(a, b),
        Err(_) => Task::OneVsRest,
    }
}

/// How many rows are looked at.
fn glance(rows: &Rows) -> usize {
    let mut values = 0;
    let enough = |&row: &usize| {
        values += rows.row(row).len();
        values < GLANCE_VALUES
    };
    // the row that makes it enough is looked at too
    let before = (0..rows.len().min(GLANCE_ROWS)).take_while(enough).count();
    (before + 1).min(rows.len()).min(GLANCE_ROWS)
}

/// Whether enough rows of a stream have been seen to tell what its labels are.
pub(crate) fn seen_enough(rows: &Rows) -> bool {
    rows.len() >= GLANCE_ROWS || rows.values() >= GLANCE_VALUES
}

/// Rows held in memory, and where each block of them came from.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) rows: Rows,
    /// Where a block's rows end, its file, and the line of its first row.
    pub(crate) blocks: Vec<(usize, String, u64)>,
}

impl Memory {
    /// Adds a block, if the rows may take that much memory.
    fn append(&mut self, block: Block<'_>, limit: u128) -> Result<(), Failure> {
        // eight bytes a value, some sixty a row for its ends, label and line
        let values = (self.rows.values() + block.values()) as u128;
        let needed = 8 * values + 60 * (self.rows.len() + block.len()) as u128;
        if needed > limit {
            return Err(format!("the rows take more than {} MB, and this run holds them in memory; raise --max-memory, or make one pass in order", limit >> 20).into());
        }
        self.rows.append(block, 0);
        Ok(())
    }

    /// `file:line: ` of a row, empty for rows that come from no file.
    pub(crate) fn place(&self, row: usize) -> String {
        let at = self.blocks.partition_point(|(end, _, _)| *end <= row);
        match self.blocks.get(at) {
            Some((_, file, first_line)) => {
                let first = if at == 0 { 0 } else { self.blocks[at - 1].0 };
                let line = first_line + self.rows.line(row) - self.rows.line(first);
                format!("{file}:{line}: ")
            }
            None => format!("row {row}: "),
        }
    }

    /// Why a run stopped, with the place.
    pub(crate) fn failure(&self, stopped: &Stopped) -> Failure {
        let text = format!("{}{}", self.place(stopped.row), stopped.error);
        match stopped.error {
            TrialError::Refused(_) => Failure::Unfit(text),
            _ => Failure::Message(text),
        }
    }
}

/// Whether a run stopped because a binary problem met a third label.
pub(crate) fn is_third_label(stopped: &Stopped) -> bool {
    matches!(stopped.error, TrialError::Label(LabelError::Third { .. }))
}
