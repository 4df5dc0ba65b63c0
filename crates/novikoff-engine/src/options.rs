//! Options of jobs, and what can be checked before a byte of data is read.

use std::path::Path;
use std::sync::Arc;

use novikoff::class_weights::ClassWeights;
use novikoff::classes::{Classes, Task};
use novikoff::kernel::{Kernel, KernelSpec};
use novikoff::learner::{Hypothesis, Learner, Tie};
use novikoff::map::MapSpec;
use novikoff::model::Model;
use novikoff::names::Names;
use novikoff::parameter::Parameters;
use novikoff::preparation::Preparation;
use novikoff::remedy::Complaint;
use novikoff::rows::Block;
use novikoff::run::EpochOrders;
use novikoff::schema::Schema;
use novikoff::spec::{PartDefaults, Spec, SpecError};
use novikoff::standardize::Moments;
use novikoff_data::blocks::{ReadOptions, Skipped};
use novikoff_data::kinds::contradiction;

use crate::class_weight::ClassWeight;
use crate::data::Reading;
pub(crate) use crate::error::no_rows;
use crate::error::{FilesOnly, memory_or};
use crate::events::Context;
use crate::memory::free_memory;
use crate::profile::{Arrangement, Profile};
use crate::rows::{HeldRows, numbered_column};
use crate::split::Splits;
use crate::{Error, Remedy, Setting};

/// How rows are read, and what they and their learner may take.
#[derive(Clone, Debug)]
pub struct RowOptions {
    /// How they are read; the bias is put in by the job.
    pub read: ReadOptions,
    /// Bits of hashed names.
    pub hash: Option<u32>,
    /// Threads.
    pub threads: usize,
    /// Bytes for the rows that are held, and for a learner's state.
    pub memory: u128,
    /// Whether a job goes on, with a remark, where its result is worthless: no row has the label asked for, or a feature that the model knows.
    pub lenient: bool,
}

impl Default for RowOptions {
    fn default() -> Self {
        RowOptions {
            read: ReadOptions::default(),
            hash: None,
            threads: 1,
            memory: crate::memory_for(None),
            lenient: false,
        }
    }
}

impl RowOptions {
    /// New rows: only the options say what they are.
    pub(crate) fn reading(&self, bias: Option<f32>, context: Context<'_>) -> Reading {
        let mut schema = Schema::prepared(Preparation {
            bias,
            ..Preparation::default()
        });
        schema.names = self.names();
        schema.zero_based = self.read.zero_based;
        schema.table.clone_from(&self.read.table);
        self.reading_as(Arc::new(schema), context)
    }

    /// No names yet, or hashed slots.
    pub(crate) fn names(&self) -> Names {
        self.hash.map_or_else(Names::new, Names::hashed)
    }

    /// Rows of a schema.
    pub(crate) fn reading_as(&self, schema: Arc<Schema>, context: Context<'_>) -> Reading {
        let mut options = self.read.clone();
        options.interrupt = Some(context.interrupt.clone());
        Reading::new(options, schema, self.threads.max(1))
    }

    /// Rows for a model that knows its features: others are left out.
    pub(crate) fn reading_for(&self, model: &Model, context: Context<'_>) -> Reading {
        self.reading_as(Arc::new(model.schema().frozen()), context)
    }

    /// What was asked of the rows must be what the model was trained with.
    pub(crate) fn check_schema(&self, model: &Model, path: &Path) -> Result<(), Error> {
        self.check_base(model)?;
        let table = model.table();
        match table.and_then(|table| contradiction(&self.read, table)) {
            None => Ok(()),
            Some((setting, is, got)) => Err(Error::Differs {
                model: Some(path.to_owned()),
                setting,
                is,
                got,
            }),
        }
    }

    /// Features are counted as the model counts them.
    fn check_base(&self, model: &Model) -> Result<(), Error> {
        if self.read.zero_based && !model.is_zero_based() {
            return Err(Error::refused(
                "the model was trained on features counted from 1",
                Remedy::leave_out(&[Setting::ZeroBased]),
            )
            .about(Setting::ZeroBased, ""));
        }
        Ok(())
    }
}

/// The most passes of a run that goes on until one has no mistake, if nobody says another limit.
pub const UNTIL_SEPARATED: u32 = 1000;

/// How a learner runs over rows. What is `None` was not asked for and has its default, or the value of the model that is resumed.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is asked for by itself
pub struct RunOptions {
    /// Passes over the rows (1); the most of them where they go on until the rows are separated ([`UNTIL_SEPARATED`]).
    pub epochs: Option<u32>,
    /// Passes go on until one has no mistake.
    pub until_separated: bool,
    /// The seed of the orders; off if none.
    pub shuffle: Option<u64>,
    /// How many orders are tried.
    pub permutations: Option<u32>,
    /// The rows are divided again and again into those that are learned from and those that are tested on (they are not).
    pub splits: Option<Splits>,
    /// The kernel (linear).
    pub kernel: Option<KernelSpec>,
    /// The map that makes features of rows (none).
    pub map: Option<MapSpec>,
    /// The constant feature (off).
    pub bias: Option<Option<f32>>,
    /// The norm that rows are divided by (off, or what the learner asks for).
    pub normalize: Option<Option<f64>>,
    /// Features are centred and scaled.
    pub standardize: bool,
    /// What is to be learned (what the labels ask for).
    pub task: Option<Task>,
    /// How many features there are (what the data has).
    pub features: Option<u32>,
    /// The predictor that is validated and tested (the learner's own). If it is the average, a new model keeps and deploys it.
    pub by: Option<Hypothesis>,
    /// Weights of classes (all alike).
    pub class_weight: ClassWeight,
    /// A copy of the data in our own format is kept beside it.
    pub cache: bool,
    /// Megabytes for kernel values that later epochs use again (a quarter of what is free).
    pub cache_mb: Option<u64>,
    /// What a margin of 0 predicts while the learner learns (+1); for reproductions of papers, and kept in no model.
    pub tie: Tie,
    /// Every predictor of the model is tested after each epoch, and not at the end alone.
    pub test_every_epoch: bool,
}

impl RunOptions {
    /// Passes over the rows, or the most of them.
    pub fn epochs(&self) -> u32 {
        let usual = if self.until_separated {
            UNTIL_SEPARATED
        } else {
            1
        };
        self.epochs.unwrap_or(usual)
    }

    /// The seed of the first order, if rows are shuffled.
    fn first_seed(&self) -> Option<u64> {
        match self.repeats() {
            Some(_) => Some(self.shuffle.unwrap_or(0)),
            None => self.shuffle,
        }
    }

    /// How many times the run is repeated, in another order of the rows or with others of them, if it is.
    pub(crate) fn repeats(&self) -> Option<u32> {
        let splits = self.splits.map(|splits| splits.count);
        self.permutations.or(splits)
    }

    /// The seed of one of several repetitions, or of the only run.
    pub(crate) fn seed_of(&self, repetition: u64) -> Option<u64> {
        let first = self.first_seed()?;
        Some(first.wrapping_add(repetition))
    }

    /// The profile of rows in the first order of a run that begins with no model.
    pub(crate) fn profile(&self, held: &HeldRows, task: Task) -> Result<Profile, Error> {
        let mut profile = Profile::new(Classes::new(task));
        let seed = self.first_seed();
        match self.splits {
            None => {
                let mut orders = EpochOrders::new(held.len(), seed);
                profile.held(held, orders.next_epoch());
            }
            Some(splits) => {
                let split = splits.split(held, seed.unwrap_or(0))?;
                let mut orders = EpochOrders::new(split.train.len(), Some(split.orders));
                let order = orders.next_epoch().iter().map(|&i| split.train[i]);
                profile.held(held, &order.collect::<Vec<_>>());
            }
        }
        Ok(profile)
    }

    pub(crate) fn arrangement(&self) -> Arrangement {
        Arrangement {
            shuffled: self.first_seed().is_some(),
            standardized: self.standardize,
        }
    }

    /// Bytes for kernel values that later epochs use again.
    pub(crate) fn cache_bytes(&self, epochs: u32) -> usize {
        if epochs < 2 {
            return 0;
        }
        let quarter = || free_memory().unwrap_or(1 << 30) / 4;
        let bytes = self
            .cache_mb
            .map_or_else(quarter, |mb| u128::from(mb) << 20);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// A model that has learned nothing, for a run of these options.
    pub(crate) fn new_model(&self, new: NewModel<'_>) -> Result<Model, Error> {
        let mut schema = Schema::prepared(new.preparation);
        schema.zero_based = new.zero_based;
        let builder = Model::builder(new.spec.clone())
            .kernel(self.kernel_for(new.spec))
            .map(self.map)
            .task(new.task)
            .schema(schema)
            .width(new.width)
            .part_defaults(self.part_defaults())
            .averaged(self.by == Some(Hypothesis::Averaged));
        let builder = builder.memory(new.memory).threads(new.threads);
        let mut model = builder.build_for(new.first)?;
        model.set_cache_bytes(self.cache_bytes(self.epochs()) / new.side_by_side.max(1));
        model.set_tie(self.tie);
        if let Some(weights) = new.class_weights {
            // a form of the learner may have no weighted form though others have
            let set = model.set_class_weights(Some(weights));
            set.map_err(|error| {
                let remedy = Remedy::leave_out(&[Setting::ClassWeight]);
                Error::refused(error.to_string(), remedy).about(Setting::ClassWeight, "")
            })?;
        }
        Ok(model)
    }

    /// What is done to rows; means and deviations are known when the rows are.
    pub(crate) fn preparation(&self) -> Preparation {
        Preparation {
            bias: self.bias.flatten(),
            standardize: None,
            normalize: self.normalize.flatten(),
            map: None,
        }
    }

    /// The preparation for a learner: what its spec says after `@`, else what the options say, else its own norm.
    pub(crate) fn for_learner(&self, preparation: &Preparation, spec: &Spec) -> Preparation {
        let mut own = preparation.clone();
        if !spec.parts().is_empty() {
            // each of its learners divides its rows itself; a norm before a map is one for all
            own.normalize = own.normalize.filter(|_| self.map.is_some());
            own.bias = spec.shared_bias(self.part_defaults());
            return own;
        }
        let said = spec.preparation();
        if let Some(normalize) = said.and_then(|said| said.normalize) {
            own.normalize = normalize.value();
        } else if self.normalize.is_none()
            && self
                .kernel
                .is_none_or(|kernel| kernel == Kernel::LINEAR.into())
        {
            own.normalize = spec.norm();
        }
        if let Some(bias) = said.and_then(|said| said.bias) {
            own.bias = bias.value();
        }
        own
    }

    /// The preparation for a learner, before the rows are known.
    pub fn preparation_for(&self, spec: &Spec) -> Preparation {
        self.for_learner(&self.preparation(), spec)
    }

    /// How learners in parentheses get their rows where their specs say nothing about it.
    pub fn part_defaults(&self) -> PartDefaults {
        PartDefaults {
            normalize: self.normalize,
            bias: self.bias.flatten(),
        }
    }

    /// The constant feature that the rows of several learners are read with. Where they differ it is 1, and each model's preparation puts its
    /// own in its place or takes it out.
    pub(crate) fn shared_bias<'s>(&self, specs: impl Iterator<Item = &'s Spec>) -> Option<f32> {
        let shared = self.preparation();
        let mut biases = specs.map(|spec| self.for_learner(&shared, spec).bias);
        let first = biases.next().unwrap_or(shared.bias);
        if biases.all(|bias| bias == first) {
            first
        } else {
            Some(1.0)
        }
    }

    /// The kernel for a learner: one that wants rows of length 1 gets them in the kernel's space, unless the options or its spec name a norm.
    pub fn kernel_for(&self, spec: &Spec) -> KernelSpec {
        let linear = KernelSpec::from(Kernel::LINEAR);
        let kernel = self.kernel.unwrap_or(linear);
        let said = spec.preparation();
        let is_silent = self.normalize.is_none() && said.is_none_or(|s| s.normalize.is_none());
        if kernel != linear && is_silent && spec.norm().is_some() {
            return kernel.with_cosine();
        }
        kernel
    }

    /// The preparation once the rows are known.
    pub(crate) fn fitted(
        &self,
        preparation: &Preparation,
        held: &HeldRows,
        memory: u128,
    ) -> Result<Preparation, Error> {
        // five numbers per feature while they are computed
        let needed = 40 * (u128::from(held.width()) + 1);
        if self.standardize && needed > memory {
            let (needed, memory) = (needed >> 20, memory >> 20);
            let what = format!(
                "standardising needs {needed} MB for {} features, and the limit is {memory} MB",
                held.width()
            );
            let why = Complaint::new(what, memory_or("renumber the features"));
            return Err(numbered_column(why, held.width() as usize, &held.schema).into());
        }
        let standardize = self
            .standardize
            .then(|| Arc::new(Moments::of(|| held.blocks(), held.schema.numbers())));
        Ok(Preparation {
            standardize,
            ..preparation.clone()
        })
    }
}

/// Tests after each epoch need rows to test on, and divisions of the rows have their own and are the only repetition.
pub(crate) fn check_tests(run: &RunOptions, has_test: bool, certifies: bool) -> Result<(), Error> {
    if run.splits.is_some() {
        let clash = [
            (has_test, Setting::Test),
            (run.permutations.is_some(), Setting::Permutations),
            (certifies, Setting::Certify),
        ];
        if let Some((_, setting)) = clash.into_iter().find(|(is_given, _)| *is_given) {
            let what = "each division of the rows has an order and rows to test on of its own, and no certificate";
            return Err(
                Error::refused(what, Remedy::leave_out(&[setting])).about(Setting::Splits, "")
            );
        }
    }
    if run.test_every_epoch && !has_test && run.splits.is_none() {
        return Err(Error::refused(
            "there are no rows to test on after each epoch",
            Remedy::give(Setting::Test, "FILE"),
        )
        .about(Setting::TestEveryEpoch, ""));
    }
    Ok(())
}

/// Another rule for ties is for runs of one learner that leave nothing behind: models and certificates know of none.
pub(crate) fn check_tie(run: &RunOptions, spec: &Spec, kept: Option<Setting>) -> Result<(), Error> {
    if run.tie == Tie::Positive {
        return Ok(());
    }
    let about = |error: Error| error.about(Setting::Tie, "");
    if let Some(kept) = kept {
        let what = "another rule for ties is kept in no model, and no certificate is about it";
        return Err(about(Error::refused(what, Remedy::leave_out(&[kept]))));
    }
    if !spec.parts().is_empty() {
        let what = format!("the learners of {} decide ties by themselves", spec.name());
        let remedy = Remedy::leave_out(&[Setting::Tie]);
        return Err(about(Error::refused(what, remedy)));
    }
    Ok(())
}

/// A map makes features for learners without a kernel.
pub(crate) fn check_map(map: Option<MapSpec>, kernel: KernelSpec) -> Result<(), Error> {
    match map {
        Some(map) if kernel != Kernel::LINEAR.into() => {
            let (map, kernel) = (map.to_string(), kernel.to_string());
            Err(SpecError::MapAndKernel { map, kernel }.into())
        }
        _ => Ok(()),
    }
}

/// The predictor asked for, if the model has it.
pub(crate) fn hypothesis(
    by: Option<Hypothesis>,
    model: &Model,
) -> Result<Option<Hypothesis>, Error> {
    let Some(wanted) = by else { return Ok(None) };
    let offered = model.learner().hypotheses();
    if offered.contains(&wanted) {
        return Ok(by);
    }
    let spec = model.spec();
    let new = spec
        .learns()
        .then(|| spec.hypotheses(model.kernel(), wanted));
    let remedy = match new {
        Some(Ok(new)) if new.contains(&wanted) => {
            let train = Remedy::give(Setting::Use, wanted.name());
            Some(train.aim("when it is trained from its first row"))
        }
        _ => others(spec, wanted, model.kernel()),
    };
    Err(not_offered(spec.name().to_owned(), wanted, offered, remedy))
}

/// The predictor asked for, if a new learner can have it.
pub(crate) fn hypothesis_of(
    by: Option<Hypothesis>,
    spec: &Spec,
    kernel: KernelSpec,
) -> Result<Option<Hypothesis>, Error> {
    let Some(wanted) = by else { return Ok(None) };
    let offered = spec.hypotheses(kernel.value(), wanted);
    let offered = offered.map_err(|error| as_typed(error, kernel))?;
    if offered.contains(&wanted) {
        return Ok(by);
    }
    let mut learner = spec.name().to_owned();
    if kernel.value() != Kernel::LINEAR {
        learner = format!("{learner} with the kernel {kernel}");
    }
    let remedy = others(spec, wanted, kernel.value());
    Err(not_offered(learner, wanted, offered, remedy))
}

/// A learner as it is before rows are looked at. An error if it does not go with the kernel.
pub(crate) fn unseeing_learner(
    spec: &Spec,
    parameters: &Parameters,
    kernel: KernelSpec,
) -> Result<Box<dyn Learner>, SpecError> {
    let learner = spec.learner(parameters, kernel.value(), 0);
    learner.map_err(|error| as_typed(error, kernel))
}

/// An error that names the kernel as it was typed: a gamma that is `auto` is no number before rows are looked at.
fn as_typed(error: SpecError, typed: KernelSpec) -> SpecError {
    match error {
        SpecError::Kernel { learner, why, .. } => SpecError::Kernel {
            learner,
            kernel: typed.to_string(),
            why,
        },
        other => other,
    }
}

fn not_offered(
    learner: String,
    wanted: Hypothesis,
    offered: &[Hypothesis],
    remedy: Option<Remedy>,
) -> Error {
    let names: Vec<&str> = offered.iter().map(|h| h.name()).collect();
    Error::NotOffered {
        learner,
        wanted: wanted.name(),
        offered: names.join(", "),
        remedy,
    }
}

/// Another learner, if one offers it.
fn others(spec: &Spec, wanted: Hypothesis, kernel: Kernel) -> Option<Remedy> {
    match &spec.offering(wanted, kernel)[..] {
        [] => None,
        [one] => Some(Remedy::clause(format!("use {one}"))),
        several => {
            let several = several.join(", ");
            Some(Remedy::clause(format!("use one of {several}")))
        }
    }
}

/// A learner needs all rows beforehand, and a stream has them not.
pub(crate) fn needs_files(learner: &str) -> Error {
    Error::FilesOnly {
        what: FilesOnly::Learner(learner.to_owned()),
    }
}

/// Standardising needs all rows beforehand too.
pub(crate) fn standardize_needs_files() -> Error {
    Error::FilesOnly {
        what: FilesOnly::Setting(Setting::Standardize),
    }
}

/// Lines passed over, if any were.
pub(crate) fn skipped(skipped: &Skipped) -> Option<(u64, Vec<String>)> {
    (skipped.lines > 0).then(|| (skipped.lines, skipped.samples.clone()))
}

/// The rows to test on are the stream that is the data already.
pub(crate) fn stream_twice() -> Error {
    Error::refused("the stream is the data already", "give a file to test on")
        .about(Setting::Test, "-")
}

/// What a model begins with beside the options of its run.
pub(crate) struct NewModel<'a> {
    pub(crate) spec: &'a Spec,
    /// The first rows of the data, as read, which say what `auto` is.
    pub(crate) first: Block<'a>,
    pub(crate) task: Task,
    pub(crate) preparation: Preparation,
    /// Features are counted from 0.
    pub(crate) zero_based: bool,
    /// The highest feature, where it is known.
    pub(crate) width: Option<u32>,
    /// Bytes that its state may take.
    pub(crate) memory: u128,
    pub(crate) threads: usize,
    /// What the weights of rows are multiplied by.
    pub(crate) class_weights: Option<ClassWeights>,
    /// How many models share the memory for kernel values.
    pub(crate) side_by_side: usize,
}
