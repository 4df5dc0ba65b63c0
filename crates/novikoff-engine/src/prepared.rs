//! Rows as the solver sees them: prepared once.

use novikoff::dual::{Aim, Problem};
use novikoff::preparation::{Preparation, PreparedRows};
use novikoff::rows::Block;

use crate::rows::HeldRows;
use crate::{Error, Remedy, Setting};

/// Rows after centring, scaling, normalising and mapping.
pub(crate) struct Prepared<'h>(PreparedRows<'h>);

impl<'h> Prepared<'h> {
    pub(crate) fn new(
        held: &'h HeldRows,
        preparation: &Preparation,
        memory: u128,
    ) -> Result<Self, Error> {
        let blocks: Vec<Block<'h>> = held.blocks().collect();
        let are_copied = PreparedRows::are_copied(&blocks, preparation);
        if are_copied {
            let rows = held.len() as u128;
            let some = preparation.standardize.as_ref().and_then(|m| m.slots());
            let stored: usize = blocks.iter().map(Block::values).sum();
            let values = match (some, preparation.features()) {
                (_, Some(features)) => (u128::from(features) + 1) * rows,
                (Some(slots), None) => stored as u128 + slots.len() as u128 * rows,
                (None, None) => (u128::from(held.width()) + 1) * rows,
            };
            let needed = (8 * values) >> 20;
            if needed > memory >> 20 {
                let limit = memory >> 20;
                let raise = Remedy::raise(Setting::MaxMemory);
                if let Some(map) = &preparation.map {
                    let what = format!(
                        "all rows mapped by {map} take {needed} MB, and the limit is {limit} MB"
                    );
                    return Err(Error::refused(what, raise.or("give a smaller dim")));
                }
                let what = format!(
                    "standardising makes all values non-zero, which takes {needed} MB, and the limit is {limit} MB"
                );
                let normalize = Remedy::give(Setting::Normalize, "");
                return Err(Error::refused(what, raise.or(normalize)));
            }
        }
        let prepared = PreparedRows::known(blocks, preparation, are_copied);
        Ok(Prepared(prepared))
    }

    /// The rows with what they aim at.
    pub(crate) fn problem(&self, aims: Vec<Aim>) -> Problem<'_> {
        Problem::prepared(&self.0, aims)
    }
}
