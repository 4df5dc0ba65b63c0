//! One visit of a row for all experts that can share it.
//!
//! Experts whose rows have the same constant feature see the same values and differ at most in the norm that divides them. The row is
//! prepared once for all of them, each norm is taken once, and the inner products with the weight vectors of the linear ones come from one
//! sweep over the values. Each sum runs in the order of the row, so an expert has the bits that it has alone.

use super::expert::Expert;
use crate::learner::Primal;
use crate::preparation::{Preparation, RowBuffer};
use crate::row::Row;

/// How many experts one sweep serves: their sums stay in registers.
const SWEEP: usize = 4;

/// Which rows an expert is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnRows {
    /// Whose values they share.
    group: usize,
    /// Which of the group's norms divides them.
    norm: usize,
}

/// What is done to the rows of all experts.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedRows {
    groups: Vec<Group>,
}

/// Experts that share the values of a row.
#[derive(Clone, Debug)]
struct Group {
    /// Everything but the norm.
    values: Preparation,
    /// What rows are divided by: their p-norms, or nothing.
    norms: Vec<Option<f64>>,
}

/// Memory for one row's visit, used again for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct VisitBuffer {
    pub(super) row: RowBuffer,
    /// What each of a group's norms multiplies the row by.
    scales: Vec<f64>,
    /// Numbers by expert and lane.
    pub(super) by_lane: Vec<f64>,
}

impl SharedRows {
    /// Room for an expert's rows.
    pub(super) fn place(&mut self, wanted: Preparation) -> OwnRows {
        // a map is given rows that are divided already
        let norm = wanted.normalize.filter(|_| wanted.map.is_none());
        let values = Preparation {
            normalize: wanted.normalize.filter(|_| wanted.map.is_some()),
            ..wanted
        };
        let group = position(
            &mut self.groups,
            |known| known.values == values,
            || Group {
                values: values.clone(),
                norms: Vec::new(),
            },
        );
        let norms = &mut self.groups[group].norms;
        let norm = position(norms, |known| *known == norm, || norm);
        OwnRows { group, norm }
    }

    /// The row that an expert is given.
    pub(super) fn apply<'a>(&self, own: OwnRows, x: Row<'a>, buffer: &'a mut RowBuffer) -> Row<'a> {
        let Group { values, norms } = &self.groups[own.group];
        let x = values.apply_to_given(x, buffer);
        x.scaled(scale(x, norms[own.norm]))
    }

    /// The constant feature of an expert's rows, and the p of the norm that divides them.
    pub(super) fn constant_and_norm(&self, own: OwnRows) -> (Option<f32>, Option<f64>) {
        let Group { values, norms } = &self.groups[own.group];
        (values.bias, norms[own.norm].or(values.normalize))
    }

    /// Visits a row: `each(its number, the expert's row, inner products)` for every running expert. An expert without plain vectors has
    /// whatever is in the place of its inner products. `experts` are lent between sweeps.
    pub(super) fn visit<E: AsRef<[Expert]>>(
        &self,
        x: Row<'_>,
        mut experts: E,
        lanes: usize,
        buffer: &mut VisitBuffer,
        mut each: impl FnMut(&mut E, usize, Row<'_>, &mut [f64]),
    ) {
        let VisitBuffer {
            row,
            scales,
            by_lane,
        } = buffer;
        by_lane.resize(experts.as_ref().len() * lanes, 0.0);
        for (place, group) in self.groups.iter().enumerate() {
            let is_own = |expert: &Expert| expert.runs() && expert.rows.group == place;
            if !experts.as_ref().iter().any(is_own) {
                continue;
            }
            let x = group.values.apply_to_given(x, row);
            scales.clear();
            scales.extend(group.norms.iter().map(|norm| scale(x, *norm)));
            let own = |expert: &Expert| x.scaled(scales[expert.rows.norm]);
            let sharing = experts.as_ref().iter().enumerate();
            let sharing = sharing.filter(|(_, expert)| is_own(expert));
            let sharing = sharing.filter_map(|(i, expert)| {
                let vectors = expert.learner.plain_vectors()?;
                Some((vectors, own(expert), i * lanes))
            });
            sweeps(sharing, by_lane);
            for i in 0..experts.as_ref().len() {
                let expert = &experts.as_ref()[i];
                if is_own(expert) {
                    let x = own(expert);
                    each(&mut experts, i, x, &mut by_lane[i * lanes..][..lanes]);
                }
            }
        }
    }
}

/// The place of a thing in a list, new if need be.
fn position<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> usize {
    list.iter().position(is).unwrap_or_else(|| {
        list.push(new());
        list.len() - 1
    })
}

/// What a norm multiplies a row by.
fn scale(x: Row<'_>, norm: Option<f64>) -> f64 {
    norm.map_or(1.0, |p| {
        Preparation::divisor(x, p).map_or(1.0, |norm| 1.0 / norm)
    })
}

/// Vectors, the row they are multiplied with, and where the inner products go.
type Shared<'a> = (&'a Primal, Row<'a>, usize);

/// Inner products of rows that share their values, several experts per sweep.
fn sweeps<'a>(mut sharing: impl Iterator<Item = Shared<'a>>, out: &mut [f64]) {
    loop {
        let next: [Option<Shared<'a>>; SWEEP] = std::array::from_fn(|_| sharing.next());
        match next {
            [Some(a), Some(b), Some(c), Some(d)] => sweep([a, b, c, d], out),
            [Some(a), Some(b), Some(c), None] => return sweep([a, b, c], out),
            [Some(a), Some(b), ..] => return sweep([a, b], out),
            [Some(a), ..] => return sweep([a], out),
            _ => return,
        }
    }
}

fn sweep<const N: usize>(shared: [Shared<'_>; N], out: &mut [f64]) {
    let (sets, rows) = (shared.map(|one| one.0), shared.map(|one| one.1));
    Primal::inner_each(sets, rows, (shared.map(|one| one.2), out));
}
