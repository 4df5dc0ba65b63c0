//! Rows packed into bytes: a header, then the arrays of a [`Block`], read in place, then facts that a driver reads alone.

use std::borrow::Cow;

use bytemuck::Pod;
use novikoff::rows::{Block, Rows};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Writer, damaged};
use crate::Error;

/// What packed rows begin with.
const MARK: &[u8; 8] = b"nvkpack1";

/// Bytes of the mark and of the hash of all that follows it.
const HEAD: usize = 16;

/// Bytes at the end that say how many bytes of facts are in front of them, as decimal digits.
const TAIL: usize = 8;

/// What rows are to be predicted as.
#[derive(Clone, Debug)]
pub enum Truth {
    /// Labels, and the place of each row's among them.
    Labels(Vec<String>, Vec<u32>),
    /// Numbers.
    Numbers(Vec<f64>),
}

/// What a driver has to know of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockFacts {
    /// Its rows.
    pub rows: usize,
    /// Their values that are not 0.
    pub values: usize,
    /// The highest feature number.
    pub width: u32,
    /// The sum of all `|x|^2`.
    pub norm_sq: f64,
    /// No weight times value of a row is larger.
    pub largest: f64,
    /// The labels with their numbers of rows.
    pub labels: Vec<(String, u64)>,
    /// Runs of equal labels in the order of the rows.
    pub runs: u64,
    /// The labels of the first and of the last row, as places in `labels`; none if there are no labels.
    pub ends: Option<(u32, u32)>,
}

impl BlockFacts {
    fn of(block: Block<'_>, width: u32, labels: &[String], codes: &[u32]) -> Self {
        let mut counts: Vec<(String, u64)> = labels.iter().map(|text| (text.clone(), 0)).collect();
        for &code in codes {
            counts[code as usize].1 += 1;
        }
        let changes = codes.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let norms = (0..block.len()).map(|i| block.row(i).norm_sq());
        let largest = block.value.iter().fold(0.0_f32, |top, x| top.max(x.abs()));
        let heaviest = block.weights.iter().fold(1.0_f32, |top, x| top.max(*x));
        BlockFacts {
            rows: block.len(),
            values: block.values(),
            width: block.width().max(width),
            norm_sq: norms.sum(),
            largest: f64::from(largest) * f64::from(heaviest),
            labels: counts,
            runs: changes as u64 + u64::from(!codes.is_empty()),
            ends: codes.first().copied().zip(codes.last().copied()),
        }
    }
}

/// The bytes of rows with at least `width` features, and what a driver has to know of them, which is the end of the bytes too: as JSON, whose length
/// the last eight digits say.
pub fn pack(rows: &Rows, width: u32, truth: &Truth) -> (Vec<u8>, BlockFacts) {
    let block = rows.view();
    let (labels, codes, targets): (&[String], &[u32], &[f64]) = match truth {
        Truth::Labels(labels, codes) => (labels, codes, &[]),
        Truth::Numbers(targets) => (&[], &[], targets),
    };
    let facts = BlockFacts::of(block, width, labels, codes);
    let mut out = Writer(Vec::with_capacity(
        HEAD + 256 + 8 * block.values() + 20 * block.len(),
    ));
    out.0.extend(MARK);
    out.count(0);
    out.count(block.len());
    out.count(block.values());
    out.count(facts.width as usize);
    out.count(targets.len());
    out.count(block.weights.len());
    out.count(labels.len());
    // eight bytes first, so that all are aligned
    out.0.extend(bytemuck::cast_slice(block.ends));
    out.0.extend(bytemuck::cast_slice(targets));
    out.0.extend(bytemuck::cast_slice(&block.slots_of_values()));
    out.0.extend(bytemuck::cast_slice(block.value));
    out.0.extend(bytemuck::cast_slice(codes));
    out.0.extend(bytemuck::cast_slice(block.weights));
    for label in labels {
        out.0.extend((label.len() as u32).to_le_bytes());
    }
    for label in labels {
        out.0.extend(label.bytes());
    }
    let mut bytes = out.0;
    let begin = bytes.len();
    bytes.extend(serde_json::to_vec(&facts).unwrap_or_default());
    // whole words, so that they can be read where they lie
    bytes.resize(bytes.len().next_multiple_of(8), b' ');
    let length = bytes.len() - begin;
    bytes.extend(format!("{length:0TAIL$}").bytes());
    let hash = xxh3_64(&bytes[HEAD..]);
    bytes[8..HEAD].copy_from_slice(&hash.to_le_bytes());
    (bytes, facts)
}

/// Bytes at an address that is a multiple of eight.
pub(super) fn aligned(bytes: &[u8]) -> Cow<'_, [u64]> {
    let whole = &bytes[..bytes.len() / 8 * 8];
    match bytemuck::try_cast_slice(whole) {
        Ok(words) if whole.len() == bytes.len() => Cow::Borrowed(words),
        _ => {
            let mut words = vec![0; bytes.len().div_ceil(8)];
            bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
            Cow::Owned(words)
        }
    }
}

/// Packed rows, borrowed.
pub(super) struct Packed<'a> {
    pub(super) rows: Block<'a>,
    pub(super) labels: Vec<&'a str>,
    codes: &'a [u32],
    targets: &'a [f64],
    /// Of all bytes behind the mark: the same rows have the same.
    pub(super) hash: u64,
}

impl<'a> Packed<'a> {
    /// Reads what [`pack`] wrote, `len` bytes of it.
    pub(super) fn read(words: &'a [u64], len: usize) -> Result<Self, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        Self::parse(bytes.get(..len).unwrap_or_default()).ok_or_else(|| damaged("packed rows"))
    }

    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (mark, rest) = bytes.split_first_chunk::<8>()?;
        let (hash, mut rest) = rest.split_first_chunk::<8>()?;
        let hash = u64::from_le_bytes(*hash);
        if mark != MARK || xxh3_64(rest) != hash {
            return None;
        }
        let rest = &mut rest;
        let [rows, values, width, targets, weights, labels] = *slice::<u64>(rest, 6)? else {
            return None;
        };
        let ends = slice::<u64>(rest, rows as usize)?;
        let targets = slice::<f64>(rest, targets as usize)?;
        let index = slice::<u32>(rest, values as usize)?;
        let value = slice::<f32>(rest, values as usize)?;
        let coded = if labels > 0 { rows } else { 0 };
        let codes = slice::<u32>(rest, coded as usize)?;
        let weights = slice::<f32>(rest, weights as usize)?;
        let lengths = slice::<u32>(rest, labels as usize)?;
        let texts = lengths.iter().map(|&len| {
            let text = slice::<u8>(rest, len as usize)?;
            std::str::from_utf8(text).ok()
        });
        let labels: Option<Vec<&str>> = texts.collect();
        let rows = Block {
            ends,
            index,
            value,
            weights,
            width: width as u32,
            ..Block::default()
        };
        Some(Packed {
            rows,
            labels: labels?,
            codes,
            targets,
            hash,
        })
    }

    /// The label of row `i`, as its place in `labels`.
    pub(super) fn code(&self, i: usize) -> Option<usize> {
        self.codes.get(i).map(|&code| code as usize)
    }

    /// The number that row `i` is to be predicted as.
    pub(super) fn target(&self, i: usize) -> Option<f64> {
        self.targets.get(i).copied()
    }
}

/// The first `count` values of bytes, in place.
fn slice<'a, T: Pod>(rest: &mut &'a [u8], count: usize) -> Option<&'a [T]> {
    let bytes = count.checked_mul(size_of::<T>())?;
    let (head, tail) = rest.split_at_checked(bytes)?;
    *rest = tail;
    bytemuck::try_cast_slice(head).ok()
}
