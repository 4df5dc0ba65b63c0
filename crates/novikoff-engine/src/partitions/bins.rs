//! Margins counted in bins, so that curves of any number of rows are known up to a stated error; and probabilities of margins.

use std::collections::BTreeMap;
use std::iter::zip;

use novikoff::calibration::{Calibration, CalibrationMap, CalibrationMethod, RecentMargins};
use novikoff::model::Model;

use super::bytes::{Reader, Writer};
use crate::Error;

/// Bits of a bin: sign, exponent and eight bits of the mantissa, so that margins of one bin differ by less than one part in 256.
const BITS: u32 = 20;

/// Rows by margin, for one class against the rest. Counts are whole numbers, so that sums do not depend on any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarginBins {
    /// By bin: rows without and with the label.
    bins: BTreeMap<u32, [u64; 2]>,
}

/// The bin of a margin; bins have the order of margins.
fn bin(margin: f64) -> u32 {
    let bits = (margin + 0.0).to_bits();
    // the order of numbers: negative ones are mirrored
    let ordered = if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    };
    (ordered >> (64 - BITS)) as u32
}

/// The least margin of a bin.
fn least(bin: u32) -> f64 {
    let ordered = u64::from(bin) << (64 - BITS);
    let bits = if ordered >> 63 == 1 {
        ordered & !(1 << 63)
    } else {
        // the largest magnitude of a negative bin
        !ordered
    };
    f64::from_bits(bits)
}

/// A point of a curve: the threshold, and the rows without and with the label at or above it.
pub type CurvePoint = (f64, u64, u64);

impl MarginBins {
    /// Counts a row.
    pub fn add(&mut self, margin: f64, has_label: bool) {
        self.bins.entry(bin(margin)).or_default()[usize::from(has_label)] += 1;
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.count(self.bins.len());
        for (bin, [without, with]) in &self.bins {
            out.count(*bin as usize);
            out.count(*without as usize);
            out.count(*with as usize);
        }
        out.0
    }

    /// Adds one that was written as bytes.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut from = Reader::new("a histogram", bytes);
        for _ in 0..from.count(24)? {
            let bin = from.word()? as u32;
            let counts = [from.word()?, from.word()?];
            zip(self.bins.entry(bin).or_default(), counts).for_each(|(sum, count)| *sum += count);
        }
        from.end()
    }

    /// Rows without and with the label.
    pub fn rows(&self) -> (u64, u64) {
        let all = self.bins.values();
        all.fold((0, 0), |sum, counts| (sum.0 + counts[0], sum.1 + counts[1]))
    }

    /// The area under the ROC curve, and how far it can be from that of the margins themselves: pairs in one bin count half. None if all
    /// rows have the label, or none has.
    pub fn auc(&self) -> Option<(f64, f64)> {
        let (without, with) = self.rows();
        let pairs = without as f64 * with as f64;
        let (mut below, mut won, mut tied) = (0.0, 0.0, 0.0);
        for [no, yes] in self.bins.values() {
            won += *yes as f64 * below;
            tied += *yes as f64 * *no as f64;
            below += *no as f64;
        }
        (pairs > 0.0).then(|| ((won + 0.5 * tied) / pairs, 0.5 * tied / pairs))
    }

    /// The least and the largest average precision that rows in these bins can have. None if no row has the label.
    pub fn average_precision(&self) -> Option<(f64, f64)> {
        let (_, with) = self.rows();
        let (mut low, mut high) = (0.0, 0.0);
        let (mut no, mut yes) = (0.0, 0.0);
        for [others, own] in self.bins.values().rev() {
            let (others, own) = (*others as f64, *own as f64);
            // the rows with the label come last in their bin, or first; precision at each of them is at least, at most, this
            if own > 0.0 {
                low += own * ((yes + 1.0) / (yes + 1.0 + no + others));
                high += own * ((yes + own) / (yes + own + no));
            }
            (no, yes) = (no + others, yes + own);
        }
        let with = with as f64;
        (with > 0.0).then(|| (low / with, (high / with).min(1.0)))
    }

    /// The curve: for each bin from the highest down its least margin, and the rows without and with the label at or above it.
    pub fn curve(&self) -> Vec<CurvePoint> {
        let (mut no, mut yes) = (0, 0);
        let points = self.bins.iter().rev().map(|(bin, [others, own])| {
            (no, yes) = (no + others, yes + own);
            (least(*bin), no, yes)
        });
        points.collect()
    }
}

/// The model with probabilities: Platt's sigmoid for each class, fitted on margins. `margins` has one column per class, in the order of the classes, and one
/// number per row; `labels` has the place of each row's label among the classes.
pub fn with_sigmoids(model: &Model, margins: &[Vec<f64>], labels: &[i64]) -> Result<Model, Error> {
    let mut next = model.clone();
    let classes = next.classes();
    let order = classes.order().to_vec();
    let binary = classes.is_binary();
    let is_whole = margins.iter().all(|column| column.len() == labels.len());
    if margins.len() != order.len() || !is_whole || labels.is_empty() {
        return Err(Error::plain(
            "calibration: there must be one column per class and one label per row",
        ));
    }
    let method = CalibrationMethod::Platt;
    let mut maps: Vec<Option<CalibrationMap>> = vec![None; order.len()];
    for ((column, own_margins), &class) in zip(0_i64.., margins).zip(&order) {
        // of two labels the second is the positive one
        let own = if binary { 1 } else { column };
        let pairs = zip(own_margins, labels).map(|(margin, label)| (*margin, *label == own));
        maps[class] = Some(CalibrationMap::fit(method, &pairs.collect::<Vec<_>>()));
    }
    let hypothesis = next.learner().hypotheses()[0];
    let calibration = Calibration {
        method,
        hypothesis,
        maps: maps.into_iter().flatten().collect(),
        rows: labels.len() as u64,
        recent: RecentMargins::default(),
    };
    let calibrated = next.calibrate(calibration);
    calibrated.map_err(|error| Error::plain(error.to_string()))?;
    Ok(next)
}
