//! Maps that make features of rows.

use novikoff::kernel::{Kernel, KernelShape};
use novikoff::map::FeatureMap;
use novikoff::remedy::Complaint;

use crate::graph::{Graph, Value};
use crate::kernel::{self, Stored};
use crate::rows::{Constant, Rows, rounded};

/// Rows after a map, with a constant feature behind it.
pub(crate) fn mapped(
    graph: &mut Graph,
    rows: &Rows,
    map: &FeatureMap,
    constant: Constant,
) -> Result<Rows, Complaint> {
    let features = match map.landmarks() {
        Some((landmarks, triangle)) => {
            let kernel = Kernel {
                shape: KernelShape::Gaussian { gamma: map.gamma() },
                cosine: false,
            };
            let stored = Stored::new(graph, kernel, landmarks.rows(), rows.columns)?;
            let values = kernel::values(graph, kernel, rows, &stored)?;
            let m = stored.len();
            let inverse = graph.numbers("decorrelation", &[m, m], inverse_turned(triangle, m))?;
            graph.node("MatMul", [&values, &inverse])
        }
        None => waves(graph, rows, map)?,
    };
    Ok(Rows {
        features: rounded(graph, &features),
        columns: map.features(),
        constant,
    })
}

/// Cosines, then sines, of random frequencies.
fn waves(graph: &mut Graph, rows: &Rows, map: &FeatureMap) -> Result<Value, Complaint> {
    let frequencies = map.features() / 2;
    graph.check_room(4 * rows.columns as u128 * frequencies as u128)?;
    let slots = 1..=rows.columns as u32;
    let numbers = slots.flat_map(|slot| map.normal_numbers(slot).unwrap_or_default());
    let numbers: Vec<f32> = numbers.collect();
    let numbers = graph.singles("frequencies", &[rows.columns, frequencies], &numbers)?;
    // one number per frequency: runtimes make one number for all a float32 factor of the product
    let width = vec![(2.0 * map.gamma()).sqrt(); frequencies];
    let width = graph.numbers("width", &[1, frequencies], width)?;
    let length = graph.scalar(1.0 / (frequencies as f64).sqrt())?;
    let products = graph.node("MatMul", [&rows.features, &numbers]);
    let angles = graph.node("Mul", [&products, &width]);
    let both = [graph.node("Cos", [&angles]), graph.node("Sin", [&angles])];
    let both = graph.side_by_side(&both);
    Ok(graph.node("Mul", [&both, &length]))
}

/// The inverse of a lower triangle, which is given row by row, turned over: all `m * m` numbers, row by row.
fn inverse_turned(triangle: &[f64], m: usize) -> Vec<f64> {
    let row = |i: usize| &triangle[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
    let mut turned = vec![0.0; m * m];
    // row j of the turned inverse is column j of the inverse: the solution of L c = e_j
    for j in 0..m {
        let column = &mut turned[j * m..(j + 1) * m];
        for i in j..m {
            let below: f64 = (j..i).map(|k| row(i)[k] * column[k]).sum();
            let unit = if i == j { 1.0 } else { 0.0 };
            column[i] = (unit - below) / row(i)[i];
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::inverse_turned;

    #[test]
    fn a_triangle_times_its_inverse_is_one() {
        let (m, triangle) = (3, [2.0, 1.0, 4.0, -3.0, 0.5, 0.25]);
        let turned = inverse_turned(&triangle, m);
        let at = |i: usize, j: usize| {
            if j <= i {
                triangle[i * (i + 1) / 2 + j]
            } else {
                0.0
            }
        };
        for i in 0..m {
            for j in 0..m {
                let product: f64 = (0..m).map(|k| at(i, k) * turned[j * m + k]).sum();
                assert_eq!(product, if i == j { 1.0 } else { 0.0 }, "{i} {j}");
            }
        }
    }
}
