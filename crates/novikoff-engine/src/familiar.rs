//! How many values of rows are of features that a model knows.

use novikoff::remark::Remark;
use novikoff::rows::Block;
use novikoff::schema::Schema;

use crate::Error;
use crate::events::Context;
use crate::reader::RowReader;

/// Counts the values of rows that are read for a model.
#[derive(Debug, Default)]
pub(crate) struct Familiar {
    /// Of features that the model knows.
    known: u64,
    /// Of features with numbers beyond those that it knows.
    beyond: u64,
    /// A feature that the model knows came, though its values may be 0.
    zero: bool,
}

impl Familiar {
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
    }

    /// Whether a feature that the model knows has appeared.
    pub(crate) fn is_any(&self) -> bool {
        self.known > 0 || self.zero
    }

    /// Whether no row so far is one that the model knows nothing of.
    pub(crate) fn is_settled(&self, reader: &RowReader) -> bool {
        self.is_any() || self.beyond + reader.unknown() == 0
    }

    /// All rows were read: a remark on the values left out. It is an error if no row has a feature that the model knows, unless the job is
    /// lenient.
    pub(crate) fn finish(
        &self,
        reader: &RowReader,
        model: Option<String>,
        lenient: bool,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let values = self.beyond + reader.unknown();
        if values == 0 {
            return Ok(());
        }
        let of = values + self.known;
        let none = !self.is_any();
        let remark = Remark::UnknownFeatures {
            values,
            of,
            none,
            model,
        };
        if none {
            context.allow(&remark, lenient)
        } else {
            context.remark(&remark);
            Ok(())
        }
    }
}
