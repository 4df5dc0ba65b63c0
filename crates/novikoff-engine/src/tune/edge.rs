//! Whether the best of a grid lies at its edge.

use std::collections::BTreeSet;

use novikoff::remark::{Remark, ResultRemark};
use novikoff_report::{Measure, TriedReport};

/// Fewer values are no range.
const VALUES: usize = 3;

/// A number in the text of a spec.
struct Varied<'t> {
    key: &'t str,
    value: f64,
    /// The text before and after it.
    around: (&'t str, &'t str),
}

/// The numbers of a text such as `second-order:a=1` or `0.001`.
fn numbers<'t>(name: &'t str, text: &'t str) -> Vec<Varied<'t>> {
    if let Ok(value) = text.parse() {
        let around = ("", "");
        return vec![Varied {
            key: name,
            value,
            around,
        }];
    }
    let mut found = Vec::new();
    for (at, _) in text.match_indices('=') {
        let (before, rest) = (&text[..at], &text[at + 1..]);
        let end = rest.find([',', ';', ')', '@']).unwrap_or(rest.len());
        let key = before.rsplit([':', ',', '@']).next().unwrap_or(before);
        if let Ok(value) = rest[..end].parse() {
            let around = (before, &rest[end..]);
            found.push(Varied { key, value, around });
        }
    }
    found
}

/// A remark per number of the best candidate that is the lowest or highest of its values, where those that differ from it in that number
/// alone do worse, and the next of them by a difference that matters.
pub(super) fn remarks(tried: &[TriedReport], best: usize, measure: Measure) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let Some(top) = tried.get(best) else {
        return remarks;
    };
    for (word, (name, text)) in top.words.iter().enumerate() {
        for varied in numbers(name, text) {
            let same_but = |other: &&TriedReport| {
                let mut pairs = top.words.iter().zip(&other.words).enumerate();
                pairs.all(|(k, (own, others))| k == word || own == others)
            };
            let mut values = BTreeSet::new();
            let mut is_matched = false;
            let mut next: Option<(f64, &TriedReport)> = None;
            for other in tried.iter().filter(same_but) {
                let others = numbers(name, &other.words[word].1);
                let other_value = others.iter().find(|o| o.around == varied.around);
                let Some(o) = other_value.filter(|o| o.value.is_finite()) else {
                    continue;
                };
                // numbers above 0 are in the order of their bits
                values.insert(o.value.max(0.0).to_bits());
                if o.value == varied.value {
                    continue;
                }
                is_matched |= !top.beats(other, measure);
                let distance = (o.value - varied.value).abs();
                if next.is_none_or(|(nearest, _)| distance < nearest) {
                    next = Some((distance, other));
                }
            }
            let (own, is_positive) = (varied.value.to_bits(), varied.value > 0.0);
            let (lowest, highest) = (values.first() == Some(&own), values.last() == Some(&own));
            let is_edge = is_positive && (lowest || highest);
            let is_clear = next.is_some_and(|(_, next)| top.clearly_beats(next, measure));
            if is_edge && values.len() >= VALUES && !is_matched && is_clear {
                remarks.push(Remark::Result(ResultRemark::Edge {
                    key: varied.key.to_owned(),
                    value: varied.value.to_string(),
                    highest,
                }));
            }
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use novikoff_report::{Measure, TriedReport};

    use super::remarks;

    fn tried(spec: &str, errors: f64) -> TriedReport {
        TriedReport {
            words: vec![("spec", spec.to_owned()), ("kernel", "linear".to_owned())],
            parts: vec![(1000, 10.0 * errors)],
            seconds: 0.0,
        }
    }

    fn said(all: &[TriedReport], best: usize) -> Vec<String> {
        let remarks = remarks(all, best, Measure::Errors);
        remarks.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_best_at_an_end_is_named() {
        let grid = [
            tried("second-order:a=0.1", 9.0),
            tried("second-order:a=1", 7.0),
            tried("second-order:a=10", 5.0),
            tried("perceptron", 9.0),
        ];
        let expected =
            "the best a, 10, is the highest of the grid, so a better one may lie beyond it";
        assert_eq!(said(&grid, 2), [expected]);
        assert!(said(&grid[..2], 1).is_empty(), "two values are no range");
        let flat = [
            tried("second-order:a=0.1", 9.0),
            tried("second-order:a=1", 5.1),
            tried("second-order:a=10", 5.0),
        ];
        assert!(said(&flat, 2).is_empty(), "50 errors against 51");
        assert!(said(&grid, 3).is_empty());
        let level = [
            tried("p-norm:p=2,margin=0", 5.0),
            tried("p-norm:p=4,margin=0", 5.0),
            tried("p-norm:p=8,margin=0", 5.0),
        ];
        assert!(said(&level, 0).is_empty(), "it makes no difference");
        let zero = [
            tried("perceptron:margin=0", 4.0),
            tried("perceptron:margin=1", 5.0),
            tried("perceptron:margin=2", 6.0),
        ];
        assert!(said(&zero, 0).is_empty(), "there is nothing below 0");
    }
}
