//! Centring and scaling of features: mean 0 and variance 1 over the rows a model was begun with.

use crate::row::Row;
use crate::rows::Block;

/// Mean and inverse deviation of every slot. Slot 0, the constant feature, is left alone; features that
/// never varied, or were not there, become 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl Moments {
    /// The moments of the rows in some blocks, in two passes; the variance is that of the population.
    pub fn of<'a, B: Iterator<Item = Block<'a>>>(blocks: impl Fn() -> B) -> Self {
        let n = blocks().map(|block| block.len()).sum::<usize>() as f64;
        let slots = blocks().map(|block| block.width()).max().unwrap_or(0) as usize + 1;
        let rows = || blocks().flat_map(|block| (0..block.len()).map(move |i| block.row(i)));
        let (mut mean, mut present) = (vec![0.0; slots], vec![0.0; slots]);
        for x in rows() {
            for (j, x) in x.iter() {
                mean[j] += x / n;
                present[j] += 1.0;
            }
        }
        let mut variance = vec![0.0; slots];
        for x in rows() {
            for (j, x) in x.iter() {
                variance[j] += (x - mean[j]) * (x - mean[j]) / n;
            }
        }
        let scale = (0..slots).map(|j| {
            let deviation = (variance[j] + mean[j] * mean[j] * (n - present[j]) / n).sqrt();
            // rounding leaves a constant column a deviation of some 1e-16 of its mean
            if deviation > 1e-12 * mean[j].abs() {
                1.0 / deviation
            } else {
                0.0
            }
        });
        let scale = scale.collect();
        Moments { mean, scale }
    }

    /// Moments read from a model; none if they do not fit together.
    pub fn restore(mean: Vec<f64>, scale: Vec<f64>) -> Option<Self> {
        (mean.len() == scale.len() && !mean.is_empty()).then_some(Moments { mean, scale })
    }

    /// The means, by slot.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The inverse deviations, by slot.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The row, centred and scaled: all slots from 0, where the constant feature is, kept in `buffer`.
    pub fn apply<'a>(
        &self,
        x: Row<'_>,
        constant: Option<f32>,
        buffer: &'a mut Vec<f32>,
    ) -> Row<'a> {
        let all = self.mean.iter().zip(&self.scale);
        buffer.clear();
        buffer.extend(all.map(|(mean, scale)| single(-mean * scale)));
        buffer[0] = constant.unwrap_or(0.0);
        let features = x.without_constant();
        for (j, v) in features.iter().take_while(|&(j, _)| j < self.mean.len()) {
            buffer[j] = single((v - self.mean[j]) * self.scale[j]);
        }
        Row::run(0, buffer)
    }
}

/// The nearest finite f32.
fn single(v: f64) -> f32 {
    (v as f32).clamp(f32::MIN, f32::MAX)
}

#[cfg(test)]
mod tests {
    use crate::rows::Rows;

    use super::*;

    #[test]
    fn columns_get_mean_zero_and_variance_one() {
        let mut rows = Rows::new();
        for (a, b) in [(1.0, 7.0), (3.0, 7.0), (0.0, 7.0), (8.0, 7.0)] {
            rows.push(0, 1.0);
            rows.push(1, a);
            rows.push(2, b);
            rows.end_row(0);
        }
        let moments = Moments::of(|| [rows.view()].into_iter());
        let mut buffer = Vec::new();
        let mut columns = [Vec::new(), Vec::new(), Vec::new()];
        for i in 0..4 {
            for (j, v) in moments.apply(rows.row(i), Some(1.0), &mut buffer).iter() {
                columns[j].push(v);
            }
        }
        assert_eq!(columns[0], [1.0; 4], "the constant feature is left alone");
        assert_eq!(columns[2], [0.0; 4], "a column that never varies becomes 0");
        let mean: f64 = columns[1].iter().sum::<f64>() / 4.0;
        let variance: f64 = columns[1].iter().map(|v| v * v).sum::<f64>() / 4.0;
        assert!(
            mean.abs() < 1e-7 && (variance - 1.0).abs() < 1e-6,
            "{mean} {variance}"
        );
        let wide = Row::sparse(&[1, 9], &[1.0, 5.0]);
        assert_eq!(
            moments.apply(wide, None, &mut buffer).len(),
            3,
            "unknown features are left out"
        );
    }
}
