//! How much of rows a model knows: features, missing cells, and means.

use std::sync::Arc;

use novikoff::model::{Model, RowSample, RowsAgain};
use novikoff::remark::{Remark, ResultRemark, RowsFor, TableRemark};
use novikoff::rows::Block;
use novikoff::schema::Schema;

use crate::Error;
use crate::events::Context;
use crate::gaps::Gapped;
use crate::reader::{ReadFacts, RowReader};
use crate::rows::HeldRows;
use crate::shifts::Shifts;

/// Counts the values of rows that are read for a model.
#[derive(Debug, Default)]
pub(crate) struct Familiar {
    /// Values of features that the model knows, those that stand for missing cells included.
    known: u64,
    /// Values of features whose numbers are beyond those that the model knows.
    beyond: u64,
    /// A feature that the model knows came, though its values may be 0.
    zero: bool,
    /// The highest feature that the model knows.
    width: u32,
    shifts: Shifts,
    /// Rows that the model has learned from before, or that its probabilities were fitted to, where it matters.
    again: Vec<(RowsAgain, RowsFor)>,
}

impl Familiar {
    /// Of rows that a model should not have learned from.
    pub(crate) fn new_to(model: &Model, rows_for: RowsFor) -> Self {
        let is_text = model.schema().has_words();
        let mut again = vec![(RowsAgain::new(model.learned(), is_text), rows_for)];
        if rows_for == RowsFor::Evaluation && model.calibration().is_some() {
            let calibrated_on = RowsAgain::new(model.calibrated_on(), is_text);
            again.push((calibrated_on, RowsFor::EvaluationOfCalibration));
        }
        Familiar {
            again,
            ..Familiar::default()
        }
    }

    /// Adds a block of rows for a model of this schema and width.
    pub(crate) fn block(&mut self, block: Block<'_>, schema: &Schema, width: u32) {
        let constants = match schema.preparation.bias {
            Some(_) => block.len(),
            None => 0,
        };
        let values = block.values().saturating_sub(constants) as u64;
        let mut beyond = 0;
        if block.width() > width {
            for row in 0..block.len() {
                let slots = block.row(row).iter().map(|(slot, _)| slot);
                beyond += slots.filter(|slot| *slot > width as usize).count() as u64;
            }
        }
        self.known += values.saturating_sub(beyond);
        self.beyond += beyond;
        // zeros are left out of rows, but count for their width
        self.zero |= (1..=width).contains(&block.width());
        self.width = width;
        self.shifts.block(block, schema);
        for (again, _) in &mut self.again {
            (0..block.len()).for_each(|row| again.row(block.row(row)));
        }
    }

    fn gapped<'f>(&self, facts: &'f ReadFacts) -> Gapped<'f> {
        Gapped {
            gaps: &facts.gaps,
            schema: &facts.schema,
            missing: facts.missing,
            width: self.width,
        }
    }

    /// Whether a feature that the model knows has appeared. Values that stand for missing cells do not count.
    fn is_any(&self, facts: &ReadFacts) -> bool {
        if facts.is_unnamed {
            return false;
        }
        let gapped = self.gapped(facts);
        let has_columns = facts
            .schema
            .table
            .as_ref()
            .is_some_and(|t| !t.columns.is_empty());
        self.known > gapped.stand_ins() || (self.zero && (!has_columns || gapped.has_number()))
    }

    /// Values of features that the model does not know.
    fn unknown(&self, facts: &ReadFacts) -> u64 {
        if facts.is_unnamed {
            return self.known + self.beyond;
        }
        let unknown = self.beyond + facts.unknown;
        unknown.saturating_sub(self.gapped(facts).unknown_indicators())
    }

    /// Whether no row so far is one that the model knows nothing of.
    pub(crate) fn is_settled(&self, reader: &RowReader) -> bool {
        let facts = reader.facts();
        if facts.is_mostly_absent() {
            return false;
        }
        self.is_any(&facts) || self.unknown(&facts) + self.known == 0
    }

    /// All rows were read: remarks on what the model does not know of them. It is an error if no row has a feature that the model knows, unless
    /// the job is lenient.
    pub(crate) fn finish(
        &self,
        reader: &RowReader,
        model: Option<String>,
        lenient: bool,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let facts = reader.facts();
        self.check(&facts, model.clone(), lenient, context)?;
        if let Some((missing, of)) = facts.mostly_absent() {
            let remark = Remark::Table(TableRemark::MissingColumns {
                missing,
                of,
                foreign: facts.foreign.clone(),
                model: model.clone(),
            });
            context.allow(&remark, lenient)?;
        }
        for remark in self.gapped(&facts).new_gaps(&facts.foreign) {
            context.remark(&remark);
        }
        if !self.is_any(&facts) {
            return Ok(());
        }
        // new words are the rule, and no sign of other columns
        let (words, unknown_words) = facts.words;
        let usual = if 2 * unknown_words > words {
            0
        } else {
            unknown_words
        };
        let unknown = self.unknown(&facts);
        let values = unknown.saturating_sub(usual);
        if values > 0 {
            // what stands for missing cells is not in the data
            let known = self.known.saturating_sub(self.gapped(&facts).stand_ins());
            context.remark(&Remark::UnknownFeatures {
                values,
                of: unknown + known,
                none: false,
                features: if facts.foreign.is_empty() {
                    self.gapped(&facts)
                        .without_indicators(&facts.unknown_features)
                } else {
                    Vec::new()
                },
                columns: facts.foreign,
                known: Vec::new(),
                model,
            });
        }
        Ok(())
    }

    /// An error if rows have features and the model knows none of them, unless the job is lenient. Remarks on what stands for missing cells, and
    /// on means that are not those of training.
    fn check(
        &self,
        facts: &ReadFacts,
        model: Option<String>,
        lenient: bool,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let values = self.unknown(facts);
        if !self.is_any(facts) && values + self.known > 0 {
            let remark = Remark::UnknownFeatures {
                values,
                of: values + self.known,
                none: true,
                features: Vec::new(),
                columns: facts.foreign.clone(),
                known: facts.learned_columns(),
                model,
            };
            return context.allow(&remark, lenient);
        }
        let gapped = self.gapped(facts);
        for remark in gapped.far_from_mean().iter().chain(&gapped.far_unwritten()) {
            context.remark(remark);
        }
        for remark in self.shifts.remarks(&facts.schema) {
            context.remark(&remark);
        }
        let found = self.again.iter().find_map(|(again, rows_for)| {
            let share = again.share()?;
            Some(same_rows(*rows_for, share))
        });
        if let Some(remark) = found {
            context.remark(&remark);
        }
        Ok(())
    }
}

/// A remark on rows that were learned from before; about this share of them was.
pub(crate) fn same_rows(rows_for: RowsFor, share: f64) -> Remark {
    Remark::Result(ResultRemark::SameRows { rows_for, share })
}

/// A remark if rows to test on are among those that were learned from.
pub(crate) fn learned_from(test: &HeldRows, learned: &RowSample) -> Option<Remark> {
    let mut again = RowsAgain::new(learned, test.schema.has_words());
    for block in test.blocks() {
        (0..block.len()).for_each(|row| again.row(block.row(row)));
    }
    let share = again.share()?;
    Some(same_rows(RowsFor::Test, share))
}

/// What a model that learns on knows of the rows.
pub(crate) struct FamiliarToModel {
    familiar: Familiar,
    schema: Arc<Schema>,
    width: u32,
    /// Its file.
    file: Option<String>,
}

impl FamiliarToModel {
    /// Before it learns.
    pub(crate) fn new(model: &Model, file: Option<String>) -> Self {
        FamiliarToModel {
            familiar: Familiar::new_to(model, RowsFor::Learning),
            schema: Arc::clone(model.schema()),
            width: model.width(),
            file,
        }
    }

    /// Adds a block of rows.
    pub(crate) fn block(&mut self, block: Block<'_>) {
        self.familiar.block(block, &self.schema, self.width);
    }

    /// Adds rows that are held.
    pub(crate) fn held(&mut self, held: &HeldRows) {
        for block in held.blocks() {
            self.block(block);
        }
    }

    /// An error if the model knows no feature of the rows, unless the job is lenient.
    pub(crate) fn check(
        &self,
        facts: &ReadFacts,
        lenient: bool,
        context: Context<'_>,
    ) -> Result<(), Error> {
        self.familiar
            .check(facts, self.file.clone(), lenient, context)
    }
}

/// Missing cells and fields of rows that are read as 0, far from the means of the others.
pub(crate) fn far_from_mean(facts: &ReadFacts, schema: &Schema) -> Vec<Remark> {
    let gapped = Gapped {
        gaps: &facts.gaps,
        schema,
        missing: facts.missing,
        width: u32::MAX,
    };
    let mut remarks = gapped.far_from_mean();
    remarks.extend(gapped.far_unwritten());
    remarks
}
