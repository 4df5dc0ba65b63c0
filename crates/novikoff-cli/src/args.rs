//! The words of the command line. Their meaning is checked in `job.rs`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use novikoff_engine::predict::Costs;
use novikoff_engine::tune::TuneBy;

/// Learn linear and kernel classifiers, online or in batch, and bound their mistakes.
#[derive(Parser)]
#[command(
    name = "novikoff",
    version,
    long_about = "Learn linear and kernel classifiers, online or in batch, and bound their mistakes.\n\n\
        DATA is a path, a folder of texts, `-` for standard input, or a built-in data set: `digits`, or a generator such as \
        `sparse-target:rows=1000,noise=0.1` (see `novikoff generate --help`). Formats are detected from the \
        content: svmlight/LIBSVM, VW, CSV/TSV, JSON lines, Parquet, Arrow IPC and our own cache (.nvk), plain or \
        compressed with gzip or zstd.\n\
        Results go to stdout, progress and remarks to stderr. \
        Exit codes: 0 success; 1 a requested check failed; 2 could not run.",
    after_help = "Start here:  novikoff compare digits",
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Train a learner and report its mistakes
    Train(TrainArgs),
    /// Predict labels, margins or probabilities, one line per row
    Predict(PredictArgs),
    /// Train several learners on the same data and rank them
    Compare(CompareArgs),
    /// Search a grid of parameters for the best
    Tune(TuneArgs),
    /// Evaluate a model on labelled rows: errors, precision, recall, curves, probabilities
    Evaluate(EvaluateArgs),
    /// Calibrate the probabilities of a model on held-out rows
    Calibrate(CalibrateArgs),
    /// Solve a batch problem to a certified duality gap
    Solve(SolveArgs),
    /// Train a learner and prove a bound on its mistakes
    Certify(CertifyArgs),
    /// Show the contents of a model file
    Inspect(InspectArgs),
    /// Write synthetic or built-in data as svmlight text
    Generate(GenerateArgs),
    /// Convert data to another format, chosen by the name of the output
    Convert(ConvertArgs),
    /// Export a model as an ONNX graph
    Export(ExportArgs),
    /// Reproduce the tables and figures of the papers, next to the published results
    Reproduce(ReproduceArgs),
    /// Predict and learn over HTTP (runs novikoff-serve)
    #[command(disable_help_flag = true)]
    Serve(ForwardedArgs),
    /// Check, repair or replay the logs of a server (runs novikoff-serve)
    #[command(disable_help_flag = true)]
    Log(ForwardedArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Words for another program.
#[derive(Args)]
pub(crate) struct ForwardedArgs {
    /// Arguments of novikoff-serve; --help lists them
    #[arg(
        value_name = "WORD",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) words: Vec<std::ffi::OsString>,
}

/// How rows are read and prepared.
#[derive(Args, Clone)]
pub(crate) struct RowArgs {
    /// The input format [default: detected from the content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatWord>,
    /// Label column of a table: its name, or its number starting at 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// Columns of a table to ignore
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_delimiter = ',',
        conflicts_with = "only"
    )]
    pub(crate) drop: Vec<String>,
    /// Columns of a table to use; ignore all others
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Columns of a table to read as categories, even if they look like numbers or ids
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) categorical: Vec<String>,
    /// Columns of a table to read as text: each word is a feature
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) text: Vec<String>,
    /// Use n-grams of this many words as text features: N, or a range such as 1..2 [default: 1]
    #[arg(long, value_name = "N|N..M", value_parser = ngrams)]
    pub(crate) ngrams: Option<(u8, u8)>,
    /// Weight words by inverse document frequency; off: plain counts [default: on]
    #[arg(long, value_name = "on|off")]
    pub(crate) tfidf: Option<OnOff>,
    /// How to read dates of a table: as year, month, weekday and hour; as seconds since 1970; or as an error [default: parts]
    #[arg(long, value_name = "parts|seconds|refuse")]
    pub(crate) dates: Option<DatesWord>,
    /// Whether a CSV file starts with a line of column names [default: detected from its first lines]
    #[arg(long, value_name = "yes|no")]
    pub(crate) header: Option<YesNo>,
    /// How to read missing values of a table [default: refuse, or as in the model]
    #[arg(long, value_name = "zero|mean|indicator|refuse")]
    pub(crate) missing: Option<MissingWord>,
    /// Skip up to N bad lines; report their number and the first of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) skip_bad: u64,
    /// Hash features to 2^BITS slots instead of keeping their names; count collisions
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=30))]
    pub(crate) hash: Option<u32>,
    /// svmlight feature numbers start at 0
    #[arg(long)]
    pub(crate) zero_based: bool,
    /// Largest feature number allowed
    #[arg(long, value_name = "D", default_value_t = 100_000_000)]
    pub(crate) max_features: u32,
    /// Number of threads; does not change the results [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Memory limit for the state of a learner, in megabytes [default: three quarters of the free memory]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
    /// Print only the result and its remarks
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also print how the data was read and where the time went
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// A format of data.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormatWord {
    /// svmlight or LIBSVM text
    #[value(alias = "libsvm")]
    Svmlight,
    /// Vowpal Wabbit text
    Vw,
    /// Text table, separated by commas, tabs or semicolons
    #[value(alias = "tsv")]
    Csv,
    /// JSON lines, one object per line
    #[value(alias = "jsonl", alias = "ndjson")]
    Json,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow IPC, file or stream
    #[value(alias = "ipc", alias = "feather")]
    Arrow,
    /// Our own cache
    #[value(alias = "cache")]
    Nvk,
}

/// What a missing value is.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MissingWord {
    /// Zero, or none of the categories
    Zero,
    /// The mean of the column over the training rows, or none of the categories; files only
    Mean,
    /// Zero, and the category COLUMN=missing
    Indicator,
    /// An error
    Refuse,
}

/// What dates become.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum DatesWord {
    /// Year, month, weekday and hour
    Parts,
    /// Seconds since 1970
    Seconds,
    /// An error
    Refuse,
}

/// On or off.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OnOff {
    /// On
    On,
    /// Off
    Off,
}

/// The lengths of n-grams: `2`, or `1..2`.
fn ngrams(word: &str) -> Result<(u8, u8), String> {
    let (least, most) = word.split_once("..").unwrap_or((word, word));
    let length = |digits: &str| digits.parse().ok().filter(|n| (1..=MOST_WORDS).contains(n));
    match (length(least), length(most)) {
        (Some(least), Some(most)) if least <= most => Ok((least, most)),
        _ => Err(format!(
            "must be a number of words or a range, from 1 to {MOST_WORDS}, as in 2 or 1..2"
        )),
    }
}

/// What errors cost: `FP:FN`.
fn costs(word: &str) -> Result<Costs, String> {
    let cost = |number: &str| {
        number
            .parse()
            .ok()
            .filter(|c: &f64| c.is_finite() && *c >= 0.0)
    };
    let pair = word.split_once(':').map(|(a, b)| (cost(a), cost(b)));
    match pair {
        Some((Some(false_positive), Some(false_negative)))
            if false_positive + false_negative > 0.0 =>
        {
            Ok(Costs {
                false_positive,
                false_negative,
            })
        }
        _ => Err("must be the costs of a false positive and of a false negative, two numbers that are at least 0 and not \
                  both 0, as in 1:5"
            .to_owned()),
    }
}

/// The longest n-gram.
const MOST_WORDS: u8 = 8;

/// Yes or no.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum YesNo {
    /// Yes
    Yes,
    /// No
    No,
}

/// How a run goes: shared by `train` and `compare`.
#[derive(Args, Clone)]
#[allow(clippy::struct_excessive_bools)] // they are flags
pub(crate) struct RunArgs {
    /// Passes over the data [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) epochs: Option<u32>,
    /// Repeat passes until one has no mistakes, at most --epochs N times (1000 if N is not given)
    #[arg(long)]
    pub(crate) until_separated: bool,
    /// Kernel: linear, poly:degree=3,coef0=1,gamma=1 or gaussian:gamma=1 (alias rbf; gamma=auto adapts to the
    /// first rows), each also with cosine, as in poly:degree=4,cosine [default: linear]
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<String>,
    /// Map rows to features of the Gaussian kernel, for a learner without a kernel: rff:dim=512,gamma=auto,seed=0
    /// (random Fourier features) or nystroem:dim=512,gamma=auto,seed=0
    #[arg(long, value_name = "MAP")]
    pub(crate) map: Option<String>,
    /// Memory limit for kernel values that later epochs reuse, in megabytes [default: a quarter of the free memory]
    #[arg(long, value_name = "MB")]
    pub(crate) cache_mb: Option<u64>,
    /// Add a constant feature B: off, or a number [default: off]
    #[arg(long, value_name = "off|B", allow_hyphen_values = true)]
    pub(crate) bias: Option<String>,
    /// Centre and scale the features to mean 0 and variance 1 (files only)
    #[arg(long)]
    pub(crate) standardize: bool,
    /// Divide each row by its p-norm (after the bias): off, 1, 2, any P >= 1, or inf [default: off; for
    /// higher-order: its own p]
    #[arg(long, value_name = "off|1|2|P|inf")]
    pub(crate) normalize: Option<String>,
    /// Shuffle the rows before each epoch, with this seed
    #[arg(long, value_name = "SEED")]
    pub(crate) shuffle: Option<u64>,
    /// Repeat over N orders (seeds SEED, SEED+1, ...) and report mean and standard deviation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) permutations: Option<u32>,
    /// What a margin of 0 predicts during learning: +1, -1, or the wrong label, as in papers that count y m <= 0 as a mistake.
    /// For reproductions: models do not keep it
    #[arg(
        long,
        value_name = "positive|negative|mistake",
        default_value = "positive",
        hide = true
    )]
    pub(crate) tie: TieWord,
    /// Train a binary problem: this label against the rest
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true, conflicts_with_all = ["labels", "multilabel"])]
    pub(crate) positive: Option<String>,
    /// The two labels of a binary problem; the larger is +1
    #[arg(
        long,
        value_name = "A,B",
        allow_hyphen_values = true,
        conflicts_with = "multilabel"
    )]
    pub(crate) labels: Option<String>,
    /// Rows may have any number of labels, separated by commas
    #[arg(long)]
    pub(crate) multilabel: bool,
    /// Number of features of a stream, needed by some `auto` values
    #[arg(long, value_name = "D")]
    pub(crate) features: Option<u32>,
    /// Predictor to validate and test [default: the learner's own]. `averaged` also stores the average of the weights over all trials in the
    /// model and predicts with it; for learners whose updates only scale the weights and add multiples of rows
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    /// Weight the rows of a label by W (others by 1). balanced: by n/(labels * rows of the label), files only. @FILE has one LABEL=W per line.
    /// For learners that support weights; stored in the model
    #[arg(
        long,
        value_name = "balanced|LABEL=W,...|@FILE",
        allow_hyphen_values = true
    )]
    pub(crate) class_weight: Option<String>,
    /// Keep a binary cache next to the data (DATA.nvk) and use it while the data is unchanged
    #[arg(long)]
    pub(crate) cache: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rows that a run is tested on: shared by `train`, `compare` and `certify`.
#[derive(Args, Clone)]
pub(crate) struct TestArgs {
    /// Count the errors of the final predictor on these rows
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Count the errors on --test after each epoch, for every predictor of the learner
    #[arg(long)]
    pub(crate) test_every_epoch: bool,
}

/// Rows divided again and again: shared by `train` and `compare`.
#[derive(Args, Clone)]
pub(crate) struct SplitArgs {
    /// Repeat over N random train/test splits (seeds SEED, SEED+1, ... of --shuffle) and report means and standard deviations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) splits: Option<u32>,
    /// Fraction of rows to train on: a number between 0 and 1, or a fraction such as 60/96 [default: 2/3]
    #[arg(long, value_name = "F", value_parser = fraction, requires = "splits")]
    pub(crate) fraction: Option<f64>,
    /// Split the rows of each label separately
    #[arg(long, requires = "splits")]
    pub(crate) stratified: bool,
}

/// A share: `0.7`, or `2/3`.
fn fraction(word: &str) -> Result<f64, String> {
    let number = |word: &str| word.parse::<f64>().ok();
    let share = match word.split_once('/') {
        Some((part, whole)) => number(part)
            .zip(number(whole))
            .map(|(part, whole)| part / whole),
        None => number(word),
    };
    share
        .filter(|share| *share > 0.0 && *share < 1.0)
        .ok_or_else(|| {
            "must be a number above 0 and below 1, or a fraction, as in 0.7 or 2/3".to_owned()
        })
}

/// Shared by all commands that learn from rows or ask a model about them.
#[derive(Args, Clone, Copy)]
pub(crate) struct LenientArgs {
    /// Continue, with a remark, even if the result is worthless: no row has the label of --positive, no row has a feature or label known to the
    /// model, most columns of the model are missing, or labels look like ids
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// What a run ends in, beside its report: shared by `train`, `compare` and `certify`.
#[derive(Args, Clone)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
    /// Write an HTML page with charts of the run: one self-contained file
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write the charts of the run to this directory, as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
}

/// The proof beside the result.
#[derive(Args, Clone)]
pub(crate) struct ProofArgs {
    /// Compute a certificate: the mistake bound of the learner, evaluated on this run with the best comparator in hindsight.
    /// quick: a comparator found by a single solve
    #[arg(long, value_name = "full|quick", num_args = 0..=1, default_missing_value = "full")]
    pub(crate) certify: Option<EffortWord>,
    /// Exit with code 1 if there is no certificate, or if the run exceeds its bound; implies --certify
    #[arg(long)]
    pub(crate) require_certificate: bool,
    /// Use the weights of this model as the comparator instead of searching for the best; implies --certify
    #[arg(long, value_name = "MODEL")]
    pub(crate) comparator: Option<PathBuf>,
}

/// Where the vector of a certificate is saved: shared by `train` and `certify`.
#[derive(Args, Clone)]
pub(crate) struct SaveArgs {
    /// Save the comparator as a model file, for predict and --comparator; implies --certify
    #[arg(long, value_name = "FILE")]
    pub(crate) save_comparator: Option<PathBuf>,
}

/// What is kept of a stream.
#[derive(Args, Clone)]
pub(crate) struct SpoolArgs {
    /// Limit for stream rows kept for the certificate, in megabytes; rows beyond --max-memory go to a temporary file
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    pub(crate) spool_mb: u64,
}

/// How hard to look for a vector to compete with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortWord {
    /// Search until the bound is nearly minimal
    Full,
    /// One solve
    Quick,
}

#[derive(Args)]
#[command(after_help = crate::help::CERTIFY)]
pub(crate) struct CertifyArgs {
    /// One or more paths, `-`, or a built-in data set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Learner: name or name:key=value,... (see `novikoff compare --help` for the list) [default: auto]
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub(crate) spec: Option<String>,
    /// Check a certificate instead: verify the output of `certify --json` or `train --certify --json` against DATA, the trace and the
    /// saved comparator; exit with code 1 if they disagree
    #[arg(long, value_name = "CERT.json", conflicts_with = "spec")]
    pub(crate) check: Option<PathBuf>,
    /// Write one JSON line per mistake or update; with --check: read them
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) save: SaveArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) test: TestArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) spool: SpoolArgs,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
pub(crate) struct TrainArgs {
    /// One or more paths, `-`, or a built-in data set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Learner: name or name:key=value,... (see `novikoff compare --help` for the list) [default: auto, or the learner of the resumed
    /// model]
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub(crate) spec: Option<String>,
    /// Save the model to this file
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// Resume from this model; an interrupted run continues from its checkpoint
    #[arg(long, value_name = "MODEL")]
    pub(crate) resume: Option<PathBuf>,
    /// Save a checkpoint to MODEL every N rows (100000) or at an interval (30s, 5m), for --resume
    #[arg(long, value_name = "EVERY", requires = "output")]
    pub(crate) checkpoint: Option<String>,
    /// Write one JSON line per mistake or update
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) save: SaveArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) test: TestArgs,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) spool: SpoolArgs,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(after_help = crate::help::learners())]
pub(crate) struct CompareArgs {
    /// Path, `-`, or a built-in data set. A generator with several values, such as 'separable:margin=0.3|0.1|0.03', is a sweep: one line per
    /// data set, with the mistakes and (R/margin)^2
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Learners [default: all that fit the data]
    #[arg(value_name = "SPEC")]
    pub(crate) specs: Vec<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) test: TestArgs,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(after_help = crate::help::solver())]
pub(crate) struct SolveArgs {
    /// One or more paths, `-`, or a built-in data set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Loss: name or name:key=value,...
    #[arg(long, value_name = "LOSS", default_value = "hinge")]
    pub(crate) loss: String,
    /// Regulariser: name or name:key=value,...
    #[arg(long, alias = "regulariser", value_name = "REG", default_value = "l2")]
    pub(crate) reg: String,
    /// Weight of the regulariser, 1/(C n) in terms of the C of other systems; several values are solved in turn
    #[arg(long, value_name = "X,...", value_delimiter = ',', required = true)]
    pub(crate) lambda: Vec<f64>,
    /// Bias: off, free (not regularised), or the value B of a constant feature
    #[arg(
        long,
        value_name = "off|free|B",
        default_value = "off",
        allow_hyphen_values = true
    )]
    pub(crate) bias: String,
    /// Relative gap to reach: (primal - dual)/max(|primal|, |dual|)
    #[arg(long, value_name = "G", default_value_t = 1e-3)]
    pub(crate) gap: f64,
    /// Maximum number of passes over the rows
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_passes: u32,
    /// Make exactly N passes of the plain algorithm over all rows, whatever the gap
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "max_passes")]
    pub(crate) passes: Option<u32>,
    /// Method: dual coordinate ascent, or Newton's method for smooth losses with l2; auto chooses by the size of the data
    #[arg(long, value_name = "auto|ascent|newton", default_value = "auto")]
    pub(crate) method: SolverMethodWord,
    /// Order of the rows in a pass: a new random order each time, or file order
    #[arg(long, value_name = "shuffled|file", default_value = "shuffled")]
    pub(crate) order: OrderWord,
    /// Seed of the random orders
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Predict + if w.x exceeds T; rows aim at a margin of alpha beyond it
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) theta: Option<f64>,
    /// Target margin of the rows [default: 1]
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub(crate) alpha: Option<f64>,
    /// Weight the rows of a label by W (others by 1). balanced: by n/(labels * rows of the label). With several labels per row, the weight
    /// of a label applies to its own problem. @FILE has one LABEL=W per line
    #[arg(
        long,
        value_name = "balanced|LABEL=W,...|@FILE",
        allow_hyphen_values = true
    )]
    pub(crate) class_weight: Option<String>,
    /// Kernel, with l2: linear, poly:degree=3,coef0=1,gamma=1 or gaussian:gamma=1 (alias rbf; gamma=auto
    /// adapts to the first rows), each also with cosine [default: linear]
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<String>,
    /// Map rows to features of the Gaussian kernel: rff:dim=512,gamma=auto,seed=0 (random Fourier features) or
    /// nystroem:dim=512,gamma=auto,seed=0
    #[arg(long, value_name = "MAP")]
    pub(crate) map: Option<String>,
    /// Centre and scale the features to mean 0 and variance 1
    #[arg(long)]
    pub(crate) standardize: bool,
    /// Divide each row by its p-norm (after the bias): off, 1, 2, any P >= 1, or inf [default: off]
    #[arg(long, value_name = "off|1|2|P|inf")]
    pub(crate) normalize: Option<String>,
    /// Count the errors of the solution on these rows
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Solve a binary problem: this label against the rest
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true, conflicts_with_all = ["labels", "multilabel"])]
    pub(crate) positive: Option<String>,
    /// The two labels of a binary problem; the larger is +1
    #[arg(
        long,
        value_name = "A,B",
        allow_hyphen_values = true,
        conflicts_with = "multilabel"
    )]
    pub(crate) labels: Option<String>,
    /// Rows may have any number of labels, separated by commas
    #[arg(long)]
    pub(crate) multilabel: bool,
    /// Save the model to this file
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "Prints one line per row. Several labels of a row are separated by commas; if a row gets no label, its line is empty. \
    Columns are separated by tabs; a cell that contains a tab or a line break is quoted. With --threshold or --cost the \
    label is printed first, followed by margins or probabilities if requested. A threshold does not apply if each row has one of \
    several classes: use --top.\n\n\
    Models from `calibrate`, from `solve --loss logistic` and from learners with log-odds margins have probabilities. With several \
    classes, the probabilities of a row sum to 1.\n\n\
    Examples:\n  novikoff train train.svm -a averaged -o model\n  novikoff predict model new.svm > labels.txt\n  \
    novikoff predict model new.csv --id customer --cost 1:20 --probabilities --print-header"
)]
pub(crate) struct PredictArgs {
    /// A model written by `train -o`, `solve -o`, `tune -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// One or more paths, `-`, or a built-in data set; labels are not needed (`?` or none)
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Print margins instead: one tab-separated column per class
    #[arg(long)]
    pub(crate) margins: bool,
    /// Print probabilities instead, if the model has them: one tab-separated column per class (for two labels: negative, then positive)
    #[arg(long, conflicts_with = "margins")]
    pub(crate) probabilities: bool,
    /// Predict a label if its probability (or margin, for a model without probabilities) is at least T
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// Predict a label if that costs no more in expectation: if its probability is at least FP/(FP + FN)
    #[arg(long, value_name = "FP:FN", value_parser = costs, conflicts_with_all = ["threshold", "top"])]
    pub(crate) cost: Option<Costs>,
    /// Print the K labels with the largest probabilities or margins, best first, each followed by its probability or margin if
    /// requested
    #[arg(long, value_name = "K", conflicts_with = "threshold")]
    pub(crate) top: Option<usize>,
    /// Print a header line with column names
    #[arg(long)]
    pub(crate) print_header: bool,
    /// Print this column of the table before each prediction: its name, or its number starting at 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// Predictor to use [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "A GRID is a list a|b|c, a geometric range LOW..HIGH*N of N values, or an arithmetic range LOW..HIGH+N. \
    All combinations are tried, at most 10,000. Quote grids for the shell.\n\n\
    A learner is scored by progressive validation over one pass: each row is predicted before it is learned, by the predictor that would be \
    saved. With --permutations N there are N passes. A learner without validation is scored by its mistakes. With --folds K, learners are scored by \
    K-fold cross-validation; the folds are stratified and drawn from --seed. The solver is always tuned on folds: solutions along --lambda are \
    warm-started, and all folds share one Gram matrix. --standardize uses the means and deviations of all rows. --by scores the folds by \
    another measure: auc, f1 and ap of the positive label, or their mean over several labels.\n\n\
    Examples:\n  novikoff tune train.svm -a 'second-order:a=0.1..10*5' -a 'passive-aggressive:c=0.01|0.1|1' -o model\n  \
    novikoff tune train.svm -a perceptron --kernel 'gaussian:gamma=0.001..1*7' --epochs 3 --folds 5\n  \
    novikoff tune train.svm --loss squared-hinge --lambda '1e-6..1e-1*6' --bias free --folds 5"
)]
pub(crate) struct TuneArgs {
    /// One or more paths, `-`, or a built-in data set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Learners: name or name:key=GRID,...; may be repeated [default: the experts of auto, each over its own grid]
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub(crate) specs: Vec<String>,
    /// Score by K-fold cross-validation
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) folds: Option<u32>,
    /// Measure to maximise (auc, f1, ap) or minimise (error, log-loss); all except error need --folds
    #[arg(long = "by", value_name = "MEASURE", default_value = "error")]
    pub(crate) measure: MeasureWord,
    /// Seed of the folds and of the solver's random orders
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Tune the solver with this loss: name or name:key=GRID,... [default: hinge]
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// Regulariser of the solver: name or name:key=GRID,... [default: l2]
    #[arg(long, alias = "regulariser", value_name = "REG")]
    pub(crate) reg: Option<String>,
    /// Weight of the solver's regulariser: numbers and ranges
    #[arg(long, value_name = "GRID,...", value_delimiter = ',')]
    pub(crate) lambda: Vec<String>,
    /// Relative gap for the solver to reach
    #[arg(long, value_name = "G", default_value_t = 1e-3)]
    pub(crate) gap: f64,
    /// Maximum number of passes of the solver
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_passes: u32,
    /// Train the best on all rows and save it to this file
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "Precision: the fraction of rows predicted as a label that have it. Recall: the fraction of rows with the label that are \
    predicted as it. F1: their harmonic mean. Break-even: the value at the threshold where both are equal. AUC: the \
    probability that a row with the label scores above a row without. Micro averages add up the counts of all labels \
    first; macro averages are means over the labels. With several labels per row, an error is a subset error: any \
    label wrong. 0/0 is 0. Labels unknown to the model count as errors.\n\n\
    Thresholds are probabilities if the model has them, otherwise margins. Log loss: the mean of -ln p of the true label. Brier: the mean \
    squared error of the probabilities, summed over the labels if there are three or more. The last table has ten bins of forecasts: their number, their mean, \
    and the observed frequency.\n\n\
    Example:\n  novikoff train train.svm -a averaged -o model\n  novikoff evaluate model test.svm --curves curves.csv"
)]
pub(crate) struct EvaluateArgs {
    /// A model written by `train -o`, `solve -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// One or more paths, `-`, or a built-in data set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Predictor to use [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    /// Write the ROC and precision-recall curves, with all thresholds, to this file: .csv or .json
    #[arg(long, value_name = "FILE")]
    pub(crate) curves: Option<PathBuf>,
    /// Print the result as one JSON object, with curves of about 200 points
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "A margin predicts a class, not a probability. The map from margins to probabilities must be fitted on held-out rows. \
    platt: a sigmoid, suitable from a few hundred rows. isotonic: any increasing map, suitable from a few \
    thousand rows. With several classes there is one map per class, and the probabilities of a row are normalised to sum to 1. \
    Labels are still predicted by margins.\n\n\
    `train --resume` keeps the probabilities calibrated: at the end of the run, the maps are refitted by the same method to the last 8192 rows, \
    including the held-out rows, each with its margin from before it was learned. With fewer than 100 rows the maps stay. With several \
    epochs, the first one counts.\n\n\
    Example:\n  novikoff train train.svm -a averaged -o model\n  \
    novikoff calibrate model held-out.svm -o calibrated\n  novikoff predict calibrated new.svm --probabilities"
)]
pub(crate) struct CalibrateArgs {
    /// A model written by `train -o` or `solve -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Held-out rows: one or more paths, `-`, or a built-in data set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Save the calibrated model to this file
    #[arg(short, long, value_name = "MODEL2")]
    pub(crate) output: PathBuf,
    /// Method to turn margins into probabilities
    #[arg(long, value_name = "METHOD", default_value = "platt")]
    pub(crate) method: MethodWord,
    /// Predictor whose margins to calibrate [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "Without NAME, or with `all`, every table whose data is present is run. DIR contains the files that --list names, such as \
    mnist/train.svm.gz; tables of generated rows need no files. Each table has its own output directory with runs.jsonl (the result of \
    each run, so a second call resumes), table.md, table.html, table.json and the charts. A published figure is either printed (from a text \
    that we have) or recollected (from memory, only a guide). A claim holds if a t test of the paired differences confirms all its comparisons, or, for a theorem, if every run satisfies it. It does not hold if one is clearly reversed. Otherwise it is undecided.\n\n\
    Example:\n  novikoff reproduce --list\n  novikoff reproduce second-order-toy --quick"
)]
#[allow(clippy::struct_excessive_bools)] // they are flags
pub(crate) struct ReproduceArgs {
    /// Tables and figures, or `all` [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Directory with the data of the papers
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Run short forms on built-in data, with few repetitions, in seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Repetitions of each run [default: as in the paper, or fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repetitions: Option<u32>,
    /// Directory for results and pages
    #[arg(long, value_name = "DIR", default_value = "novikoff-papers")]
    pub(crate) out: PathBuf,
    /// Write a short form of each table into this Markdown file, between the lines <!-- begin NAME --> and <!-- end NAME -->
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) into: Option<PathBuf>,
    /// List the files that each table needs, and which are present
    #[arg(long, conflicts_with = "names")]
    pub(crate) list: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Number of parallel runs; changes times but not results [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Memory limit for the state of a learner, in megabytes [default: three quarters of the free memory]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
    /// Print only the result
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What a margin of 0 predicts.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TieWord {
    /// +1
    Positive,
    /// -1
    Negative,
    /// The wrong label
    Mistake,
}

/// A method of the solver.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SolverMethodWord {
    /// Chosen by the size of the data
    Auto,
    /// Dual coordinate ascent
    Ascent,
    /// Newton's method
    Newton,
}

/// The order of the rows in a pass.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderWord {
    /// A new random order in each pass
    Shuffled,
    /// File order
    File,
}

/// What candidates are judged by.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MeasureWord {
    /// The error rate
    Error,
    /// The area under the ROC curve; with several labels, the mean
    Auc,
    /// F1 of the positive label; with several labels, the mean
    F1,
    /// The log loss, for candidates with probabilities
    LogLoss,
    /// Average precision of the positive label; with several labels, the mean
    Ap,
}

impl From<MeasureWord> for TuneBy {
    fn from(word: MeasureWord) -> Self {
        match word {
            MeasureWord::Error => TuneBy::Error,
            MeasureWord::Auc => TuneBy::Auc,
            MeasureWord::F1 => TuneBy::F1,
            MeasureWord::LogLoss => TuneBy::LogLoss,
            MeasureWord::Ap => TuneBy::AveragePrecision,
        }
    }
}

/// How margins become probabilities.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MethodWord {
    /// Platt's sigmoid
    Platt,
    /// Isotonic regression
    Isotonic,
}

#[derive(Args)]
pub(crate) struct InspectArgs {
    /// A model written by `train -o`, `solve -o`, `tune -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Print feature<TAB>weight, largest magnitude first (with several classes: class<TAB>feature<TAB>weight)
    #[arg(long)]
    pub(crate) weights: bool,
    /// Print only this class
    #[arg(
        long,
        value_name = "LABEL",
        requires = "weights",
        allow_hyphen_values = true
    )]
    pub(crate) class: Option<String>,
    /// Print the result as one JSON object
    #[arg(long, conflicts_with = "weights")]
    pub(crate) json: bool,
    /// Memory limit for the model, in megabytes [default: three quarters of the free memory]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
}

#[derive(Args)]
#[command(after_help = crate::help::generators())]
pub(crate) struct GenerateArgs {
    /// NAME or NAME:key=value,...
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
#[command(
    after_help = "The format of OUT is chosen by its name: .svm .libsvm .txt (svmlight), .vw, .csv, .tsv, \
    .jsonl, .parquet, .arrow, .nvk (our cache). Add .gz or .zst to compress a text format. svmlight and wide Parquet \
    identify features by number only.\n\n\
    Example:\n  novikoff convert train.csv.gz train.nvk --label species"
)]
pub(crate) struct ConvertArgs {
    /// One or more paths, `-`, or a built-in data set; the last argument is OUT
    #[arg(required = true, num_args = 2.., value_name = "IN... OUT")]
    pub(crate) paths: Vec<String>,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "The input of the graph is one matrix, `features`: one row per data row, one column per feature, in the order of the model's slots. \
    Names of features are in the metadata, as a JSON list under `feature_names`; numbered features start at \
    `first_feature`. The outputs are `label`, `margins` (one column per class, as `predict --margins` prints them) and, if the model has them, \
    `probabilities` (one column per label). For multi-label models, `label` has one 0/1 column per label. Regression models \
    have the output `value`.\n\n\
    The constant feature, centring and scaling, normalisation, maps, kernels and calibration are part of the graph. Votes of `voted`, \
    hashed features and text columns cannot be exported.\n\n\
    Example:\n  novikoff train digits -a averaged -o digits.model\n  novikoff export digits.model -o digits.onnx"
)]
pub(crate) struct ExportArgs {
    /// A model written by `train -o`, `solve -o`, `tune -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Write the graph to this file
    #[arg(short, long, value_name = "FILE.onnx")]
    pub(crate) output: PathBuf,
    /// Operators of the graph
    #[arg(long, value_name = "core|ml", default_value = "core")]
    pub(crate) ops: OperatorsWord,
    /// Type of the input matrix
    #[arg(long, value_name = "float64|float32", default_value = "float64")]
    pub(crate) input: InputWord,
    /// Predictor to export [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    /// Memory limit for the model, in megabytes [default: three quarters of the free memory]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
    /// Print nothing
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Operators of ONNX.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OperatorsWord {
    /// ONNX operators: float64, same predictions as `predict`
    Core,
    /// LinearRegressor and SVMRegressor of ai.onnx.ml: float32
    Ml,
}

/// A type of numbers.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum InputWord {
    /// 64 bits, rounded to 32 first, as in all readers
    Float64,
    /// 32 bits
    Float32,
}

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// A predictor of a learner.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum HypothesisArg {
    /// The weights after the last trial
    Final,
    /// The average of all weights
    Averaged,
    /// The majority vote of all weights
    Voted,
    /// The expert of `auto` with the fewest mistakes
    Best,
}
