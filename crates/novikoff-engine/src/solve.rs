//! Solving for all rows at once, to a certified gap.

mod admission;
mod held_out;
mod model;
mod paths;
mod read;
pub(crate) mod rows;
mod testing;

use std::path::PathBuf;

use novikoff::classes::{Classes, Task};
use novikoff::dual::named::{NamedLoss, NamedRegulariser};
use novikoff::dual::{Settings, Solution, Stop};
use novikoff::kernel::{Kernel, KernelSpec};
use novikoff::model::Model;
use novikoff::remark::{Advice, NumberAdvice, RowsFor, SquaredErrors};
use novikoff::resolve::SampledRows;
use novikoff_report::{ProblemReport, SolveReport};

use crate::class_weight::ClassWeight;
use crate::data::Data;
use crate::events::{Context, Notice, RemarkLog};
use crate::familiar::same_rows;
use crate::first_rows::FirstRows;
use crate::options::{RowOptions, RunOptions};
use crate::prepared::Prepared;
use crate::profile::Scales;
use crate::rows::HeldRows;
use crate::worth::numbers::lacking_constant;
use crate::{Error, data, kernel_values};

pub(crate) use model::SolvedModel;
pub(crate) use read::ReadRows;

/// A problem of the solver, for one lambda or several.
#[derive(Clone, Debug)]
pub struct Solve {
    /// The rows.
    pub data: Data,
    /// Rows to test on.
    pub test: Option<Data>,
    /// The loss.
    pub loss: NamedLoss,
    /// The regulariser.
    pub reg: NamedRegulariser,
    /// lambda, one or several.
    pub lambdas: Vec<f64>,
    /// An unregularised bias; `run.bias` is a regularised constant feature.
    pub free_bias: bool,
    /// Kernel, preparation, labels and seeds; what is about epochs is not looked at.
    pub run: RunOptions,
    /// theta of Winnow targets.
    pub theta: Option<f64>,
    /// alpha of Winnow targets.
    pub alpha: Option<f64>,
    /// Weights of classes.
    pub class_weight: ClassWeight,
    /// The relative gap to reach.
    pub gap: f64,
    /// Passes at most.
    pub max_passes: u32,
    /// How the solver goes, where that is not left to it.
    pub steps: SolveSteps,
    /// The seed of the order of coordinates.
    pub seed: u64,
    /// Where the model is saved, of one lambda.
    pub output: Option<PathBuf>,
    /// How rows are read.
    pub rows: RowOptions,
}

/// How the solver goes, where that is not left to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolveSteps {
    /// Which method.
    pub method: SolveMethod,
    /// All passes are made, neither more nor fewer, by the plain algorithm: every row in every pass.
    pub all_passes: bool,
    /// Rows are visited in the order of the data, and not in a new random order in each pass.
    pub in_order: bool,
}

/// A method of the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolveMethod {
    /// Newton's method where that is the better one, else dual coordinate ascent.
    #[default]
    Auto,
    /// Dual coordinate ascent: Algorithm 1, with a free bias Algorithm 2.
    Ascent,
    /// Newton's method on the primal, for smooth losses with the square and without a kernel.
    Newton,
}

/// What solving came to.
pub struct SolveOutcome {
    /// One report per lambda, in the order given.
    pub reports: Vec<SolveReport>,
    /// The model, of a single lambda.
    pub model: Option<Model>,
}

impl Solve {
    /// Solves it.
    pub fn run(&self, context: Context<'_>) -> Result<SolveOutcome, Error> {
        let log = RemarkLog::default();
        let mut solved = self.run_in(context.logging(&log))?;
        let remarks = log.finish();
        for report in &mut solved.reports {
            report.remarks.clone_from(&remarks);
        }
        Ok(solved)
    }

    fn run_in(&self, context: Context<'_>) -> Result<SolveOutcome, Error> {
        let reading = self.check(context)?;
        if self
            .test
            .as_ref()
            .is_some_and(|test| test.is_same(&self.data))
        {
            context.remark(&same_rows(RowsFor::Test, 1.0));
        }
        let read = self.read(&reading, context)?;
        data::tell_skipped(read.held.skipped.clone(), context);
        let resolved = self.resolved(&read);
        let auto_gamma = self.run.kernel.is_some_and(KernelSpec::was_auto);
        let first = FirstRows::of(&read.held);
        let remark = kernel_values::remark(
            resolved.kernel(),
            auto_gamma,
            &read.preparation,
            first.view(),
        );
        if let Some(remark) = remark {
            context.remark(&remark);
        }
        resolved.solve(&read, context)
    }

    /// This job with the kernel that the first rows say if its gamma is `auto`.
    pub(crate) fn resolved(&self, read: &ReadRows) -> Self {
        let first = FirstRows::of(&read.held);
        let rows = SampledRows {
            first: first.view(),
            preparation: &read.preparation,
        };
        let mut resolved = self.clone();
        resolved.run.kernel = self.run.kernel.map(|kernel| rows.resolve(kernel));
        resolved
    }

    fn solve(&self, read: &ReadRows, context: Context<'_>) -> Result<SolveOutcome, Error> {
        let prepared = Prepared::new(&read.held, &read.preparation, self.rows.memory)?;
        let (seconds, paths) = self.solutions(read, &prepared, &self.lambdas, context)?;
        let mut solved = SolveOutcome {
            reports: Vec::new(),
            model: None,
        };
        // of several lambdas, the first that lacks a constant says it
        let mut is_said = false;
        // and if all are no better than the baseline, the first says it
        let mut worthless = Vec::new();
        for (k, &lambda) in self.lambdas.iter().enumerate() {
            let of_lambda: Vec<&Solution> = paths.iter().map(|path| &path[k]).collect();
            let model = self.model(&of_lambda, read, &prepared, lambda)?;
            if let Some(path) = &self.output {
                novikoff_data::model::save(&model, path)?;
                context.notice(Notice::ModelSaved { path: path.clone() });
            }
            let short = of_lambda.iter().filter(|s| s.stop != Stop::Converged);
            let (short, of) = (short.count(), of_lambda.len());
            if short > 0 {
                context.notice(Notice::GapNotReached { lambda, short, of });
            }
            let advice = self.advice(&read.held);
            if !is_said
                && let Some(errors) = self.solved_errors(&model, read)
                && let Some(remark) = lacking_constant(errors)
            {
                is_said = true;
                context.remark(&remark);
            }
            let (test, test_baseline) = self.test(&model, advice, context)?.unzip();
            if self.test.is_none() && short == 0 && worthless.len() == k {
                worthless.extend(self.held_out(read, lambda, context).ok().flatten());
            }
            solved.reports.push(SolveReport {
                loss: self.loss.text().to_owned(),
                reg: self.reg.text().to_owned(),
                kernel: self.kernel().to_string(),
                map: model.map().map(ToString::to_string),
                parameters: model.auto_parameters(),
                lambda,
                bias: self.bias_name(),
                data: read.summary(),
                problems: self.problem_reports(&of_lambda, &read.labelled.classes),
                is_multilabel: matches!(read.labelled.classes.task(), Task::MultiLabel),
                baseline: read.baseline.clone(),
                test,
                test_baseline: test_baseline.flatten(),
                remarks: Vec::new(),
                seconds: seconds[k],
            });
            if self.lambdas.len() == 1 {
                solved.model = Some(model);
            }
        }
        if worthless.len() == self.lambdas.len()
            && let Some(remark) = worthless.first()
        {
            context.remark(remark);
        }
        Ok(solved)
    }

    fn kernel(&self) -> Kernel {
        self.run.kernel.map_or(Kernel::LINEAR, KernelSpec::value)
    }

    fn bias_name(&self) -> String {
        match self.run.bias.flatten() {
            _ if self.free_bias => "free".to_owned(),
            Some(b) => b.to_string(),
            None => "off".to_owned(),
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            free_bias: self.free_bias,
            gap: self.gap,
            max_passes: self.max_passes,
            seed: self.seed,
            newton: self.steps.method != SolveMethod::Ascent,
            newton_only: self.steps.method == SolveMethod::Newton,
            all_passes: self.steps.all_passes,
            in_order: self.steps.in_order,
            threads: self.rows.threads,
            ..Settings::default()
        }
    }

    /// What may do better where a solution is no better than the baseline.
    pub(crate) fn advice(&self, held: &HeldRows) -> Advice {
        Advice {
            standardize: !self.run.standardize && Scales::of(held).compares(&held.schema),
            compare: true,
            rare: false,
            weighted: !self.class_weight.is_off(),
        }
    }

    /// What may do better where these answers that are numbers are no better than the mean.
    pub(crate) fn number_advice(&self, errors: &SquaredErrors, advice: Advice) -> NumberAdvice {
        NumberAdvice {
            bias: !self.free_bias && errors.lack_constant(),
            standardize: advice.standardize,
        }
    }

    fn problem_reports(&self, solutions: &[&Solution], classes: &Classes) -> Vec<ProblemReport> {
        let report = |class: Option<String>, solution: &Solution| {
            let weights = &solution.weights;
            let constant = match (self.run.bias.flatten(), weights.first()) {
                (Some(b), Some(w)) => f64::from(b) * w,
                _ => 0.0,
            };
            let nonzero = || weights.iter().skip(1).filter(|w| **w != 0.0).count() as u64;
            ProblemReport {
                class,
                report: solution.report,
                stop: solution.stop,
                nonzero: (self.kernel() == Kernel::LINEAR).then(nonzero),
                intercept: solution.intercept + constant - self.theta.unwrap_or(0.0),
                balance: solution.balance,
                asked: self.gap,
            }
        };
        if classes.is_binary() {
            return solutions.iter().map(|s| report(None, s)).collect();
        }
        let order = classes.order().iter();
        let named = order.map(|&k| {
            let class = classes.list()[k].label.name().to_owned();
            report(Some(class), solutions[k])
        });
        named.collect()
    }
}
