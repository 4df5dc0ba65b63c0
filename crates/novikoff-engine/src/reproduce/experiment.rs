//! The specification of an experiment: what a paper did, what it printed, and what is run here.
//!
//! One TOML file per table or figure lies below `papers/` and is part of the program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use novikoff::learner::Tie;
use serde::Deserialize;

/// The experiments, by the order in which `all` runs them.
const FILES: &[&str] = &[
    include_str!("../../papers/second-order-toy/spec.toml"),
    include_str!("../../papers/higher-order-table1/spec.toml"),
    include_str!("../../papers/higher-order-figure2/spec.toml"),
    include_str!("../../papers/higher-order-table2/spec.toml"),
    include_str!("../../papers/higher-order-usps/spec.toml"),
    include_str!("../../papers/higher-order-mnist/spec.toml"),
    include_str!("../../papers/romma-mnist/spec.toml"),
    include_str!("../../papers/zhang-reuters/spec.toml"),
    include_str!("../../papers/block-novikoff/spec.toml"),
];

/// All experiments.
pub(super) fn all() -> Vec<Experiment> {
    let read = |text: &&str| {
        toml::from_str(text).unwrap_or_else(|error| {
            // the files are part of the program, and a test reads them all
            unreachable!("a specification below papers/ cannot be read: {error}")
        })
    };
    FILES.iter().map(read).collect()
}

/// One table or figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Experiment {
    /// Its name on the command line.
    pub(super) name: String,
    /// What it shows.
    pub(super) title: String,
    /// Authors, title and year.
    pub(super) paper: String,
    /// How it is run.
    pub(super) kind: Kind,
    /// How it is run, in words.
    pub(super) protocol: String,
    /// What could not be as in the paper.
    #[serde(default)]
    pub(super) differs: Vec<String>,
    /// Passes over the training rows.
    #[serde(default = "one")]
    pub(super) epochs: u32,
    /// After which passes a run is measured; the last one if none is named.
    #[serde(default)]
    pub(super) report: Vec<u32>,
    /// What is measured.
    pub(super) measures: Vec<Measure>,
    /// What the best of several settings is chosen by; the first measure if none is named.
    pub(super) pick: Option<Measure>,
    /// Repetitions of the full form.
    pub(super) full: Repetitions,
    /// Repetitions of the quick form.
    pub(super) quick: Repetitions,
    /// What a margin of 0 predicts in training: `negative`, or +1 if it is not given.
    pub(super) tie: Option<String>,
    /// The row whose time of learning is 1.
    pub(super) time_of: Option<String>,
    /// The first training rows that settings are chosen on; all if not given.
    pub(super) choose_rows: Option<usize>,
    #[serde(rename = "set")]
    pub(super) sets: Vec<Set>,
    #[serde(rename = "row")]
    pub(super) rows: Vec<TableRow>,
    #[serde(default)]
    pub(super) published: Vec<Published>,
    #[serde(default, rename = "claim")]
    pub(super) claims: Vec<Claim>,
    #[serde(default, rename = "chart")]
    pub(super) charts: Vec<ChartSpec>,
}

fn one() -> u32 {
    1
}

/// The kinds of experiments: one module each.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Learners over training rows in random orders, tested on other rows.
    Orders,
    /// Learners on random splits of one data set.
    Splits,
    /// Binary problems of a collection of texts, measured by break-even points.
    Topics,
    /// Mistakes until rows are separated, against `(R/margin)^2`.
    Margins,
}

/// How often something is repeated.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repetitions {
    /// How often generated data is drawn.
    #[serde(default = "one")]
    pub(super) draws: u32,
    /// Orders, or splits, of each draw.
    pub(super) orders: u32,
    /// Passes, if they are not those of the experiment.
    pub(super) epochs: Option<u32>,
}

/// What is measured. All but the break-even point and the bounds are counted from the first trial on.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Measure {
    /// Test errors in percent.
    Errors,
    /// Test rows that are wrong.
    Wrong,
    /// Trials whose label was wrong.
    Mistakes,
    /// Mistakes of the binary learners of all classes.
    BinaryMistakes,
    /// Updates of the learners of all classes.
    Updates,
    /// Rows that are kept.
    Support,
    /// Updates of the matrix, of the learners of all classes.
    MatrixUpdates,
    /// The break-even point in percent, of each topic and micro-averaged.
    BreakEven,
    /// Seconds of learning, over those of the row that `time_of` names.
    Time,
    /// `(R/margin)^2`.
    Novikoff,
    /// The bound of the certificate.
    Bound,
}

impl Measure {
    /// Its name in results.
    pub(super) fn key(self) -> &'static str {
        match self {
            Measure::Errors => "errors",
            Measure::Wrong => "wrong",
            Measure::Mistakes => "mistakes",
            Measure::BinaryMistakes => "binary-mistakes",
            Measure::Updates => "updates",
            Measure::Support => "support",
            Measure::MatrixUpdates => "matrix-updates",
            Measure::BreakEven => "break-even",
            Measure::Time => "seconds",
            Measure::Novikoff => "novikoff",
            Measure::Bound => "bound",
        }
    }

    /// Its name in tables.
    pub(super) fn title(self) -> &'static str {
        match self {
            Measure::Errors => "test errors in %",
            Measure::Wrong => "wrong test rows",
            Measure::Mistakes => "mistakes",
            Measure::BinaryMistakes => "mistakes of all classes",
            Measure::Updates => "updates",
            Measure::Support => "rows kept",
            Measure::MatrixUpdates => "updates of the matrix",
            Measure::BreakEven => "break-even in %",
            Measure::Time => "time of learning, relative",
            Measure::Novikoff => "(R/margin)^2",
            Measure::Bound => "bound of the certificate",
        }
    }

    /// Whether more is better.
    pub(super) fn rises(self) -> bool {
        self == Measure::BreakEven
    }
}

/// In which form something is run.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    /// In the full form only.
    Full,
    /// In the quick form only.
    Quick,
    /// In both.
    #[default]
    Both,
}

impl Form {
    pub(super) fn is_run(self, quick: bool) -> bool {
        match self {
            Form::Full => !quick,
            Form::Quick => quick,
            Form::Both => true,
        }
    }
}

/// A data set of an experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Set {
    pub(super) name: String,
    /// A file of the data directory, `digits`, or a generator; `{draw}` is the number of the draw, `{other}` that of rows drawn for a test.
    pub(super) train: String,
    /// Test rows, as `train`.
    pub(super) test: Option<String>,
    /// The last rows of `train` are the test rows.
    pub(super) held_out: Option<usize>,
    /// Rows are shuffled once before the test rows are cut off: the file is sorted.
    #[serde(default)]
    pub(super) shuffled: bool,
    /// The first training rows that are used.
    pub(super) limit: Option<usize>,
    /// How many rows of a random split are training rows.
    pub(super) split: Option<usize>,
    /// All passes of a repetition have the same order; otherwise each has a new one.
    #[serde(default)]
    pub(super) cycle: bool,
    /// The constant feature.
    pub(super) bias: Option<f32>,
    /// All values become 1.
    #[serde(default)]
    pub(super) binary: bool,
    /// Kernels of rows that name none.
    #[serde(default)]
    pub(super) kernels: Vec<String>,
    /// Topics: name and label.
    #[serde(default)]
    pub(super) topics: Vec<(String, String)>,
    /// A file with the features of each topic: its name, a tab, and their numbers.
    pub(super) features: Option<String>,
    /// The rows of the table that are run on it; all if none is named.
    #[serde(default)]
    pub(super) rows: Vec<String>,
    /// The number that a chart over sets shows it at.
    pub(super) x: Option<f64>,
    /// Sets that a chart joins by one line.
    #[serde(default)]
    pub(super) group: String,
    #[serde(default)]
    pub(super) form: Form,
}

impl Set {
    /// Whether a row of the table is run on it.
    pub(super) fn has(&self, row: &TableRow) -> bool {
        self.rows.is_empty() || self.rows.contains(&row.name)
    }
}

/// How one of several settings is chosen.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Choice {
    /// All are run to the end, and the best on the test rows is shown.
    #[default]
    Best,
    /// By errors on five folds of the training rows.
    Folds,
    /// By the break-even points on the last third of the training rows.
    HeldOut,
}

/// A row of the table: a learner in one or several settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableRow {
    pub(super) name: String,
    /// Specs of learners.
    #[serde(default)]
    pub(super) learners: Vec<String>,
    /// Kernels; those of the set if there are none.
    #[serde(default)]
    pub(super) kernels: Vec<String>,
    /// The predictor that is tested; the learner's own if none is named.
    pub(super) by: Option<String>,
    /// A problem of the solver in the place of a learner.
    pub(super) solve: Option<SolveSpec>,
    #[serde(default)]
    pub(super) choose: Choice,
    #[serde(default)]
    pub(super) form: Form,
}

/// A problem of the solver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolveSpec {
    pub(super) loss: String,
    pub(super) reg: String,
    pub(super) lambdas: Vec<f64>,
    #[serde(default)]
    pub(super) free_bias: bool,
    pub(super) bias: Option<f32>,
    pub(super) theta: Option<f64>,
    pub(super) alpha: Option<f64>,
    /// Passes over the rows, at most.
    pub(super) passes: u32,
    /// The gap at which it stops before; 0 if not given.
    #[serde(default)]
    pub(super) gap: f64,
}

/// Where published figures come from.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Standing {
    /// They stand in a text that we hold.
    Printed,
    /// They are known from memory only: a guide, never a gate.
    Recollected,
}

/// Published figures of one set and measure, by row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    pub(super) set: String,
    pub(super) measure: Measure,
    /// After which pass; the last if not given.
    pub(super) epoch: Option<u32>,
    /// Of which topic; `micro` for the average.
    pub(super) topic: Option<String>,
    pub(super) standing: Standing,
    /// How far ours may be from theirs.
    pub(super) tolerance: f64,
    pub(super) values: BTreeMap<String, f64>,
}

/// A claim of the paper that the figures decide.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) says: String,
    pub(super) measure: Measure,
    /// After which pass; the last if not given.
    pub(super) epoch: Option<u32>,
    /// The sets it is about; all if none is named.
    #[serde(default)]
    pub(super) sets: Vec<String>,
    /// Pairs of rows: the first has less than the second.
    #[serde(default)]
    pub(super) less: Vec<(String, String)>,
    /// Pairs of sets: the first has less than the second, for all of `rows`.
    #[serde(default)]
    pub(super) across: Vec<(String, String)>,
    /// Rows that `across` is about.
    #[serde(default)]
    pub(super) rows: Vec<String>,
    /// Pairs of measures of `rows`: the first is less than the second, or the same.
    #[serde(default)]
    pub(super) within: Vec<(Measure, Measure)>,
    #[serde(default)]
    pub(super) form: Form,
}

/// A chart.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChartSpec {
    pub(super) over: ChartOver,
    pub(super) measure: Measure,
    /// What the number of a set is, where the chart is over sets.
    #[serde(default)]
    pub(super) x: String,
    /// The rows shown; all if none is named.
    #[serde(default)]
    pub(super) rows: Vec<String>,
    /// Both axes have powers of ten.
    #[serde(default)]
    pub(super) log: bool,
}

/// What a chart has from left to right.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ChartOver {
    /// Passes; one chart per set.
    Epochs,
    /// The numbers of the sets; one chart per group.
    Sets,
    /// Rows by name, ours and theirs; one chart per set.
    Rows,
    /// `(R/margin)^2`; one chart.
    Novikoff,
}

impl Experiment {
    /// Passes of a form.
    pub(super) fn epochs(&self, quick: bool) -> u32 {
        self.repetitions(quick).epochs.unwrap_or(self.epochs)
    }

    /// What a margin of 0 predicts.
    pub(super) fn tie(&self) -> Tie {
        match self.tie.as_deref() {
            Some("negative") => Tie::Negative,
            _ => Tie::Positive,
        }
    }

    pub(super) fn repetitions(&self, quick: bool) -> Repetitions {
        if quick { self.quick } else { self.full }
    }

    /// The passes after which runs of a form are measured.
    pub(super) fn report(&self, quick: bool) -> Vec<u32> {
        let last = self.epochs(quick);
        let mut report = self.report.clone();
        report.retain(|epoch| *epoch < last);
        report.push(last);
        report
    }

    /// The sets of a form.
    pub(super) fn sets(&self, quick: bool) -> impl Iterator<Item = &Set> {
        self.sets.iter().filter(move |set| set.form.is_run(quick))
    }

    /// The rows of a form.
    pub(super) fn rows(&self, quick: bool) -> impl Iterator<Item = &TableRow> {
        self.rows.iter().filter(move |row| row.form.is_run(quick))
    }

    /// The rows of a form that are run on a set.
    pub(super) fn rows_of(&self, set: &Set, quick: bool) -> impl Iterator<Item = &TableRow> {
        self.rows(quick).filter(move |row| set.has(row))
    }

    /// What the best of several settings is chosen by.
    pub(super) fn pick(&self) -> Measure {
        self.pick
            .or(self.measures.first().copied())
            .unwrap_or(Measure::Errors)
    }
}

/// A learner or a problem of the solver with all its values.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// What it is called in results and tables; no two of a row have the same.
    pub(super) text: String,
    pub(super) learner: String,
    pub(super) kernel: Option<String>,
    pub(super) solve: Option<(SolveSpec, f64)>,
}

impl TableRow {
    /// The settings that are tried on a set.
    pub(super) fn candidates(&self, set: &Set) -> Vec<Candidate> {
        if let Some(solve) = &self.solve {
            let of = |&lambda: &f64| Candidate {
                text: solve.text(lambda),
                learner: String::new(),
                kernel: None,
                solve: Some((solve.clone(), lambda)),
            };
            return solve.lambdas.iter().map(of).collect();
        }
        let own: Vec<Option<String>> = match (&self.kernels[..], &set.kernels[..]) {
            ([], []) => vec![None],
            ([], kernels) | (kernels, _) => kernels.iter().cloned().map(Some).collect(),
        };
        let mut all = Vec::new();
        for learner in &self.learners {
            for kernel in &own {
                let text = match kernel {
                    Some(kernel) => format!("{learner} {kernel}"),
                    None => learner.clone(),
                };
                all.push(Candidate {
                    text,
                    learner: learner.clone(),
                    kernel: kernel.clone(),
                    solve: None,
                });
            }
        }
        all
    }

    /// Whether kernels, or values of lambda, are chosen from several, and the one at a place is the first or the last of them.
    pub(super) fn is_at_edge(&self, set: &Set, place: usize) -> bool {
        let along = match &self.solve {
            Some(solve) => solve.lambdas.len(),
            None if self.kernels.is_empty() => set.kernels.len(),
            None => self.kernels.len(),
        };
        along > 2 && matches!(place % along, at if at == 0 || at + 1 == along)
    }
}

impl SolveSpec {
    fn text(&self, lambda: f64) -> String {
        let mut text = format!("{} {} lambda={lambda}", self.loss, self.reg);
        let numbers = [("theta", self.theta), ("alpha", self.alpha)];
        for (name, value) in numbers {
            if let Some(value) = value {
                let _ = write!(text, " {name}={value}");
            }
        }
        if self.free_bias {
            text += " bias=free";
        } else if let Some(bias) = self.bias {
            let _ = write!(text, " bias={bias}");
        }
        let _ = write!(text, " passes={}", self.passes); // writing to a String cannot fail
        if self.gap > 0.0 {
            let _ = write!(text, " gap={}", self.gap);
        }
        text
    }
}
