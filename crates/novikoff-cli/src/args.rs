//! The words of the command line. Their meaning is checked in `job.rs`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use novikoff_engine::predict::Costs;
use novikoff_engine::tune::TuneBy;

/// Learns linear and kernel classifiers from streams, with few mistakes, and proves how few.
#[derive(Parser)]
#[command(
    name = "novikoff",
    version,
    long_about = "Learns linear and kernel classifiers from streams, with few mistakes, and proves how few.\n\n\
        DATA is a path, a folder of texts, `-` for a stream, or a built-in set: `digits`, or a generator such as \
        `sparse-target:rows=1000,noise=0.1` (see `novikoff generate --help`). Formats are recognised by their \
        content: svmlight/LIBSVM, VW, CSV/TSV, JSON lines, Parquet, Arrow IPC and our own cache (.nvk), also \
        compressed by gzip or zstd.\n\
        Results go to stdout, progress and remarks to stderr. \
        Exit 0: done; 1: a check that was asked for failed; 2: could not run.",
    after_help = "Start here:  novikoff compare digits",
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run one learner over a stream and report its mistakes
    Train(TrainArgs),
    /// Predict labels, margins or probabilities, one line per row
    Predict(PredictArgs),
    /// Run several learners on the same stream, best first
    Compare(CompareArgs),
    /// Try all values of a grid and find the best
    Tune(TuneArgs),
    /// Measure a model on labelled rows: errors, precision, recall, curves, probabilities
    Evaluate(EvaluateArgs),
    /// Give a model probabilities, fitted on rows it was not trained on
    Calibrate(CalibrateArgs),
    /// Solve for all rows at once, to a certified gap
    Solve(SolveArgs),
    /// Run one learner and prove how few mistakes it made
    Certify(CertifyArgs),
    /// Show what a model file holds
    Inspect(InspectArgs),
    /// Write synthetic or built-in data as svmlight text
    Generate(GenerateArgs),
    /// Write data in another format, chosen by the name of the output
    Convert(ConvertArgs),
    /// Write a model as an ONNX graph, for programs that run those
    Export(ExportArgs),
    /// Reproduce the tables and figures of the papers: ours beside theirs
    Reproduce(ReproduceArgs),
    /// Answer and learn over HTTP (runs novikoff-serve)
    #[command(disable_help_flag = true)]
    Serve(ForwardedArgs),
    /// Check, repair or replay the logs of a server (runs novikoff-serve)
    #[command(disable_help_flag = true)]
    Log(ForwardedArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Words for another program.
#[derive(Args)]
pub(crate) struct ForwardedArgs {
    /// Words of novikoff-serve; --help lists them
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
    /// The format [default: recognised by the content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatWord>,
    /// The column of a table that is the label: its name, or its number counted from 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// Columns of a table to leave out
    #[arg(
        long,
        value_name = "COLUMN,...",
        value_delimiter = ',',
        conflicts_with = "only"
    )]
    pub(crate) drop: Vec<String>,
    /// The only columns of a table to learn from
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Columns of a table that are categories although they look like numbers or ids
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) categorical: Vec<String>,
    /// Columns of a table that are text: each word is a feature
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub(crate) text: Vec<String>,
    /// Features of text are runs of this many words: N, or a range as 1..2 [default: 1]
    #[arg(long, value_name = "N|N..M", value_parser = ngrams)]
    pub(crate) ngrams: Option<(u8, u8)>,
    /// Whether words are weighted by inverse document frequency; off: they are counted [default: on]
    #[arg(long, value_name = "on|off")]
    pub(crate) tfidf: Option<OnOff>,
    /// What dates of a table become: year, month, weekday and hour; seconds since 1970; or an error [default: parts]
    #[arg(long, value_name = "parts|seconds|refuse")]
    pub(crate) dates: Option<DatesWord>,
    /// Whether a CSV begins with a line of names [default: recognised by its first lines]
    #[arg(long, value_name = "yes|no")]
    pub(crate) header: Option<YesNo>,
    /// What a missing value of a table becomes [default: refuse, or as in the model]
    #[arg(long, value_name = "zero|mean|indicator|refuse")]
    pub(crate) missing: Option<MissingWord>,
    /// Skip up to N bad lines; they are counted, and the first are shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) skip_bad: u64,
    /// Learn features in 2^BITS hashed slots instead of keeping their names; collisions are counted
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=30))]
    pub(crate) hash: Option<u32>,
    /// The svmlight file counts features from 0
    #[arg(long)]
    pub(crate) zero_based: bool,
    /// Highest feature number allowed
    #[arg(long, value_name = "D", default_value_t = 100_000_000)]
    pub(crate) max_features: u32,
    /// Threads; the results do not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Megabytes a learner's state may take [default: three quarters of what is free]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
    /// Print only the result and the remarks on it
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more: how the data was read, where the time went
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// A format of data.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormatWord {
    /// svmlight or LIBSVM text
    #[value(alias = "libsvm")]
    Svmlight,
    /// Vowpal Wabbit's text
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
    /// The column's mean over the rows it is trained on, or none of the categories; files only
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
    /// Pass over the data until one pass has no mistake, at most N times (--epochs N; 1000 if it is not given)
    #[arg(long)]
    pub(crate) until_separated: bool,
    /// Kernel: linear, poly:degree=3,coef0=1,gamma=1 or gaussian:gamma=1 (also called rbf; gamma=auto fits the
    /// first rows), each also with cosine, as in poly:degree=4,cosine [default: linear]
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<String>,
    /// Make features of rows, in front of a learner without a kernel: rff:dim=512,gamma=auto,seed=0 (random
    /// Fourier features) or nystroem:dim=512,gamma=auto,seed=0, both of the Gaussian kernel
    #[arg(long, value_name = "MAP")]
    pub(crate) map: Option<String>,
    /// Megabytes at most for kernel values that later epochs reuse [default: a quarter of what is free]
    #[arg(long, value_name = "MB")]
    pub(crate) cache_mb: Option<u64>,
    /// Append the constant feature B: off, or a number [default: off]
    #[arg(long, value_name = "off|B", allow_hyphen_values = true)]
    pub(crate) bias: Option<String>,
    /// Centre and scale the features to mean 0 and variance 1 (files only)
    #[arg(long)]
    pub(crate) standardize: bool,
    /// Divide each row by its p-norm (after the bias): off, 1, 2, any P >= 1, or inf [default: off; for
    /// higher-order its own p]
    #[arg(long, value_name = "off|1|2|P|inf")]
    pub(crate) normalize: Option<String>,
    /// Shuffle the rows from this seed, again in each epoch
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
    /// Learn this label against the rest
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
    /// The number of features of a stream, which `auto` in a spec needs
    #[arg(long, value_name = "D")]
    pub(crate) features: Option<u32>,
    /// Which predictor is validated and tested [default: the learner's own]. `averaged`: the model keeps the average of its weights over
    /// all trials and deploys it; for learners that only scale their weights and add multiples of rows
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    /// Count the rows of a label W times (others once), or all labels alike: n/(labels * rows of the label), for files only; @FILE has one
    /// LABEL=W per line. For learners that take weighted rows; kept in the model
    #[arg(
        long,
        value_name = "balanced|LABEL=W,...|@FILE",
        allow_hyphen_values = true
    )]
    pub(crate) class_weight: Option<String>,
    /// Keep a binary copy of the data beside it (DATA.nvk) and use it as long as the data is unchanged
    #[arg(long)]
    pub(crate) cache: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rows that a run is tested on: shared by `train`, `compare` and `certify`.
#[derive(Args, Clone)]
pub(crate) struct TestArgs {
    /// Count the final predictor's errors on these rows
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Count errors on the rows of --test after each epoch, of every predictor that the learner offers
    #[arg(long)]
    pub(crate) test_every_epoch: bool,
}

/// Rows divided again and again: shared by `train` and `compare`.
#[derive(Args, Clone)]
pub(crate) struct SplitArgs {
    /// Divide the rows N times at random (seeds SEED, SEED+1, ... of --shuffle), learn from one part, test on the other, and report means
    /// and standard deviations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) splits: Option<u32>,
    /// The share of the rows that is learned from: a number above 0 and below 1, or a fraction as 60/96 [default: 2/3]
    #[arg(long, value_name = "F", value_parser = fraction, requires = "splits")]
    pub(crate) fraction: Option<f64>,
    /// Divide the rows of each label by themselves
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
    /// Continue, with a remark, where the result is worthless: no row has the label of --positive, no row has a feature or a label that the model
    /// knows, most columns of the model are missing, or labels look like ids
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// What a run ends in, beside its report: shared by `train`, `compare` and `certify`.
#[derive(Args, Clone)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
    /// Write a page with charts of the run: one file that needs no network
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write the charts of the run into this directory, as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
}

/// The proof beside the result.
#[derive(Args, Clone)]
pub(crate) struct ProofArgs {
    /// End in a certificate: the learner's theorem on this very stream, with the best vector in hindsight to compete
    /// with; quick: one found by a single solve
    #[arg(long, value_name = "full|quick", num_args = 0..=1, default_missing_value = "full")]
    pub(crate) certify: Option<EffortWord>,
    /// Exit 1 if there is no certificate, or the run made more mistakes than it allows; implies --certify
    #[arg(long)]
    pub(crate) require_certificate: bool,
    /// Compete with the weights of this model instead of looking for the best; implies --certify
    #[arg(long, value_name = "MODEL")]
    pub(crate) comparator: Option<PathBuf>,
}

/// Where the vector of a certificate is saved: shared by `train` and `certify`.
#[derive(Args, Clone)]
pub(crate) struct SaveArgs {
    /// Save the vector that the run is compared with as a model, which predicts and which --comparator takes; implies --certify
    #[arg(long, value_name = "FILE")]
    pub(crate) save_comparator: Option<PathBuf>,
}

/// What is kept of a stream.
#[derive(Args, Clone)]
pub(crate) struct SpoolArgs {
    /// Megabytes of a stream's rows that are kept for the certificate, beyond --max-memory in a temporary file
    #[arg(long, value_name = "MB", default_value_t = 4096)]
    pub(crate) spool_mb: u64,
}

/// How hard to look for a vector to compete with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortWord {
    /// Search until the bound is nearly the least
    Full,
    /// One solve
    Quick,
}

#[derive(Args)]
#[command(after_help = crate::help::CERTIFY)]
pub(crate) struct CertifyArgs {
    /// Path(s) read as one, `-`, or a built-in set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// The learner: name or name:key=value,... (see `novikoff compare --help` for the list) [default: auto]
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub(crate) spec: Option<String>,
    /// Check a certificate instead: what `certify --json` or `train --certify --json` printed, against DATA, the trace and the
    /// vector that was saved; exit 1 if they do not agree
    #[arg(long, value_name = "CERT.json", conflicts_with = "spec")]
    pub(crate) check: Option<PathBuf>,
    /// Write one JSON line for each mistake or update; with --check: read them
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
    /// Path(s) read as one, `-`, or a built-in set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// The learner: name or name:key=value,... (see `novikoff compare --help` for the list) [default: auto, or that of the model that is
    /// resumed]
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub(crate) spec: Option<String>,
    /// Save the model here
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// Continue from this model; an interrupted run continues where it was saved
    #[arg(long, value_name = "MODEL")]
    pub(crate) resume: Option<PathBuf>,
    /// Save the run in MODEL every N rows (100000) or after this time (30s, 5m), to continue by --resume
    #[arg(long, value_name = "EVERY", requires = "output")]
    pub(crate) checkpoint: Option<String>,
    /// Write one JSON line for each mistake or update
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
    /// Path, `-`, or a built-in set. A generator with several values, as in 'separable:margin=0.3|0.1|0.03', is a sweep: one line per data set,
    /// mistakes beside (R/margin)^2
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// The learners [default: all that fit the data]
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
    /// Path(s) read as one, `-`, or a built-in set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// The loss: name or name:key=value,...
    #[arg(long, value_name = "LOSS", default_value = "hinge")]
    pub(crate) loss: String,
    /// The regulariser: name or name:key=value,...
    #[arg(long, alias = "regulariser", value_name = "REG", default_value = "l2")]
    pub(crate) reg: String,
    /// The weight of the regulariser: 1/(C n), where other systems have C; several are solved in turn
    #[arg(long, value_name = "X,...", value_delimiter = ',', required = true)]
    pub(crate) lambda: Vec<f64>,
    /// The bias: off, free (not regularised), or a number B: the weight of a constant feature
    #[arg(
        long,
        value_name = "off|free|B",
        default_value = "off",
        allow_hyphen_values = true
    )]
    pub(crate) bias: String,
    /// The relative gap to reach: (primal - dual)/max(|primal|, |dual|)
    #[arg(long, value_name = "G", default_value_t = 1e-3)]
    pub(crate) gap: f64,
    /// Passes over the rows, at most
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_passes: u32,
    /// Make exactly N passes of the plain algorithm, each over all rows, whatever the gap is by then
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "max_passes")]
    pub(crate) passes: Option<u32>,
    /// The method: dual coordinate ascent, or Newton's method for smooth losses with l2; auto chooses by the sizes of the data
    #[arg(long, value_name = "auto|ascent|newton", default_value = "auto")]
    pub(crate) method: SolverMethodWord,
    /// The order of the rows in a pass: a new random one each time, or that of the file
    #[arg(long, value_name = "shuffled|file", default_value = "shuffled")]
    pub(crate) order: OrderWord,
    /// The seed of the orders of the rows
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Predict + if w.x exceeds this; rows aim at alpha beyond it
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) theta: Option<f64>,
    /// The margin rows aim at [default: 1]
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub(crate) alpha: Option<f64>,
    /// Count the rows of a label W times (others once), or all labels alike: n/(labels * rows of the label).
    /// Where rows have several labels, the weight of a label counts in its own problem. @FILE has one LABEL=W per line
    #[arg(
        long,
        value_name = "balanced|LABEL=W,...|@FILE",
        allow_hyphen_values = true
    )]
    pub(crate) class_weight: Option<String>,
    /// Kernel, with l2: linear, poly:degree=3,coef0=1,gamma=1 or gaussian:gamma=1 (also called rbf; gamma=auto
    /// fits the first rows), each also with cosine [default: linear]
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<String>,
    /// Make features of rows: rff:dim=512,gamma=auto,seed=0 (random Fourier features) or
    /// nystroem:dim=512,gamma=auto,seed=0, both of the Gaussian kernel
    #[arg(long, value_name = "MAP")]
    pub(crate) map: Option<String>,
    /// Centre and scale the features to mean 0 and variance 1
    #[arg(long)]
    pub(crate) standardize: bool,
    /// Divide each row by its p-norm (after the bias): off, 1, 2, any P >= 1, or inf [default: off]
    #[arg(long, value_name = "off|1|2|P|inf")]
    pub(crate) normalize: Option<String>,
    /// Count the solution's errors on these rows
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Solve for this label against the rest
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
    /// Save the model here
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "One line is printed per row. With several labels per row they are separated by commas, and the line of a row that is \
    given none is empty. Columns are separated by tabs; a cell that holds a tab or a line end is quoted. With --threshold or --cost the \
    label is printed first, and margins or probabilities follow it if they are asked for. Where a row has one of several labels, \
    a threshold decides nothing: see --top.\n\n\
    Models of `calibrate`, of `solve --loss logistic` and of learners that say so have probabilities. With several classes those of a \
    row are made to sum to 1.\n\n\
    Examples:\n  novikoff train train.svm -a averaged -o model\n  novikoff predict model new.svm > labels.txt\n  \
    novikoff predict model new.csv --id customer --cost 1:20 --probabilities --print-header"
)]
pub(crate) struct PredictArgs {
    /// A model written by `train -o`, `solve -o`, `tune -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Path(s), `-`, or a built-in set; labels are not needed (`?` or none)
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Print margins instead: one column per class, separated by tabs
    #[arg(long)]
    pub(crate) margins: bool,
    /// Print probabilities instead, of a model that has them: one column per class (of two labels: the negative, then the positive one),
    /// separated by tabs
    #[arg(long, conflicts_with = "margins")]
    pub(crate) probabilities: bool,
    /// Give a label where its probability, or the margin of a model without probabilities, is at least T
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// Give a label where that costs no more in expectation: where its probability is at least FP/(FP + FN)
    #[arg(long, value_name = "FP:FN", value_parser = costs, conflicts_with_all = ["threshold", "top"])]
    pub(crate) cost: Option<Costs>,
    /// Print the K labels of the largest probabilities, or margins, best first, each followed by its probability or margin if those are
    /// asked for too
    #[arg(long, value_name = "K", conflicts_with = "threshold")]
    pub(crate) top: Option<usize>,
    /// Print the names of the columns first
    #[arg(long)]
    pub(crate) print_header: bool,
    /// Print the text of this column of the table before each answer: its name, or its number counted from 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// Which predictor to use [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "Where a spec has a value, a grid may have several: a|b|c, or LOW..HIGH*N for N values with equal \
    quotients, or LOW..HIGH+N with equal differences. All combinations are tried, at most 10,000. Quote them for the \
    shell.\n\n\
    A learner is judged by the validation errors of one pass, each row predicted before it is learned by what would be \
    saved (with --permutations N: of N passes; by its mistakes where it has no validation), or with --folds K by its errors on each of K parts of the rows after learning from the others. The \
    parts are dealt from --seed, label by label. The solver is tuned on folds; along --lambda each solution begins \
    where the last ended, and all folds share one Gram matrix. --standardize uses means and deviations of all rows. --by judges the \
    folds by another measure: auc, f1 and ap of the positive label, or of several labels their mean.\n\n\
    Examples:\n  novikoff tune train.svm -a 'second-order:a=0.1..10*5' -a 'passive-aggressive:c=0.01|0.1|1' -o model\n  \
    novikoff tune train.svm -a perceptron --kernel 'gaussian:gamma=0.001..1*7' --epochs 3 --folds 5\n  \
    novikoff tune train.svm --loss squared-hinge --lambda '1e-6..1e-1*6' --bias free --folds 5"
)]
pub(crate) struct TuneArgs {
    /// Path(s) read as one, `-`, or a built-in set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// The learners: name or name:key=GRID,...; may be given several times [default: the experts of auto, each over a grid of its own]
    #[arg(short = 'a', long = "algorithm", value_name = "SPEC")]
    pub(crate) specs: Vec<String>,
    /// Judge by errors on K parts of the rows, each after learning from the others
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) folds: Option<u32>,
    /// The measure to maximise (auc, f1, ap) or to minimise (error, log-loss); all but error need --folds
    #[arg(long = "by", value_name = "MEASURE", default_value = "error")]
    pub(crate) measure: MeasureWord,
    /// The seed of the folds, and of the solver's orders
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Tune the solver: its loss, name or name:key=GRID,... [default: hinge]
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// The solver's regulariser, name or name:key=GRID,... [default: l2]
    #[arg(long, alias = "regulariser", value_name = "REG")]
    pub(crate) reg: Option<String>,
    /// The weight of the solver's regulariser: numbers and ranges
    #[arg(long, value_name = "GRID,...", value_delimiter = ',')]
    pub(crate) lambda: Vec<String>,
    /// The solver's relative gap to reach
    #[arg(long, value_name = "G", default_value_t = 1e-3)]
    pub(crate) gap: f64,
    /// The solver's passes over the rows, at most
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_passes: u32,
    /// Train the best on all rows and save it here
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
    after_help = "Precision: of the rows that were given a label, how many have it. Recall: of the rows that have it, how \
    many were given it. F1: their harmonic mean. Break-even: both, at the threshold where they are the same. AUC: the \
    chance that a row with the label scores above one without. Micro averages count every row alike (the counts of all labels \
    are added up first), macro averages every label (the mean over the labels). With several labels per row an error is a subset error: any \
    label wrong. 0/0 is 0. Labels the model does not know count as errors.\n\n\
    Thresholds are probabilities if the model has them, otherwise margins. Log loss: the mean of -ln p of the true label. Brier: the mean \
    squared distance of the probabilities from what came true, of three or more labels summed over them. The last table has ten bins of forecasts: how many there are, their mean, \
    and the share that came true.\n\n\
    Example:\n  novikoff train train.svm -a averaged -o model\n  novikoff evaluate model test.svm --curves curves.csv"
)]
pub(crate) struct EvaluateArgs {
    /// A model written by `train -o`, `solve -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Path(s) read as one, `-`, or a built-in set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Which predictor to use [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    /// Write all thresholds of the ROC and precision-recall curves here: .csv or .json
    #[arg(long, value_name = "FILE")]
    pub(crate) curves: Option<PathBuf>,
    /// Print one JSON object, with curves of about 200 points
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "A margin gives a side, not a probability. The map from margins to probabilities must be fitted on rows that the model \
    was not trained on. platt: a sigmoid, good from a few hundred rows; isotonic: any rising map, good from a few \
    thousand. With several classes there is a map for each, and the probabilities of a row are made to sum to 1. \
    Labels are predicted by margins as before.\n\n\
    `train --resume` keeps the probabilities: when the run ends, the maps are fitted again by the same method on the last 8192 rows, the \
    held-out rows among them, each with its margin from before it was learned. With fewer than 100 rows the maps stay. Of several \
    epochs the first one counts.\n\n\
    Example:\n  novikoff train train.svm -a averaged -o model\n  \
    novikoff calibrate model held-out.svm -o calibrated\n  novikoff predict calibrated new.svm --probabilities"
)]
pub(crate) struct CalibrateArgs {
    /// A model written by `train -o` or `solve -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Rows the model was not trained on: path(s) read as one, `-`, or a built-in set
    #[arg(required = true, value_name = "DATA")]
    pub(crate) data: Vec<String>,
    /// Save the calibrated model here
    #[arg(short, long, value_name = "MODEL2")]
    pub(crate) output: PathBuf,
    /// How margins become probabilities
    #[arg(long, value_name = "METHOD", default_value = "platt")]
    pub(crate) method: MethodWord,
    /// Which predictor's margins [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    #[command(flatten)]
    pub(crate) lenient: LenientArgs,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "Without NAME, or with `all`, every table is run if its data is present. DIR has the files that --list names, such as \
    mnist/train.svm.gz; tables of generated rows need none. Each table has a directory below the output: runs.jsonl (the result of \
    each run, so that a second call continues), table.md, table.html, table.json and the charts. Published figures are printed (they stand \
    in a text that we hold) or recollected (a guide only). A claim holds if all its comparisons are as it says by a t test of the paired differences, and does not hold if one is clearly reversed; else it is undecided.\n\n\
    Example:\n  novikoff reproduce --list\n  novikoff reproduce second-order-toy --quick"
)]
#[allow(clippy::struct_excessive_bools)] // they are flags
pub(crate) struct ReproduceArgs {
    /// Tables and figures, or `all` [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// The directory that has the data of the papers
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Forms that take seconds, on built-in data, with few repetitions
    #[arg(long)]
    pub(crate) quick: bool,
    /// Repetitions of each run [default: those of the paper, or fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repetitions: Option<u32>,
    /// Keep results and write pages below this directory
    #[arg(long, value_name = "DIR", default_value = "novikoff-papers")]
    pub(crate) out: PathBuf,
    /// Put each table in short into this Markdown file, between its lines <!-- begin NAME --> and <!-- end NAME -->
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) into: Option<PathBuf>,
    /// List what each table needs, and which files are present
    #[arg(long, conflicts_with = "names")]
    pub(crate) list: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Runs side by side; the results do not depend on it, times do [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Megabytes a learner's state may take [default: three quarters of what is free]
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
    /// Chosen by the sizes of the data
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
    /// The order of the file
    File,
}

/// What candidates are judged by.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MeasureWord {
    /// The share of rows with a wrong label
    Error,
    /// The area under the ROC curve; of several labels their mean
    Auc,
    /// F1 of the positive label; of several labels their mean
    F1,
    /// The log loss, of candidates that have probabilities
    LogLoss,
    /// Average precision of the positive label; of several labels their mean
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
    /// Only this class
    #[arg(
        long,
        value_name = "LABEL",
        requires = "weights",
        allow_hyphen_values = true
    )]
    pub(crate) class: Option<String>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "weights")]
    pub(crate) json: bool,
    /// Megabytes the model may take [default: three quarters of what is free]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
}

#[derive(Args)]
#[command(after_help = crate::help::generators())]
pub(crate) struct GenerateArgs {
    /// NAME or NAME:key=value,...
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
#[command(
    after_help = "The format of OUT is chosen by its name: .svm .libsvm .txt (svmlight), .vw, .csv, .tsv, \
    .jsonl, .parquet, .arrow, .nvk (our cache); .gz and .zst are added to the text formats. svmlight and wide Parquet \
    know features by number only.\n\n\
    Example:\n  novikoff convert train.csv.gz train.nvk --label species"
)]
pub(crate) struct ConvertArgs {
    /// Path(s) read as one, `-`, or a built-in set; the last word is OUT
    #[arg(required = true, num_args = 2.., value_name = "IN... OUT")]
    pub(crate) paths: Vec<String>,
    #[command(flatten)]
    pub(crate) rows: RowArgs,
}

#[derive(Args)]
#[command(
    after_help = "The graph is given one matrix, `features`: one row per row of data, one column per feature, in the order of the model's slots. \
    Features that have names have them in the metadata, as a JSON list under `feature_names`; those that are numbers begin with \
    `first_feature`. It gives out `label`, `margins` (one column per class, as `predict --margins` prints them) and, if the model has them, \
    `probabilities` (one column per label). Of rows with any number of labels `label` has a column of 0 and 1 for each. Models of regressions \
    give out `value`.\n\n\
    The constant feature, centring and scaling, normalising, maps, kernels and calibration are part of the graph. Models whose answers are \
    no such sums cannot be exported: votes, hashed features, columns of text.\n\n\
    Example:\n  novikoff train digits -a averaged -o digits.model\n  novikoff export digits.model -o digits.onnx"
)]
pub(crate) struct ExportArgs {
    /// A model written by `train -o`, `solve -o`, `tune -o` or `calibrate -o`
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Write the graph here
    #[arg(short, long, value_name = "FILE.onnx")]
    pub(crate) output: PathBuf,
    /// The operators of the graph
    #[arg(long, value_name = "core|ml", default_value = "core")]
    pub(crate) ops: OperatorsWord,
    /// The type of the matrix that the graph is given
    #[arg(long, value_name = "float64|float32", default_value = "float64")]
    pub(crate) input: InputWord,
    /// Which predictor is exported [default: the learner's own]
    #[arg(long = "use", value_name = "PREDICTOR")]
    pub(crate) by: Option<HypothesisArg>,
    /// Megabytes the model may take [default: three quarters of what is free]
    #[arg(long, value_name = "MB")]
    pub(crate) max_memory: Option<u64>,
    /// Print nothing
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Operators of ONNX.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OperatorsWord {
    /// Operators of ONNX itself: float64, the answers of `predict`
    Core,
    /// LinearRegressor and SVMRegressor of ai.onnx.ml: float32
    Ml,
}

/// A type of numbers.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum InputWord {
    /// 64 bits; rounded to 32 first, as all readers of rows do
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
