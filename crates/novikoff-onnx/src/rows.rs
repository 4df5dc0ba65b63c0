//! From the matrix that a graph is given to rows as a learner sees them: rounded to f32, centred and scaled, normalised, mapped.

use novikoff::learner::Voter;
use novikoff::preparation::Preparation;
use novikoff::remedy::Complaint;
use novikoff::standardize::Moments;

use crate::graph::{Graph, Number, Value, int, ints};
use crate::map;
use crate::messages::element;

/// Rows as a learner sees them.
pub(crate) struct Rows {
    /// All features but the constant one: one column per slot, from slot 1.
    pub(crate) features: Value,
    /// How many columns.
    pub(crate) columns: usize,
    /// The constant feature.
    pub(crate) constant: Constant,
}

/// The constant feature of rows.
#[derive(Clone)]
pub(crate) enum Constant {
    /// There is none.
    Absent,
    /// All rows have the same.
    Same(f64),
    /// A column: it was divided by the norm of its row.
    Column(Value),
}

/// The rows of a matrix, prepared.
pub(crate) fn prepared(
    graph: &mut Graph,
    input: &Value,
    given: Number,
    columns: usize,
    preparation: &Preparation,
) -> Result<Rows, Complaint> {
    let bias = preparation
        .bias
        .map_or(Constant::Absent, |bias| Constant::Same(f64::from(bias)));
    let mut rows = Rows {
        features: as_stored(graph, input, given),
        columns,
        constant: match preparation.map {
            // it is put behind the map
            Some(_) => Constant::Absent,
            None => bias.clone(),
        },
    };
    if let Some(moments) = &preparation.standardize {
        rows.features = standardized(graph, &rows, moments)?;
    }
    if let Some(p) = preparation.normalize {
        rows = normalized(graph, &rows, p)?;
    }
    if let Some(map) = &preparation.map {
        rows = map::mapped(graph, &rows, map, bias)?;
    }
    Ok(rows)
}

/// The rows of one learner that votes: with a constant feature and a norm of its own.
pub(crate) fn of_voter(
    graph: &mut Graph,
    rows: &Rows,
    voter: &Voter<'_>,
) -> Result<Rows, Complaint> {
    let own = voter.bias.map(|bias| Constant::Same(f64::from(bias)));
    let rows = Rows {
        features: rows.features.clone(),
        columns: rows.columns,
        constant: match &rows.constant {
            Constant::Absent => Constant::Absent,
            _ => own.unwrap_or(Constant::Absent),
        },
    };
    match voter.normalize {
        Some(p) => normalized(graph, &rows, p),
        None => Ok(rows),
    }
}

/// The values that readers store, which are f32, as the numbers that the graph computes with.
fn as_stored(graph: &mut Graph, input: &Value, given: Number) -> Value {
    let stored = match given {
        Number::Float32 => input.clone(),
        Number::Float64 => graph.cast(input, element::FLOAT),
    };
    match graph.number() {
        Number::Float32 => stored,
        Number::Float64 => graph.cast(&stored, element::DOUBLE),
    }
}

/// Rounded to f32, as the values of prepared rows are.
pub(crate) fn rounded(graph: &mut Graph, value: &Value) -> Value {
    match graph.number() {
        Number::Float32 => value.clone(),
        Number::Float64 => {
            let single = graph.cast(value, element::FLOAT);
            graph.cast(&single, element::DOUBLE)
        }
    }
}

/// `(x - mean) * scale`, column by column.
fn standardized(graph: &mut Graph, rows: &Rows, moments: &Moments) -> Result<Value, Complaint> {
    let of_slot = |slot: usize| match (moments.of_slot(slot as u32), moments.slots()) {
        (Some(moments), _) => moments,
        // left as it is
        (None, Some(_)) => (0.0, 1.0),
        // not known when the means were taken: left out
        (None, None) => (0.0, 0.0),
    };
    let slots = || (1..=rows.columns).map(of_slot);
    let mean = graph.numbers("mean", &[1, rows.columns], slots().map(|(mean, _)| mean))?;
    let scale = graph.numbers("scale", &[1, rows.columns], slots().map(|(_, scale)| scale))?;
    let centred = graph.node("Sub", [&rows.features, &mean]);
    let scaled = graph.node("Mul", [&centred, &scale]);
    let (least, most) = (
        graph.scalar(f64::from(f32::MIN))?,
        graph.scalar(f64::from(f32::MAX))?,
    );
    let bounded = graph.node("Clip", [&scaled, &least, &most]);
    Ok(rounded(graph, &bounded))
}

/// Rows over their p-norm; rows of norm 0 stay.
fn normalized(graph: &mut Graph, rows: &Rows, p: f64) -> Result<Rows, Complaint> {
    let norm = norm(graph, rows, p)?;
    let norm = or_one(graph, &norm)?;
    let features = graph.node("Div", [&rows.features, &norm]);
    let constant = match &rows.constant {
        Constant::Absent => Constant::Absent,
        Constant::Same(constant) => {
            let constant = graph.scalar(*constant)?;
            Constant::Column(graph.node("Div", [&constant, &norm]))
        }
        Constant::Column(column) => Constant::Column(graph.node("Div", [column, &norm])),
    };
    Ok(Rows {
        features,
        constant,
        columns: rows.columns,
    })
}

/// Numbers that are above 0, and 1 in place of others.
pub(crate) fn or_one(graph: &mut Graph, value: &Value) -> Result<Value, Complaint> {
    let (zero, one) = (graph.scalar(0.0)?, graph.scalar(1.0)?);
    let is_positive = graph.node("Greater", [value, &zero]);
    Ok(graph.choose(&is_positive, value, &one))
}

/// The p-norm of each row, its constant feature included: a column.
pub(crate) fn norm(graph: &mut Graph, rows: &Rows, p: f64) -> Result<Value, Complaint> {
    let magnitudes = graph.node("Abs", [&rows.features]);
    let constant = match &rows.constant {
        Constant::Absent => None,
        Constant::Same(constant) => Some(graph.scalar(constant.abs())?),
        Constant::Column(column) => Some(graph.node("Abs", [column])),
    };
    if p == 1.0 {
        return summed(graph, &magnitudes, constant.as_ref());
    }
    if p == 2.0 {
        let squares = graph.node("Mul", [&magnitudes, &magnitudes]);
        let square = constant.map(|c| graph.node("Mul", [&c, &c]));
        let sum = summed(graph, &squares, square.as_ref())?;
        return Ok(graph.node("Sqrt", [&sum]));
    }
    let largest = vec![ints("axes", vec![1]), int("keepdims", 1)];
    let mut top = graph.node_with("ReduceMax", [&magnitudes], largest);
    if let Some(constant) = &constant {
        top = graph.node("Max", [&top, constant]);
    }
    if p == f64::INFINITY {
        return Ok(top);
    }
    // powers of numbers up to 1 do not overflow
    let unit = or_one(graph, &top)?;
    let (power, root) = (graph.scalar(p)?, graph.scalar(1.0 / p)?);
    let shares = graph.node("Div", [&magnitudes, &unit]);
    let powers = graph.node("Pow", [&shares, &power]);
    let of_constant = constant.map(|constant| {
        let share = graph.node("Div", [&constant, &unit]);
        graph.node("Pow", [&share, &power])
    });
    let sum = summed(graph, &powers, of_constant.as_ref())?;
    let root = graph.node("Pow", [&sum, &root]);
    Ok(graph.node("Mul", [&top, &root]))
}

/// The sum of the columns, and of one more.
fn summed(graph: &mut Graph, columns: &Value, more: Option<&Value>) -> Result<Value, Complaint> {
    let sum = graph.row_sums(columns)?;
    Ok(match more {
        Some(more) => graph.node("Add", [&sum, more]),
        None => sum,
    })
}
