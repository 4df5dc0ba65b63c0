//! Values of a kernel, and sums over them.

use novikoff::kernel::{Kernel, KernelShape};
use novikoff::remedy::Complaint;
use novikoff::row::Row;

use crate::graph::{Graph, Value, floats, int, word};
use crate::rows::{Constant, Rows, or_one};

/// Rows that are stored: the other side of kernel values.
pub(crate) struct Stored {
    columns: usize,
    /// One row after the other.
    values: Vec<f32>,
    /// What the values of each row are to be multiplied by.
    scales: Vec<f64>,
    /// The constant feature of each row.
    constants: Vec<f64>,
    /// The length of each row in the kernel's space.
    lengths: Vec<f64>,
}

impl Stored {
    /// Rows as a model keeps them, in the given number of columns; the graph must have room for them.
    pub(crate) fn new<'r>(
        graph: &Graph,
        kernel: Kernel,
        rows: impl Iterator<Item = Row<'r>> + Clone,
        columns: usize,
    ) -> Result<Self, Complaint> {
        graph.check_room(4 * rows.clone().count() as u128 * columns as u128)?;
        let mut stored = Stored {
            columns,
            values: Vec::new(),
            scales: Vec::new(),
            constants: Vec::new(),
            lengths: Vec::new(),
        };
        let plain = Kernel {
            cosine: false,
            ..kernel
        };
        for row in rows {
            let (scale, values) = row.stored();
            let first = stored.values.len();
            stored.values.resize(first + columns, 0.0);
            let mut constant = 0.0;
            for (slot, value) in values {
                match slot as usize {
                    0 => constant = scale * f64::from(value),
                    slot => stored.values[first + slot - 1] = value,
                }
            }
            stored.scales.push(scale);
            stored.constants.push(constant);
            stored.lengths.push(plain.own(plain.facts(row)).sqrt());
        }
        Ok(stored)
    }

    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// The squared length of each row in the space of features, without the constant one.
    fn squares(&self) -> impl Iterator<Item = f64> {
        let rows = self.values.chunks_exact(self.columns).zip(&self.scales);
        rows.map(|(row, scale)| {
            let squares = row.iter().map(|v| f64::from(*v) * f64::from(*v));
            scale * scale * squares.sum::<f64>()
        })
    }

    /// All values, one column per row.
    fn columns_first(&self) -> Vec<f32> {
        let (m, d) = (self.len(), self.columns);
        let mut turned = vec![0.0; m * d];
        for (i, row) in self.values.chunks_exact(d).enumerate() {
            for (j, value) in row.iter().enumerate() {
                turned[j * m + i] = *value;
            }
        }
        turned
    }
}

/// The values of the kernel: one column per stored row.
pub(crate) fn values(
    graph: &mut Graph,
    kernel: Kernel,
    rows: &Rows,
    stored: &Stored,
) -> Result<Value, Complaint> {
    let m = stored.len();
    let turned = graph.singles("rows", &[stored.columns, m], &stored.columns_first())?;
    let mut value = graph.node("MatMul", [&rows.features, &turned]);
    let gamma = match kernel.shape {
        KernelShape::Poly { gamma, .. } => gamma,
        _ => 1.0,
    };
    let scales = stored.scales.iter().map(|scale| gamma * scale);
    if scales.clone().any(|scale| scale != 1.0) {
        // one number per row: runtimes make one number for all a float32 factor of the product
        let scales = graph.numbers("scales", &[1, m], scales)?;
        value = graph.node("Mul", [&value, &scales]);
    }
    if let KernelShape::Gaussian { .. } = kernel.shape {
        let squares = squares(graph, &rows.features)?;
        let others = graph.numbers("squares", &[1, m], stored.squares())?;
        let two = graph.scalar(2.0)?;
        let both = graph.node("Add", [&squares, &others]);
        let twice = graph.node("Mul", [&value, &two]);
        value = graph.node("Sub", [&both, &twice]);
    }
    value = shaped(graph, kernel.shape, &value)?;
    value = with_constant(graph, &value, &rows.constant, &stored.constants)?;
    if kernel.cosine {
        let lengths = lengths(graph, kernel, rows)?;
        let others = graph.numbers("lengths", &[1, m], stored.lengths.iter().copied())?;
        let both = graph.node("Mul", [&lengths, &others]);
        let both = or_one(graph, &both)?;
        value = graph.node("Div", [&value, &both]);
    }
    Ok(value)
}

/// The squared length of each row, without its constant feature.
fn squares(graph: &mut Graph, features: &Value) -> Result<Value, Complaint> {
    let squares = graph.node("Mul", [features, features]);
    graph.row_sums(&squares)
}

/// From inner products times gamma, or squared distances, to values of the kernel without the constant feature.
fn shaped(graph: &mut Graph, shape: KernelShape, value: &Value) -> Result<Value, Complaint> {
    match shape {
        KernelShape::Linear => Ok(value.clone()),
        KernelShape::Poly { degree, coef0, .. } => {
            let (coef0, degree) = (graph.scalar(coef0)?, graph.scalar(f64::from(degree))?);
            let base = graph.node("Add", [value, &coef0]);
            Ok(graph.node("Pow", [&base, &degree]))
        }
        KernelShape::Gaussian { gamma } => {
            let (zero, gamma) = (graph.scalar(0.0)?, graph.scalar(-gamma)?);
            // rounding must not make a distance negative
            let distance = graph.node("Max", [value, &zero]);
            let exponent = graph.node("Mul", [&distance, &gamma]);
            Ok(graph.node("Exp", [&exponent]))
        }
    }
}

/// The length of each row in the kernel's space, before it is normalised: a column.
fn lengths(graph: &mut Graph, kernel: Kernel, rows: &Rows) -> Result<Value, Complaint> {
    let own = match kernel.shape {
        KernelShape::Gaussian { .. } => graph.scalar(1.0)?,
        KernelShape::Linear => squares(graph, &rows.features)?,
        KernelShape::Poly { gamma, .. } => {
            let (squares, gamma) = (squares(graph, &rows.features)?, graph.scalar(gamma)?);
            let scaled = graph.node("Mul", [&squares, &gamma]);
            shaped(graph, kernel.shape, &scaled)?
        }
    };
    let own = match &rows.constant {
        Constant::Absent => own,
        Constant::Same(constant) => {
            let square = graph.scalar(constant * constant)?;
            graph.node("Add", [&own, &square])
        }
        Constant::Column(column) => {
            let square = graph.node("Mul", [column, column]);
            graph.node("Add", [&own, &square])
        }
    };
    Ok(graph.node("Sqrt", [&own]))
}

/// Sums of kernel values by the operator of machine learning: one column per list of weights, which has one weight per stored row.
pub(crate) fn ml_sums(
    graph: &mut Graph,
    kernel: Kernel,
    rows: &Rows,
    stored: &Stored,
    weights: &[Vec<f64>],
) -> Result<Value, Complaint> {
    let over_lengths = |list: &[f64]| -> Vec<f64> {
        let each = list.iter().zip(&stored.lengths);
        each.map(|(w, length)| match kernel.cosine {
            true if *length > 0.0 => w / length,
            true => 0.0,
            false => *w,
        })
        .collect()
    };
    let weights: Vec<Vec<f64>> = weights.iter().map(|list| over_lengths(list)).collect();
    let mut sums = Vec::new();
    for list in &weights {
        // attributes take five bytes per number
        graph.reserve(5 * (stored.values.len() + list.len()) as u128)?;
        sums.push(ml_sum(graph, kernel.shape, rows, stored, list));
    }
    let mut sums = graph.side_by_side(&sums);
    let by_constant = weights.iter().map(|list| {
        let products = list.iter().zip(&stored.constants);
        products.map(|(w, constant)| w * constant).sum::<f64>()
    });
    let by_constant: Vec<f64> = by_constant.collect();
    sums = with_constant(graph, &sums, &rows.constant, &by_constant)?;
    if kernel.cosine {
        let lengths = lengths(graph, kernel, rows)?;
        let lengths = or_one(graph, &lengths)?;
        sums = graph.node("Div", [&sums, &lengths]);
    }
    Ok(sums)
}

fn ml_sum(
    graph: &mut Graph,
    shape: KernelShape,
    rows: &Rows,
    stored: &Stored,
    weights: &[f64],
) -> Value {
    let (name, parameters) = match shape {
        KernelShape::Linear => ("LINEAR", [0.0, 0.0, 0.0]),
        KernelShape::Poly {
            degree,
            coef0,
            gamma,
        } => ("POLY", [gamma, coef0, f64::from(degree)]),
        KernelShape::Gaussian { gamma } => ("RBF", [gamma, 0.0, 0.0]),
    };
    let scaled = stored
        .values
        .chunks_exact(stored.columns)
        .zip(&stored.scales);
    let scaled = scaled.flat_map(|(row, scale)| row.iter().map(move |v| scale * f64::from(*v)));
    let attributes = vec![
        word("kernel_type", name),
        floats("kernel_params", parameters),
        floats("support_vectors", scaled),
        floats("coefficients", weights.iter().copied()),
        int("n_supports", stored.len() as i64),
        floats("rho", [0.0]),
    ];
    graph.ml_node("SVMRegressor", &rows.features, attributes)
}

/// Adds the constant feature of each row times a weight per column.
pub(crate) fn with_constant(
    graph: &mut Graph,
    sums: &Value,
    constant: &Constant,
    weights: &[f64],
) -> Result<Value, Complaint> {
    let dims = [1, weights.len()];
    Ok(match constant {
        Constant::Absent => sums.clone(),
        Constant::Same(constant) => {
            let each = weights.iter().map(|w| constant * w);
            let terms = graph.numbers("constant", &dims, each)?;
            graph.node("Add", [sums, &terms])
        }
        Constant::Column(column) => {
            let weights = graph.numbers("constant", &dims, weights.iter().copied())?;
            let terms = graph.node("Mul", [column, &weights]);
            graph.node("Add", [sums, &terms])
        }
    })
}
