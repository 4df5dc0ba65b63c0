//! Iterative parameter mixing: every partition makes one pass from the same weights, and their weighted mean is where the next pass begins.
//! Paper: McDonald, Hall, Mann, Distributed training strategies for the structured perceptron, 2010.

use std::sync::Arc;

use novikoff::kernel::Kernel;
use novikoff::label::LabelName;
use novikoff::model::{Example, Model, ModelParts, Totals};
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff::state::{Array, State};
use novikoff_engine::memory_for;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::bytes::{Reader, Writer, damaged};
use super::packed::{Packed, Truth, aligned, pack};
use super::point::PyPoint;
use super::solved::{classes_of, schema_of};
use crate::model::{PyModel, learner};
use crate::words::{raised, refused};

/// The arrays of a learner that is weights and nothing else.
const WEIGHTS: &str = "weights";
const FACTORS: &str = "factors";

/// A learner that has seen no row and knows all labels. Refused if its weights are not all that it is: the mean of two such learners would be none.
#[pyfunction]
#[pyo3(signature = (spec, labels, features, bias=None, columns=None))]
pub(crate) fn local_learner(
    spec: &str,
    labels: Vec<String>,
    features: u32,
    bias: Option<f32>,
    columns: Option<&PyModel>,
) -> PyResult<PyModel> {
    let spec = learner(spec)?;
    let parameters = spec.resolved(Some(features), None);
    let parameters = parameters.map_err(|error| raised(&error.into()))?;
    let is_additive = (spec.entry().can.additive)(&parameters) && spec.parts().is_empty();
    let built = spec.learner(&parameters, Kernel::LINEAR, memory_for(None));
    let mut built = built.map_err(|error| raised(&error.into()))?;
    let classes = classes_of(&labels);
    if !classes.is_binary() {
        for _ in classes.list() {
            let added = built.add_lane(0);
            added.map_err(|refusal| refused(refusal.to_string()))?;
        }
    }
    let has_more = {
        let mut state = State::new();
        built.save(&mut state);
        state
            .arrays()
            .any(|(name, _)| ![WEIGHTS, FACTORS].contains(&name))
    };
    if !is_additive || has_more {
        return Err(refused(format!(
            "learner={:?}: its state is more than a sum of rows, so weights of partitions cannot be mixed; use one of {}",
            spec.text(),
            mixable().join(", ")
        )));
    }
    let mut schema = schema_of(columns, bias);
    schema.width = schema.width.max(features);
    let model = Model::from_parts(ModelParts {
        spec,
        parameters,
        kernel: Kernel::LINEAR,
        auto_gamma: false,
        schema: Arc::new(schema),
        learner: built,
        classes,
        totals: Totals::default(),
        calibration: None,
        settled_earlier: 0,
    });
    model
        .map(PyModel::from)
        .map_err(|error| refused(error.to_string()))
}

/// The learners whose weights can be mixed.
fn mixable() -> Vec<&'static str> {
    let all = novikoff::catalog::CATALOG.iter();
    let can = all.filter(|entry| {
        let Ok(spec) = Spec::parse(entry.name) else {
            return false;
        };
        let Ok(parameters) = spec.resolved(Some(2), None) else {
            return false;
        };
        if !(entry.can.additive)(&parameters) || !spec.parts().is_empty() {
            return false;
        }
        let Ok(learner) = spec.learner(&parameters, Kernel::LINEAR, memory_for(None)) else {
            return false;
        };
        let mut state = State::new();
        learner.save(&mut state);
        state
            .arrays()
            .all(|(name, _)| [WEIGHTS, FACTORS].contains(&name))
    });
    can.map(|entry| entry.name).collect()
}

/// One pass of one partition, or what the passes of several came to.
#[pyclass(module = "novikoff._native", name = "Mixer")]
pub(crate) struct PyMixer {
    model: Model,
    counts: PassCounts,
}

/// What a pass over one partition came to.
#[derive(Clone, Copy, Default)]
struct PassCounts {
    trials: u64,
    mistakes: u64,
    updates: u64,
    /// The sum of `|x|^2` over the mistakes.
    norm_sq: f64,
}

/// How answers are weighted.
#[derive(Clone, Copy)]
enum MixBy {
    Uniform,
    Mistakes,
}

#[pymethods]
impl PyMixer {
    /// A pass that begins from a model.
    #[new]
    fn new(model: &PyModel) -> Self {
        PyMixer {
            model: (*model.model).clone(),
            counts: PassCounts::default(),
        }
    }

    /// Learns from a block of packed rows.
    fn learn(&mut self, rows: &[u8]) -> PyResult<()> {
        let words = aligned(rows);
        let packed = Packed::read(&words, rows.len())?;
        let labels = typed(&packed);
        for i in 0..packed.rows.len() {
            self.trial(&packed, &labels, i)?;
        }
        Ok(())
    }

    /// The weights that the pass ended with, and its counts.
    fn answer<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut out = Writer::default();
        let PassCounts {
            trials,
            mistakes,
            updates,
            norm_sq,
        } = self.counts;
        out.count(trials as usize);
        out.count(mistakes as usize);
        out.count(updates as usize);
        out.number(norm_sq);
        let lanes = self.model.learner().lanes();
        out.count(lanes);
        for lane in 0..lanes {
            out.vector(&self.model.learner().weights(lane));
        }
        PyBytes::new(py, &out.0)
    }

    /// The model that the answers of all partitions, in their order, are mixed into, and what the epoch came to: the weight of each
    /// partition, the weighted mistakes, and the weighted sum of `|x|^2` over them.
    #[staticmethod]
    fn mix<'py>(
        py: Python<'py>,
        model: &PyModel,
        answers: Vec<Bound<'py, PyBytes>>,
        by: &str,
    ) -> PyResult<(PyModel, Bound<'py, PyDict>)> {
        let by = match by {
            "uniform" => MixBy::Uniform,
            "mistakes" => MixBy::Mistakes,
            other => {
                return Err(refused(format!(
                    "mixing={other:?}: must be \"uniform\" or \"mistakes\""
                )));
            }
        };
        let mut counts = Vec::new();
        for answer in &answers {
            counts.push(PassCounts::read(&mut Reader::new(
                ANSWER,
                answer.as_bytes(),
            ))?);
        }
        let mu = shares(&counts, by);
        let lanes = model.model.learner().lanes();
        let mut weights = vec![Vec::new(); lanes];
        for (answer, &mu) in answers.iter().zip(&mu) {
            let mut from = Reader::new(ANSWER, answer.as_bytes());
            PassCounts::read(&mut from)?;
            if from.count(16)? != lanes {
                return Err(from.damaged());
            }
            for sum in &mut weights {
                let mut own = Vec::new();
                from.add_vector(&mut own)?;
                if sum.len() < own.len() {
                    sum.resize(own.len(), 0.0);
                }
                // of exactly one partition the weights stay as they are
                sum.iter_mut().zip(own).for_each(|(sum, w)| *sum += mu * w);
            }
            from.end()?;
        }
        let sum = |of: fn(&PassCounts) -> u64| counts.iter().map(of).sum::<u64>();
        let totals = Totals {
            trials: sum(|c| c.trials),
            mistakes: sum(|c| c.mistakes),
            updates: sum(|c| c.updates),
        };
        let next = with_weights(&model.model, &weights, totals)?;
        let weighted = |of: fn(&PassCounts) -> f64| -> f64 {
            let terms = counts.iter().zip(&mu);
            terms.map(|(c, mu)| mu * of(c)).sum()
        };
        let about = PyDict::new(py);
        about.set_item("weighted_mistakes", weighted(|c| c.mistakes as f64))?;
        about.set_item("weighted_norm_sq", weighted(|c| c.norm_sq))?;
        about.set_item("trials", totals.trials)?;
        about.set_item("mistakes", totals.mistakes)?;
        about.set_item("mu", mu)?;
        Ok((next, about))
    }

    /// The model whose weights are the mean of those of several, which have the same classes.
    #[staticmethod]
    fn mean(models: Vec<PyRef<'_, PyModel>>) -> PyResult<PyModel> {
        let last = models
            .last()
            .ok_or_else(|| refused("no model to average"))?;
        let lanes = last.model.learner().lanes();
        let share = 1.0 / models.len() as f64;
        let mut weights = vec![Vec::new(); lanes];
        for model in &models {
            for (lane, sum) in weights.iter_mut().enumerate() {
                let own = model.model.learner().weights(lane);
                if sum.len() < own.len() {
                    sum.resize(own.len(), 0.0);
                }
                sum.iter_mut()
                    .zip(own)
                    .for_each(|(sum, w)| *sum += share * w);
            }
        }
        with_weights(&last.model, &weights, Totals::default())
    }

    /// The bound `hinge + |U| sqrt(X)` of the weighted mistakes, for the U of a point: `loss` is the mean over `rows` rows of weight times hinge
    /// loss, and X the weighted sum of `|x|^2` over the mistakes. Each term is no less than its exact value.
    #[staticmethod]
    fn bound<'py>(
        py: Python<'py>,
        point: &PyPoint,
        loss: f64,
        rows: u64,
        mistakes: f64,
        norm_sq: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let u = point.vectors.first().map_or(&[][..], Vec::as_slice);
        // sums of k terms are within k units of their last place
        let unit = 0.5 * f64::EPSILON;
        let sum = |terms: f64| 1.0 + 2.0 * unit * terms;
        let length = u.iter().map(|w| w * w).sum::<f64>().sqrt() * sum(u.len() as f64);
        // a margin is within that many units of |U| |x|, and the |x| of all mistakes sum to at most sqrt(K X)
        let margins = 2.0 * unit * (u.len() as f64 + 2.0) * length * (mistakes * norm_sq).sqrt();
        let hinge = loss * rows as f64 * sum(rows as f64 + 8.0) + margins;
        let spread = length * norm_sq.sqrt() * sum(rows as f64 + 8.0);
        let about = PyDict::new(py);
        about.set_item("theorem", "iterative parameter mixing")?;
        about.set_item("weighted_mistakes", mistakes)?;
        about.set_item("bound", hinge + spread)?;
        about.set_item("hinge", hinge)?;
        about.set_item("spread", spread)?;
        about.set_item("length", length)?;
        Ok(about)
    }

    /// Goes through a block again as the passes that began from these did, and gives the rows on which some pass erred, packed, each with
    /// the sum of the passes' weights as its own; none if there are none. The weights are rounded up, so that a loss of these rows is no
    /// less than what the theorem has.
    #[staticmethod]
    fn mistaken<'py>(
        py: Python<'py>,
        mut passes: Vec<PyRefMut<'_, PyMixer>>,
        mu: Vec<f64>,
        rows: &[u8],
    ) -> PyResult<Option<(Bound<'py, PyBytes>, Bound<'py, PyDict>)>> {
        let words = aligned(rows);
        let packed = Packed::read(&words, rows.len())?;
        let labels = typed(&packed);
        let (mut kept, mut codes) = (Rows::new(), Vec::new());
        let (mut norm_sq, mut largest, mut heaviest) = (0.0, 0.0_f32, 1.0_f32);
        for i in 0..packed.rows.len() {
            let mut weight = 0.0;
            for (pass, mu) in passes.iter_mut().zip(&mu) {
                if pass.trial(&packed, &labels, i)? {
                    weight += mu;
                }
            }
            if weight == 0.0 {
                continue;
            }
            let weight = (weight as f32).next_up();
            let x = packed.rows.row(i);
            for (slot, value) in x.iter() {
                kept.push(slot as u32, value as f32);
                largest = largest.max((value as f32).abs());
            }
            kept.set_weight(weight);
            kept.end_row(i as u64);
            heaviest = heaviest.max(weight);
            norm_sq += x.norm_sq();
            codes.push(packed.code(i).ok_or_else(|| damaged("packed rows"))? as u32);
        }
        if kept.is_empty() {
            return Ok(None);
        }
        let facts = PyDict::new(py);
        facts.set_item("rows", kept.len())?;
        facts.set_item("values", kept.values())?;
        facts.set_item("width", packed.rows.width())?;
        facts.set_item("norm_sq", norm_sq)?;
        facts.set_item("largest", f64::from(largest) * f64::from(heaviest))?;
        facts.set_item("labels", Vec::<(String, u64)>::new())?;
        let labels = packed.labels.iter().map(|&text| text.to_owned()).collect();
        let truth = Truth::Labels(labels, codes);
        let bytes = pack(&kept, packed.rows.width(), &truth);
        Ok(Some((PyBytes::new(py, &bytes), facts)))
    }
}

/// What messages call the bytes of a pass.
const ANSWER: &str = "the weights of a partition";

impl PyMixer {
    /// One trial, and whether it was a mistake.
    fn trial(&mut self, packed: &Packed<'_>, labels: &[LabelName], i: usize) -> PyResult<bool> {
        let label = packed.code(i).and_then(|code| labels.get(code));
        let label = label.ok_or_else(|| damaged("packed rows"))?;
        let x = packed.rows.row(i);
        let before = self.model.totals().updates;
        let example = Example {
            x,
            id: None,
            weight: packed.rows.weight(i),
        };
        let outcome = self.model.learn(example, [label.name()]);
        let mistake = match outcome {
            Ok(outcome) => outcome.is_mistake(),
            Err(error) => {
                let what = error.to_string();
                return Err(refused(what));
            }
        };
        self.counts.trials += 1;
        self.counts.updates += self.model.totals().updates - before;
        if mistake {
            self.counts.mistakes += 1;
            self.counts.norm_sq += x.norm_sq();
        }
        Ok(mistake)
    }
}

impl PassCounts {
    fn read(from: &mut Reader<'_>) -> PyResult<Self> {
        Ok(PassCounts {
            trials: from.word()?,
            mistakes: from.word()?,
            updates: from.word()?,
            norm_sq: from.number()?,
        })
    }
}

fn typed(packed: &Packed<'_>) -> Vec<LabelName> {
    let texts = packed.labels.iter();
    texts.map(|text| LabelName::typed(text)).collect()
}

/// The weights of the partitions, which sum to 1.
fn shares(counts: &[PassCounts], by: MixBy) -> Vec<f64> {
    let all: u64 = counts.iter().map(|c| c.mistakes).sum();
    match by {
        MixBy::Mistakes if all > 0 => {
            let shares = counts.iter().map(|c| c.mistakes as f64 / all as f64);
            shares.collect()
        }
        MixBy::Mistakes | MixBy::Uniform => vec![1.0 / counts.len().max(1) as f64; counts.len()],
    }
}

/// The model with other weights, by lane and slot, whose counts have grown.
fn with_weights(model: &Model, weights: &[Vec<f64>], more: Totals) -> PyResult<PyModel> {
    let lanes = weights.len();
    let slots = weights.iter().map(Vec::len).max().unwrap_or(0);
    let mut by_slot = vec![0.0; slots * lanes];
    for (lane, weights) in weights.iter().enumerate() {
        for (slot, w) in weights.iter().enumerate() {
            by_slot[slot * lanes + lane] = *w;
        }
    }
    let mut state = State::new();
    state.insert(FACTORS.to_owned(), Array::F64(vec![1.0; lanes].into()));
    state.insert(WEIGHTS.to_owned(), Array::F64(by_slot.into()));
    let mut learner = model.learner().copy();
    let loaded = learner.load(lanes, &mut state);
    loaded.map_err(|error| refused(error.to_string()))?;
    let totals = model.totals();
    let next = Model::from_parts(ModelParts {
        spec: model.spec().clone(),
        parameters: model.parameters().clone(),
        kernel: Kernel::LINEAR,
        auto_gamma: false,
        schema: Arc::clone(model.schema()),
        learner,
        classes: model.classes().clone(),
        totals: Totals {
            trials: totals.trials + more.trials,
            mistakes: totals.mistakes + more.mistakes,
            updates: totals.updates + more.updates,
        },
        calibration: None,
        settled_earlier: 0,
    });
    next.map(PyModel::from)
        .map_err(|error| refused(error.to_string()))
}
