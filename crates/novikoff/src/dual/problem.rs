//! Rows with what each aims at: the data of a problem.

use std::sync::{Arc, OnceLock};

use crate::label::Label;
use crate::parallel::{self, CHUNK};
use crate::preparation::{Preparation, PreparedRows};
use crate::row::Row;
use crate::rows::Block;

/// What one row aims at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// -1 or +1 for classification, else 1: the margin is this times `w.x`.
    pub sign: f64,
    /// The margin wanted (usually 1), or the number to hit.
    pub target: f64,
    /// How many times the row's loss counts; at least 0.
    pub weight: f64,
}

impl Aim {
    /// A label, with margin 1 and weight 1.
    pub fn label(label: Label) -> Self {
        Aim {
            sign: label.sign(),
            target: 1.0,
            weight: 1.0,
        }
    }

    /// A number to hit, with weight 1.
    pub fn number(target: f64) -> Self {
        Aim {
            sign: 1.0,
            target,
            weight: 1.0,
        }
    }
}

/// A data set: rows, each with a factor and an aim. [`solve`](super::solve()) has an example.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    rows: Block<'a>,
    /// More rows, each block with the number of its first.
    more: Arc<[(usize, Block<'a>)]>,
    /// Empty if all are 1.
    scale: Arc<Vec<f64>>,
    /// Problems of the same rows, and those who walk a path of them, share them.
    aims: Arc<Vec<Aim>>,
    /// `|x|^2` of each row, once somebody asked; problems of the same rows share them.
    norms: Arc<OnceLock<Vec<f64>>>,
    /// What was done to the rows, if that is known.
    #[cfg_attr(not(feature = "linalg"), allow(dead_code))] // certificates ask
    prepared: Option<Preparation>,
}

impl<'a> Problem<'a> {
    /// The rows of a block, times `scale` (empty: all 1), with an aim each.
    ///
    /// # Panics
    /// If there are not as many aims, or factors, as rows.
    pub fn new(rows: Block<'a>, scale: Vec<f64>, aims: Vec<Aim>) -> Self {
        Self::of(&[rows], scale, aims)
    }

    /// The rows of several blocks, as a file has them, times `scale` (empty: all 1), with an aim each.
    ///
    /// # Panics
    /// If there are not as many aims, or factors, as rows.
    pub fn of(blocks: &[Block<'a>], scale: Vec<f64>, aims: Vec<Aim>) -> Self {
        let rows = blocks.first().copied().unwrap_or_default();
        let mut first = rows.len();
        let more = blocks.iter().skip(1).map(|block| {
            first += block.len();
            (first - block.len(), *block)
        });
        let more: Arc<[_]> = more.collect();
        assert_eq!(first, aims.len(), "one aim a row");
        assert!(
            scale.is_empty() || scale.len() == aims.len(),
            "one factor a row"
        );
        Problem {
            rows,
            more,
            scale: Arc::new(scale),
            aims: Arc::new(aims),
            norms: Arc::default(),
            prepared: None,
        }
    }

    /// Rows as the learner of a model [sees them](crate::Model::prepared), with an aim each.
    ///
    /// # Panics
    /// If there are not as many aims as rows.
    pub fn prepared(rows: &'a PreparedRows<'_>, aims: Vec<Aim>) -> Self {
        Problem {
            prepared: Some(rows.preparation().clone()),
            ..Self::of(&rows.blocks(), rows.scale().to_vec(), aims)
        }
    }

    /// Whether its rows are those that a learner sees whose rows are prepared so.
    #[cfg_attr(not(feature = "linalg"), allow(dead_code))] // certificates ask
    pub(crate) fn is_prepared(&self, preparation: &Preparation) -> bool {
        match &self.prepared {
            Some(own) => own == preparation,
            None => (0..self.len()).all(|i| preparation.leaves(self.row(i))),
        }
    }

    /// Aims of rows that were not kept, and are empty here.
    pub fn unseen(aims: impl Into<Arc<Vec<Aim>>>) -> Self {
        Problem {
            rows: Block::default(),
            more: Arc::default(),
            scale: Arc::default(),
            aims: aims.into(),
            norms: Arc::default(),
            prepared: None,
        }
    }

    /// The problem with other aims, which several problems may share.
    ///
    /// # Panics
    /// If there are not as many aims as rows.
    #[must_use]
    pub fn with_aims(&self, aims: impl Into<Arc<Vec<Aim>>>) -> Self {
        let aims = aims.into();
        assert_eq!(self.len(), aims.len(), "one aim a row");
        Problem {
            aims,
            ..self.clone()
        }
    }

    /// The problem with each row times another factor.
    ///
    /// # Panics
    /// If there are not as many factors as rows.
    #[must_use]
    pub fn scaled(&self, by: &[f64]) -> Self {
        let own = |i: usize| self.scale.get(i).copied().unwrap_or(1.0);
        assert_eq!(self.len(), by.len(), "one factor a row");
        let scale = by.iter().enumerate().map(|(i, by)| by * own(i));
        Problem {
            scale: Arc::new(scale.collect()),
            norms: Arc::default(),
            prepared: None,
            ..self.clone()
        }
    }

    /// n, the number of rows.
    pub fn len(&self) -> usize {
        self.aims.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.aims.is_empty()
    }

    /// How many values all rows have.
    pub fn values(&self) -> usize {
        self.blocks().map(|block| block.values()).sum()
    }

    fn blocks(&self) -> impl Iterator<Item = Block<'a>> {
        let more = self.more.iter().map(|(_, block)| *block);
        std::iter::once(self.rows).chain(more)
    }

    /// Whether most rows have little to do with most others: they have few of the features.
    pub(crate) fn is_sparse(&self) -> bool {
        self.values() / self.len().max(1) < self.slots() / 32
    }

    /// How many slots a weight vector needs.
    pub fn slots(&self) -> usize {
        let widest = self.blocks().map(|block| block.width()).max();
        widest.unwrap_or(0) as usize + 1
    }

    /// What the rows aim at.
    pub fn aims(&self) -> &[Aim] {
        &self.aims
    }

    /// The first row that counts and whose `w.x` is above 0 for no weights (for no weights that are not negative if
    /// `one_sided`): its likelihood is 0.
    pub fn impossible_row(&self, one_sided: bool) -> Option<usize> {
        (0..self.len()).find(|&i| {
            let hopeful = |v: f64| v > 0.0 || (v < 0.0 && !one_sided);
            self.aims[i].weight > 0.0 && !self.row(i).iter().any(|(_, v)| hopeful(v))
        })
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> Row<'a> {
        let row = if i < self.rows.len() {
            self.rows.row(i)
        } else {
            self.row_of_more(i)
        };
        match self.scale.get(i) {
            None => row,
            Some(&scale) => row.scaled(scale),
        }
    }

    /// `|x|^2` of each row, computed once.
    pub(crate) fn norms(&self, threads: usize) -> &[f64] {
        self.norms.get_or_init(|| {
            let mut norms = vec![0.0; self.len()];
            parallel::fill(&mut norms, threads, |chunk, out| {
                for (i, out) in (chunk * CHUNK..).zip(out) {
                    *out = self.row(i).norm_sq();
                }
            });
            norms
        })
    }

    /// The constant feature of row `i`; 0 if it has none.
    pub(crate) fn constant(&self, i: usize) -> f64 {
        let first = self.row(i).iter().next();
        first.map_or(0.0, |(slot, value)| if slot == 0 { value } else { 0.0 })
    }

    #[cold]
    fn row_of_more(&self, i: usize) -> Row<'a> {
        let after = self.more.partition_point(|(first, _)| *first <= i);
        match after.checked_sub(1).map(|at| self.more[at]) {
            Some((first, block)) => block.row(i - first),
            None => Row::dense(&[]),
        }
    }
}
