//! Why a job could not run: facts, and the kind of remedy. Doors word the remedy in their own language.

use std::path::PathBuf;

use novikoff_data::atomic::WriteError;
use novikoff_data::error::DataError;
use novikoff_data::generate::GenerateError;
use novikoff_data::model::ModelError;

/// A setting of a job. Doors know it as a flag, a keyword argument or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// The learner's spec.
    Learner,
    /// The constant feature.
    Bias,
    /// The norm that rows are divided by.
    Normalize,
    /// Features are centred and scaled.
    Standardize,
    /// The kernel.
    Kernel,
    /// Bits of hashed names.
    Hash,
    /// Features are counted from 0.
    ZeroBased,
    /// Passes over the rows.
    Epochs,
    /// The seed of the orders.
    Shuffle,
    /// How many orders are tried.
    Permutations,
    /// Which labels there are.
    Labels,
    /// The label that is learned against the rest.
    Positive,
    /// Rows may have several labels.
    MultiLabel,
    /// How many features there are.
    Features,
    /// The model to go on from.
    Resume,
    /// Where the model is saved.
    Output,
    /// How often the run is saved on the way.
    Checkpoint,
    /// Where mistakes and updates are written.
    Trace,
    /// Where the page is written.
    Report,
    /// A copy of the data in our own format is kept beside it.
    Cache,
    /// Rows to test on.
    Test,
    /// A certificate is asked for.
    Certify,
    /// The vector to compete with.
    Comparator,
    /// How much of a stream is kept for its certificate.
    Spool,
    /// Memory.
    MaxMemory,
    /// Passes of the solver.
    MaxPasses,
    /// Which predictor is used.
    Use,
    /// How rows are read.
    Rows,
    /// Weights of classes.
    ClassWeight,
    /// The regulariser.
    Regulariser,
    /// Parts that the rows are dealt to.
    Folds,
    /// Which data is read.
    Data,
}

/// What a person can do about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// Give the same value as before, or begin a new run.
    GiveTheSame,
    /// Leave a setting out to go on as before.
    LeaveOutToGoOn,
    /// Leave settings out.
    LeaveOut(Vec<Setting>),
    /// Give a setting.
    Give(Setting),
    /// Raise a setting.
    Raise(Setting),
    /// Raise the memory, or renumber the features.
    RaiseMemoryOrRenumber,
    /// Raise the memory, or normalise instead of standardising.
    RaiseMemoryOrNormalize,
    /// Raise how much of a stream is kept, or give a comparator.
    RaiseSpoolOrCompare,
    /// Give another name.
    OtherName,
    /// Give two names.
    TwoNames,
    /// Save the stream to a file first.
    SaveStream,
    /// Check that the input is the one that was meant.
    CheckInput,
    /// Give the whole of the same input again, or begin a new run.
    GiveWholeInput,
    /// Solve for all rows instead.
    SolveAllRows,
    /// Certify the run from its beginning.
    CertifyWhole,
    /// One order is chosen by the shuffle.
    UseShuffle,
    /// To learn more rows, leave the checkpoints out or write elsewhere.
    LearnMoreElsewhere,
    /// Name a learner.
    NameLearner,
    /// Move the file elsewhere, or leave the cache out.
    MoveOrLeaveOutCache,
    /// Rename the cache, or read it instead.
    RenameOrReadCache,
    /// Give a file to test on.
    TestOnFile,
    /// Write `./NAME` for a file of that name.
    PathForFile(String),
    /// Finish the run first.
    FinishRun,
    /// Use a loss of classes.
    UseClassLoss,
    /// Give rows of both labels.
    GiveBothLabels,
    /// Leave rows of unknown labels out, or train with them.
    LeaveOutRows,
    /// Raise the memory, or give fewer rows.
    RaiseMemoryOrFewerRows,
    /// Calibrate the model first.
    Calibrate(PathBuf),
    /// Leave the predictor out, or calibrate again for it.
    CalibrateForPredictor,
    /// Leave the row out.
    LeaveOutRow,
    /// Give fewer folds.
    FewerFolds,
    /// Give labels of the data, or balance the classes.
    LabelsOfData,
    /// Give smaller weights.
    SmallerWeights,
    /// Give what a certified run printed as JSON.
    GiveCertificate,
    /// Save the comparator when certifying, and give it here.
    SaveComparator,
    /// Hash names to as many bits.
    HashTo(u32),
}

/// Where a job was when it was asked to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoppedWhile {
    /// Nothing was learned, nothing saved.
    Reading,
    /// Between two trials; where the run is saved, if it is.
    Learning {
        /// Trials made.
        trials: u64,
        /// The checkpoint.
        saved: Option<PathBuf>,
    },
    /// The run was done.
    Testing {
        /// The model.
        saved: Option<PathBuf>,
    },
    /// The run was done.
    Certifying {
        /// The model.
        saved: Option<PathBuf>,
    },
    /// Between two orders; none is saved.
    Orders,
    /// While certifying the first of several orders.
    CertifyingOrders,
    /// Nothing is saved.
    Solving,
}

/// Why a job could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What is wrong, and where.
    #[error("{what}")]
    Refused {
        /// One sentence without its remedy.
        what: String,
        /// What to do.
        remedy: Option<Remedy>,
    },
    /// The learner cannot take the data, though others may.
    #[error("{what}")]
    Unfit {
        /// One sentence without its remedy.
        what: String,
        /// What to do.
        remedy: Option<Remedy>,
    },
    /// A setting differs from that of the model, or of the run that goes on.
    #[error("{setting:?} is {is}, not {got}")]
    Differs {
        /// The model, if it is about that and not about a run.
        model: Option<PathBuf>,
        /// The setting.
        setting: Setting,
        /// Its value there.
        is: String,
        /// The value given.
        got: String,
    },
    /// A predictor that the learner does not offer.
    #[error("the learner {learner} offers {offered}, not {wanted}")]
    NotOffered {
        /// The learner.
        learner: String,
        /// What was asked for.
        wanted: &'static str,
        /// What there is.
        offered: String,
    },
    /// It needs all rows before it begins, and a stream has them not.
    #[error("{what} needs all rows before it begins, so it reads files only")]
    FilesOnly {
        /// A learner, or a setting.
        what: FilesOnly,
    },
    /// It was asked to stop.
    #[error("stopped")]
    Stopped(StoppedWhile),
    /// The data.
    #[error(transparent)]
    Data(DataError),
    /// A model file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A generator.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A learner's spec.
    #[error(transparent)]
    Spec(#[from] novikoff::spec::SpecError),
    /// Whoever takes the answers cannot.
    #[error("cannot write the output: {0}")]
    Output(std::io::Error),
    /// A name of the solver.
    #[error("{0}")]
    Solver(String),
}

/// What needs all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilesOnly {
    /// A learner.
    Learner(String),
    /// A setting.
    Setting(Setting),
}

impl std::fmt::Display for FilesOnly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FilesOnly::Learner(name) => f.write_str(name),
            FilesOnly::Setting(setting) => write!(f, "{setting:?}"),
        }
    }
}

impl Error {
    /// What is wrong, and what to do.
    pub(crate) fn refused(what: impl Into<String>, remedy: Remedy) -> Self {
        Error::Refused {
            what: what.into(),
            remedy: Some(remedy),
        }
    }

    /// What is wrong, and nothing to do about it but to mend it.
    pub(crate) fn plain(what: impl Into<String>) -> Self {
        Error::Refused {
            what: what.into(),
            remedy: None,
        }
    }

    /// Whether another learner might take the data.
    pub fn is_unfit(&self) -> bool {
        matches!(
            self,
            Error::Unfit { .. }
                | Error::NotOffered { .. }
                | Error::FilesOnly { .. }
                | Error::Spec(_)
        )
    }
}

impl From<DataError> for Error {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Interrupted => Error::Stopped(StoppedWhile::Reading),
            error => Error::Data(error),
        }
    }
}
