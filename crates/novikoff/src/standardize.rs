//! Centring and scaling of features: mean 0 and variance 1 over the rows a model was begun with.

use std::iter::zip;

use crate::row::Row;
use crate::rows::Block;

/// Memory for a row that was centred and scaled.
#[derive(Clone, Debug, Default)]
pub struct ScaledBuffer {
    pub(crate) index: Vec<u32>,
    pub(crate) value: Vec<f32>,
}

/// Mean and inverse deviation of every slot, or of some. Slot 0, the constant feature, is left alone; features that
/// never varied, or were not there, become 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// The slots that are centred and scaled, increasing; all from 0 on if none.
    slots: Option<Vec<u32>>,
    /// One for each of them.
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl Moments {
    /// The moments of the rows in some blocks, in two passes; the variance is that of the population. Of the features in some slots only,
    /// if those are given: increasing, and not 0.
    pub fn of<'a, B: Iterator<Item = Block<'a>>>(
        blocks: impl Fn() -> B,
        only: Option<Vec<u32>>,
    ) -> Self {
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
        let scale: Vec<f64> = scale.collect();
        let Some(only) = only else {
            let slots = None;
            return Moments { slots, mean, scale };
        };
        let of = |all: &[f64]| {
            let one = |&slot: &u32| all.get(slot as usize).copied().unwrap_or(0.0);
            only.iter().map(one).collect()
        };
        Moments {
            mean: of(&mean),
            scale: of(&scale),
            slots: Some(only),
        }
    }

    /// Moments read from a model; none if they do not fit together.
    pub fn restore(slots: Option<Vec<u32>>, mean: Vec<f64>, scale: Vec<f64>) -> Option<Self> {
        let fits = match &slots {
            None => !mean.is_empty(),
            Some(slots) => {
                slots.len() == mean.len()
                    && slots.first() != Some(&0)
                    && slots.is_sorted_by(|a, b| a < b)
            }
        };
        (fits && mean.len() == scale.len()).then_some(Moments { slots, mean, scale })
    }

    /// The slots that are centred and scaled; all if none.
    pub fn slots(&self) -> Option<&[u32]> {
        self.slots.as_deref()
    }

    /// The means, one for each slot.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The mean and the inverse deviation of a slot, if it is centred and scaled.
    pub fn of_slot(&self, slot: u32) -> Option<(f64, f64)> {
        let at = match &self.slots {
            None => Some(slot as usize).filter(|&slot| slot > 0),
            Some(slots) => slots.binary_search(&slot).ok(),
        }?;
        Some((*self.mean.get(at)?, *self.scale.get(at)?))
    }

    /// The inverse deviations, one for each slot.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The row, centred and scaled, kept in `buffer`. If all slots are, it has all of them, from 0, where the constant feature is, and
    /// others are left out; if some are, others stay as they are.
    pub fn apply<'a>(
        &self,
        x: Row<'_>,
        constant: Option<f32>,
        buffer: &'a mut ScaledBuffer,
    ) -> Row<'a> {
        let ScaledBuffer { index, value } = buffer;
        let all = zip(&self.mean, &self.scale);
        let features = x.without_constant();
        value.clear();
        let Some(slots) = &self.slots else {
            value.extend(all.map(|(mean, scale)| single(-mean * scale)));
            value[0] = constant.unwrap_or(0.0);
            for (j, v) in features.iter().take_while(|&(j, _)| j < self.mean.len()) {
                value[j] = single((v - self.mean[j]) * self.scale[j]);
            }
            return Row::run(0, value);
        };
        index.clear();
        let mut push = |slot: u32, v: f32| {
            if v != 0.0 {
                index.push(slot);
                value.push(v);
            }
        };
        push(0, constant.unwrap_or(0.0));
        let mut features = features.iter().peekable();
        for (&slot, (mean, scale)) in zip(slots, all) {
            while let Some((j, v)) = features.next_if(|&(j, _)| j < slot as usize) {
                push(j as u32, v as f32);
            }
            let is_it = |&(j, _): &(usize, f64)| j == slot as usize;
            let v = features.next_if(is_it).map_or(0.0, |(_, v)| v);
            push(slot, single((v - mean) * scale));
        }
        for (j, v) in features {
            push(j as u32, v as f32);
        }
        Row::sparse(index, value)
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
        let moments = Moments::of(|| [rows.view()].into_iter(), None);
        let mut buffer = ScaledBuffer::default();
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

    #[test]
    fn some_columns_are_scaled_and_others_stay() {
        let mut rows = Rows::new();
        for (a, red, b) in [(1.0, 1.0, 5.0), (3.0, 0.0, 5.0), (0.0, 1.0, 9.0)] {
            for (slot, value) in [(0, 1.0), (1, a), (2, red), (4, b)] {
                rows.push(slot, value);
            }
            rows.end_row(0);
        }
        let blocks = || [rows.view()].into_iter();
        let all = Moments::of(blocks, None);
        let some = Moments::of(blocks, Some(vec![1, 4]));
        let (mut one, mut other) = (ScaledBuffer::default(), ScaledBuffer::default());
        for i in 0..3 {
            let x = rows.row(i);
            let all: Vec<_> = all.apply(x, Some(1.0), &mut one).iter().collect();
            let mut expected = vec![all[0], all[1], (2, 0.0), all[4]];
            if let Some((_, red)) = x.iter().find(|&(j, _)| j == 2) {
                expected[2].1 = red;
            }
            expected.retain(|&(_, v)| v != 0.0);
            let some: Vec<_> = some.apply(x, Some(1.0), &mut other).iter().collect();
            assert_eq!(some, expected, "row {i}");
        }
        let wide = Row::sparse(&[3, 9], &[2.0, 5.0]);
        let wide: Vec<_> = some.apply(wide, None, &mut one).iter().collect();
        assert_eq!(
            (wide[1], wide[3]),
            ((3, 2.0), (9, 5.0)),
            "categories to come"
        );
        let restored = |slots, n| Moments::restore(slots, vec![0.0; n], vec![1.0; n]);
        assert!(restored(Some(vec![1, 4]), 2).is_some() && restored(Some(vec![]), 0).is_some());
        assert!(restored(Some(vec![4, 1]), 2).is_none() && restored(Some(vec![0]), 1).is_none());
        assert!(restored(Some(vec![1]), 2).is_none() && restored(None, 0).is_none());
    }
}
