//! Rows as the solver sees them: prepared once.

use novikoff::dual::{Aim, Problem};
use novikoff::preparation::{Preparation, RowBuffer};
use novikoff::row::Row;
use novikoff::rows::{Block, Rows};

use crate::rows::HeldRows;
use crate::{Error, Remedy, Setting};

/// Rows after centring, scaling, normalising and mapping.
pub(crate) struct Prepared<'h> {
    blocks: Vec<Block<'h>>,
    /// Rows that were centred or mapped.
    centred: Option<Rows>,
    scale: Vec<f64>,
}

impl<'h> Prepared<'h> {
    pub(crate) fn new(
        held: &'h HeldRows,
        preparation: &Preparation,
        memory: u128,
    ) -> Result<Self, Error> {
        let mut prepared = Prepared {
            blocks: held.blocks().collect(),
            centred: None,
            scale: Vec::new(),
        };
        // rows that several learners share may have another constant feature
        let constant = prepared.blocks.iter().find(|block| !block.is_empty());
        let constant = constant.and_then(|block| block.row(0).constant());
        if preparation.standardize.is_some()
            || preparation.map.is_some()
            || constant.is_some_and(|b| preparation.bias != Some(b))
        {
            let rows = held.len() as u128;
            let some = preparation.standardize.as_ref().and_then(|m| m.slots());
            let stored: usize = prepared.blocks.iter().map(|block| block.index.len()).sum();
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
            // rows are normalised before they are mapped; otherwise that is a factor
            let normalize = preparation.normalize.filter(|_| preparation.map.is_some());
            let only = Preparation {
                normalize,
                ..preparation.clone()
            };
            let (mut rows, mut buffer) = (Rows::new(), RowBuffer::default());
            for block in &prepared.blocks {
                for i in 0..block.len() {
                    for (slot, value) in only.apply(block.row(i), &mut buffer).iter() {
                        rows.push(slot as u32, value as f32);
                    }
                    rows.end_row(0);
                }
            }
            prepared.centred = Some(rows);
        }
        if let (Some(p), None) = (preparation.normalize, &preparation.map) {
            let factor = |x: Row<'_>| match x.norm(p) {
                norm if norm > 0.0 => 1.0 / norm,
                _ => 1.0,
            };
            let mut scale = Vec::with_capacity(held.len());
            for block in prepared.rows() {
                scale.extend((0..block.len()).map(|i| factor(block.row(i))));
            }
            prepared.scale = scale;
        }
        Ok(prepared)
    }

    fn rows(&self) -> Vec<Block<'_>> {
        match &self.centred {
            Some(centred) => vec![centred.view()],
            None => self.blocks.clone(),
        }
    }

    /// The rows with what they aim at.
    pub(crate) fn problem(&self, aims: Vec<Aim>) -> Problem<'_> {
        Problem::of(&self.rows(), self.scale.clone(), aims)
    }
}
