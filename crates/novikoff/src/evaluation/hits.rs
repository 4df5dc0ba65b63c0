//! Precision, recall and F1 of one label, and their averages over many.
//!
//! A quotient 0/0 is 0: the precision of a label that was never predicted, the recall of one that never
//! occurred, F1 if it was neither.

/// How often one label was predicted, rightly or not, and missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Predicted, and true.
    pub true_positives: u64,
    /// Predicted, and not true.
    pub false_positives: u64,
    /// Not predicted, but true.
    pub false_negatives: u64,
}

/// Precision, recall and F1, of one label or averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Of the predictions of the label, how many were true.
    pub precision: f64,
    /// Of the rows with the label, how many were predicted.
    pub recall: f64,
    /// The harmonic mean of the two; in a macro average the mean of the labels' F1.
    pub f1: f64,
}

fn quotient(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

impl Hits {
    /// Counts one row.
    pub fn add(&mut self, truth: bool, predicted: bool) {
        match (truth, predicted) {
            (true, true) => self.true_positives += 1,
            (false, true) => self.false_positives += 1,
            (true, false) => self.false_negatives += 1,
            (false, false) => {}
        }
    }

    /// Rows that have the label.
    pub fn occurrences(self) -> u64 {
        self.true_positives + self.false_negatives
    }

    /// Rows for which the label was predicted.
    pub fn predictions(self) -> u64 {
        self.true_positives + self.false_positives
    }

    /// Of the predictions, how many were true.
    pub fn precision(self) -> f64 {
        quotient(self.true_positives, self.predictions())
    }

    /// Of the occurrences, how many were predicted.
    pub fn recall(self) -> f64 {
        quotient(self.true_positives, self.occurrences())
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(self) -> f64 {
        quotient(
            2 * self.true_positives,
            self.occurrences() + self.predictions(),
        )
    }

    /// All three.
    pub fn measures(self) -> Measures {
        Measures {
            precision: self.precision(),
            recall: self.recall(),
            f1: self.f1(),
        }
    }
}

/// The measures of the counts of all labels added up: every row counts alike.
pub fn micro_average(labels: &[Hits]) -> Measures {
    let mut sum = Hits::default();
    for hits in labels {
        sum.true_positives += hits.true_positives;
        sum.false_positives += hits.false_positives;
        sum.false_negatives += hits.false_negatives;
    }
    sum.measures()
}

/// The means of the measures of the labels that occurred or were predicted: every such label counts alike.
pub fn macro_average(labels: &[Hits]) -> Measures {
    let mut sum = Measures::default();
    let mut count = 0.0;
    for hits in labels {
        if hits.occurrences() + hits.predictions() > 0 {
            let m = hits.measures();
            sum.precision += m.precision;
            sum.recall += m.recall;
            sum.f1 += m.f1;
            count += 1.0;
        }
    }
    if count > 0.0 {
        sum.precision /= count;
        sum.recall /= count;
        sum.f1 /= count;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_by_hand() {
        let mut hits = Hits::default();
        for (truth, predicted, times) in [
            (true, true, 3),
            (false, true, 1),
            (true, false, 2),
            (false, false, 9),
        ] {
            (0..times).for_each(|_| hits.add(truth, predicted));
        }
        assert_eq!((hits.occurrences(), hits.predictions()), (5, 4));
        let m = hits.measures();
        assert_eq!((m.precision, m.recall), (0.75, 0.6));
        let harmonic = 2.0 / (1.0 / 0.75 + 1.0 / 0.6);
        assert!((m.f1 - harmonic).abs() < 1e-15);
    }

    #[test]
    fn nothing_over_nothing_is_zero() {
        assert_eq!(Hits::default().measures(), Measures::default());
        assert_eq!(macro_average(&[]), Measures::default());
        assert_eq!(micro_average(&[]), Measures::default());
    }

    #[test]
    fn a_label_that_is_nowhere_is_not_averaged() {
        let hits = Hits {
            true_positives: 1,
            false_positives: 1,
            false_negatives: 0,
        };
        let one = macro_average(&[hits]);
        assert_eq!(macro_average(&[hits, Hits::default()]), one);
        // one that occurs and is never predicted pulls the mean down
        let missed = Hits {
            false_negatives: 4,
            ..Hits::default()
        };
        assert_eq!(macro_average(&[hits, missed]).precision, 0.25);
        assert_eq!(micro_average(&[hits, missed]).recall, 0.2);
    }
}
