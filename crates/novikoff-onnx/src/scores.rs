//! Margins: one column per class, in the order of the labels.

use novikoff::kernel::Kernel;
use novikoff::learner::{Hypothesis, Learner, LinearScore, Voter};
use novikoff::model::Model;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::row::Row;

use crate::Operators;
use crate::graph::{Graph, Value, floats, int};
use crate::kernel::{self, Stored, with_constant};
use crate::rows::{self, Rows, norm, or_one};

/// A learner whose scores are sums: that of the model, or one that votes.
pub(crate) struct Part<'m> {
    learner: &'m dyn Learner,
    /// The scores of all classes, in the order of the labels.
    formulas: Vec<LinearScore>,
    by: Hypothesis,
    /// Its part in a vote.
    pub(crate) voter: Option<Voter<'m>>,
}

/// The learners that a predictor is made of.
pub(crate) fn parts(model: &Model, by: Hypothesis) -> Result<Vec<Part<'_>>, Complaint> {
    if model.classes().order().is_empty() {
        return Err(untaught("knows no class yet"));
    }
    let voters = model.learner().voters(by);
    if voters.is_empty() {
        let formulas = formulas(model, model.learner(), by);
        return Ok(vec![Part {
            learner: model.learner(),
            formulas: formulas.ok_or_else(|| no_formula(model, by))?,
            by,
            voter: None,
        }]);
    }
    let mut parts = Vec::new();
    for voter in voters {
        let formulas = formulas(model, voter.learner, voter.by);
        parts.push(Part {
            learner: voter.learner,
            formulas: formulas.ok_or_else(|| no_formula_of_expert(model, voter.by))?,
            by: voter.by,
            voter: Some(voter),
        });
    }
    Ok(parts)
}

/// The scores of all classes as formulas, in the order of the labels.
fn formulas(model: &Model, learner: &dyn Learner, by: Hypothesis) -> Option<Vec<LinearScore>> {
    let classes = model.classes().order().iter();
    let formula = |&class: &usize| learner.linear_score(model.lane(class), by);
    classes.map(formula).collect()
}

/// A model that has learned nothing has nothing to say.
pub(crate) fn untaught(what: &str) -> Complaint {
    Complaint::new(format!("the model {what}"), "train it first")
}

fn no_formula(model: &Model, by: Hypothesis) -> Complaint {
    let (spec, name) = (model.spec().text(), by.name());
    let what = format!("the {name} predictor of {spec} is no sum over features or stored rows");
    let offered = model.learner().hypotheses().iter().copied();
    let mut others = offered.filter(|&other| {
        other != by && model.learner().linear_score(model.lane(0), other).is_some()
    });
    match others.next() {
        Some(other) => Complaint::new(what, Remedy::give(Setting::Use, other.name())),
        None => Complaint::plain(what),
    }
}

fn no_formula_of_expert(model: &Model, by: Hypothesis) -> Complaint {
    let (spec, name) = (model.spec().text(), by.name());
    let what = format!(
        "the {name} predictor of an expert of {spec} is no sum over features or stored rows"
    );
    let best = Remedy::give(Setting::Use, Hypothesis::Best.name());
    Complaint::new(
        what,
        best.or(Remedy::clause("train with experts that are sums")),
    )
}

/// How many columns a model's rows have before a map: all that it has met.
pub(crate) fn columns(model: &Model, parts: &[Part<'_>]) -> usize {
    let mut columns = model.width() as usize;
    let preparation = model.preparation();
    if let Some(moments) = preparation
        .standardize
        .as_deref()
        .filter(|m| m.slots().is_none())
    {
        columns = columns.max(moments.mean().len().saturating_sub(1));
    }
    if let Some((landmarks, _)) = model.map().and_then(|map| map.landmarks()) {
        columns = columns.max(landmarks.slots().saturating_sub(1));
    }
    for part in parts {
        if let Some(support) = part.learner.support() {
            let last = support.rows().filter_map(|row| row.last_slot()).max();
            columns = columns.max(last.unwrap_or(0) as usize);
        } else if model.map().is_none() {
            let slots = part.formulas.iter().map(|formula| formula.weights.len());
            columns = columns.max(slots.max().unwrap_or(0).saturating_sub(1));
        }
    }
    columns
}

/// The margins of rows by one learner.
pub(crate) fn margins(
    graph: &mut Graph,
    model: &Model,
    rows: &Rows,
    part: &Part<'_>,
    operators: Operators,
) -> Result<Value, Complaint> {
    let own;
    let rows = match &part.voter {
        None => rows,
        Some(voter) => {
            own = rows::of_voter(graph, rows, voter)?;
            &own
        }
    };
    let formulas = &part.formulas;
    let mut sums = match part.learner.support() {
        None => {
            let unmet = unmet_weights(model, part);
            feature_sums(graph, rows, formulas, &unmet, operators)?
        }
        // a voter that has learned nothing says 0
        Some(_) if part.voter.is_some() && is_nothing(formulas) => {
            let nothing = LinearScore {
                weights: Vec::new(),
                intercept: 0.0,
                norm: None,
            };
            let (nothing, unmet) = (vec![nothing; formulas.len()], vec![0.0; formulas.len()]);
            feature_sums(graph, rows, &nothing, &unmet, Operators::Core)?
        }
        Some(support) => {
            let rows_used = support.rows().collect::<Vec<_>>();
            let weights: Vec<Vec<f64>> = formulas.iter().map(|f| f.weights.clone()).collect();
            row_sums(graph, model.kernel(), rows, (rows_used, weights), operators)?
        }
    };
    if let Some(p) = formulas.iter().find_map(|formula| formula.norm) {
        let norm = norm(graph, rows, p)?;
        let norm = or_one(graph, &norm)?;
        sums = graph.node("Div", [&sums, &norm]);
    }
    if formulas.iter().any(|formula| formula.intercept != 0.0) {
        let each = formulas.iter().map(|formula| formula.intercept);
        let intercepts = graph.numbers("intercepts", &[1, formulas.len()], each)?;
        sums = graph.node("Add", [&sums, &intercepts]);
    }
    Ok(sums)
}

fn is_nothing(formulas: &[LinearScore]) -> bool {
    let mut weights = formulas.iter().flat_map(|formula| &formula.weights);
    weights.all(|weight| *weight == 0.0)
}

/// The weight of slots that the learner has not met, class by class: that of its beginning, which is not 0 where updates multiply.
fn unmet_weights(model: &Model, part: &Part<'_>) -> Vec<f64> {
    let slots = part.formulas.iter().map(|formula| formula.weights.len());
    let slot = [slots.max().unwrap_or(0).max(1) as u32];
    let mut scores = vec![0.0; part.learner.lanes()];
    let unit = Row::sparse(&slot, &[1.0]);
    part.learner.scores(unit, part.by, &mut scores);
    let order = model.classes().order().iter();
    let each = order.zip(&part.formulas).map(|(&class, formula)| {
        let weight = scores[model.lane(class)] - formula.intercept;
        if weight.is_finite() { weight } else { 0.0 }
    });
    each.collect()
}

/// Sums of weights times features; `unmet` is the weight of slots that have none yet.
fn feature_sums(
    graph: &mut Graph,
    rows: &Rows,
    formulas: &[LinearScore],
    unmet: &[f64],
    operators: Operators,
) -> Result<Value, Complaint> {
    let formulas: Vec<(&LinearScore, f64)> = formulas.iter().zip(unmet.iter().copied()).collect();
    let weight = |(formula, unmet): (&LinearScore, f64), slot: usize| match slot {
        // rows of a learner without a constant feature have none
        0 => formula.weights.first().copied().unwrap_or(0.0),
        slot => formula.weights.get(slot).copied().unwrap_or(unmet),
    };
    let (columns, classes) = (rows.columns, formulas.len());
    let sums = match operators {
        Operators::Core => {
            let slots = 1..=columns;
            let weights = slots.flat_map(|slot| formulas.iter().map(move |f| weight(*f, slot)));
            let weights = graph.numbers("weights", &[columns, classes], weights)?;
            graph.node("MatMul", [&rows.features, &weights])
        }
        Operators::Ml => {
            // attributes take five bytes per number
            graph.reserve(5 * columns as u128 * classes as u128)?;
            let weights = formulas
                .iter()
                .flat_map(|f| (1..=columns).map(move |slot| weight(*f, slot)));
            let attributes = vec![
                floats("coefficients", weights),
                floats("intercepts", vec![0.0; classes]),
                int("targets", classes as i64),
            ];
            graph.ml_node("LinearRegressor", &rows.features, attributes)
        }
    };
    let of_constant: Vec<f64> = formulas.iter().map(|f| weight(*f, 0)).collect();
    with_constant(graph, &sums, &rows.constant, &of_constant)
}

/// Sums of weights times values of a kernel, over stored rows; those that no class uses are left out.
fn row_sums(
    graph: &mut Graph,
    kernel: Kernel,
    rows: &Rows,
    (stored, weights): (Vec<Row<'_>>, Vec<Vec<f64>>),
    operators: Operators,
) -> Result<Value, Complaint> {
    let is_used = |i: usize| weights.iter().any(|list| list[i] != 0.0);
    let used: Vec<usize> = (0..stored.len()).filter(|&i| is_used(i)).collect();
    if used.is_empty() {
        return Err(untaught(
            "has no rows to compare with: it has learned nothing yet",
        ));
    }
    let of_used = |list: &[f64]| -> Vec<f64> { used.iter().map(|&i| list[i]).collect() };
    let weights: Vec<Vec<f64>> = weights.iter().map(|list| of_used(list)).collect();
    let stored = used.iter().map(|&i| stored[i]);
    let stored = Stored::new(graph, kernel, stored, rows.columns)?;
    match operators {
        Operators::Core => {
            let values = kernel::values(graph, kernel, rows, &stored)?;
            let dims = [stored.len(), weights.len()];
            let each = (0..stored.len()).flat_map(|i| weights.iter().map(move |list| list[i]));
            let weights = graph.numbers("weights", &dims, each)?;
            Ok(graph.node("MatMul", [&values, &weights]))
        }
        Operators::Ml => kernel::ml_sums(graph, kernel, rows, &stored, &weights),
    }
}
