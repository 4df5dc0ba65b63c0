//! From margins to what the graph gives out: labels, margins, probabilities; or the number that is predicted.

use novikoff::calibration::{Calibration, CalibrationMap, Isotonic};
use novikoff::classes::Task;
use novikoff::model::{Model, ProbabilitySource};
use novikoff::remedy::Complaint;

use crate::graph::{Graph, Number, Value, int};
use crate::messages::element;

/// The names of the labels, in their order; of two labels the negative one first.
pub(crate) fn labels(model: &Model) -> Vec<&str> {
    let classes = model.classes();
    if let Task::Binary { negative, positive } = classes.task() {
        let negative = negative.as_ref().map_or("rest", |label| label.name());
        return vec![negative, positive.name()];
    }
    let order = classes.order().iter();
    let name = |&class: &usize| classes.list()[class].label.name();
    order.map(name).collect()
}

/// Gives out what the margins mean, as numbers of type `out`.
pub(crate) fn answers(
    graph: &mut Graph,
    model: &Model,
    margins: &Value,
    has_probabilities: bool,
    out: Number,
) -> Result<(), Complaint> {
    let classes = model.classes().order().len();
    if let Task::Regression = model.classes().task() {
        give(graph, "value", margins, out, classes);
        return Ok(());
    }
    label(graph, model, margins)?;
    give(graph, "margins", margins, out, classes);
    if has_probabilities && let Some(source) = model.probability_source() {
        let (probabilities, columns) = probabilities(graph, model, margins, source)?;
        give(graph, "probabilities", &probabilities, out, columns);
    }
    Ok(())
}

/// Numbers of one type become an output of another.
fn give(graph: &mut Graph, name: &str, value: &Value, out: Number, columns: usize) {
    let value = if graph.number() == out {
        value.clone()
    } else {
        graph.cast(value, out.code())
    };
    graph.output(name, &value, out.code(), Some(columns));
}

/// The label of each row; with any number of labels per row a column of 0 and 1 for each.
fn label(graph: &mut Graph, model: &Model, margins: &Value) -> Result<(), Complaint> {
    let names = labels(model);
    let place = match model.classes().task() {
        Task::OneVsRest => {
            // the first of equal margins
            let first = vec![int("axis", 1), int("keepdims", 0)];
            graph.node_with("ArgMax", [margins], first)
        }
        task => {
            let zero = graph.scalar(0.0)?;
            let is_positive = graph.node("GreaterOrEqual", [margins, &zero]);
            let flags = graph.cast(&is_positive, element::INT64);
            if let Task::MultiLabel = task {
                graph.output("label", &flags, element::INT64, Some(names.len()));
                return Ok(());
            }
            let axis = graph.ints("axis", &[1], &[1])?;
            graph.node("Squeeze", [&flags, &axis])
        }
    };
    let (list, code) = match whole_numbers(model) {
        Some(numbers) => {
            let list = graph.ints("labels", &[numbers.len()], &numbers)?;
            (list, element::INT64)
        }
        None => (graph.texts("labels", &names)?, element::STRING),
    };
    let label = graph.node("Gather", [&list, &place]);
    graph.output("label", &label, code, None);
    Ok(())
}

/// The labels as whole numbers, if all of them are.
fn whole_numbers(model: &Model) -> Option<Vec<i64>> {
    let whole = |text: &str| text.parse::<i64>().ok();
    labels(model).into_iter().map(whole).collect()
}

/// The probabilities of the labels, and how many columns they have.
fn probabilities(
    graph: &mut Graph,
    model: &Model,
    margins: &Value,
    source: ProbabilitySource<'_>,
) -> Result<(Value, usize), Complaint> {
    let order = model.classes().order();
    let each = match source {
        ProbabilitySource::Native(factor) => {
            let factor = graph.scalar(-factor)?;
            let against = graph.node("Mul", [margins, &factor]);
            sigmoid_of_negative(graph, &against)?
        }
        ProbabilitySource::Calibrated(calibration) => {
            calibrated(graph, order, margins, calibration)?
        }
    };
    let one = graph.scalar(1.0)?;
    match model.classes().task() {
        Task::Binary { .. } => {
            let other = graph.node("Sub", [&one, &each]);
            Ok((graph.side_by_side(&[other, each]), 2))
        }
        Task::OneVsRest => {
            let sum = graph.row_sums(&each)?;
            let zero = graph.scalar(0.0)?;
            let is_positive = graph.node("Greater", [&sum, &zero]);
            let even = graph.scalar(1.0 / order.len() as f64)?;
            let shares = graph.node("Div", [&each, &sum]);
            Ok((graph.choose(&is_positive, &shares, &even), order.len()))
        }
        _ => Ok((each, order.len())),
    }
}

/// `1/(1 + exp(z))`.
fn sigmoid_of_negative(graph: &mut Graph, z: &Value) -> Result<Value, Complaint> {
    let one = graph.scalar(1.0)?;
    let odds = graph.node("Exp", [z]);
    let sum = graph.node("Add", [&odds, &one]);
    Ok(graph.node("Div", [&one, &sum]))
}

/// The maps of a calibration, one column each, in the order of the labels.
fn calibrated(
    graph: &mut Graph,
    order: &[usize],
    margins: &Value,
    calibration: &Calibration,
) -> Result<Value, Complaint> {
    let mut columns = Vec::new();
    for (place, &class) in order.iter().enumerate() {
        let at = graph.ints("column", &[1], &[place as i64])?;
        let margin = graph.node_with("Gather", [margins, &at], vec![int("axis", 1)]);
        columns.push(match &calibration.maps[class] {
            CalibrationMap::Sigmoid(map) => {
                let (slope, offset) = (graph.scalar(map.slope)?, graph.scalar(map.offset)?);
                let product = graph.node("Mul", [&margin, &slope]);
                let against = graph.node("Add", [&product, &offset]);
                sigmoid_of_negative(graph, &against)?
            }
            CalibrationMap::Isotonic(map) => steps(graph, &margin, map)?,
        });
    }
    Ok(graph.side_by_side(&columns))
}

/// A rising map through points: the first probability, and for each step the part of its rise that the margin has behind it.
fn steps(graph: &mut Graph, margin: &Value, map: &Isotonic) -> Result<Value, Complaint> {
    let (margins, probabilities) = (map.margins(), map.probabilities());
    // distances of halves, which do not overflow
    let half: Vec<f64> = margins.iter().map(|m| m / 2.0).collect();
    let first = graph.scalar(probabilities[0])?;
    let (zero, one) = (graph.scalar(0.0)?, graph.scalar(1.0)?);
    let halved = graph.scalar(0.5)?;
    let count = half.len() - 1;
    if count == 0 {
        let nothing = graph.node("Mul", [margin, &zero]);
        return Ok(graph.node("Add", [&nothing, &first]));
    }
    let dims = [1, count];
    let starts = graph.numbers("starts", &dims, half[..count].iter().copied())?;
    let lengths = graph.numbers("lengths", &dims, half.windows(2).map(|m| m[1] - m[0]))?;
    let rises = graph.numbers(
        "rises",
        &dims,
        probabilities.windows(2).map(|p| p[1] - p[0]),
    )?;
    let margin = graph.node("Mul", [margin, &halved]);
    let behind = graph.node("Sub", [&margin, &starts]);
    let share = graph.node("Div", [&behind, &lengths]);
    let share = graph.node("Max", [&share, &zero]);
    let share = graph.node("Min", [&share, &one]);
    let parts = graph.node("Mul", [&share, &rises]);
    let sum = graph.row_sums(&parts)?;
    Ok(graph.node("Add", [&sum, &first]))
}
