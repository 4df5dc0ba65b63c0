//! Vectors that runs are compared with, in model files.

use std::path::Path;
use std::sync::Arc;

use novikoff::certify as certificates;
use novikoff::classes::{Class, Classes, Counts, Pending};
use novikoff::dual::{Problem, solved};
use novikoff::kernel::Kernel;
use novikoff::model::{Model, ModelParts, Totals};
use novikoff::names::Names;
use novikoff::parameter::{Parameter, Parameters};
use novikoff::remedy::Complaint;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff::state::State;
use solved::Scorer;

use crate::{Error, Remedy, Setting};

/// The vectors to compete with.
pub(crate) struct ComparatorModel {
    file: String,
    kernel: Kernel,
    bias: Option<f32>,
    /// By class; a single one for a binary problem.
    vectors: Vec<ClassVector>,
    /// In the space of a kernel, the rows that the vectors are sums of.
    rows: Rows,
    /// What each of those rows is multiplied by.
    scales: Vec<f64>,
    is_binary: bool,
    names: Names,
}

/// The vector of one class.
struct ClassVector {
    class: String,
    /// By slot, or in the space of a kernel one coefficient per row.
    values: Vec<f64>,
    /// Added to every score.
    intercept: f64,
}

/// What a run asks of a vector that it is compared with.
#[derive(Clone, Copy)]
pub(crate) struct ComparatorContext<'m> {
    kernel: Kernel,
    bias: Option<f32>,
    names: &'m Names,
    /// Where the theorem compares `U.x` with a threshold, which it is.
    threshold: Option<f64>,
}

impl<'m> ComparatorContext<'m> {
    pub(crate) fn of(model: &'m Model, names: &'m Names) -> Self {
        let bias = model.preparation().bias;
        Self::before(
            model.kernel(),
            bias,
            model.spec(),
            model.parameters(),
            names,
        )
    }

    /// What is known of a run before it begins.
    pub(crate) fn before(
        kernel: Kernel,
        bias: Option<f32>,
        spec: &Spec,
        parameters: &Parameters,
        names: &'m Names,
    ) -> Self {
        ComparatorContext {
            kernel,
            bias: bias.filter(|bias| *bias != 0.0),
            names,
            threshold: threshold(spec, parameters),
        }
    }
}

/// The threshold of Winnow's theorem, halfway between what it asks of the rows of both labels.
fn threshold(spec: &Spec, parameters: &Parameters) -> Option<f64> {
    (spec.name() == "winnow").then(|| 2.0 - parameters.real("alpha"))
}

/// A sum of rows with coefficients.
pub(crate) struct Sum {
    pub(crate) coefficients: Vec<f64>,
    rows: Rows,
    scales: Vec<f64>,
}

impl Sum {
    /// Coefficients and rows.
    pub(crate) fn terms(&self) -> Vec<(f64, novikoff::row::Row<'_>)> {
        let row = |i: usize| self.rows.row(i).scaled(self.scales[i]);
        let terms = self.coefficients.iter().enumerate();
        terms.map(|(i, c)| (*c, row(i))).collect()
    }
}

impl ComparatorModel {
    pub(crate) fn load(path: &Path, memory: u128) -> Result<Self, Error> {
        let model = novikoff_data::model::load(path, memory)?.model;
        let mut state = State::new();
        model.learner().save(&mut state);
        let mut state = state.into_owned();
        let (mut rows, mut scales) = (Rows::new(), Vec::new());
        if let Some(support) = model.learner().support() {
            for row in support.rows() {
                let (scale, values) = row.stored();
                values.for_each(|(slot, value)| rows.push(slot, value));
                rows.end_row(0);
                scales.push(scale);
            }
        }
        let classes = model.classes().list().iter().enumerate();
        let vectors = classes.map(|(k, class)| {
            let lane = model.lane(k);
            let values = match model.learner().support() {
                Some(support) => support.coefficients(lane).collect(),
                None => model.learner().weights(lane),
            };
            let intercept = if model.spec().learns() {
                model.learner().zero_margin()
            } else {
                state.under(&lane.to_string());
                state
                    .take_scalars("intercept")
                    .map_or(0.0, |[intercept]| intercept)
            };
            ClassVector {
                class: class.label.name().to_owned(),
                values,
                intercept,
            }
        });
        Ok(ComparatorModel {
            file: path.display().to_string(),
            kernel: model.kernel(),
            bias: model.preparation().bias,
            vectors: vectors.collect(),
            rows,
            scales,
            is_binary: model.classes().is_binary(),
            names: model.names().clone(),
        })
    }

    /// Its model file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// How many vectors there are.
    pub(crate) fn len(&self) -> usize {
        self.vectors.len()
    }

    pub(crate) fn is_linear(&self) -> bool {
        self.kernel == Kernel::LINEAR
    }

    /// An error if the vectors are none in the space of a run.
    pub(crate) fn fits(&self, place: ComparatorContext<'_>) -> Result<(), Complaint> {
        let (kernel, other) = (self.kernel, place.kernel);
        if kernel != other {
            return Err(Complaint::new(
                format!(
                    "has the kernel {kernel}, and the run has the kernel {other}, so that it is no vector in the space of the run"
                ),
                Remedy::clause(format!("give a model with the kernel {other}")),
            ));
        }
        if !self.is_linear() && self.vectors.iter().any(|u| u.intercept != 0.0) {
            return Err(Complaint::new(
                format!("has an intercept, which is no part of the space of the kernel {kernel}"),
                "give a model with a constant feature or without a bias",
            ));
        }
        let is_shifted = |u: &ClassVector| {
            let constant = u.values.first().is_some_and(|w| *w != 0.0);
            let intercept = u.intercept != 0.0 && place.threshold.is_none();
            self.is_linear() && (constant || intercept)
        };
        if place.bias.is_none() && self.vectors.iter().any(is_shifted) {
            return Err(Complaint::new(
                "has an intercept or the weight of a constant feature, and the run has no constant feature",
                Remedy::give(Setting::Bias, "1")
                    .aim("for the run")
                    .or("a model without a bias"),
            ));
        }
        Ok(())
    }

    /// Which vector is for a class of a run.
    pub(crate) fn which(&self, classes: &Classes, class: usize) -> Result<usize, Complaint> {
        if self.is_binary != classes.is_binary() {
            let words = |binary| {
                if binary {
                    "binary"
                } else {
                    "for several classes"
                }
            };
            let (is, run) = (words(self.is_binary), words(classes.is_binary()));
            return Err(Complaint::new(
                format!("the comparator is {is}, but the run is {run}"),
                "give a model of the same labels",
            ));
        }
        let name = classes.list()[class].label.name();
        if self.is_binary {
            return Ok(0);
        }
        self.class(name)
            .ok_or_else(|| Complaint::plain(format!("the comparator knows no class {name}")))
    }

    /// The vector of a class by its name.
    pub(crate) fn class(&self, name: &str) -> Option<usize> {
        self.vectors.iter().position(|u| u.class == name)
    }

    /// The slot of a feature in a run with other names; none if the run never met it.
    fn slot(&self, slot: usize, names: &Names) -> Option<usize> {
        let is_same = self.names.is_empty() && names.is_empty();
        if is_same || self.names.bits().is_some() {
            return Some(slot);
        }
        let here = match u32::try_from(slot).ok()? {
            0 => Some(0),
            slot => match self.names.name(slot) {
                Some(name) => names.slot(name.as_bytes()),
                None => names.slot(slot.to_string().as_bytes()),
            },
        };
        here.map(|here| here as usize)
    }

    /// A vector by the slots of a run. A feature that the run never met changes no margin and is left out.
    pub(crate) fn placed(&self, which: usize, place: ComparatorContext<'_>) -> Vec<f64> {
        let ClassVector {
            values, intercept, ..
        } = &self.vectors[which];
        let mut placed = vec![0.0; values.len()];
        for (slot, weight) in values.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            if let Some(here) = self.slot(slot, place.names) {
                if here >= placed.len() {
                    placed.resize(here + 1, 0.0);
                }
                placed[here] += weight;
            }
        }
        let mut intercept = *intercept;
        if let Some(threshold) = place.threshold
            && intercept < 0.0
        {
            // U.x is compared with minus the intercept, mu.x with the theorem's threshold
            let factor = threshold / -intercept;
            for w in &mut placed {
                *w *= factor;
            }
            intercept = 0.0;
        }
        let constants = (self.bias.filter(|_| !placed.is_empty()), place.bias);
        if let (Some(was), Some(is)) = constants
            && was != is
        {
            placed[0] *= f64::from(was) / f64::from(is);
        }
        if let Some(bias) = place.bias.filter(|_| intercept != 0.0) {
            placed.resize(placed.len().max(1), 0.0);
            placed[0] += intercept / f64::from(bias);
        }
        placed
    }

    /// The vector at the end of a run, which must have met some of its features.
    pub(crate) fn by_slot(
        &self,
        which: usize,
        place: ComparatorContext<'_>,
    ) -> Result<Vec<f64>, Complaint> {
        self.is_of(place)?;
        let placed = self.placed(which, place);
        let is_zero = |u: &[f64]| u.iter().all(|w| *w == 0.0);
        if is_zero(&placed) && !is_zero(&self.vectors[which].values) {
            let what = "the comparator has no feature that the run met";
            return Err(Complaint::plain(what));
        }
        Ok(placed)
    }

    /// A vector in the space of the run's kernel, as a sum of rows by the slots of the run.
    pub(crate) fn sum(&self, which: usize, place: ComparatorContext<'_>) -> Result<Sum, Complaint> {
        self.is_of(place)?;
        let mut rows = Rows::new();
        for i in 0..self.rows.len() {
            let values = self.rows.row(i).iter();
            let values = values.filter_map(|(slot, v)| Some((self.slot(slot, place.names)?, v)));
            let mut values: Vec<(usize, f64)> = values.collect();
            values.sort_by_key(|(slot, _)| *slot);
            for (slot, value) in values {
                rows.push(slot as u32, value as f32);
            }
            rows.end_row(0);
        }
        Ok(Sum {
            coefficients: self.vectors[which].values.clone(),
            rows,
            scales: self.scales.clone(),
        })
    }

    /// An error, which names the vectors, if they are none in the space of a run or of its features.
    fn is_of(&self, place: ComparatorContext<'_>) -> Result<(), Complaint> {
        self.fits(place).map_err(|why| Complaint {
            what: format!("the comparator {} {}", self.file, why.what),
            ..why
        })?;
        self.same_hash(place.names)
    }

    fn same_hash(&self, names: &Names) -> Result<(), Complaint> {
        let is_other = self.names.bits() != names.bits();
        match self.names.bits().filter(|_| is_other) {
            Some(bits) => Err(Complaint::new(
                format!(
                    "the features of the comparator are hashed to {bits} bits, and those of the run are not"
                ),
                Remedy::give(Setting::Hash, bits.to_string()),
            )),
            None => Ok(()),
        }
    }
}

/// Saves the vectors of a run's certificates, by class, as a model that predicts with them.
pub(crate) fn save(
    path: &Path,
    model: &Model,
    vectors: &[Option<(&certificates::Comparator, &str)>],
    rows: Option<&Problem<'_>>,
    given: Option<&ComparatorModel>,
    memory: u128,
) -> Result<(), Error> {
    let place = ComparatorContext::of(model, model.names());
    let is_linear = model.kernel() == Kernel::LINEAR;
    let mut multiples = None;
    let mut values: Vec<Option<Vec<f64>>> = Vec::new();
    for (class, vector) in vectors.iter().enumerate() {
        values.push(match (vector, given) {
            (None, _) | (Some((certificates::Comparator::Multiple(_), _)), None) => None,
            (Some((certificates::Comparator::Slots(u), _)), _) => Some(u.clone()),
            (Some((certificates::Comparator::Coefficients(c), _)), _) => Some(c.clone()),
            (Some((certificates::Comparator::Multiple(s), _)), Some(given)) => {
                let which = given.which(model.classes(), class)?;
                let mut numbers = if is_linear {
                    given.placed(which, place)
                } else {
                    let sum = given.sum(which, place)?;
                    let coefficients = sum.coefficients.clone();
                    multiples = Some(sum);
                    coefficients
                };
                for v in &mut numbers {
                    *v *= s;
                }
                Some(numbers)
            }
        });
    }
    let intercept = -place.threshold.unwrap_or(0.0);
    let mut lanes: Vec<Option<Scorer<'_>>> = Vec::new();
    if !model.classes().is_binary() {
        lanes.push(None);
    }
    let scorers = values.iter().map(|values| {
        let values = values.as_deref()?;
        Some(Scorer { values, intercept })
    });
    lanes.extend(scorers);
    let learner = if is_linear {
        solved::learner_of(&lanes, memory)
    } else {
        let terms = multiples.as_ref().map(Sum::terms).unwrap_or_default();
        let own = terms.iter().map(|(_, row)| *row);
        let run = (0..rows.map_or(0, Problem::len)).filter_map(|i| rows.map(|p| p.row(i)));
        let slots = rows.map_or(0, Problem::slots);
        let widest = own.clone().filter_map(|row| row.last_slot()).max();
        let slots = slots.max(widest.map_or(1, |slot| slot as usize + 1));
        match &multiples {
            Some(_) => solved::kernel_learner_of(&lanes, own, slots, model.kernel(), memory),
            None => solved::kernel_learner_of(&lanes, run, slots, model.kernel(), memory),
        }
    };
    let learner = learner.map_err(|error| Error::plain(error.to_string()))?;
    let mut theorems: Vec<&str> = Vec::new();
    for (_, theorem) in vectors.iter().flatten() {
        if !theorems.contains(theorem) {
            theorems.push(theorem);
        }
    }
    let word = |name: &str, text: String| (name.to_owned(), Parameter::Word(text));
    let parameters = Parameters::from_list(vec![
        word("of", model.spec().text().to_owned()),
        word("theorem", theorems.join(", ")),
    ]);
    let saved = Model::from_parts(ModelParts {
        spec: Spec::comparator(),
        parameters,
        kernel: model.kernel(),
        auto_gamma: model.has_auto_gamma(),
        schema: Arc::clone(model.schema()),
        learner,
        classes: uncounted(model.classes()),
        totals: Totals {
            trials: model.totals().trials,
            ..Totals::default()
        },
        calibration: None,
        settled_earlier: 0,
        learned: model.learned().clone(),
    });
    let saved = saved.map_err(|error| Error::plain(error.to_string()))?;
    novikoff_data::model::save(&saved, path)?;
    Ok(())
}

/// A copy of the classes without the counts of their learners.
fn uncounted(classes: &Classes) -> Classes {
    let list = classes.list().iter().map(|class| Class {
        label: class.label.clone(),
        counts: Counts::default(),
    });
    let list = list.collect();
    let (task, met) = (classes.task().clone(), classes.met());
    Classes::restore(task, list, Counts::default(), Pending::default(), met)
}
