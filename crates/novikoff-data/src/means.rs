//! The means of the columns of tables, where those stand for missing values: one pass over all rows.

use std::collections::HashMap;

use novikoff::names::Names;
use novikoff::source::Source as _;

use crate::blocks::{Input, Reader};
use crate::error::DataError;
use crate::options::{Missing, ReadOptions};

/// The means of the numbers in the columns of some inputs that are read as one; of dates, those of years or seconds. What is missing is left
/// aside.
pub fn means(
    inputs: Vec<Input>,
    options: &ReadOptions,
    threads: usize,
) -> Result<HashMap<String, f32>, DataError> {
    // `column=missing` is 1 where a value is missing
    let mut options = ReadOptions {
        missing: Some(Missing::Indicator),
        bias: None,
        ..options.clone()
    };
    options.drop.append(&mut options.text);
    // a folder of texts has no columns of numbers
    let is_table = |input: &Input| !matches!(input, Input::Path(path) if path.is_dir());
    let inputs = inputs.into_iter().filter(is_table).collect();
    let mut reader = Reader::with_names(inputs, options, threads, Names::new())?;
    let (mut sums, mut rows) = (Vec::<f64>::new(), 0);
    // how many rows come before the first table that has each column
    let mut before = Vec::new();
    while let Some(block) = reader.next_block()? {
        sums.resize(sums.len().max(block.width() as usize + 1), 0.0);
        for row in 0..block.len() {
            for (slot, value) in block.row(row).iter() {
                sums[slot] += value;
            }
        }
        let met = rows;
        rows += block.len();
        let columns = reader.table().map_or(0, |table| table.columns.len());
        before.resize(columns, met);
    }
    let names = reader.names();
    let sum = |name: &str| {
        let slot = names.slot(name.as_bytes());
        slot.and_then(|slot| sums.get(slot as usize)).copied()
    };
    let columns = reader.table().map_or(&[][..], |table| &table.columns);
    let mut means = HashMap::new();
    for (column, before) in columns.iter().zip(before) {
        let Some(number) = column.number() else {
            continue;
        };
        let missing = sum(&format!("{}=missing", column.name)).unwrap_or(0.0);
        let present = (rows - before) as f64 - missing;
        if present > 0.0 {
            let mean = sum(&number).unwrap_or(0.0) / present;
            means.insert(column.name.clone(), mean as f32);
        }
    }
    Ok(means)
}
