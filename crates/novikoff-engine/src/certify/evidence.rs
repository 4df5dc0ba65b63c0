//! What a certificate needs to know about rows that come once: the rows themselves, or what a given vector says of them.

use novikoff::certificate::Inexact;
use novikoff::certify::{
    BYTES_A_ROW, Bits, NoCertificate, RowSummaries, inner_product, needs_summaries_only,
};
use novikoff::classes::Classes;
use novikoff::dual::Aim;
use novikoff::kernel::Kernel;
use novikoff::model::Model;
use novikoff::names::Names;
use novikoff::preparation::RowBuffer;
use novikoff::remedy::Complaint;
use novikoff::rows::Block;

use super::comparator::{ComparatorContext, ComparatorModel};
use crate::Error;
use crate::labels::{aim, is_of};
use crate::rows::HeldRows;

/// What there is to certify a run with.
pub(crate) enum Evidence {
    /// Its rows.
    Rows(Box<HeldRows>),
    /// What a given vector says of them.
    Known(Box<KnownRows>),
    /// Nothing, and why.
    Lost(NoCertificate),
}

/// [`Evidence`] by reference.
#[derive(Clone, Copy)]
pub(crate) enum EvidenceRef<'e> {
    Rows(&'e HeldRows),
    Known(&'e KnownRows),
    Lost(&'e NoCertificate),
}

impl Evidence {
    pub(crate) fn seen(&self) -> EvidenceRef<'_> {
        match self {
            Evidence::Rows(held) => EvidenceRef::Rows(held),
            Evidence::Known(known) => EvidenceRef::Known(known),
            Evidence::Lost(why) => EvidenceRef::Lost(why),
        }
    }
}

fn not_kept(error: &Error) -> NoCertificate {
    NoCertificate::Rows(Complaint {
        what: format!("the rows of the stream could not be kept: {error}"),
        remedy: error.remedy(),
    })
}

/// Watches the rows of a stream for the certificate.
pub(crate) struct EvidenceCollector<'a> {
    evidence: Evidence,
    comparator: Option<&'a ComparatorModel>,
    /// Bytes of rows in memory, and in all.
    memory: u128,
    spool: u128,
    used: u128,
    rows: u128,
}

impl<'a> EvidenceCollector<'a> {
    /// Keeps the rows of a stream, or only what a vector says of them where that is enough.
    pub(crate) fn new(
        model: &Model,
        is_hashed: bool,
        comparator: Option<&'a ComparatorModel>,
        memory: u128,
        spool: u128,
    ) -> Self {
        // the slots of hashed names are known only when they were met
        let summaries_suffice =
            needs_summaries_only(model.spec()) && model.kernel() == Kernel::LINEAR && !is_hashed;
        let evidence = match comparator {
            Some(_) if summaries_suffice => Evidence::Known(Box::default()),
            _ => Evidence::Rows(Box::default()),
        };
        EvidenceCollector {
            evidence,
            comparator,
            memory,
            spool,
            used: 0,
            rows: 0,
        }
    }

    /// Rows that were just learned from.
    pub(crate) fn rows(&mut self, block: Block<'_>, model: &Model, names: &Names) {
        self.rows += block.len() as u128;
        let classes = model.classes().list().len().max(1) as u128;
        if self.rows * classes * BYTES_A_ROW > self.memory {
            let (rows, limit) = (self.rows, self.memory >> 20);
            self.lose(NoCertificate::ManyRows {
                rows,
                classes,
                limit,
            });
        }
        match &mut self.evidence {
            Evidence::Rows(held) => {
                self.used += 8 * block.values() as u128 + 60 * block.len() as u128;
                if self.used > self.spool {
                    let limit = self.spool >> 20;
                    self.lose(NoCertificate::LongStream { limit });
                } else if let Err(error) = held.append(block, self.memory) {
                    // the run continues without
                    self.lose(not_kept(&error));
                }
            }
            Evidence::Known(known) => {
                if let Some(comparator) = self.comparator {
                    known.rows(block, model, comparator, names);
                }
            }
            Evidence::Lost(_) => {}
        }
    }

    fn lose(&mut self, why: NoCertificate) {
        if !self.is_lost() {
            self.evidence = Evidence::Lost(why);
        }
    }

    /// Nothing is kept any more.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.evidence, Evidence::Lost(_))
    }

    /// All rows came.
    pub(crate) fn finish(self) -> Evidence {
        match self.evidence {
            Evidence::Rows(held) => match held.finish() {
                Ok(held) => Evidence::Rows(Box::new(held)),
                Err(error) => Evidence::Lost(not_kept(&error)),
            },
            evidence => evidence,
        }
    }
}

/// What vectors say of rows.
#[derive(Default)]
pub(crate) struct KnownRows {
    norms: Vec<f64>,
    /// The values of rows, one list per vector.
    values: Vec<Vec<Inexact>>,
    /// The rows of each class.
    positive: Vec<Bits>,
    weighted: bool,
    /// The vectors by slot, as far as the names of the features were known.
    vectors: Vec<Vec<f64>>,
    highest: Option<u32>,
    buffer: RowBuffer,
}

impl KnownRows {
    fn rows(
        &mut self,
        block: Block<'_>,
        model: &Model,
        comparator: &ComparatorModel,
        names: &Names,
    ) {
        if self.highest != Some(names.highest()) {
            self.highest = Some(names.highest());
            self.vectors = (0..comparator.len())
                .map(|which| comparator.placed(which, ComparatorContext::of(model, names)))
                .collect();
            self.values.resize(comparator.len(), Vec::new());
        }
        let classes = model.classes();
        while self.positive.len() < classes.list().len() {
            let mut none = Bits::default();
            self.norms.iter().for_each(|_| none.push(false));
            self.positive.push(none);
        }
        for i in 0..block.len() {
            let x = model.preparation().apply(block.row(i), &mut self.buffer);
            self.norms.push(x.norm_sq());
            for (values, u) in self.values.iter_mut().zip(&self.vectors) {
                values.push(inner_product(u, x));
            }
            self.weighted |= block.weight(i) != 1.0;
            for (class, positive) in self.positive.iter_mut().enumerate() {
                positive.push(is_of(classes, class, block, i));
            }
        }
    }

    /// Whether a row counts other than once.
    pub(crate) fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// What a vector says.
    pub(crate) fn of(&self, which: usize) -> RowSummaries<'_> {
        RowSummaries {
            norms: &self.norms,
            values: &self.values[which],
        }
    }

    /// The labels of one binary problem.
    pub(crate) fn aims(&self, class: usize) -> Vec<Aim> {
        let positive = &self.positive[class];
        (0..self.norms.len())
            .map(|i| aim(positive.get(i)))
            .collect()
    }
}

/// The labels of one binary problem.
pub(crate) fn aims(held: &HeldRows, classes: &Classes, class: usize) -> Vec<Aim> {
    let mut aims = Vec::with_capacity(held.len());
    for block in held.blocks() {
        aims.extend((0..block.len()).map(|i| aim(is_of(classes, class, block, i))));
    }
    aims
}
