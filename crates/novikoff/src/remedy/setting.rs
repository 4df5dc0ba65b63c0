//! The settings of jobs that errors and remedies speak of.

use std::fmt;

/// A setting of a job. Doors know it as a flag, a keyword argument or a field; each has a name for every setting, so the list is exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The map that makes features of rows.
    Map,
    /// Bits of hashed names.
    Hash,
    /// Features are counted from 0.
    ZeroBased,
    /// Passes over the rows.
    Epochs,
    /// Whether epochs go on until one has no mistake.
    UntilSeparated,
    /// The seed of the orders.
    Shuffle,
    /// What a margin of 0 predicts.
    Tie,
    /// How many orders are tried.
    Permutations,
    /// How many times the rows are divided into those that are learned from and those that are tested on.
    Splits,
    /// The share of the rows that is learned from.
    Fraction,
    /// Which labels there are.
    Labels,
    /// The label that is learned against the rest.
    Positive,
    /// Rows may have several labels.
    MultiLabel,
    /// How many features there are.
    Features,
    /// How many features there may be.
    MaxFeatures,
    /// The model to resume from.
    Resume,
    /// Where the model is saved.
    Output,
    /// How often the run is saved on the way.
    Checkpoint,
    /// Where mistakes and updates are written.
    Trace,
    /// A copy of the data in our own format is kept beside it.
    Cache,
    /// The format of the data.
    Format,
    /// The column that is the label.
    Label,
    /// Columns that hold categories.
    Categorical,
    /// Columns that hold text.
    Text,
    /// Columns that nothing is learned from.
    Drop,
    /// The only columns that something is learned from.
    Only,
    /// What dates become.
    Dates,
    /// How many words the features of text have.
    Ngrams,
    /// Words are weighted by how many rows have them.
    Tfidf,
    /// Whether a table begins with the names of its columns.
    Header,
    /// What missing values are read as.
    Missing,
    /// How many bad lines are passed over.
    SkipBad,
    /// Rows to test on.
    Test,
    /// Whether rows are tested on after each epoch.
    TestEveryEpoch,
    /// A certificate is asked for.
    Certify,
    /// The vector to compete with.
    Comparator,
    /// How much of a stream is kept for its certificate.
    Spool,
    /// Memory.
    MaxMemory,
    /// Which predictor is used.
    Use,
    /// Answers are probabilities.
    Probabilities,
    /// The least probability or margin of a label that is given.
    Threshold,
    /// What errors cost.
    Cost,
    /// How many labels are given, best first.
    Top,
    /// The column whose text comes with the answers.
    Id,
    /// How much the rows of a class count.
    ClassWeight,
    /// What candidates are judged by.
    By,
    /// The loss.
    Loss,
    /// The regulariser.
    Regulariser,
    /// The method of the solver.
    Method,
    /// The threshold of the loss.
    Theta,
    /// How far the margin is from the threshold.
    Alpha,
    /// How rows are read.
    Rows,
    /// Which data is read.
    Data,
    /// A job goes on where its labels or features are not there.
    Lenient,
    /// The directory of the papers' data.
    DataDirectory,
}

impl Setting {
    /// Its name in the libraries.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Learner => "learner",
            Setting::Bias => "bias",
            Setting::Normalize => "normalize",
            Setting::Standardize => "standardize",
            Setting::Kernel => "kernel",
            Setting::Map => "map",
            Setting::Hash => "hash",
            Setting::ZeroBased => "zero_based",
            Setting::Epochs => "epochs",
            Setting::UntilSeparated => "until separated",
            Setting::Shuffle => "shuffle",
            Setting::Tie => "tie",
            Setting::Permutations => "permutations",
            Setting::Splits => "splits",
            Setting::Fraction => "fraction",
            Setting::Labels => "labels",
            Setting::Positive => "positive",
            Setting::MultiLabel => "multilabel",
            Setting::Features => "features",
            Setting::MaxFeatures => "max_features",
            Setting::Resume => "resume",
            Setting::Output => "output",
            Setting::Checkpoint => "checkpoint",
            Setting::Trace => "trace",
            Setting::Cache => "cache",
            Setting::Format => "format",
            Setting::Label => "label",
            Setting::Categorical => "categorical",
            Setting::Text => "text",
            Setting::Drop => "drop",
            Setting::Only => "only",
            Setting::Dates => "dates",
            Setting::Ngrams => "ngrams",
            Setting::Tfidf => "tfidf",
            Setting::Header => "header",
            Setting::Missing => "missing",
            Setting::SkipBad => "skip_bad",
            Setting::Test => "test",
            Setting::TestEveryEpoch => "test_every_epoch",
            Setting::Certify => "certify",
            Setting::Comparator => "comparator",
            Setting::Spool => "spool_mb",
            Setting::MaxMemory => "max_memory",
            Setting::Use => "use",
            Setting::Probabilities => "probabilities",
            Setting::Threshold => "threshold",
            Setting::Cost => "cost",
            Setting::Top => "top",
            Setting::Id => "id",
            Setting::ClassWeight => "class_weight",
            Setting::By => "by",
            Setting::Loss => "loss",
            Setting::Regulariser => "reg",
            Setting::Method => "method",
            Setting::Theta => "theta",
            Setting::Alpha => "alpha",
            Setting::Rows => "options",
            Setting::Data => "data",
            Setting::Lenient => "lenient",
            Setting::DataDirectory => "data_directory",
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
