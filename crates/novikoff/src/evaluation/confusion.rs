//! Which label was taken for which.

use super::hits::{Hits, Measures, macro_average, micro_average};

/// Counts of rows by true and predicted label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// The labels, in the order of rows and columns.
    pub labels: Vec<String>,
    /// One row a true label, one column a predicted one, row after row.
    pub counts: Vec<u64>,
}

impl Confusion {
    /// No row counted yet.
    pub fn new(labels: Vec<String>) -> Self {
        let counts = vec![0; labels.len() * labels.len()];
        Confusion { labels, counts }
    }

    /// Leaves the last label out.
    pub(super) fn drop_last(&mut self) {
        let n = self.labels.len().saturating_sub(1);
        let counts = (0..n * n).map(|k| self.count(k / n, k % n)).collect();
        self.labels.truncate(n);
        self.counts = counts;
    }

    /// Counts one row, by the numbers of its labels.
    ///
    /// # Panics
    /// If there is no such label.
    pub fn add(&mut self, truth: usize, predicted: usize) {
        let n = self.labels.len();
        assert!(truth < n && predicted < n, "label out of range");
        self.counts[truth * n + predicted] += 1;
    }

    /// Rows with a true and a predicted label.
    pub fn count(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth * self.labels.len() + predicted]
    }

    /// All rows.
    pub fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Rows whose label was not predicted.
    pub fn errors(&self) -> u64 {
        let right: u64 = (0..self.labels.len()).map(|k| self.count(k, k)).sum();
        self.rows() - right
    }

    /// One label's counts.
    pub fn hits(&self, label: usize) -> Hits {
        let all = 0..self.labels.len();
        let occurrences: u64 = all.clone().map(|k| self.count(label, k)).sum();
        let predictions: u64 = all.map(|k| self.count(k, label)).sum();
        let true_positives = self.count(label, label);
        Hits {
            true_positives,
            false_positives: predictions - true_positives,
            false_negatives: occurrences - true_positives,
        }
    }

    /// Precision, recall and F1 of one label; 0/0 is 0.
    pub fn measures(&self, label: usize) -> Measures {
        self.hits(label).measures()
    }

    fn all_hits(&self) -> Vec<Hits> {
        (0..self.labels.len()).map(|k| self.hits(k)).collect()
    }

    /// Every row counts alike; with one label per row all three are the share of rows that are right.
    pub fn micro_average(&self) -> Measures {
        micro_average(&self.all_hits())
    }

    /// Every label that occurred or was predicted counts alike.
    pub fn macro_average(&self) -> Measures {
        macro_average(&self.all_hits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scikit-learn's example of `precision_recall_fscore_support`: cat, dog, pig.
    #[test]
    fn the_animals() {
        let names = ["cat", "dog", "pig"].map(str::to_owned).to_vec();
        let truth = [0, 1, 2, 0, 1, 2];
        let predicted = [0, 2, 1, 0, 0, 1];
        let mut confusion = Confusion::new(names);
        for (t, p) in truth.into_iter().zip(predicted) {
            confusion.add(t, p);
        }
        assert_eq!(confusion.counts, [2, 0, 0, 1, 0, 1, 0, 2, 0]);
        assert_eq!((confusion.rows(), confusion.errors()), (6, 4));
        let mean = confusion.macro_average();
        assert!((mean.precision - 2.0 / 9.0).abs() < 1e-15);
        assert!((mean.recall - 1.0 / 3.0).abs() < 1e-15);
        assert!((mean.f1 - 0.8 / 3.0).abs() < 1e-15);
        let micro = confusion.micro_average();
        assert_eq!(
            [micro.precision, micro.recall, micro.f1].map(|m| (m * 3.0).round()),
            [1.0; 3]
        );
        assert_eq!(confusion.measures(1), Measures::default());
    }

    #[test]
    fn measures_are_those_of_the_rows() {
        let mut random = crate::random::SplitMix64::new(5);
        for _ in 0..50 {
            let n = 1 + random.below(5);
            let pairs: Vec<(usize, usize)> = (0..random.below(40))
                .map(|_| (random.below(n), random.below(n)))
                .collect();
            let mut confusion = Confusion::new((0..n).map(|k| k.to_string()).collect());
            for &(t, p) in &pairs {
                confusion.add(t, p);
            }
            for k in 0..n {
                let mut hits = Hits::default();
                for &(t, p) in &pairs {
                    hits.add(t == k, p == k);
                }
                assert_eq!(confusion.hits(k), hits);
            }
            let wrong = pairs.iter().filter(|(t, p)| t != p).count();
            assert_eq!(confusion.errors(), wrong as u64);
        }
    }
}
