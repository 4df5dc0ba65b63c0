//! Words checked: from the command line to the options of a job.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use novikoff::certify::Effort;
use novikoff::classes::Task;
use novikoff::grammar::{self, OffOr};
use novikoff::kernel::KernelSpec;
use novikoff::label::LabelName;
use novikoff::learner::{Hypothesis, Tie};
use novikoff::map::MapSpec;
use novikoff::table::TextForm;
use novikoff_data::blocks::{Format, Missing, ReadOptions};
use novikoff_data::options::Dates;
use novikoff_engine::certify::CertifyOptions;
use novikoff_engine::checkpoint::Every;
use novikoff_engine::class_weight::ClassWeight;
use novikoff_engine::data::Data;
use novikoff_engine::memory_for;
use novikoff_engine::options::{RowOptions, RunOptions};
use novikoff_engine::split::Splits;

use crate::args::{
    DatesWord, EffortWord, FormatWord, HypothesisArg, LenientArgs, MissingWord, OnOff, ProofArgs,
    RowArgs, RunArgs, SplitArgs, SpoolArgs, TestArgs, TieWord, YesNo,
};
use crate::error::Failure;
use crate::progress::Progress;
use crate::words::said;

impl RowArgs {
    fn threads(&self) -> usize {
        let cores = || available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(cores).clamp(1, 256)
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.quiet).verbose(self.verbose)
    }

    /// How text becomes features, if anything was said of it.
    fn text_form(&self) -> Option<TextForm> {
        if self.ngrams.is_none() && self.tfidf.is_none() {
            return None;
        }
        let usual = TextForm::default();
        Some(TextForm {
            ngrams: self.ngrams.unwrap_or(usual.ngrams),
            tfidf: self
                .tfidf
                .map_or(usual.tfidf, |word| matches!(word, OnOff::On)),
        })
    }

    pub(crate) fn options(&self) -> RowOptions {
        let memory = memory_for(self.max_memory);
        RowOptions {
            read: ReadOptions {
                zero_based: self.zero_based,
                max_features: self.max_features,
                format: self.format.map(|word| match word {
                    FormatWord::Svmlight => Format::Svmlight,
                    FormatWord::Vw => Format::Vw,
                    FormatWord::Csv => Format::Csv,
                    FormatWord::Json => Format::Json,
                    FormatWord::Parquet => Format::Parquet,
                    FormatWord::Arrow => Format::Arrow,
                    FormatWord::Nvk => Format::Cache,
                }),
                label: self.label.clone(),
                categorical: self.categorical.clone(),
                header: self.header.map(|word| matches!(word, YesNo::Yes)),
                text: self.text.clone(),
                drop: self.drop.clone(),
                only: self.only.clone(),
                text_form: self.text_form(),
                dates: self.dates.map(|word| match word {
                    DatesWord::Parts => Dates::Parts,
                    DatesWord::Seconds => Dates::Seconds,
                    DatesWord::Refuse => Dates::Refuse,
                }),
                missing: self.missing.map(|word| match word {
                    MissingWord::Zero => Missing::Zero,
                    MissingWord::Mean => Missing::Mean,
                    MissingWord::Indicator => Missing::Indicator,
                    MissingWord::Refuse => Missing::Refuse,
                }),
                skip_bad: self.skip_bad,
                max_name_bytes: u64::try_from(memory).unwrap_or(u64::MAX),
                ..ReadOptions::default()
            },
            hash: self.hash,
            threads: self.threads(),
            memory,
            lenient: false,
        }
    }

    /// How rows are read by a job that may be lenient.
    pub(crate) fn leniently(&self, lenient: LenientArgs) -> RowOptions {
        RowOptions {
            lenient: lenient.lenient,
            ..self.options()
        }
    }
}

impl TestArgs {
    /// The rows to test on, if there are.
    pub(crate) fn data(&self) -> Result<Option<Data>, Failure> {
        let word = self.test.clone();
        Ok(word.map(|word| Data::named(&[word])).transpose()?)
    }
}

impl SplitArgs {
    /// The divisions that are asked for, if some are.
    pub(crate) fn options(&self) -> Option<Splits> {
        Some(Splits {
            count: self.splits?,
            fraction: self.fraction.unwrap_or(2.0 / 3.0),
            stratified: self.stratified,
        })
    }
}

impl RunArgs {
    /// How a learner runs.
    pub(crate) fn options(&self) -> Result<RunOptions, Failure> {
        let kernel = self.kernel.as_deref().map(kernel).transpose()?;
        Ok(RunOptions {
            epochs: self.epochs,
            until_separated: self.until_separated,
            shuffle: self.shuffle,
            permutations: self.permutations,
            kernel,
            map: self.map.as_deref().map(map).transpose()?,
            bias: self.bias.as_deref().map(bias).transpose()?,
            normalize: self.normalize.as_deref().map(normalize).transpose()?,
            standardize: self.standardize,
            task: self.task()?,
            features: self.features,
            by: self.by.map(hypothesis),
            class_weight: class_weight(self.class_weight.as_deref())?,
            cache: self.cache,
            cache_mb: self.cache_mb,
            test_every_epoch: false,
            splits: None,
            tie: match self.tie {
                TieWord::Positive => Tie::Positive,
                TieWord::Negative => Tie::Negative,
                TieWord::Mistake => Tie::Mistake,
            },
        })
    }

    /// The task that was asked for, if one was.
    fn task(&self) -> Result<Option<Task>, Failure> {
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

/// A kernel by its spec.
pub(crate) fn kernel(typed: &str) -> Result<KernelSpec, Failure> {
    let kernel = KernelSpec::parse(typed);
    Ok(kernel.map_err(|error| said(&format!("--kernel: {error}"), error.remedy().as_ref()))?)
}

/// A map by its spec.
pub(crate) fn map(typed: &str) -> Result<MapSpec, Failure> {
    let map = MapSpec::parse(typed);
    Ok(map.map_err(|error| said(&format!("--map: {error}"), error.remedy().as_ref()))?)
}

/// A predictor by its word.
pub(crate) fn hypothesis(by: HypothesisArg) -> Hypothesis {
    match by {
        HypothesisArg::Final => Hypothesis::Final,
        HypothesisArg::Averaged => Hypothesis::Averaged,
        HypothesisArg::Voted => Hypothesis::Voted,
        HypothesisArg::Best => Hypothesis::Best,
    }
}

pub(crate) fn bias(word: &str) -> Result<Option<f32>, Failure> {
    let read = grammar::bias(word).map(OffOr::value);
    read.ok_or_else(|| format!("--bias {word}: must be off or a number; 1 is usual").into())
}

pub(crate) fn normalize(word: &str) -> Result<Option<f64>, Failure> {
    let read = grammar::normalize(word).map(OffOr::value);
    let wrong = || format!("--normalize {word}: must be off, inf or a number >= 1; 2 is usual");
    read.ok_or_else(|| wrong().into())
}

impl ProofArgs {
    /// The certificate asked for, if one is.
    pub(crate) fn options(
        &self,
        spool: Option<&SpoolArgs>,
        save: Option<&PathBuf>,
    ) -> Option<CertifyOptions> {
        let effort = match self.certify {
            Some(EffortWord::Quick) => Effort::Quick,
            Some(EffortWord::Full) => Effort::Full,
            None if self.require_certificate || self.comparator.is_some() || save.is_some() => {
                Effort::Full
            }
            None => return None,
        };
        Some(CertifyOptions {
            effort,
            comparator: self.comparator.clone(),
            save: save.cloned(),
            spool: spool.map_or(0, |spool| u128::from(spool.spool_mb) << 20),
        })
    }
}

/// How often a run is saved: `100000` rows, or `30s`, `5m`, `2h`.
pub(crate) fn every(word: &str) -> Result<Every, Failure> {
    let bad = || {
        let allowed = "must be a number of rows, as in 100000, or a time, as in 30s, 5m or 2h";
        Failure::Message(format!("--checkpoint {word}: {allowed}"))
    };
    let (digits, unit) = match word.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => word.split_at(at),
        None => (word, ""),
    };
    let number: u64 = digits.parse().map_err(|_| bad())?;
    let seconds = match unit {
        "" if number > 0 => return Ok(Every::Rows(number)),
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(bad()),
    };
    match number.checked_mul(seconds) {
        Some(seconds) if seconds > 0 => Ok(Every::Time(Duration::from_secs(seconds))),
        _ => Err(bad()),
    }
}

/// `balanced`, `LABEL=W,LABEL=W` or `@FILE`.
pub(crate) fn class_weight(typed: Option<&str>) -> Result<ClassWeight, Failure> {
    Ok(typed
        .map(ClassWeight::parse)
        .transpose()?
        .unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Every, every};

    #[test]
    fn rows_and_times_are_told_apart() {
        let every = |word| every(word).ok();
        assert_eq!(every("100000"), Some(Every::Rows(100_000)));
        assert_eq!(every("30s"), Some(Every::Time(Duration::from_secs(30))));
        assert_eq!(every("5m"), Some(Every::Time(Duration::from_secs(300))));
        assert_eq!(every("2h"), Some(Every::Time(Duration::from_secs(7200))));
        for bad in [
            "",
            "0",
            "0s",
            "s",
            "-5",
            "5d",
            "1.5s",
            "99999999999999999999",
            "9999999999999999999h",
        ] {
            assert_eq!(every(bad), None, "{bad}");
        }
    }
}
