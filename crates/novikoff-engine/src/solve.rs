//! Solving for all rows at once, to a certified gap.

mod held_out;
pub(crate) mod rows;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use novikoff::classes::{Classes, Task};
use novikoff::dual::loss::{AnyLoss, Loss as _};
use novikoff::dual::named::{AnyRegulariser, NamedLoss, NamedRegulariser};
use novikoff::dual::pair::check_pair;
use novikoff::dual::{
    Gram, Problem, Report, Settings, Solution, Stop, solve_by_name, solve_in_kernel, solved,
};
use novikoff::kernel::{Kernel, KernelSpec};
use novikoff::learner::Learner;
use novikoff::model::{Model, ModelParts, RowSample, Totals};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::preparation::Preparation;
use novikoff::remark::{Advice, Measured, NumberAdvice, Remark, RowsFor, SquaredErrors};
use novikoff::remedy::Complaint;
use novikoff::resolve::{SampledRows, resolved_map};
use novikoff::schema::Schema;
use novikoff::sizes::{self, Sizes};
use novikoff::spec::Spec;
use novikoff_report::{
    BaselineReport, ConstantAnswer, DataSummary, NumbersTested, ProblemReport, SolveReport,
    SolveTest,
};

use crate::class_weight::ClassWeight;
use crate::data::{self, Data, Known, Reading};
use crate::error::memory_or;
use crate::events::{Context, Event, Notice, Phase, RemarkLog};
use crate::familiar::{far_from_mean, learned_from, same_rows};
use crate::files::{check_writable, read_as_data};
use crate::first_rows::FirstRows;
use crate::kernel_values;
use crate::labels::Unlabelled;
use crate::options::{RowOptions, RunOptions, check_map, no_rows, stream_twice};
use crate::parallel::side_by_side;
use crate::positive::check_positive;
use crate::prepared::Prepared;
use crate::profile::{Arrangement, Scales, check_labels_of, quantities, sizes_of};
use crate::rows::HeldRows;
use crate::testing::{check_labels, most_frequent, test_held};
use crate::worth;
use crate::worth::numbers::{
    NumberTally, against_mean, are_quantities, lacking_constant, mean_of, test_numbers,
};
use crate::{Error, Remedy, Setting, StoppedWhile};
use rows::Labelled;

/// How many of the rows are answered to see whether a constant is missing.
const LOOKED_AT: usize = 2000;

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
            if self.test.is_none() && worthless.len() == k {
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

    /// Checks it before a byte of data is read.
    pub(crate) fn check(&self, context: Context<'_>) -> Result<Reading, Error> {
        let (loss, is_kernel) = (self.loss.loss(), self.kernel() != Kernel::LINEAR);
        let threshold = self.run.bias.flatten().is_some() || self.free_bias || self.theta.is_some();
        let typed = self.run.kernel.unwrap_or(Kernel::LINEAR.into());
        check_map(self.run.map, typed)?;
        let remark = check_pair(&self.loss, &self.reg, self.free_bias, is_kernel, threshold);
        let remark = remark.map_err(|error| Complaint {
            what: error.to_string(),
            remedy: error.remedy(),
        })?;
        if !loss.classifies() && !self.class_weight.is_off() {
            let what = format!(
                "class weights: {} predicts numbers, which have no classes",
                self.loss.name()
            );
            return Err(Error::plain(what));
        }
        if (self.theta.is_some() || self.alpha.is_some()) && !loss.has_movable_target() {
            let what = format!("{} has no target that could be moved", self.loss.name());
            let remedy = Remedy::leave_out(&[Setting::Theta, Setting::Alpha]);
            return Err(Error::refused(what, remedy));
        }
        self.check_method(loss, is_kernel)?;
        if self.lambdas.is_empty() {
            return Err(Error::plain("there is no lambda to solve for"));
        }
        if let Some(path) = &self.output {
            if self.lambdas.len() > 1 {
                return Err(Error::refused(
                    "one model is saved, but there are several lambdas",
                    "give one lambda",
                ));
            }
            check_writable(path)?;
            if self.data.reads(path) || self.test.as_ref().is_some_and(|test| test.reads(path)) {
                return Err(read_as_data(path));
            }
        }
        let mut reading = self.rows.reading(self.run.bias.flatten(), context);
        reading.options.centred = self.run.standardize;
        self.data.measure(&mut reading)?;
        if let Some(test) = &self.test {
            test.check(&reading)?;
            if test.is_stream() && self.data.is_stream() {
                return Err(stream_twice());
            }
        }
        if let Some(pair) = remark {
            context.notice(Notice::UnusualPair { pair });
        }
        Ok(reading)
    }

    /// Newton's method is for smooth problems in the weights, and has no passes over rows in an order.
    fn check_method(&self, loss: AnyLoss, is_kernel: bool) -> Result<(), Error> {
        if self.steps.method != SolveMethod::Newton {
            return Ok(());
        }
        let why = if is_kernel {
            "works on weights, which there are not in the space of a kernel".to_owned()
        } else if !loss.is_smooth() {
            format!("needs a smooth loss, and {} is not", self.loss.name())
        } else if !self.reg.is_square() {
            format!(
                "needs the regulariser l2, and {} is another",
                self.reg.name()
            )
        } else if self.steps.all_passes || self.steps.in_order {
            "decides itself how many passes it makes, and rows have no order in it".to_owned()
        } else {
            return Ok(());
        };
        let what = format!("Newton's method {why}");
        let ascent = Remedy::give(Setting::Method, "ascent");
        Err(Error::refused(what, ascent).about(Setting::Method, "newton"))
    }

    /// Reads the rows and their labels.
    pub(crate) fn read(&self, reading: &Reading, context: Context<'_>) -> Result<ReadRows, Error> {
        let task = match &self.run.task {
            _ if !self.loss.loss().classifies() => Some(Task::Regression),
            task => task.clone(),
        };
        let unlabelled = Unlabelled::of(task.as_ref());
        let memory = self.rows.memory;
        let held = self.data.load(reading, memory, unlabelled, context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let task = match task {
            Some(task) => task,
            None => self.data.task(&held, true, reading)?,
        };
        let lenient = self.rows.lenient;
        check_positive(Some(&task), &held, lenient, context)?;
        self.class_weight.check_rows(&held, lenient, context)?;
        let (remarks, baseline) = self.seen(&held, &task)?;
        for remark in remarks {
            context.remark(&remark);
        }
        if let Task::OneVsRest = task {
            check_labels_of(&held, self.rows.lenient, context)?;
        }
        let labelled = Labelled::new(self, &held, task)?;
        let mut baseline = baseline.map(ConstantAnswer::Label);
        if let Some(labels) = labelled.numbers().filter(|_| are_quantities(&self.loss)) {
            for remark in quantities::remarks(&held, labels, self.run.standardize) {
                context.remark(&remark);
            }
            baseline = Some(ConstantAnswer::Mean(mean_of(labels)));
        }
        let preparation = self.run.fitted(&self.run.preparation(), &held, memory)?;
        let mut schema = (*held.schema).clone();
        schema.preparation = preparation.clone();
        for remark in far_from_mean(&held.facts, &schema) {
            context.remark(&remark);
        }
        let mut read = ReadRows {
            held,
            labelled,
            preparation,
            baseline,
        };
        self.put_map(&mut read)?;
        Ok(read)
    }

    /// Prepares rows that were read with the map of this job.
    pub(crate) fn put_map(&self, read: &mut ReadRows) -> Result<(), Error> {
        read.preparation.map = None;
        if let Some(map) = &self.run.map {
            let first = FirstRows::of(&read.held);
            let memory = self.rows.memory / 4;
            let map = resolved_map(map, Some(first.view()), &read.preparation, memory)?;
            read.preparation.map = Some(Arc::new(map));
        }
        Ok(())
    }

    /// What is worth saying of the rows, whose order makes no difference, and their baseline.
    fn seen(
        &self,
        held: &HeldRows,
        task: &Task,
    ) -> Result<(Vec<Remark>, Option<BaselineReport>), Error> {
        let standardized = self.run.standardize;
        if are_quantities(&self.loss) {
            // what is to be said of them is said when their labels are known to be numbers
            return Ok((Vec::new(), None));
        }
        if let Task::Regression = task {
            let scales = (!standardized).then(|| Scales::of(held).remark(&held.schema));
            return Ok((scales.flatten().into_iter().collect(), None));
        }
        let arrangement = Arrangement {
            shuffled: true,
            standardized,
        };
        let profile = self.run.profile(held, task.clone())?;
        let remarks = profile.remarks(arrangement, &held.schema, Some(&held.sample()));
        Ok((remarks, Some(profile.baseline())))
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

    /// Seconds per lambda, and for each class the solutions of some lambdas.
    pub(crate) fn solutions(
        &self,
        read: &ReadRows,
        prepared: &Prepared<'_>,
        lambdas: &[f64],
        context: Context<'_>,
    ) -> Result<(Vec<f64>, Paths), Error> {
        let by = self.regulariser(read.features())?;
        let problem = prepared.problem(read.labelled.aims(0));
        self.check_rows(&problem, &read.held)?;
        let (settings, kernel) = (self.settings(), self.kernel());
        let shows = read.labelled.problems() == 1;
        let stepped = |steps: u64| {
            if shows {
                context.at(steps);
            }
        };
        let stop = || context.interrupt.is_requested();
        let gram = (kernel != Kernel::LINEAR).then(|| {
            let gram = Gram::new(&problem, kernel, self.rows.memory / 2, settings.threads);
            gram.observed(&stepped).stopped_by(&stop)
        });
        let solver = Solver {
            loss: self.loss.loss(),
            by: &by,
            lambdas,
            settings,
            problem: &problem,
            labelled: &read.labelled,
            gram: gram.as_ref(),
            context,
        };
        solver.all()
    }

    pub(crate) fn regulariser(&self, width: u32) -> Result<AnyRegulariser, Error> {
        let constant = self.run.bias.flatten().is_some();
        let slots = u128::from(width) + 1;
        // a vector and its link, for the walk, for two parts and their merging, and for the certificate
        let (needed, memory) = (8 * 12 * slots, self.rows.memory);
        if needed > memory && self.kernel() == Kernel::LINEAR {
            let (needed, limit) = (needed >> 20, memory >> 20);
            let what =
                format!("{width} features need {needed} MB of memory, and the limit is {limit} MB");
            return Err(Error::refused(what, memory_or("renumber the features")));
        }
        let prior = self.reg.prior().map(read_prior).transpose()?;
        let built = self.reg.build(width as usize, constant, prior.as_deref());
        Ok(built?)
    }

    /// Rows for which there is no finite loss.
    pub(crate) fn check_rows(&self, problem: &Problem<'_>, held: &HeldRows) -> Result<(), Error> {
        if !matches!(self.loss.loss(), AnyLoss::Likelihood(_)) || self.kernel() != Kernel::LINEAR {
            return Ok(());
        }
        match problem.impossible_row(self.reg.is_one_sided()) {
            Some(row) => {
                let what = format!(
                    "{}no component gives this row a density above 0, so its likelihood is 0 whatever the weights",
                    held.place(row)
                );
                Err(Error::refused(what, "leave the row out"))
            }
            None => Ok(()),
        }
    }

    /// The model of one lambda.
    pub(crate) fn model(
        &self,
        solutions: &[&Solution],
        read: &ReadRows,
        prepared: &Prepared<'_>,
        lambda: f64,
    ) -> Result<Model, Error> {
        let theta = self.theta.unwrap_or(0.0);
        // a threshold is an intercept
        let shifted: Vec<Solution> = solutions
            .iter()
            .map(|s| Solution {
                intercept: s.intercept - theta,
                ..(*s).clone()
            })
            .collect();
        let shifted: Vec<&Solution> = shifted.iter().collect();
        let bias = match self.run.bias.flatten() {
            _ if self.free_bias => "free",
            Some(_) => "constant",
            None => "off",
        };
        let word = |name: &str, text: &str| (name.to_owned(), Parameter::Word(text.to_owned()));
        let parameters = Parameters::from_list(vec![
            word("loss", self.loss.text()),
            word("reg", self.reg.text()),
            ("lambda".to_owned(), Parameter::Real(lambda)),
            word("bias", bias),
        ]);
        let problem = prepared.problem(read.labelled.aims(0));
        let mut schema = (*read.held.schema).clone();
        schema.preparation = read.preparation.clone();
        (schema.width, schema.zero_based) = (read.held.width(), self.rows.read.zero_based);
        schema.sizes = Arc::new(self.sizes(read));
        let solved = SolvedModel {
            parameters,
            schema,
            classes: &read.labelled.classes,
            kernel: self.kernel(),
            auto_gamma: self.run.kernel.is_some_and(KernelSpec::was_auto),
            trials: read.held.len() as u64,
            learned: self.learned(read),
        };
        solved.of(&shifted, &problem, self.rows.memory)
    }

    /// How large the numbers of the rows are, and the labels that are quantities.
    fn sizes(&self, read: &ReadRows) -> Sizes {
        let mut sizes = sizes_of(&read.held);
        if let Some(labels) = self.quantities(read) {
            let kept = labels.len().min(sizes::ROWS as usize);
            sizes.labels((0..kept).map(|k| labels[k * labels.len() / kept]));
        }
        sizes
    }

    /// The labels, if they are quantities.
    fn quantities<'r>(&self, read: &'r ReadRows) -> Option<&'r [f64]> {
        let labels = read.labelled.numbers();
        labels.filter(|_| are_quantities(&self.loss))
    }

    /// How a model that has no free bias does on some of the rows that it was solved for, where their labels are quantities.
    fn solved_errors(&self, model: &Model, read: &ReadRows) -> Option<SquaredErrors> {
        let labels = self.quantities(read).filter(|_| !self.free_bias)?;
        let looked = labels.len().min(LOOKED_AT);
        let rows: Vec<usize> = (0..looked).map(|k| k * labels.len() / looked).collect();
        let mut tally = NumberTally::near(labels);
        let all = rows.iter().map(|&row| {
            let (block, place) = read.held.at(row);
            block.row(place)
        });
        model.scores_of(all, None, |k, scores| tally.add(labels[rows[k]], scores[0]));
        Some(tally.errors())
    }

    /// A sample of the rows, and of two labels how many rows have each.
    fn learned(&self, read: &ReadRows) -> RowSample {
        let is_binary = read.labelled.classes.is_binary() && self.loss.loss().classifies();
        if !is_binary {
            return read.held.sample();
        }
        let mut learned = RowSample::default();
        for (row, aim) in read.labelled.aims(0).iter().enumerate() {
            let (block, place) = read.held.at(row);
            learned.add(block.row(place), aim.sign > 0.0);
        }
        learned
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

    /// The test of a model, and the baseline of its rows where they have labels.
    fn test(
        &self,
        model: &Model,
        advice: Advice,
        context: Context<'_>,
    ) -> Result<Option<(SolveTest, Option<BaselineReport>)>, Error> {
        let Some(data) = &self.test else {
            return Ok(None);
        };
        let reading = self.rows.reading_for(model, context);
        let saved = self.output.as_ref();
        let known = Known {
            schema: Arc::clone(&reading.schema),
            width: model.width(),
            unlabelled: Unlabelled::Rows,
            model: saved.map(|path| path.display().to_string()),
            lenient: self.rows.lenient,
        };
        let held = data.load_known(&reading, self.rows.memory, &known, context)?;
        if !data.is_same(&self.data) {
            let same = learned_from(&held, model.learned());
            if let Some(remark) = &same {
                context.remark(remark);
            }
        }
        if let Task::Regression = model.classes().task() {
            return Ok(Some((
                self.test_numbers(model, &held, advice, context)?,
                None,
            )));
        }
        context.begin(Phase::TestRows, Some(held.len() as u64));
        let (report, baseline) = test_held(model, &held, None, |done, _| context.at(done))?;
        context.end();
        check_labels(&baseline, self.rows.lenient, context)?;
        let baseline = most_frequent(&baseline);
        let advice = advice.on(worth::share(&baseline), model.classes().is_binary());
        if let Some(remark) = worth::of_test(&report, &baseline, advice) {
            context.remark(&remark);
        }
        let too_good = worth::too_good::of_test(&report, &baseline, model.schema());
        worth::too_good::tell(too_good, context);
        Ok(Some((SolveTest::Labels(report), Some(baseline))))
    }

    /// The test of a model of numbers.
    fn test_numbers(
        &self,
        model: &Model,
        held: &HeldRows,
        advice: Advice,
        context: Context<'_>,
    ) -> Result<SolveTest, Error> {
        let test = test_numbers(model, held)?;
        let is_judged = are_quantities(&self.loss);
        if is_judged {
            let errors = test.errors();
            let advice = self.number_advice(&errors, advice);
            let baseline = against_mean(Measured::Test, errors, advice);
            for remark in test.other_unit(model).into_iter().chain(baseline) {
                context.remark(&remark);
            }
        }
        Ok(SolveTest::Numbers(NumbersTested {
            rows: test.distances.rows,
            squared_error: test.distances.mean_squared(),
            absolute_error: test.distances.mean_absolute(),
            baseline: is_judged.then(|| test.baseline()),
        }))
    }
}

/// Rows of the solver, read.
pub(crate) struct ReadRows {
    pub(crate) held: HeldRows,
    pub(crate) labelled: Labelled,
    pub(crate) preparation: Preparation,
    /// What always answering the most frequent label so far comes to, or the mean of labels that are quantities.
    pub(crate) baseline: Option<ConstantAnswer>,
}

impl ReadRows {
    /// The highest feature that the solver sees.
    pub(crate) fn features(&self) -> u32 {
        self.preparation.features().unwrap_or(self.held.width())
    }

    pub(crate) fn summary(&self) -> DataSummary {
        DataSummary {
            rows: self.held.len() as u64,
            features: self.held.width(),
            classes: self.labelled.classes.count(),
        }
    }
}

/// A model of solutions, but for the solutions.
pub(crate) struct SolvedModel<'s> {
    pub(crate) parameters: Parameters,
    pub(crate) schema: Schema,
    pub(crate) classes: &'s Classes,
    pub(crate) kernel: Kernel,
    /// Whether its gamma was `auto`.
    pub(crate) auto_gamma: bool,
    /// The rows that it was solved for.
    pub(crate) trials: u64,
    /// Some of them.
    pub(crate) learned: RowSample,
}

impl SolvedModel<'_> {
    /// The model, given one solution per class.
    pub(crate) fn of(
        self,
        solutions: &[&Solution],
        problem: &Problem<'_>,
        memory: u128,
    ) -> Result<Model, Error> {
        let learner = learner_of(solutions, self.classes, problem, self.kernel, memory)?;
        let model = Model::from_parts(ModelParts {
            spec: Spec::solved(),
            parameters: self.parameters,
            kernel: self.kernel,
            auto_gamma: self.auto_gamma,
            schema: Arc::new(self.schema),
            learner,
            classes: self.classes.clone(),
            totals: Totals {
                trials: self.trials,
                ..Totals::default()
            },
            calibration: None,
            settled_earlier: 0,
            learned: self.learned,
        });
        model.map_err(|error| Error::plain(error.to_string()))
    }
}

fn learner_of(
    solutions: &[&Solution],
    classes: &Classes,
    problem: &Problem<'_>,
    kernel: Kernel,
    memory: u128,
) -> Result<Box<dyn Learner>, Error> {
    // with several classes, lane 0 is nobody's
    let background = (!classes.is_binary()).then_some(None);
    let lanes: Vec<Option<&Solution>> = background
        .into_iter()
        .chain(solutions.iter().map(|s| Some(*s)))
        .collect();
    let learner = if kernel == Kernel::LINEAR {
        solved::learner(&lanes, memory)
    } else {
        solved::kernel_learner(&lanes, problem, kernel, memory)
    };
    learner.map_err(|error| Error::plain(error.to_string()))
}

/// Numbers separated by spaces or lines.
fn read_prior(path: &str) -> Result<Vec<f64>, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::plain(format!("prior={path}: cannot be read: {error}")))?;
    let mut prior = Vec::new();
    for (line, words) in text.lines().enumerate() {
        for word in words.split_whitespace() {
            let number = word.parse().ok().filter(|n: &f64| n.is_finite());
            prior.push(number.ok_or_else(|| {
                let word: String = word.chars().take(40).collect();
                Error::plain(format!(
                    "prior={path}: line {}: `{word}` is not a number",
                    line + 1
                ))
            })?);
        }
    }
    Ok(prior)
}

/// All problems of a job.
struct Solver<'s> {
    loss: AnyLoss,
    by: &'s AnyRegulariser,
    lambdas: &'s [f64],
    settings: Settings,
    /// The rows; its aims are those of the first class.
    problem: &'s Problem<'s>,
    labelled: &'s Labelled,
    gram: Option<&'s Gram<'s>>,
    context: Context<'s>,
}

/// For each class, for each lambda in the order given.
pub(crate) type Paths = Vec<Vec<Solution>>;

impl Solver<'_> {
    /// Seconds for each lambda, and all solutions. Classes are solved side by side, so the wall time of all is divided among the lambdas as
    /// the time of the threads is.
    fn all(&self) -> Result<(Vec<f64>, Paths), Error> {
        let begun = Instant::now();
        let (classes, threads) = (self.labelled.problems(), self.settings.threads);
        let seconds = Mutex::new(vec![0.0; self.lambdas.len()]);
        let paths = if classes == 1 {
            self.context.begin(Phase::Solving, None);
            let path = self.path(0, threads, true, &seconds);
            self.context.end();
            vec![path]
        } else {
            self.context.begin(Phase::Classes, Some(classes as u64));
            let at = |done| self.context.at(done);
            let ended = |_: &Vec<Solution>| self.context.interrupt.is_requested();
            let job = |class: usize| self.path(class, 1, false, &seconds);
            let paths = side_by_side(classes, threads, at, ended, job);
            self.context.end();
            paths.into_iter().map(Option::unwrap_or_default).collect()
        };
        let whole = |path: &Vec<Solution>| {
            path.len() == self.lambdas.len() && path.iter().all(|s| s.stop != Stop::Asked)
        };
        if !paths.iter().all(whole) {
            return Err(Error::Stopped(StoppedWhile::Solving));
        }
        let wall = begun.elapsed().as_secs_f64();
        let seconds = seconds.into_inner().unwrap_or_default();
        Ok((divided(wall, seconds), paths))
    }

    /// One class for all lambdas, from the largest to the smallest, each beginning where the last ended.
    fn path(
        &self,
        class: usize,
        threads: usize,
        shows: bool,
        seconds: &Mutex<Vec<f64>>,
    ) -> Vec<Solution> {
        let problem = self.problem.with_aims(self.labelled.aims(class));
        let settings = Settings {
            threads,
            ..self.settings
        };
        let lambdas = self.lambdas;
        let mut order: Vec<usize> = (0..lambdas.len()).collect();
        order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]));
        let mut solutions: Vec<(usize, Solution)> = Vec::new();
        for k in order {
            let begun = Instant::now();
            let mut first = true;
            let mut watch = |report: &Report| {
                if shows {
                    let seconds = begun.elapsed().as_secs_f64();
                    let first = std::mem::take(&mut first);
                    self.context.listener.event(Event::Solving {
                        report,
                        seconds,
                        first,
                    });
                }
                !self.context.interrupt.is_requested()
            };
            let start = solutions.last().map(|(_, last)| last.dual.as_slice());
            let (loss, lambda) = (self.loss, lambdas[k]);
            let solution = if let Some(gram) = self.gram {
                solve_in_kernel(&problem, gram, loss, lambda, start, &settings, &mut watch)
            } else {
                let by = self.by.clone();
                solve_by_name(&problem, loss, by, lambda, start, &settings, &mut watch)
            };
            if let Ok(mut seconds) = seconds.lock() {
                seconds[k] += begun.elapsed().as_secs_f64();
            }
            solutions.push((k, solution));
        }
        solutions.sort_by_key(|(k, _)| *k);
        let in_order = solutions.into_iter().map(|(_, solution)| solution);
        in_order.collect()
    }
}

/// A time in the proportions of others.
fn divided(whole: f64, mut parts: Vec<f64>) -> Vec<f64> {
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 {
        for part in &mut parts {
            *part *= whole / sum;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn times_of_threads_divide_the_wall_time() {
        assert_eq!(divided(3.0, vec![2.0, 4.0]), [1.0, 2.0]);
        assert_eq!(divided(3.0, vec![8.0]), [3.0]);
        assert_eq!(divided(0.0, vec![0.0, 0.0]), [0.0, 0.0]);
    }
}
