//! What a part of the rows says of their labels, beyond what the most frequent label says.

/// At least this many rows have the label, and this many have another.
pub(super) const LEAST: u64 = 20;

/// A column answers rows by itself if there are at least this many of them,
const ROWS: u64 = 100;

/// and of 100 rows it answers this many,
const PERCENT: u64 = 95;

/// and it corrects this share of the errors of the most frequent label,
const CORRECTED: f64 = 0.8;

/// and the most frequent label is wrong for at least one row of this many.
const BASELINE: u64 = 10;

/// Of 100 rows of a pure part this many have its label.
const PURE: u64 = 98;

/// A pure part indicates a label if it has this share of the label's rows.
const FOUND: f64 = 0.7;

/// One category, or number other than 0, has this share of them. No category or number of the data sets that this was tried on has 0.3.
const FOUND_BY_VALUE: f64 = 0.6;

/// A label that most rows have is indicated by a value with which hardly any row has another: of 1000 rows this many have the label,
const PURER: u64 = 999;

/// and chance would give this many rows with the value another.
const BY_CHANCE: f64 = 50.0;

/// A word that fewer rows of a label have, half of them, is in this many of them,
const WORD_ROWS: u64 = 50;

/// and of 1000 rows with it this many have the label.
const PURE_WORD: u64 = 995;

/// Of 100 rows at most this many have a label that a pure part indicates: of a label that nearly all rows have, every part is nearly pure.
const MOST: u64 = 80;

/// A label on at most one row of this many is rare: the share of rows that are answered right says little of it.
const RARE: u64 = 10;

/// A rare label is indicated by a part of the rows from this F1 on: twice the rows that are in the part and have the label, over those of both.
const F1: f64 = 0.85;

/// Rows and how many have each label.
#[derive(Clone, Debug)]
pub(super) struct Totals {
    pub(super) rows: u64,
    /// By label.
    pub(super) labels: Vec<u64>,
}

/// A label that a part of the rows predicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Indicator {
    pub(super) label: usize,
    /// Rows with the label that are in the part, and rows with other labels.
    pub(super) with: u64,
    pub(super) without: u64,
    /// The part is that of the other rows.
    pub(super) is_rest: bool,
    pub(super) f1: f64,
}

impl Totals {
    pub(super) fn of(labels: Vec<u64>) -> Self {
        Totals {
            rows: labels.iter().sum(),
            labels,
        }
    }

    /// How many rows have the most frequent label.
    pub(super) fn most_frequent(&self) -> u64 {
        self.labels.iter().copied().max().unwrap_or(0)
    }

    /// Whether answering this many rows right is so much better than the most frequent label that the label is as good as known.
    pub(super) fn is_nearly_all(&self, right: u64) -> bool {
        self.rows >= ROWS
            && BASELINE * (self.rows - self.most_frequent()) >= self.rows
            && 100 * right >= PERCENT * self.rows
            && self.corrected_share(right) >= CORRECTED
    }

    /// Whether nearly all of some rows have one label.
    pub(super) fn is_pure(with: u64, rows: u64) -> bool {
        100 * with >= PURE * rows
    }

    /// Whether most rows have a value that belongs to one label, and answering by values corrects most errors of the most frequent label.
    pub(super) fn are_mostly_pure(&self, pure: u64, right: u64) -> bool {
        self.rows >= ROWS
            && BASELINE * (self.rows - self.most_frequent()) >= self.rows
            && pure as f64 >= CORRECTED * self.rows as f64
            && self.corrected_share(right) >= CORRECTED
    }

    /// Whether answering this many rows right finds nearly all rows of labels that are rare.
    pub(super) fn finds_rare(&self, right: u64) -> bool {
        let others = self.rows - self.most_frequent();
        self.rows >= ROWS
            && others >= LEAST
            && BASELINE * others < self.rows
            && self.corrected_share(right) >= CORRECTED
    }

    /// The share of the errors of the most frequent label that is gone where this many rows are answered right.
    pub(super) fn corrected_share(&self, right: u64) -> f64 {
        let most = self.most_frequent();
        right.saturating_sub(most) as f64 / (self.rows - most).max(1) as f64
    }

    fn is_enough(&self, label: usize) -> bool {
        let with = self.labels[label];
        self.rows >= ROWS && with >= LEAST && self.rows - with >= LEAST
    }

    /// Whether a label is rare, and yet on enough rows.
    pub(super) fn is_rare(&self, label: usize) -> bool {
        self.is_enough(label) && RARE * self.labels[label] < self.rows
    }

    /// Each label on enough rows, with those of a part of the rows that have it, and with those of all others.
    fn all<'a>(&'a self, part: &'a [u64]) -> impl Iterator<Item = Indicator> + 'a {
        let inside: u64 = part.iter().sum();
        let labels = (0..self.labels.len()).filter(|&label| self.is_enough(label));
        labels.flat_map(move |label| {
            let of = self.labels[label];
            let indicator = |with: u64, rows: u64, is_rest: bool| Indicator {
                label,
                with,
                without: rows - with,
                is_rest,
                f1: 2.0 * with as f64 / (rows + of) as f64,
            };
            let rest = indicator(of - part[label], self.rows - inside, true);
            [indicator(part[label], inside, false), rest]
        })
    }

    /// The rare label that a part of the rows predicts, counted by label, or all other rows predict.
    pub(super) fn rare(&self, part: &[u64]) -> Option<Indicator> {
        let rare = self
            .all(part)
            .filter(|indicator| self.is_rare(indicator.label));
        best(rare).filter(|indicator| indicator.f1 >= F1)
    }

    /// The label that a part of the rows, counted by label, predicts: nearly all rows are answered right by it, or a rare label is found.
    pub(super) fn indicator(&self, part: &[u64]) -> Option<Indicator> {
        let inside = part.iter().copied().max().unwrap_or(0);
        let rest = self.labels.iter().zip(part).map(|(all, part)| all - part);
        if self.is_nearly_all(inside + rest.max().unwrap_or(0)) {
            return best(self.all(part));
        }
        self.rare(part)
    }

    /// The label of nearly all rows of a part that has most rows with it; all other rows are no part.
    pub(super) fn pure_value(&self, part: &[u64]) -> Option<Indicator> {
        let is_pure = |indicator: &Indicator| {
            let Indicator { with, without, .. } = *indicator;
            let (of, inside) = (self.labels[indicator.label], with + without);
            let others = (self.rows - of) as f64 / self.rows as f64;
            let is_pure = if 2 * of <= self.rows {
                Self::is_pure(with, inside)
            } else {
                1000 * with >= PURER * inside && inside as f64 * others >= BY_CHANCE
            };
            is_pure && !indicator.is_rest && with as f64 >= FOUND_BY_VALUE * of as f64
        };
        best(self.all(part).filter(is_pure))
    }

    /// The label of nearly all rows of a part that has most rows with it.
    pub(super) fn pure(&self, part: &[u64]) -> Option<Indicator> {
        let is_pure = |indicator: &Indicator| {
            Self::is_pure(indicator.with, indicator.with + indicator.without)
                && indicator.with as f64 >= FOUND * self.labels[indicator.label] as f64
        };
        best(self.all(part).filter(is_pure))
    }

    /// The label of at most half of the rows that a word belongs to: half of the rows with the label have it, and hardly any others.
    pub(super) fn pure_word(&self, part: &[u64]) -> Option<Indicator> {
        let is_pure = |indicator: &Indicator| {
            let Indicator { with, without, .. } = *indicator;
            let of = self.labels[indicator.label];
            !indicator.is_rest
                && 2 * of <= self.rows
                && 2 * with >= of
                && with >= WORD_ROWS
                && 1000 * with >= PURE_WORD * (with + without)
        };
        best(self.all(part).filter(is_pure))
    }

    /// As [`indicator`](Self::indicator); or hardly any row with another label is in the part, and half of the rows with the label are, or
    /// [`FOUND`] of them if most rows have the label.
    pub(super) fn indicator_or_pure(&self, part: &[u64]) -> Option<Indicator> {
        let is_pure = |indicator: &Indicator| {
            let of = self.labels[indicator.label];
            let least = if 2 * of <= self.rows { 0.5 } else { FOUND };
            100 * of <= MOST * self.rows
                && indicator.with as f64 >= least * of as f64
                && 100 * indicator.with >= PURE * (indicator.with + indicator.without)
        };
        self.indicator(part)
            .or_else(|| best(self.all(part).filter(is_pure)))
    }
}

/// The first of the best indicators.
fn best(indicators: impl Iterator<Item = Indicator>) -> Option<Indicator> {
    indicators.reduce(|a, b| if b.f1 > a.f1 { b } else { a })
}
