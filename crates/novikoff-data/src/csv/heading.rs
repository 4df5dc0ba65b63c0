//! Whether the first record of a table holds names or values, judged by the records after it.

use std::collections::{HashMap, HashSet};

use super::columns::is_name;
use super::split::Fields;
use super::value::{is_gap, is_missing, is_numeric, trim};
use crate::options::ReadOptions;
use crate::usual::{is_label, known_label};

/// How many records after the first are compared with it, and how many of their cells.
const RECORDS: usize = 500;
const CELLS: usize = 100_000;

/// Of fewer cells it says nothing that the first one is not among them,
const FEWEST: usize = 20;

/// nor if more than this share of them come only once.
const ONCE: f64 = 0.05;

/// The texts of a column below the first cell, and whether each comes once.
#[derive(Default)]
struct Below {
    texts: HashMap<Box<[u8]>, bool>,
    cells: usize,
}

/// The first record, compared with those after it.
pub(super) struct Heading<'f> {
    first: &'f Fields,
    cells: FirstCells,
    /// By column; nothing of columns whose first cell is a number or missing.
    below: Vec<Option<Below>>,
    records: usize,
}

/// What the cells of the first record are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstCells {
    /// All are texts.
    Texts,
    /// One is called as labels usually are.
    Label,
    /// Those that are numbers may be names: whole, and all different.
    Numbered,
    /// Others.
    Mixed,
}

impl<'f> Heading<'f> {
    /// Begins with the first record; or says whether it is a header, if it tells by itself.
    pub(super) fn judge(first: &'f Fields, options: &ReadOptions) -> Result<bool, Self> {
        let cells = || (0..first.len()).map(|k| trim(first.get(k)));
        let table = options.table.as_ref();
        let columns = table.iter().flat_map(|table| &table.columns);
        let columns = columns.map(|column| column.name.as_bytes());
        let known: HashSet<&[u8]> = columns.collect();
        let asked = [&options.label, &options.id].map(|name| name.as_deref());
        let asked = asked.into_iter().flatten().chain(known_label(table));
        let asked: Vec<&[u8]> = asked.filter(|n| is_name(n)).map(str::as_bytes).collect();
        let is_text = |cell: &[u8]| !is_numeric(cell) && !is_missing(cell);
        let is_known = |cell: &[u8]| asked.contains(&cell) || known.contains(cell);
        if cells().any(|cell| asked.contains(&cell) || is_text(cell) && is_known(cell)) {
            return Ok(true);
        }
        if !cells().any(is_text) {
            return Ok(false);
        }
        let numbers: Vec<&[u8]> = cells().filter(|cell| !is_text(cell)).collect();
        let is_label = |cell: &[u8]| std::str::from_utf8(cell).is_ok_and(is_label);
        let are_known = table.is_none() || numbers.iter().all(|cell| known.contains(cell));
        let has_label = are_known && cells().any(is_label);
        // as a table is written whose features are numbered
        let counts_up = |(k, cell): (usize, &&[u8])| *cell == (k + 1).to_string().as_bytes();
        if has_label && numbers.len() > 1 && numbers.iter().enumerate().all(counts_up) {
            return Ok(true);
        }
        let is_whole = |cell: &&[u8]| !cell.is_empty() && cell.iter().all(u8::is_ascii_digit);
        let distinct: HashSet<&[u8]> = numbers.iter().copied().collect();
        let kind = if numbers.is_empty() {
            FirstCells::Texts
        } else if has_label {
            FirstCells::Label
        } else if distinct.len() == numbers.len() && numbers.iter().all(is_whole) {
            FirstCells::Numbered
        } else {
            FirstCells::Mixed
        };
        let below = |cell: &[u8]| (is_text(cell) && !is_gap(cell)).then(Below::default);
        Err(Heading {
            first,
            cells: kind,
            below: cells().map(below).collect(),
            records: 0,
        })
    }

    /// Whether another record may tell; somebody may wait for an answer to the first one before there are others.
    pub(super) fn wants_more(&self, waits: bool) -> bool {
        let is_usual = matches!(self.cells, FirstCells::Texts | FirstCells::Label);
        let enough = if waits {
            usize::from(!is_usual)
        } else {
            RECORDS.min(CELLS / self.first.len().max(1)).max(1)
        };
        self.records < enough
    }

    /// Compares the next record. True if it shows a header: it has a number where the first record has a text.
    pub(super) fn add(&mut self, record: &Fields) -> bool {
        self.records += 1;
        if (0..record.len()).all(|k| record.get(k) == self.first.get(k)) {
            return false; // it comes again
        }
        let mut is_header = false;
        for (k, below) in self.below.iter_mut().enumerate() {
            let (cell, Some(below)) = (trim(record.get(k)), below) else {
                continue;
            };
            if is_numeric(cell) {
                is_header |= below.cells == 0;
            } else if !is_gap(cell) {
                below.cells += 1;
                match below.texts.get_mut(cell) {
                    Some(once) => *once = false,
                    None => drop(below.texts.insert(cell.into(), true)),
                }
            }
        }
        is_header
    }

    /// Whether the first record is a header, by all records that were compared.
    pub(super) fn is_header(&self) -> bool {
        let (mut columns, mut values, mut names) = (0, 0, 0);
        for (k, below) in self.below.iter().enumerate() {
            let Some(below) = below else { continue };
            columns += 1;
            if below.texts.contains_key(trim(self.first.get(k))) {
                // a column may hold nothing but its name, where a box was ticked
                values += usize::from(below.texts.len() > 1);
                continue;
            }
            let once = below.texts.values().filter(|once| **once).count();
            let is_rare = once as f64 <= ONCE * below.cells as f64;
            names += usize::from(below.cells >= FEWEST && is_rare);
        }
        match self.cells {
            // too few to tell names
            FirstCells::Texts if self.records < FEWEST => 2 * values <= columns,
            FirstCells::Texts | FirstCells::Label => values <= names,
            FirstCells::Numbered => values < names,
            FirstCells::Mixed => false,
        }
    }
}
