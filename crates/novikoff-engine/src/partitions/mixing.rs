//! Iterative parameter mixing: every partition makes one pass from the same weights, and their weighted mean is where the next pass begins.
//! Paper: McDonald, Hall, Mann, Distributed training strategies for the structured perceptron, 2010.

use std::iter::zip;
use std::sync::Arc;

use novikoff::catalog::CATALOG;
use novikoff::kernel::Kernel;
use novikoff::label::LabelName;
use novikoff::model::{Example, Model, ModelParts, RowSample, Totals};
use novikoff::parameter::Parameters;
use novikoff::rows::Rows;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff::state::{Array, State};

use super::bytes::{Reader, Writer, damaged};
use super::packed::{Packed, Truth, aligned, pack};
use super::solved::{classes_of, schema_of};
use crate::{Error, Remedy, Setting, memory_for};

/// The arrays of a learner that is weights and nothing else.
const WEIGHTS: &str = "weights";
const FACTORS: &str = "factors";

/// What messages call the bytes of a pass.
const ANSWER: &str = "the weights of a partition";

/// A learner that has seen no row and knows all labels. Refused if its weights are not all that it is: the mean of two such learners would be none.
/// `columns` knows the named columns, if there are any.
pub fn mixable(
    spec: Spec,
    labels: &[String],
    features: u32,
    bias: Option<f32>,
    columns: Option<&Schema>,
) -> Result<Model, Error> {
    let parameters = spec.resolved(Some(features), None)?;
    if !is_sum_of_rows(&spec, &parameters)? {
        let others = names_of_mixable().join(", ");
        let error = Error::refused(
            "its state is more than a sum of rows, so weights of partitions cannot be mixed",
            Remedy::clause(format!("use one of {others}")),
        );
        return Err(error.about(Setting::Learner, spec.text()));
    }
    let mut learner = spec.learner(&parameters, Kernel::LINEAR, memory_for(None))?;
    let classes = classes_of(labels);
    if !classes.is_binary() {
        for _ in classes.list() {
            let added = learner.add_lane(0);
            added.map_err(|refusal| Error::plain(refusal.to_string()))?;
        }
    }
    let mut schema = schema_of(columns, bias);
    schema.width = schema.width.max(features);
    let model = Model::from_parts(ModelParts {
        spec,
        parameters,
        kernel: Kernel::LINEAR,
        auto_gamma: false,
        schema: Arc::new(schema),
        learner,
        classes,
        totals: Totals::default(),
        calibration: None,
        settled_earlier: 0,
        learned: RowSample::default(),
    });
    model.map_err(|error| Error::plain(error.to_string()))
}

/// Whether the state of a learner is weights that are sums of rows, and nothing else.
fn is_sum_of_rows(spec: &Spec, parameters: &Parameters) -> Result<bool, Error> {
    if !(spec.entry().can.additive)(parameters) || !spec.parts().is_empty() {
        return Ok(false);
    }
    let learner = spec.learner(parameters, Kernel::LINEAR, memory_for(None))?;
    let mut state = State::new();
    learner.save(&mut state);
    let mut arrays = state.arrays();
    Ok(arrays.all(|(name, _)| [WEIGHTS, FACTORS].contains(&name)))
}

/// The learners whose weights can be mixed.
fn names_of_mixable() -> Vec<&'static str> {
    let can = CATALOG.iter().filter(|entry| {
        let spec = Spec::parse(entry.name).ok();
        let mixes = spec.and_then(|spec| {
            let parameters = spec.resolved(Some(2), None).ok()?;
            is_sum_of_rows(&spec, &parameters).ok()
        });
        mixes == Some(true)
    });
    can.map(|entry| entry.name).collect()
}

/// One pass over one partition.
pub struct Pass {
    model: Model,
    counts: PassCounts,
}

/// What a pass came to.
#[derive(Clone, Copy, Debug, Default)]
struct PassCounts {
    trials: u64,
    mistakes: u64,
    updates: u64,
    /// The sum of `|x|^2` over the mistakes.
    norm_sq: f64,
}

impl PassCounts {
    fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(PassCounts {
            trials: from.word()?,
            mistakes: from.word()?,
            updates: from.word()?,
            norm_sq: from.number()?,
        })
    }
}

impl Pass {
    /// A pass that begins from a model.
    pub fn from(model: &Model) -> Self {
        Pass {
            model: model.clone(),
            counts: PassCounts::default(),
        }
    }

    /// Tries the rows of a packed block, in their order.
    pub fn walk(&mut self, rows: &[u8]) -> Result<(), Error> {
        let words = aligned(rows);
        let packed = Packed::read(&words, rows.len())?;
        let labels = typed(&packed);
        for i in 0..packed.rows.len() {
            self.trial(&packed, &labels, i)?;
        }
        Ok(())
    }

    /// The weights that the pass ended with, and its counts, as bytes.
    pub fn answer(&self) -> Vec<u8> {
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
        out.0
    }

    /// One trial, and whether it was a mistake.
    fn trial(
        &mut self,
        packed: &Packed<'_>,
        labels: &[LabelName],
        i: usize,
    ) -> Result<bool, Error> {
        let label = packed.code(i).and_then(|code| labels.get(code));
        let label = label.ok_or_else(|| damaged("packed rows"))?;
        let x = packed.rows.row(i);
        let before = self.model.totals().updates;
        let example = Example {
            x,
            id: None,
            weight: packed.rows.weight(i),
        };
        let mistake = match self.model.learn(example, [label.name()]) {
            Ok(outcome) => outcome.is_mistake(),
            Err(error) => return Err(Error::refused(error.to_string(), error.remedy())),
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

fn typed(packed: &Packed<'_>) -> Vec<LabelName> {
    let texts = packed.labels.iter();
    texts.map(|text| LabelName::typed(text)).collect()
}

/// How the answers of partitions are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixBy {
    /// All the same.
    Uniform,
    /// By their mistakes.
    Mistakes,
}

impl MixBy {
    /// The weights of the partitions, which sum to 1.
    fn shares(self, counts: &[PassCounts]) -> Vec<f64> {
        let all: u64 = counts.iter().map(|c| c.mistakes).sum();
        match self {
            MixBy::Mistakes if all > 0 => {
                let shares = counts.iter().map(|c| c.mistakes as f64 / all as f64);
                shares.collect()
            }
            MixBy::Mistakes | MixBy::Uniform => {
                vec![1.0 / counts.len().max(1) as f64; counts.len()]
            }
        }
    }
}

/// What the passes of one epoch are mixed into.
pub struct Mixed {
    /// Where the next epoch begins.
    pub model: Model,
    /// The weight of each partition.
    pub mu: Vec<f64>,
    /// Of all partitions.
    pub trials: u64,
    /// Of all partitions.
    pub mistakes: u64,
    /// Each partition's times its weight.
    pub weighted_mistakes: f64,
    /// The sums of `|x|^2` over the mistakes, each partition's times its weight.
    pub weighted_norm_sq: f64,
}

/// The model that the answers of all partitions, in their order, are mixed into.
pub fn mixed(model: &Model, answers: &[&[u8]], by: MixBy) -> Result<Mixed, Error> {
    let mut counts = Vec::new();
    for answer in answers {
        counts.push(PassCounts::read(&mut Reader::new(ANSWER, answer))?);
    }
    let mu = by.shares(&counts);
    let lanes = model.learner().lanes();
    let mut weights = vec![Vec::new(); lanes];
    for (answer, &mu) in zip(answers, &mu) {
        let mut from = Reader::new(ANSWER, answer);
        PassCounts::read(&mut from)?;
        if from.count(16)? != lanes {
            return Err(from.damaged());
        }
        for sum in &mut weights {
            let mut own = Vec::new();
            from.add_vector(&mut own)?;
            add_times(sum, mu, &own);
        }
        from.end()?;
    }
    let sum = |of: fn(&PassCounts) -> u64| counts.iter().map(of).sum::<u64>();
    let totals = Totals {
        trials: sum(|c| c.trials),
        mistakes: sum(|c| c.mistakes),
        updates: sum(|c| c.updates),
    };
    let weighted = |of: fn(&PassCounts) -> f64| -> f64 {
        let terms = zip(&counts, &mu);
        terms.map(|(c, mu)| mu * of(c)).sum()
    };
    Ok(Mixed {
        model: with_weights(model, &weights, totals)?,
        trials: totals.trials,
        mistakes: totals.mistakes,
        weighted_mistakes: weighted(|c| c.mistakes as f64),
        weighted_norm_sq: weighted(|c| c.norm_sq),
        mu,
    })
}

/// The model whose weights are the mean of those of several, which have the same classes, and which is the last of them otherwise.
pub fn mean(models: &[&Model]) -> Result<Model, Error> {
    let last = models
        .last()
        .ok_or_else(|| Error::plain("there is no model to average"))?;
    let lanes = last.learner().lanes();
    let share = 1.0 / models.len() as f64;
    let mut weights = vec![Vec::new(); lanes];
    for model in models {
        for (lane, sum) in weights.iter_mut().enumerate() {
            add_times(sum, share, &model.learner().weights(lane));
        }
    }
    with_weights(last, &weights, Totals::default())
}

/// `sum += factor vector`; of exactly one vector with the factor 1 the numbers stay as they are.
fn add_times(sum: &mut Vec<f64>, factor: f64, vector: &[f64]) {
    if sum.len() < vector.len() {
        sum.resize(vector.len(), 0.0);
    }
    zip(sum, vector).for_each(|(sum, w)| *sum += factor * w);
}

/// A bound of weighted mistakes: `hinge + |U| sqrt(X)`, X the weighted sum of `|x|^2` over the mistakes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixingBound {
    /// The weighted hinge losses of U over the mistakes.
    pub hinge: f64,
    /// `|U| sqrt(X)`.
    pub spread: f64,
    /// `|U|`.
    pub length: f64,
}

impl MixingBound {
    /// For a comparator U. `loss` is the mean over `rows` rows of weight times hinge loss, `mistakes` and `norm_sq` are the weighted sums of all epochs. Each term
    /// is no less than its exact value.
    pub fn of(u: &[f64], loss: f64, rows: u64, mistakes: f64, norm_sq: f64) -> Self {
        // sums of k terms are within k units of their last place
        let unit = 0.5 * f64::EPSILON;
        let sum = |terms: f64| 1.0 + 2.0 * unit * terms;
        let length = u.iter().map(|w| w * w).sum::<f64>().sqrt() * sum(u.len() as f64);
        // a margin is within that many units of |U| |x|, and the |x| of all mistakes sum to at most sqrt(K X)
        let margins = 2.0 * unit * (u.len() as f64 + 2.0) * length * (mistakes * norm_sq).sqrt();
        MixingBound {
            hinge: loss * rows as f64 * sum(rows as f64 + 8.0) + margins,
            spread: length * norm_sq.sqrt() * sum(rows as f64 + 8.0),
            length,
        }
    }

    /// The bound.
    pub fn bound(&self) -> f64 {
        self.hinge + self.spread
    }
}

/// Goes through a block again as the passes did, which have a weight each, and gives the rows on which some pass erred, packed, each with
/// the sum of the passes' weights as its own; none if there are none. The weights are rounded up, so that a loss of these rows is no
/// less than what the theorem has.
pub fn mistaken(passes: &mut [(&mut Pass, f64)], rows: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let words = aligned(rows);
    let packed = Packed::read(&words, rows.len())?;
    let labels = typed(&packed);
    let (mut kept, mut codes) = (Rows::new(), Vec::new());
    for i in 0..packed.rows.len() {
        let mut weight = 0.0;
        for (pass, mu) in &mut *passes {
            if pass.trial(&packed, &labels, i)? {
                weight += *mu;
            }
        }
        if weight == 0.0 {
            continue;
        }
        for (slot, value) in packed.rows.row(i).iter() {
            kept.push(slot as u32, value as f32);
        }
        kept.set_weight((weight as f32).next_up());
        kept.end_row(i as u64);
        codes.push(packed.code(i).ok_or_else(|| damaged("packed rows"))? as u32);
    }
    if kept.is_empty() {
        return Ok(None);
    }
    let labels = packed.labels.iter().map(|&text| text.to_owned()).collect();
    let (bytes, _) = pack(&kept, packed.rows.width(), &Truth::Labels(labels, codes));
    Ok(Some(bytes))
}

/// The labels of a packed block, each with the number of its rows that a model answers right.
pub fn right_answers(model: &Model, rows: &[u8]) -> Result<Vec<(String, u64)>, Error> {
    let words = aligned(rows);
    let packed = Packed::read(&words, rows.len())?;
    let labels = typed(&packed);
    let mut right = vec![0; labels.len()];
    let mut scores = Vec::new();
    for i in 0..packed.rows.len() {
        let code = packed.code(i).filter(|&code| code < labels.len());
        let code = code.ok_or_else(|| damaged("packed rows"))?;
        model.scores(packed.rows.row(i), None, &mut scores);
        let is_wrong = model.is_wrong(&scores, std::iter::once(labels[code].name().into()));
        right[code] += u64::from(!is_wrong);
    }
    let texts = packed.labels.iter().map(|&text| text.to_owned());
    Ok(texts.zip(right).collect())
}

/// The model with other weights, by lane and slot, whose counts have grown.
fn with_weights(model: &Model, weights: &[Vec<f64>], more: Totals) -> Result<Model, Error> {
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
    loaded.map_err(|error| Error::plain(error.to_string()))?;
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
        learned: RowSample::default(),
    });
    next.map_err(|error| Error::plain(error.to_string()))
}
