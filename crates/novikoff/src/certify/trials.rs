//! A finished run as the theorems see it.

use std::sync::Arc;

use super::comparator::GivenComparator;
use super::diary::{ClassDiary, Diary};
use super::path::DENSE;
use super::reason::NoCertificate;
use crate::certificate::{Inexact, PastRun, PastTrial, inner};
use crate::dual::{Aim, Problem};
use crate::kernel::Kernel;
use crate::label::Label;
use crate::model::Model;
use crate::parameter::Parameters;
use crate::row::Row;
use crate::spec::Spec;

/// A finished run of one binary learner, from its beginning.
#[derive(Clone, Copy)]
pub struct Finished<'r> {
    /// The learner.
    pub spec: &'r Spec,
    /// All its parameters.
    pub parameters: &'r Parameters,
    /// Its kernel.
    pub kernel: Kernel,
    /// The rows as the learner saw them ([`Model::prepared`]); each aim's sign is the row's label.
    pub rows: &'r Problem<'r>,
    /// The row of each trial.
    pub order: &'r [u32],
    /// How each trial ended.
    pub page: &'r ClassDiary,
    /// Of each class of the run, the trial in which it appeared.
    pub appeared: &'r [u64],
    /// A vector to compete with, instead of the best.
    pub given: Option<GivenComparator<'r>>,
    /// What that says of the rows, if they were not kept.
    pub summaries: Option<RowSummaries<'r>>,
    /// Asked now and then, while a vector is looked for, whether to continue.
    pub goes_on: &'r (dyn Fn() -> bool + Sync),
    /// Asked at every step in the space of a kernel whether to stop.
    pub stop: &'r (dyn Fn() -> bool + Sync),
    /// Called with where the search for a vector stands, after every problem that was solved.
    pub progress: &'r (dyn Fn(SearchProgress) + Sync),
    /// Threads that may be used.
    pub threads: usize,
    /// Bytes that may be used.
    pub memory: u128,
}

/// Where the search for a vector stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchProgress {
    /// Problems solved along the path.
    pub solves: u32,
    /// How far the bound is at most from the least, relative to it, if that is known.
    pub distance: Option<f64>,
}

/// What [`RowSummaries`] lends.
type OwnedSummaries = (Vec<f64>, Vec<Inexact>);

impl<'r> Finished<'r> {
    /// The run of a class that a diary was kept of. One thread and 1 GiB may be used, and nothing stops the search for a vector.
    ///
    /// An error if the rows are not as the learner saw them: where the model divides rows by their norm, or does anything else to them,
    /// the certificate of other rows would say nothing of its run. [`Model::prepared`] does to rows what the model does.
    ///
    /// # Panics
    /// If the diary does not know the class.
    pub fn of(
        model: &'r Model,
        rows: &'r Problem<'r>,
        diary: &'r Diary,
        class: usize,
    ) -> Result<Self, NoCertificate> {
        if !rows.is_prepared(model.preparation()) {
            return Err(NoCertificate::OtherRows);
        }
        Ok(Finished {
            spec: model.spec(),
            parameters: model.parameters(),
            kernel: model.kernel(),
            rows,
            order: &diary.order,
            page: &diary.pages[class],
            appeared: &diary.appeared,
            given: None,
            summaries: None,
            goes_on: &|| true,
            stop: &|| false,
            progress: &|_| (),
            threads: 1,
            memory: 1 << 30,
        })
    }

    /// What the given vector says of rows that are there, if that is all that matters: so the answer has the same bits
    /// whether they were kept or not.
    pub(super) fn summaries(&self) -> Option<OwnedSummaries> {
        let given = self.given.filter(|_| self.summaries.is_none())?;
        let rows = (0..self.rows.len()).map(|i| self.rows.row(i));
        match given {
            GivenComparator::Slots(u)
                if self.kernel == Kernel::LINEAR && super::needs_summaries_only(self.spec) =>
            {
                Some(rows.map(|x| (x.norm_sq(), inner_product(u, x))).unzip())
            }
            GivenComparator::Sum { values, .. } if self.kernel != Kernel::LINEAR => {
                let own = |x: Row<'_>| self.kernel.own(self.kernel.facts(x));
                Some((rows.map(own).collect(), values.to_vec()))
            }
            _ => None,
        }
    }
}

/// What is known about rows that were not kept, each when it came.
#[derive(Clone, Copy, Debug)]
pub struct RowSummaries<'r> {
    /// `|x|^2`.
    pub norms: &'r [f64],
    /// `U.x` of the given vector U.
    pub values: &'r [Inexact],
}

/// `U.x` for a vector by slot, and how wrong rounding can have made it.
#[doc(hidden)] // for jobs over streams
pub fn inner_product(u: &[f64], x: Row<'_>) -> Inexact {
    inner(u, x)
}

/// Its trials on rows that are not zero.
pub(super) struct Trials<'r> {
    pub(super) past: Vec<PastTrial<'r>>,
    /// The row of each.
    pub(super) row: Vec<u32>,
    /// Their places among all trials.
    pub(super) place: Vec<u64>,
    /// Mistakes among them.
    pub(super) mistakes: u64,
    /// All trials.
    pub(super) all: u64,
    /// Trials on zero rows, and the mistakes among those.
    pub(super) zero: (u64, u64),
    /// `|x|^2` of each row, in the learner's space.
    pub(super) norms: Vec<f64>,
    /// What each row aims at: its weight is how often it came.
    pub(super) aims: Arc<Vec<Aim>>,
}

impl<'r> Trials<'r> {
    /// As theorems take them that count mistakes themselves.
    pub(super) fn past_run(&self) -> PastRun<'_> {
        PastRun {
            trials: &self.past,
            mistakes: self.mistakes,
        }
    }

    pub(super) fn of(run: &Finished<'r>) -> Self {
        let rows = run.rows;
        let linear = run.kernel == Kernel::LINEAR;
        let own = |i: usize| run.kernel.own(run.kernel.facts(rows.row(i)));
        let norms: Vec<f64> = match run.summaries {
            Some(summaries) => summaries.norms.to_vec(),
            None if linear => rows.norms(run.threads).to_vec(),
            None => (0..rows.len()).map(own).collect(),
        };
        let unmet = |aim: &Aim| Aim {
            sign: aim.sign,
            target: 1.0,
            weight: 0.0,
        };
        let mut aims: Vec<Aim> = rows.aims().iter().map(unmet).collect();
        let mut trials = Trials {
            past: Vec::with_capacity(run.order.len()),
            row: Vec::with_capacity(run.order.len()),
            place: Vec::with_capacity(run.order.len()),
            mistakes: 0,
            all: run.order.len() as u64,
            zero: (0, 0),
            norms,
            aims: Arc::default(),
        };
        for (t, &row) in run.order.iter().enumerate() {
            let (i, mistake) = (row as usize, run.page.mistakes.get(t));
            if trials.norms[i] == 0.0 {
                trials.zero.0 += 1;
                trials.zero.1 += u64::from(mistake);
                continue;
            }
            trials.mistakes += u64::from(mistake);
            aims[i].weight += 1.0;
            trials.past.push(PastTrial {
                x: rows.row(i),
                y: Label::of(rows.aims()[i].sign),
                updated: run.page.updates.get(t),
            });
            trials.row.push(row);
            trials.place.push(t as u64);
        }
        trials.aims = Arc::new(aims);
        trials
    }

    /// About how much work the run was: one look at each row, and one at a matrix for each that was learned from by a learner that
    /// has one; or, with a kernel, one at each update.
    pub(super) fn work(&self, run: &Finished<'r>) -> f64 {
        let values: f64 = self.past.iter().map(|t| t.x.len() as f64).sum();
        let slots = run.rows.slots() as f64;
        let updates = self.past.iter().filter(|t| t.updated).count() as f64;
        let has_matrix = match run.spec.name() {
            "second-order" => !matches!(run.parameters.word("form"), "diagonal" | "sketch"),
            "arow" => run.parameters.word("form") == "full",
            "whitened" => true,
            "selective" => run.parameters.word("base") == "second-order",
            _ => false,
        };
        if run.kernel != Kernel::LINEAR {
            values * updates / 2.0
        } else if has_matrix {
            values + DENSE * updates * slots * slots
        } else {
            values
        }
    }

    /// `|x|^2` of each trial.
    pub(super) fn norms_of_trials(&self) -> Vec<f64> {
        self.row.iter().map(|&i| self.norms[i as usize]).collect()
    }

    /// Whether each trial was a mistake.
    pub(super) fn mistaken(&self, page: &ClassDiary) -> Vec<bool> {
        let places = self.place.iter();
        places.map(|&t| page.mistakes.get(t as usize)).collect()
    }

    /// Rows that came, each once.
    pub(super) fn met(&self) -> impl Iterator<Item = usize> {
        let rows = self.aims.iter().enumerate();
        rows.filter(|(_, aim)| aim.weight > 0.0).map(|(i, _)| i)
    }
}
