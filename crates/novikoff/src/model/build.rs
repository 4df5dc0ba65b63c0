//! How a model begins: knowing nothing, or from parts that were kept.

use std::sync::Arc;

use super::{Model, RowSample, Scratch, Totals};
use crate::calibration::Calibration;
use crate::classes::{Classes, Counts, Pending, Task};
use crate::kernel::{Kernel, KernelSpec};
use crate::label::LabelName;
use crate::learner::{Hypothesis, Learner, Tie};
use crate::map::MapSpec;
use crate::parameter::Parameters;
use crate::preparation::Preparation;
use crate::resolve::{Resolved, Unresolved};
use crate::rows::Block;
use crate::schema::Schema;
use crate::spec::{PartDefaults, Spec, SpecError};

/// More trials than any run makes: counts of them stay far from overflowing.
const TRIALS: u64 = 1 << 48;

/// More updates than any run makes: one per trial and class.
const UPDATES: u64 = 1 << 62;

/// The memory of a learner's state unless another limit is given.
const MEMORY: u128 = 1 << 30;

/// A model that knows nothing yet. See [`Model::builder`].
#[derive(Clone, Debug)]
#[must_use = "a builder is no model until it is built"]
pub struct ModelBuilder {
    /// An error is kept for the end.
    spec: Result<Spec, SpecError>,
    kernel: KernelSpec,
    map: Option<MapSpec>,
    task: Task,
    schema: Arc<Schema>,
    /// Somebody has said by which norm rows are divided.
    is_normalize_given: bool,
    width: Option<u32>,
    memory: u128,
    threads: usize,
    averaged: bool,
    /// How learners in parentheses get their rows, if that is not what all rows are prepared by.
    parts: Option<PartDefaults>,
}

impl ModelBuilder {
    /// The kernel in whose space it learns; linear unless given.
    pub fn kernel(self, kernel: impl Into<KernelSpec>) -> Self {
        let kernel = kernel.into();
        ModelBuilder { kernel, ..self }
    }

    /// The map that makes features of rows, for learners without a kernel; none unless given. It comes behind normalising and before the constant
    /// feature.
    ///
    /// ```
    /// use novikoff::{Label, MapSpec, Model, Row, learners::PassiveAggressive};
    ///
    /// let map = MapSpec::parse("rff:dim=100,gamma=2")?;
    /// let mut models = [
    ///     Model::builder(PassiveAggressive::one(1.0)).build()?,
    ///     Model::builder(PassiveAggressive::one(1.0)).map(map).build()?,
    /// ];
    /// for t in 0..400_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| f32::from(v) / 5.0);
    ///     let y = Label::of(f64::from(x[0] * x[0] + x[1] * x[1]) - 0.7); // inside or outside of a circle
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [y])?;
    ///     }
    /// }
    /// assert_eq!(models.map(|model| model.totals().mistakes), [149, 29]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(self, map: impl Into<Option<MapSpec>>) -> Self {
        let map = map.into();
        ModelBuilder { map, ..self }
    }

    /// What is to be learned; the labels -1 and +1 unless given.
    pub fn task(self, task: Task) -> Self {
        ModelBuilder { task, ..self }
    }

    /// What its rows are; nothing is known unless given.
    #[doc(hidden)] // readers of files know it
    pub fn schema(self, schema: impl Into<Arc<Schema>>) -> Self {
        ModelBuilder {
            schema: schema.into(),
            is_normalize_given: true,
            ..self
        }
    }

    /// What is done to its rows, in place of what the schema says.
    #[doc(hidden)] // readers of files fit it to their rows
    pub fn preparation(mut self, preparation: Preparation) -> Self {
        self.is_normalize_given = true;
        self.prepare(|own| *own = preparation);
        self
    }

    /// The constant feature: slot 0 of every row is this number, whether the row has the slot or not. Unless it is given, rows have no
    /// constant feature, and a slot 0 is left out.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Perceptron};
    ///
    /// let mut models = [
    ///     Model::builder(Perceptron::default()).build()?,
    ///     Model::builder(Perceptron::default()).bias(1.0).build()?,
    /// ];
    /// for t in 0..200_i16 {
    ///     let x = [f32::from(t * 7 % 13)]; // from 0 to 12
    ///     for model in &mut models {
    ///         let _ = model.learn(Row::dense(&x), [Label::of(f64::from(x[0]) - 5.5)])?;
    ///     }
    /// }
    /// // a line through the origin has all rows on one side
    /// let answers = models.map(|model| [2.0, 9.0].map(|x| model.classify(Row::dense(&[x])).to_string()));
    /// assert_eq!(answers[0][0], answers[0][1]);
    /// assert_eq!(answers[1], ["-1", "+1"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bias(mut self, bias: impl Into<Option<f32>>) -> Self {
        self.prepare(|own| own.bias = bias.into());
        self
    }

    /// The p of the norm that rows are divided by. Unless given, it is what the learner wants: none, but for
    /// [`HigherOrder`](crate::learners::HigherOrder) without a kernel.
    pub fn normalize(mut self, normalize: impl Into<Option<f64>>) -> Self {
        self.is_normalize_given = true;
        self.prepare(|own| own.normalize = normalize.into());
        self
    }

    fn prepare(&mut self, change: impl FnOnce(&mut Preparation)) {
        let mut own = self.schema.preparation.clone();
        change(&mut own);
        if self.schema.preparation != own {
            Arc::make_mut(&mut self.schema).preparation = own;
        }
    }

    /// How the learners in parentheses get their rows where their specs say nothing about it; as all rows are prepared unless given.
    #[doc(hidden)] // for jobs, which prepare rows for all of them
    pub fn part_defaults(self, parts: PartDefaults) -> Self {
        ModelBuilder {
            parts: Some(parts),
            ..self
        }
    }

    /// What the spec says of its rows, and what its learner wants, where nobody has said anything. Where each of several learners has rows of
    /// its own, those of all have the constant feature that they share, and are divided by no norm.
    fn prepare_for(&mut self, spec: &Spec) {
        if !spec.parts().is_empty() {
            let own = &self.schema.preparation;
            let asked = self.parts.unwrap_or(PartDefaults {
                normalize: self.is_normalize_given.then_some(own.normalize),
                bias: own.bias,
            });
            self.parts = Some(asked);
            let has_map = self.map.is_some() || own.map.is_some();
            let before_map = own.normalize.filter(|_| has_map);
            self.prepare(|own| {
                own.bias = spec.shared_bias(asked);
                own.normalize = before_map;
            });
            return;
        }
        let said = spec.preparation();
        let wanted = match said.and_then(|said| said.normalize) {
            Some(normalize) => normalize.value(),
            None => spec.norm().filter(|_| self.kernel == Kernel::LINEAR.into()),
        };
        if !self.is_normalize_given {
            self.prepare(|own| own.normalize = wanted);
        }
        let bias = said.and_then(|said| said.bias?.value());
        self.prepare(|own| own.bias = own.bias.or(bias));
    }

    /// How many features there are, which a spec that says `auto` needs.
    pub fn width(self, width: impl Into<Option<u32>>) -> Self {
        let width = width.into();
        ModelBuilder { width, ..self }
    }

    /// The bytes that the learner's state may take; 1 GiB unless given.
    pub fn memory(self, memory: u128) -> Self {
        ModelBuilder { memory, ..self }
    }

    /// The threads that it may use; 1 unless given.
    pub fn threads(self, threads: usize) -> Self {
        ModelBuilder { threads, ..self }
    }

    /// Whether it keeps the average of its weight vectors over all trials, and deploys it; off unless given. Offered by
    /// [additive](crate::catalog::Capabilities::additive) learners without a kernel, and by those that have an average of their own.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::PassiveAggressive};
    ///
    /// let mut model = Model::builder(PassiveAggressive::one(1.0)).averaged(true).build()?;
    /// model.validate(None)?; // counts the errors of the average, each row before it is learned
    /// for t in 0..200_i16 {
    ///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
    ///     let truth = f64::from(x[0] + 2.0 * x[1]);
    ///     let y = Label::of(if t % 10 == 3 { -truth } else { truth }); // one label in ten is wrong
    ///     let _ = model.learn(Row::dense(&x), [y])?;
    /// }
    /// let validation = model.validation().map(|counted| counted.errors);
    /// assert_eq!((model.totals().mistakes, validation), (48, Some(31)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn averaged(self, averaged: bool) -> Self {
        ModelBuilder { averaged, ..self }
    }

    /// The model. An error if a value is `auto` and needs a look at rows: [`build_for`](Self::build_for) looks at some.
    pub fn build(self) -> Result<Model, SpecError> {
        self.built(None)
    }

    /// The model whose `auto` values are those of the first 2,000 of these rows, as they are read. They are not learned from.
    ///
    /// ```
    /// use novikoff::{KernelSpec, Label, Model, Row, Rows, learners::SecondOrder};
    ///
    /// let mut first = Rows::new();
    /// for x in [[3.0, 4.0], [6.0, 8.0]] {
    ///     first.add(Label::Pos, Row::dense(&x));
    /// }
    /// let model = Model::builder(SecondOrder::auto()).build_for(first.view())?;
    /// assert_eq!(model.parameters().real("a"), 6.25); // a tenth of the mean of 25 and 100
    ///
    /// let kernel = KernelSpec::parse("gaussian:gamma=auto")?;
    /// let model = Model::builder("perceptron").kernel(kernel).build_for(first.view())?;
    /// assert_eq!(model.kernel().to_string(), "gaussian:gamma=0.08"); // distances 0, 25, 25 and 0
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_for(self, first: Block<'_>) -> Result<Model, SpecError> {
        self.built(Some(first))
    }

    fn built(mut self, first: Option<Block<'_>>) -> Result<Model, SpecError> {
        let spec = self.spec.clone()?;
        self.prepare_for(&spec);
        let unresolved = Unresolved {
            spec: &spec,
            kernel: self.kernel,
            width: self.width,
            preparation: &self.schema.preparation,
            map: self.map,
            memory: self.memory / 4,
            parts: self.parts.unwrap_or_default(),
        };
        let Resolved {
            parameters,
            kernel,
            preparation,
        } = unresolved.resolve(first)?;
        self.prepare(|own| *own = preparation);
        let memory = self.memory;
        let learner = if self.averaged {
            spec.averaged_learner(&parameters, kernel, memory)?
        } else {
            spec.learner(&parameters, kernel, memory)?
        };
        let mut model = Model::of(ModelParts {
            spec,
            parameters,
            kernel,
            auto_gamma: self.kernel.was_auto(),
            schema: self.schema,
            learner,
            classes: Classes::new(self.task),
            totals: Totals::default(),
            calibration: None,
            settled_earlier: 0,
            learned: RowSample::default(),
        });
        model.set_threads(self.threads);
        Ok(model)
    }
}

/// Everything that a model keeps from one trial to the next.
#[doc(hidden)] // for readers of model files
pub struct ModelParts {
    /// The spec, as typed.
    pub spec: Spec,
    /// All parameters of the learner.
    pub parameters: Parameters,
    /// The kernel of the learner.
    pub kernel: Kernel,
    /// Whether its gamma was `auto`.
    pub auto_gamma: bool,
    /// What the rows are.
    pub schema: Arc<Schema>,
    /// The learner; with several classes, lane 0 is the background and class `k` is lane `k + 1`.
    pub learner: Box<dyn Learner>,
    /// The classes.
    pub classes: Classes,
    /// The counts.
    pub totals: Totals,
    /// From margins to probabilities, if it was calibrated.
    pub calibration: Option<Calibration>,
    /// Mistakes of earlier runs found out in the current one; part of the totals.
    pub settled_earlier: u64,
    /// Some of the rows learned from.
    pub learned: RowSample,
}

/// Parts that are no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// Numbers are solved for, not learned.
    #[error("a learner of labels that predicts numbers")]
    LearnsNumbers,
    /// A binary problem has one class.
    #[error("{classes} classes in a binary model")]
    NotOneClass {
        /// How many there are.
        classes: usize,
    },
    /// Labels tell classes apart.
    #[error("two classes of the same label")]
    SameLabel,
    /// A learner has one lane per class, and one for the background of several.
    #[error("a learner of {lanes} vectors for {classes} classes")]
    Lanes {
        /// The lanes of the learner.
        lanes: usize,
        /// The classes.
        classes: usize,
    },
    /// A trial is pending for a class that is not there.
    #[error("a pending trial of no class")]
    Pending,
    /// Counts that are too high, or do not fit together.
    #[error("counts that no run leaves behind")]
    Counts,
    /// Totals, a constant feature or a norm that cannot be.
    #[error("numbers that no run leaves behind")]
    Numbers,
    /// Only additive learners have averages.
    #[error("an average that this learner does not keep")]
    Average,
    /// Numbers have no probabilities.
    #[error("probabilities for a model that predicts numbers")]
    CalibratedNumbers,
    /// Only learners with a weighted form count rows differently.
    #[error("weights of classes for a learner that takes rows of weight 1 only")]
    ClassWeights,
    /// The maps are not those of the classes, or of a predictor that the learner has.
    #[error("a calibration that no run leaves behind")]
    Calibration,
}

impl ModelParts {
    fn check(&self) -> Result<(), PartsError> {
        let classes = &self.classes;
        let list = classes.list();
        if matches!(classes.task(), Task::Regression) && self.spec.learns() {
            return Err(PartsError::LearnsNumbers);
        }
        if classes.is_binary() && list.len() != 1 {
            let classes = list.len();
            return Err(PartsError::NotOneClass { classes });
        }
        let mut labels: Vec<&LabelName> = list.iter().map(|class| &class.label).collect();
        labels.sort_unstable();
        if labels.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(PartsError::SameLabel);
        }
        let lanes = self.learner.lanes();
        if lanes != list.len() + usize::from(!classes.is_binary()) {
            let classes = list.len();
            return Err(PartsError::Lanes { lanes, classes });
        }
        let averages = self.learner.hypotheses().contains(&Hypothesis::Averaged);
        if averages && !(self.spec.entry().can.additive)(&self.parameters) {
            return Err(PartsError::Average);
        }
        check_pending(&classes.pending, list.len())?;
        check_pending(&classes.earlier, list.len())?;
        let few = |c: &Counts| c.mistakes < TRIALS && c.updates < TRIALS;
        if !few(&classes.background) || !list.iter().all(|class| few(&class.counts)) {
            return Err(PartsError::Counts);
        }
        self.check_numbers()?;
        match &self.calibration {
            Some(calibration) => check_calibration(calibration, classes, &*self.learner),
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), PartsError> {
        let preparation = &self.schema.preparation;
        let sound = preparation.bias.is_none_or(f32::is_finite)
            && preparation.normalize.is_none_or(|p| p >= 1.0)
            && self.totals.trials < TRIALS
            && self.totals.mistakes < TRIALS
            && self.totals.updates < UPDATES;
        if !sound {
            return Err(PartsError::Numbers);
        }
        if self.settled_earlier > self.totals.mistakes {
            return Err(PartsError::Counts);
        }
        Ok(())
    }
}

/// The maps are those of the classes, and of a predictor that the learner has.
pub(super) fn check_calibration(
    calibration: &Calibration,
    classes: &Classes,
    learner: &dyn Learner,
) -> Result<(), PartsError> {
    if matches!(classes.task(), Task::Regression) {
        return Err(PartsError::CalibratedNumbers);
    }
    let sound = calibration.maps.len() == classes.list().len()
        && learner.hypotheses().contains(&calibration.hypothesis)
        && calibration.rows < TRIALS
        && [0, learner.lanes()].contains(&calibration.recent.lanes());
    if sound {
        Ok(())
    } else {
        Err(PartsError::Calibration)
    }
}

/// Pending trials are those of classes that are there, and few enough to be added up.
fn check_pending(pending: &Pending, classes: usize) -> Result<(), PartsError> {
    if pending.lower.keys().any(|&class| class >= classes) {
        return Err(PartsError::Pending);
    }
    let lower = pending.lower.values();
    if lower.fold(pending.any, |sum, &n| sum.saturating_add(n)) >= TRIALS {
        return Err(PartsError::Counts);
    }
    Ok(())
}

impl Model {
    /// A model that knows nothing yet: of a [learner](crate::learners), a [`Spec`] or the text of one. What is wrong with it
    /// is said by [`build`](ModelBuilder::build).
    ///
    /// ```
    /// use novikoff::{Kernel, Model, Task, learners::{PNorm, Perceptron}};
    ///
    /// let model = Model::builder(PNorm::auto()).width(100).build()?;
    /// assert_eq!(model.parameters().real("p"), 2.0 * 100_f64.ln());
    ///
    /// let model = Model::builder("second-order:a=10").task(Task::OneVsRest).bias(1.0).build()?;
    /// assert_eq!(model.spec().text(), "second-order:a=10");
    ///
    /// let error = Model::builder(Perceptron::with_margin(-1.0)).build().err();
    /// let error = error.map(|error| error.to_string());
    /// assert_eq!(error.as_deref(), Some("perceptron: margin = -1: must be >= 0; the default is 0"));
    /// # Ok::<(), novikoff::SpecError>(())
    /// ```
    pub fn builder<S: TryInto<Spec>>(spec: S) -> ModelBuilder
    where
        SpecError: From<S::Error>,
    {
        ModelBuilder {
            spec: spec.try_into().map_err(SpecError::from),
            kernel: Kernel::LINEAR.into(),
            map: None,
            task: Task::plus_minus(),
            schema: Arc::default(),
            is_normalize_given: false,
            width: None,
            memory: MEMORY,
            threads: 1,
            averaged: false,
            parts: None,
        }
    }

    /// A model from its parts, once they are known to fit together.
    #[doc(hidden)] // for readers of model files
    pub fn from_parts(parts: ModelParts) -> Result<Self, PartsError> {
        parts.check()?;
        Ok(Self::of(parts))
    }

    fn of(mut parts: ModelParts) -> Self {
        parts.learner.set_voting(parts.classes.voting());
        let log_odds = parts.spec.entry().log_odds(&parts.parameters);
        let is_numbers = matches!(parts.classes.task(), Task::Regression);
        Model {
            log_odds: log_odds.filter(|_| !is_numbers),
            spec: parts.spec,
            parameters: parts.parameters,
            kernel: parts.kernel,
            auto_gamma: parts.auto_gamma,
            schema: parts.schema,
            learner: parts.learner,
            classes: parts.classes,
            totals: parts.totals,
            calibration: parts.calibration,
            class_weights: None,
            settled_earlier: parts.settled_earlier,
            learned: parts.learned,
            calibrated_on: RowSample::default(),
            validation: None,
            threads: 1,
            first_id: Some(0),
            is_first_pass: true,
            tie: Tie::default(),
            scratch: Scratch::default(),
        }
    }
}
