//! Words checked: everything that can be wrong before a byte of data is read.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use novikoff::classes::Task;
use novikoff::grammar::{self, Setting};
use novikoff::kernel::Kernel;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation};
use novikoff::names::Names;
use novikoff::spec::Spec;
use novikoff::standardize::Moments;
use novikoff_data::atomic::NewFile;
use novikoff_data::blocks::{Format, Missing, ReadOptions, Skipped};

use crate::args::{By, FormatWord, MissingWord, RowArgs, RunArgs, YesNo};
use crate::checkpoint::quote;
use crate::error::Failure;
use crate::input::{Held, Reading};

impl RowArgs {
    pub(crate) fn threads(&self) -> usize {
        let cores = || available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(cores).clamp(1, 256)
    }

    pub(crate) fn options(&self, bias: Option<f32>) -> ReadOptions {
        ReadOptions {
            bias,
            zero_based: self.zero_based,
            max_features: self.max_features,
            format: self.format.map(|word| match word {
                FormatWord::Svmlight => Format::Svmlight,
                FormatWord::Vw => Format::Vw,
                FormatWord::Csv => Format::Csv,
                FormatWord::Parquet => Format::Parquet,
                FormatWord::Arrow => Format::Arrow,
                FormatWord::Nvk => Format::Cache,
            }),
            label: self.label.clone(),
            categorical: self.categorical.clone(),
            header: self.header.map(|word| matches!(word, YesNo::Yes)),
            missing: match self.missing {
                MissingWord::Zero => Missing::Zero,
                MissingWord::Refuse => Missing::Refuse,
            },
            skip_bad: self.skip_bad,
            max_name_bytes: u64::try_from(memory(self.max_memory)).unwrap_or(u64::MAX),
            ..ReadOptions::default()
        }
    }

    /// How the data is read, its features not known yet.
    pub(crate) fn reading(&self, bias: Option<f32>) -> Reading {
        Reading {
            options: self.options(bias),
            names: self.hash.map_or_else(Names::new, Names::hashed),
            threads: self.threads(),
        }
    }

    /// How data is read for a model that knows its features: others are left out.
    pub(crate) fn reading_for(&self, model: &Model) -> Reading {
        let mut names = model.names.clone();
        names.freeze();
        let mut reading = Reading {
            names,
            ..self.reading(model.preparation.bias)
        };
        reading.options.zero_based = model.zero_based;
        reading.options.table.clone_from(&model.table);
        reading
    }

    /// The options that say what the rows are, in one form.
    pub(crate) fn words(&self) -> String {
        let mut words = Vec::new();
        if let Some(format) = self.options(None).format {
            let word = if format == Format::Cache {
                "nvk"
            } else {
                format.name()
            };
            words.push(format!("--format {word}"));
        }
        if let Some(label) = &self.label {
            words.push(format!("--label {}", quote(label)));
        }
        if !self.categorical.is_empty() {
            let columns = quote(&self.categorical.join(","));
            words.push(format!("--categorical {columns}"));
        }
        if let Some(header) = self.header {
            let word = if matches!(header, YesNo::Yes) {
                "yes"
            } else {
                "no"
            };
            words.push(format!("--header {word}"));
        }
        if matches!(self.missing, MissingWord::Zero) {
            words.push("--missing zero".to_owned());
        }
        if self.skip_bad > 0 {
            words.push(format!("--skip-bad {}", self.skip_bad));
        }
        if let Some(bits) = self.hash {
            words.push(format!("--hash {bits}"));
        }
        if self.max_features != ReadOptions::default().max_features {
            words.push(format!("--max-features {}", self.max_features));
        }
        words.join(" ")
    }
}

/// Bytes a learner's state may take.
pub(crate) fn memory(megabytes: Option<u64>) -> u128 {
    match megabytes {
        Some(mb) => u128::from(mb) << 20,
        None => free_memory().unwrap_or(4 << 30) / 4 * 3,
    }
}

/// What the system says is free, where it says so.
fn free_memory() -> Option<u128> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u128 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

impl RunArgs {
    /// Bytes for kernel values that later epochs use again.
    pub(crate) fn remembered(&self, epochs: u32) -> usize {
        if epochs < 2 {
            return 0;
        }
        let quarter = || free_memory().unwrap_or(1 << 30) / 4;
        let bytes = self
            .cache_mb
            .map_or_else(quarter, |mb| u128::from(mb) << 20);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    pub(crate) fn epochs(&self) -> u32 {
        self.epochs.unwrap_or(1)
    }

    pub(crate) fn preparation(&self) -> Result<Preparation, Failure> {
        {
            let word =
                |option: &'_ Option<String>| option.clone().unwrap_or_else(|| "off".to_owned());
            let (bias, normalize) = (bias(&word(&self.bias))?, normalize(&word(&self.normalize))?);
            // means and deviations are known when the rows are
            Ok(Preparation {
                bias,
                standardize: None,
                normalize,
            })
        }
    }

    /// The preparation for a learner: what its spec says after `@`, else what the options say, else its own norm.
    pub(crate) fn for_learner(&self, preparation: &Preparation, spec: &Spec) -> Preparation {
        let mut own = preparation.clone();
        let said = spec.preparation();
        if let Some(normalize) = said.and_then(|said| said.normalize) {
            own.normalize = normalize.value();
        } else if self.normalize.is_none() && self.kernel.as_deref().is_none_or(|k| k == "linear") {
            own.normalize = spec.norm();
        }
        if let Some(bias) = said.and_then(|said| said.bias) {
            own.bias = bias.value();
        }
        own
    }

    /// The preparation of rows that several learners get, all with one constant feature.
    pub(crate) fn for_learners<'s>(
        &self,
        specs: impl Iterator<Item = &'s Spec>,
    ) -> Result<Preparation, Failure> {
        let shared = self.preparation()?;
        let mut first: Option<(&Spec, Option<f32>)> = None;
        for spec in specs {
            let bias = self.for_learner(&shared, spec).bias;
            match first {
                Some((other, theirs)) if theirs != bias => {
                    let word = |bias: Option<f32>| bias.map_or("off".to_owned(), |b| b.to_string());
                    let [theirs, bias] = [theirs, bias].map(word);
                    return Err(format!(
                        "{other} has the bias {theirs} and {spec} the bias {bias}, but all learners of one command get the same rows; give them one bias"
                    )
                    .into());
                }
                _ => first = Some((spec, bias)),
            }
        }
        let bias = first.map_or(shared.bias, |(_, bias)| bias);
        Ok(Preparation { bias, ..shared })
    }

    /// The kernel for a learner: one that wants rows of length 1 gets them in the kernel's space, unless
    /// --normalize or its spec says otherwise.
    pub(crate) fn kernel_for(&self, spec: &Spec) -> Result<Kernel, Failure> {
        let Some(typed) = &self.kernel else {
            return Ok(Kernel::LINEAR);
        };
        let mut kernel = Kernel::parse(typed).map_err(|error| format!("--kernel: {error}"))?;
        let said = spec
            .preparation()
            .is_some_and(|said| said.normalize.is_some());
        let is_silent = self.normalize.is_none() && !said;
        if kernel != Kernel::LINEAR && is_silent && spec.norm().is_some() {
            kernel.cosine = true;
        }
        Ok(kernel)
    }

    /// The preparation once the rows are known.
    pub(crate) fn fitted(
        &self,
        preparation: &Preparation,
        held: &Held,
        memory: u128,
    ) -> Result<Preparation, Failure> {
        // five numbers a feature while they are computed
        let needed = 40 * (u128::from(held.width()) + 1);
        if self.standardize && needed > memory {
            let (needed, memory) = (needed >> 20, memory >> 20);
            return Err(format!("--standardize needs {needed} MB for {} features, and the limit is {memory} MB; raise --max-memory or renumber the features", held.width()).into());
        }
        let standardize = self
            .standardize
            .then(|| Arc::new(Moments::of(|| held.blocks())));
        Ok(Preparation {
            standardize,
            ..preparation.clone()
        })
    }

    /// The task that was asked for, if one was.
    pub(crate) fn task(&self) -> Result<Option<Task>, Failure> {
        if self.multilabel {
            return Ok(Some(Task::MultiLabel));
        }
        if let Some(label) = &self.positive {
            return Ok(Some(Task::Binary {
                negative: None,
                positive: LabelName::typed(label),
            }));
        }
        let Some(labels) = &self.labels else {
            return Ok(None);
        };
        match labels.split(',').map(LabelName::typed).collect::<Vec<_>>() {
            pair if pair.len() == 2 && pair[0] != pair[1] => {
                Ok(Some(Task::pair(pair[0].clone(), pair[1].clone())))
            }
            _ => Err(format!(
                "--labels {labels}: must be two different labels, as in --labels ham,spam"
            )
            .into()),
        }
    }
}

fn bias(word: &str) -> Result<Option<f32>, Failure> {
    let read = grammar::bias(word).map(Setting::value);
    read.ok_or_else(|| format!("--bias {word}: must be off or a number; 1 is usual").into())
}

fn normalize(word: &str) -> Result<Option<f64>, Failure> {
    let read = grammar::normalize(word).map(Setting::value);
    let wrong = || format!("--normalize {word}: must be off, inf or a number >= 1; 2 is usual");
    read.ok_or_else(|| wrong().into())
}

/// The predictor asked for, if the learner has it.
pub(crate) fn hypothesis(
    by: Option<By>,
    offered: &[Hypothesis],
    learner: &str,
) -> Result<Option<Hypothesis>, Failure> {
    let Some(by) = by else { return Ok(None) };
    let wanted = match by {
        By::Final => Hypothesis::Final,
        By::Averaged => Hypothesis::Averaged,
        By::Voted => Hypothesis::Voted,
    };
    if offered.contains(&wanted) {
        Ok(Some(wanted))
    } else {
        let names: Vec<&str> = offered.iter().map(|h| h.name()).collect();
        let (wanted, names) = (wanted.name(), names.join(", "));
        Err(Failure::Unfit(format!(
            "--use {wanted}: the learner {learner} offers {names}"
        )))
    }
}

/// What needs all rows beforehand cannot read a stream.
pub(crate) fn files_only(what: &str) -> Failure {
    Failure::Unfit(format!(
        "{what} needs all rows before it begins, so it reads files only; save the stream to a file first"
    ))
}

/// Lines passed over, if any were.
pub(crate) fn skipped(skipped: &Skipped) -> Option<(u64, Vec<String>)> {
    (skipped.lines > 0).then(|| (skipped.lines, skipped.samples.clone()))
}

/// There is nothing to learn from.
pub(crate) fn no_rows() -> Failure {
    Failure::Message(
        "the data has no rows, so nothing was learned; check that the input is the one you meant"
            .to_owned(),
    )
}

/// Whether two names are of one file, there or still to be written.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = match path.parent()? {
                folder if folder.as_os_str().is_empty() => Path::new("."),
                folder => folder,
            };
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    resolved(a).is_some_and(|a| resolved(b) == Some(a))
}

/// Fails at once if a file cannot be written at this place.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err("-: is written as a file of its own; give it a name".into());
    }
    Ok(NewFile::create(path).map(drop)?)
}
