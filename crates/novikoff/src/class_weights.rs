//! How much the rows of a label count: the weight of a row is multiplied by the factor of its label.

use crate::label::{LabelName, RawLabel};

/// The largest factor: with any weight of a row that is an `f32` it stays finite.
const MOST: f64 = 1e100;

/// The factor per class, given its number of rows, that makes all classes count alike: `n / (classes * rows)`, and 1 for classes without
/// rows, which are not counted.
pub fn balanced(counts: &[u64]) -> Vec<f64> {
    let n: u64 = counts.iter().sum();
    let classes = counts.iter().filter(|&&rows| rows > 0).count();
    let factor = |&rows: &u64| match rows {
        0 => 1.0,
        _ => n as f64 / (classes as f64 * rows as f64),
    };
    counts.iter().map(factor).collect()
}

/// Factors by label.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassWeights {
    list: Vec<(LabelName, f64)>,
    rest: f64,
    balanced: bool,
}

impl ClassWeights {
    /// Factors of labels, each above 0 and no more than 1e100; that of all others is 1. None if they are not that, or a label comes twice.
    pub fn given(list: Vec<(LabelName, f64)>) -> Option<Self> {
        Self::restore(list, 1.0, false)
    }

    /// The factors that make all labels count alike, given their numbers of rows: `n / (labels * rows)`. `rest` rows have other labels,
    /// which count as one.
    ///
    /// ```
    /// use novikoff::class_weights::ClassWeights;
    /// use novikoff::label::LabelName;
    ///
    /// let weights = ClassWeights::balanced(vec![(LabelName::typed("ham"), 60), (LabelName::typed("spam"), 20)], 0);
    /// assert_eq!(weights.list()[0].1, 80.0 / (2.0 * 60.0));
    /// assert_eq!(weights.list()[1].1, 2.0);
    /// ```
    pub fn balanced(counts: Vec<(LabelName, u64)>, rest: u64) -> Self {
        let rows = counts.iter().map(|(_, rows)| *rows);
        let mut factors = balanced(&rows.chain([rest]).collect::<Vec<_>>());
        let rest = factors.pop().unwrap_or(1.0);
        let labels = counts.into_iter().map(|(label, _)| label);
        ClassWeights {
            list: labels.zip(factors).collect(),
            rest,
            balanced: true,
        }
    }

    /// Factors that were kept.
    #[doc(hidden)] // for readers of model files
    pub fn restore(list: Vec<(LabelName, f64)>, rest: f64, balanced: bool) -> Option<Self> {
        let factors = || list.iter().map(|(_, factor)| *factor).chain([rest]);
        let sound = factors().all(|factor| factor > 0.0 && factor <= MOST);
        let mut labels: Vec<&LabelName> = list.iter().map(|(label, _)| label).collect();
        labels.sort_unstable();
        let twice = labels.windows(2).any(|pair| pair[0] == pair[1]);
        (sound && !twice).then_some(ClassWeights {
            list,
            rest,
            balanced,
        })
    }

    /// The labels that have factors.
    pub fn list(&self) -> &[(LabelName, f64)] {
        &self.list
    }

    /// The factor of all others.
    pub fn rest(&self) -> f64 {
        self.rest
    }

    /// Whether they were found by counting rows.
    pub fn are_balanced(&self) -> bool {
        self.balanced
    }

    /// The factor of a label.
    pub fn of(&self, label: RawLabel<'_>) -> f64 {
        let found = self.list.iter().find(|(name, _)| name.is(label));
        found.map_or(self.rest, |(_, factor)| *factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(name: &str) -> LabelName {
        LabelName::typed(name)
    }

    #[test]
    fn factors_are_those_of_the_labels() {
        let weights = ClassWeights::given(vec![(label("+1"), 3.0)]).expect("sound");
        assert_eq!(weights.of(RawLabel::new(1.0, b"1")), 3.0);
        assert_eq!(weights.of(RawLabel::new(-1.0, b"-1")), 1.0);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 2e100] {
            assert_eq!(ClassWeights::given(vec![(label("a"), bad)]), None, "{bad}");
        }
        let twice = vec![(label("1"), 1.0), (label("+1"), 2.0)];
        assert_eq!(ClassWeights::given(twice), None);
    }

    #[test]
    fn balanced_labels_count_alike() {
        let counts = vec![(label("a"), 30), (label("b"), 10), (label("c"), 0)];
        let weights = ClassWeights::balanced(counts, 5);
        let shares = [
            30.0 * weights.list()[0].1,
            10.0 * weights.list()[1].1,
            5.0 * weights.rest(),
        ];
        assert!(shares.iter().all(|share| (share - 15.0).abs() < 1e-12));
        assert_eq!(weights.list()[2].1, 1.0);
        assert!(weights.are_balanced());
    }
}
