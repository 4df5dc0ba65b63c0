//! `solve`, checked before a byte of data is read.

use novikoff::classes::Task;
use novikoff::dual::Problem;
use novikoff::dual::Settings;
use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::{AnyRegulariser, NamedLoss, NamedRegulariser, check_pair};
use novikoff::kernel::Kernel;
use novikoff::model::Preparation;

use super::class_weight::ClassWeight;
use crate::args::{RunArgs, SolveArgs};
use crate::error::Failure;
use crate::input::{Data, Held, Reading};
use crate::interrupt::Interrupt;
use crate::job;
use crate::progress::Progress;

/// A checked `solve`.
pub(super) struct Job<'a> {
    pub(super) args: &'a SolveArgs,
    /// The words it shares with `train`.
    pub(super) run: RunArgs,
    pub(super) data: Data,
    pub(super) test: Option<Data>,
    pub(super) loss: NamedLoss,
    pub(super) reg: NamedRegulariser,
    pub(super) prior: Option<Vec<f64>>,
    pub(super) kernel: Kernel,
    pub(super) theta: f64,
    pub(super) alpha: f64,
    pub(super) class_weight: ClassWeight,
    pub(super) settings: Settings,
    pub(super) preparation: Preparation,
    pub(super) task: Option<Task>,
    pub(super) reading: Reading,
    pub(super) memory: u128,
    pub(super) interrupt: Interrupt,
    pub(super) progress: Progress,
}

pub(super) fn check(args: &SolveArgs) -> Result<Job<'_>, Failure> {
    let data = Data::named(&args.data)?;
    let test = args
        .test
        .clone()
        .map(|word| Data::named(&[word]))
        .transpose()?;
    let loss = NamedLoss::parse(&args.loss).map_err(|error| format!("--loss: {error}"))?;
    let reg = NamedRegulariser::parse(&args.reg).map_err(|error| format!("--reg: {error}"))?;
    let free = args.bias == "free";
    let run = run_args(args);
    let preparation = run.preparation().map_err(|failure| {
        // `train` has no free bias to tell of
        let text = failure.to_string();
        Failure::Message(text.replace("must be off or a number", "must be off, free or a number"))
    })?;
    let kernel = match &args.kernel {
        None => Kernel::LINEAR,
        Some(typed) => Kernel::parse(typed).map_err(|error| format!("--kernel: {error}"))?,
    };
    let classifies = loss.loss().classifies();
    check_numbers(args, &loss)?;
    let threshold = preparation.bias.is_some() || free || args.theta.is_some();
    let remark = check_pair(&loss, &reg, free, kernel != Kernel::LINEAR, threshold)
        .map_err(|error| error.to_string())?;
    let labels = args.positive.is_some() || args.labels.is_some() || args.multilabel;
    if !classifies && labels {
        return Err(format!(
            "--positive, --labels and --multilabel: {} predicts numbers, which have no classes",
            loss.name()
        )
        .into());
    }
    let class_weight = ClassWeight::parse(args.class_weight.as_deref())?;
    if !classifies && !class_weight.is_off() {
        let loss = loss.name();
        return Err(
            format!("--class-weight: {loss} predicts numbers, which have no classes").into(),
        );
    }
    if let Some(path) = &args.output {
        if args.lambda.len() > 1 {
            return Err("-o saves one model, but --lambda lists several; give one lambda".into());
        }
        job::check_writable(path)?;
        if data.reads(path) || test.as_ref().is_some_and(|test| test.reads(path)) {
            let path = path.display();
            return Err(format!(
                "{path}: is read as data and cannot be written; give another name"
            )
            .into());
        }
    }
    let interrupt = Interrupt::listen();
    let mut reading = args.rows.reading(preparation.bias);
    reading.options.interrupt = Some(interrupt.0);
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    if let Some(test) = &test {
        test.check(&reading)?;
        if test.is_stream() && data.is_stream() {
            return Err("--test -: the stream is the data already; give a file to test on".into());
        }
    }
    if let Some(remark) = remark {
        progress.remark(&remark);
    }
    let task = if classifies {
        run.task()?
    } else {
        Some(Task::Regression)
    };
    Ok(Job {
        prior: reg.prior().map(read_prior).transpose()?,
        theta: args.theta.unwrap_or(0.0),
        alpha: args.alpha.unwrap_or(1.0),
        class_weight,
        settings: Settings {
            free_bias: free,
            gap: args.gap,
            max_passes: args.max_passes,
            seed: args.seed,
            threads: args.rows.threads(),
            ..Settings::default()
        },
        memory: job::memory(args.rows.max_memory),
        args,
        run,
        data,
        test,
        loss,
        reg,
        kernel,
        preparation,
        task,
        reading,
        interrupt,
        progress,
    })
}

fn check_numbers(args: &SolveArgs, loss: &NamedLoss) -> Result<(), Failure> {
    if let Some(lambda) = args.lambda.iter().find(|l| !(l.is_finite() && **l > 0.0)) {
        return Err(format!(
            "--lambda {lambda}: must be numbers > 0; other systems' C is 1/(lambda n)"
        )
        .into());
    }
    if !(args.gap >= 0.0 && args.gap < 1.0) {
        return Err(format!(
            "--gap {}: must be a number from 0 to below 1; 1e-3 is usual",
            args.gap
        )
        .into());
    }
    for (name, value) in [("--theta", args.theta), ("--alpha", args.alpha)] {
        if value.is_some_and(|v| !v.is_finite()) {
            return Err(format!("{name}: must be a finite number").into());
        }
        if value.is_some() && !matches!(loss.loss(), AnyLoss::Margin(_)) {
            return Err(format!("{name}: {} has no target that it could move; use hinge, squared-hinge, smoothed-hinge or modified-huber", loss.name()).into());
        }
    }
    Ok(())
}

/// The words that `solve` shares with `train`.
fn run_args(args: &SolveArgs) -> RunArgs {
    RunArgs {
        cache_mb: None,
        epochs: None,
        kernel: args.kernel.clone(),
        bias: (args.bias != "free").then(|| args.bias.clone()),
        standardize: args.standardize,
        normalize: args.normalize.clone(),
        shuffle: None,
        permutations: None,
        test: args.test.clone(),
        positive: args.positive.clone(),
        labels: args.labels.clone(),
        multilabel: args.multilabel,
        features: None,
        by: None,
        cache: false,
        json: args.json,
    }
}

/// Numbers separated by spaces or lines.
fn read_prior(path: &str) -> Result<Vec<f64>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("prior={path}: cannot be read: {error}"))?;
    let mut prior = Vec::new();
    for (line, words) in text.lines().enumerate() {
        for word in words.split_whitespace() {
            let number = word.parse().ok().filter(|n: &f64| n.is_finite());
            prior.push(number.ok_or_else(|| {
                let word: String = word.chars().take(40).collect();
                format!("prior={path}: line {}: `{word}` is not a number", line + 1)
            })?);
        }
    }
    Ok(prior)
}

impl Job<'_> {
    pub(super) fn regulariser(&self, width: u32) -> Result<AnyRegulariser, Failure> {
        let constant = self.preparation.bias.is_some();
        let slots = u128::from(width) + 1;
        // a vector and its link, for the walk, for two parts and their merging, and for the certificate
        let needed = 8 * 12 * slots;
        if needed > self.memory && self.kernel == Kernel::LINEAR {
            let (needed, limit) = (needed >> 20, self.memory >> 20);
            return Err(format!("{width} features need {needed} MB of memory, and the limit is {limit} MB; raise --max-memory or renumber the features").into());
        }
        let prior = self.prior.as_deref();
        let built = self.reg.build(width as usize, constant, prior);
        Ok(built.map_err(|error| format!("--reg: {error}"))?)
    }

    /// Rows for which there is no finite loss.
    pub(super) fn check_rows(&self, problem: &Problem<'_>, held: &Held) -> Result<(), Failure> {
        if !matches!(self.loss.loss(), AnyLoss::Likelihood(_)) || self.kernel != Kernel::LINEAR {
            return Ok(());
        }
        match problem.impossible_row(self.reg.is_one_sided()) {
            Some(row) => Err(format!("{}no component gives this row a density above 0, so its likelihood is 0 whatever the weights; leave the row out", held.place(row)).into()),
            None => Ok(()),
        }
    }
}
