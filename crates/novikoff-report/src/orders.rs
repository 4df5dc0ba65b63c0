//! A run that was repeated: over several orders of the rows, or over several divisions of them into rows to learn from and rows to test on.

use novikoff::classes::Counts;
use novikoff::quantity::{count, plural};
use serde_json::{Map, Value, json};

use crate::json::{counts, error_count, with_end};
use crate::report::{EpochEnd, ErrorCount, sum};

/// Mean and standard deviations.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation, which divides by one less than the number of values; 0 for one value.
    pub sd: f64,
    /// The population standard deviation, which divides by the number of values.
    pub population_sd: f64,
}

impl Spread {
    /// The mean and the standard deviations of some values.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let n = values.clone().count().max(1) as f64;
        let mean = values.clone().sum::<f64>() / n;
        let squares: f64 = values.map(|v| (v - mean) * (v - mean)).sum();
        Spread {
            mean,
            sd: if n > 1.0 {
                (squares / (n - 1.0)).sqrt()
            } else {
                0.0
            },
            population_sd: (squares / n).sqrt(),
        }
    }

    /// The spread of some values, unless there are none.
    fn of_some(values: &[f64]) -> Option<Self> {
        (!values.is_empty()).then(|| Spread::of(values.iter().copied()))
    }

    /// In percent.
    #[must_use]
    pub fn percent(self) -> Self {
        Spread {
            mean: 100.0 * self.mean,
            sd: 100.0 * self.sd,
            population_sd: 100.0 * self.population_sd,
        }
    }

    pub(crate) fn json(self) -> Value {
        json!({"mean": self.mean, "sd": self.sd, "population_sd": self.population_sd})
    }
}

/// One order of the rows, or one division of them.
#[derive(Clone, Debug)]
pub struct OrderReport {
    /// The seed of the order, or of the division.
    pub seed: u64,
    /// Mistakes and updates, epoch by epoch.
    pub epochs: Vec<Counts>,
    /// How the run stood at the ends of its epochs.
    pub ends: Vec<EpochEnd>,
    /// Counts of each class's learner, epoch by epoch, in the order of the labels; none if there is one problem.
    pub classes: Vec<(String, Vec<Counts>)>,
    /// Errors on held-out rows.
    pub test: Option<ErrorCount>,
    /// Errors before learning, where they were counted.
    pub validation: Option<ErrorCount>,
}

impl OrderReport {
    /// All epochs together.
    pub fn total(&self) -> Counts {
        sum(&self.epochs)
    }

    /// Mistakes of the binary problems up to the end of an epoch, counted from 0, all classes together; none if there is one problem.
    pub fn binary_mistakes_until(&self, epoch: usize) -> Option<u64> {
        if self.classes.is_empty() {
            return None;
        }
        let of_class = |(_, epochs): &(String, Vec<Counts>)| {
            // a class that appeared later has counts of the last epochs
            let missing = self.epochs.len().saturating_sub(epochs.len());
            let until = (epoch + 1).saturating_sub(missing).min(epochs.len());
            sum(&epochs[..until]).mistakes
        };
        Some(self.classes.iter().map(of_class).sum())
    }

    fn binary_mistakes(&self) -> Option<u64> {
        self.binary_mistakes_until(self.epochs.len().saturating_sub(1))
    }

    fn json(&self) -> Value {
        let total = self.total();
        let mut run = json!({
            "shuffle": self.seed, "mistakes": total.mistakes, "updates": total.updates,
        });
        if let Some(mistakes) = self.binary_mistakes() {
            run["binary_mistakes"] = mistakes.into();
        }
        if let Some(test) = &self.test {
            run["test"] = error_count(test);
        }
        let before = |epoch: usize| {
            let last = epoch.checked_sub(1);
            last.map_or(Some(0), |last| self.binary_mistakes_until(last))
        };
        let epochs = self.epochs.iter().zip(&self.ends).enumerate();
        run["epochs"] = epochs
            .map(|(epoch, (c, end))| {
                let mut value = counts(*c);
                let until = self.binary_mistakes_until(epoch).zip(before(epoch));
                if let Some((until, before)) = until {
                    value["binary_mistakes"] = (until - before).into();
                }
                with_end(&mut value, end);
                value
            })
            .collect();
        if !self.classes.is_empty() {
            let classes = self.classes.iter().map(|(class, epochs)| {
                let Counts { mistakes, updates } = sum(epochs);
                json!({"class": class, "mistakes": mistakes, "updates": updates})
            });
            run["classes"] = classes.collect();
        }
        run
    }
}

/// How rows were divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitFacts {
    /// The share of the rows that was learned from.
    pub fraction: f64,
    /// How many rows that is.
    pub train: u64,
    /// How many rows were tested on.
    pub test: u64,
    /// Whether the rows of each label were divided by themselves.
    pub stratified: bool,
}

impl SplitFacts {
    /// In words.
    pub fn text(&self) -> String {
        let (train, test) = (count(self.train), plural(self.test, "row"));
        let by_label = if self.stratified {
            ", label by label"
        } else {
            ""
        };
        format!("{train} to learn from and {test} to test on in each{by_label}")
    }
}

/// A run that was repeated over several orders of the rows, or divisions of them.
#[derive(Clone, Debug, Default)]
pub struct Permutations {
    /// Each of them.
    pub runs: Vec<OrderReport>,
    /// How rows were divided, if they were.
    pub split: Option<SplitFacts>,
}

/// Counts of an epoch over several orders.
#[derive(Clone, Debug)]
pub struct EpochSpread {
    /// How many orders had that epoch.
    pub orders: usize,
    /// Mistakes in the epoch.
    pub mistakes: Spread,
    /// Updates in the epoch.
    pub updates: Spread,
    /// Mistakes of the binary problems in the epoch, all classes together; none if there is one problem.
    pub binary_mistakes: Option<Spread>,
    /// Mistakes up to the end of the epoch.
    pub mistakes_so_far: Spread,
    /// Updates up to the end of the epoch.
    pub updates_so_far: Spread,
    /// Mistakes of the binary problems up to the end of the epoch.
    pub binary_mistakes_so_far: Option<Spread>,
    /// Rows that the weight vectors are made of at the end of the epoch, where they are sums of stored rows.
    pub support: Option<Spread>,
    /// Updates in the epoch that changed the matrix, of learners whose updates may leave it as it is.
    pub matrix_updates: Option<Spread>,
    /// The test error after the epoch, if each was tested.
    pub test_error: Option<Spread>,
    /// Test errors of every predictor by its name, where the learner offers several.
    pub tests: Vec<(&'static str, Spread)>,
}

impl Permutations {
    /// Some number of each run.
    fn spread(&self, of: impl Fn(&OrderReport) -> f64 + Clone) -> Spread {
        Spread::of(self.runs.iter().map(of))
    }

    /// Mistakes over the orders.
    pub fn mistakes(&self) -> Spread {
        self.spread(|run| run.total().mistakes as f64)
    }

    /// Updates over the orders.
    pub fn updates(&self) -> Spread {
        self.spread(|run| run.total().updates as f64)
    }

    /// Mistakes of the binary problems over the orders, all classes together; none if there is one problem.
    pub fn binary_mistakes(&self) -> Option<Spread> {
        let all = self.runs.iter().filter_map(OrderReport::binary_mistakes);
        Spread::of_some(&all.map(|mistakes| mistakes as f64).collect::<Vec<_>>())
    }

    /// Test error over the orders, if there was a test.
    pub fn test_error(&self) -> Option<Spread> {
        let all = self.runs.iter().filter_map(|run| run.test);
        Spread::of_some(&all.map(|test| test.error()).collect::<Vec<_>>())
    }

    /// Counts epoch by epoch, as many as the longest run had.
    pub fn epochs(&self) -> Vec<EpochSpread> {
        let most = self.runs.iter().map(|run| run.epochs.len()).max();
        (0..most.unwrap_or(0)).map(|k| self.epoch(k)).collect()
    }

    fn epoch(&self, k: usize) -> EpochSpread {
        let runs: Vec<&OrderReport> = self.runs.iter().filter(|r| r.epochs.len() > k).collect();
        let spread = |of: &dyn Fn(&OrderReport) -> f64| Spread::of(runs.iter().map(|run| of(run)));
        let some = |of: &dyn Fn(&OrderReport) -> Option<f64>| {
            Spread::of_some(&runs.iter().filter_map(|run| of(run)).collect::<Vec<_>>())
        };
        let so_far = |run: &OrderReport| sum(&run.epochs[..=k]);
        let binary = |run: &OrderReport| run.binary_mistakes_until(k).map(|n| n as f64);
        let before = |run: &OrderReport| match k.checked_sub(1) {
            Some(last) => run.binary_mistakes_until(last).map(|n| n as f64),
            None => Some(0.0),
        };
        let names = runs.first().and_then(|run| run.ends.get(k));
        let names = names.iter().flat_map(|end| &end.tests);
        let test_of = |run: &OrderReport, name: &str| {
            let tests = &run.ends.get(k)?.tests;
            let test = tests.iter().find(|(other, _)| *other == name)?;
            Some(test.1.error())
        };
        EpochSpread {
            orders: runs.len(),
            mistakes: spread(&|run| run.epochs[k].mistakes as f64),
            updates: spread(&|run| run.epochs[k].updates as f64),
            binary_mistakes: some(&|run| Some(binary(run)? - before(run)?)),
            mistakes_so_far: spread(&|run| so_far(run).mistakes as f64),
            updates_so_far: spread(&|run| so_far(run).updates as f64),
            binary_mistakes_so_far: some(&binary),
            support: some(&|run| Some(run.ends.get(k)?.support? as f64)),
            matrix_updates: some(&|run| Some(run.ends.get(k)?.matrix_updates? as f64)),
            test_error: some(&|run| Some(run.ends.get(k)?.test?.error())),
            tests: names
                .filter_map(|(name, _)| Some((*name, some(&|run| test_of(run, name))?)))
                .collect(),
        }
    }

    /// Mistakes and updates of each class; 0 where an order did not meet it.
    pub fn classes(&self) -> Vec<(String, Spread, Spread)> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.runs.iter().flat_map(|run| &run.classes) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let of_class = |name: &str, run: &OrderReport| {
            let class = run.classes.iter().find(|(other, _)| other == name);
            class.map_or(Counts::default(), |(_, epochs)| sum(epochs))
        };
        let spreads = names.into_iter().map(|name| {
            let mistakes = self.spread(|run| of_class(name, run).mistakes as f64);
            let updates = self.spread(|run| of_class(name, run).updates as f64);
            (name.to_owned(), mistakes, updates)
        });
        spreads.collect()
    }

    /// What it is called: by what was repeated.
    pub(crate) fn name(&self) -> &'static str {
        if self.split.is_some() {
            "splits"
        } else {
            "permutations"
        }
    }

    /// What was repeated, in words: `3 orders`.
    pub(crate) fn counted(&self) -> String {
        let noun = if self.split.is_some() {
            "division"
        } else {
            "order"
        };
        plural(self.runs.len() as u64, noun)
    }

    pub(crate) fn json(&self) -> Value {
        let mut object = json!({"count": self.runs.len()});
        if let Some(split) = &self.split {
            object["fraction"] = split.fraction.into();
            object["stratified"] = split.stratified.into();
            object["train"] = split.train.into();
            object["test"] = split.test.into();
        }
        object["mistakes"] = self.mistakes().json();
        object["updates"] = self.updates().json();
        if let Some(mistakes) = self.binary_mistakes() {
            object["binary_mistakes"] = mistakes.json();
        }
        if let Some(error) = self.test_error() {
            object["test_error"] = error.json();
        }
        object["epochs"] = self.epochs().iter().map(EpochSpread::json).collect();
        let classes = self.classes();
        if !classes.is_empty() {
            let classes = classes.iter().map(|(class, mistakes, updates)| {
                json!({"class": class, "mistakes": mistakes.json(), "updates": updates.json()})
            });
            object["classes"] = classes.collect();
        }
        object["runs"] = self.runs.iter().map(OrderReport::json).collect();
        object
    }
}

impl EpochSpread {
    fn json(&self) -> Value {
        let mut so_far = json!({
            "mistakes": self.mistakes_so_far.json(), "updates": self.updates_so_far.json(),
        });
        let mut object = json!({
            "orders": self.orders, "mistakes": self.mistakes.json(), "updates": self.updates.json(),
        });
        let both = self.binary_mistakes.zip(self.binary_mistakes_so_far);
        if let Some((mistakes, until)) = both {
            object["binary_mistakes"] = mistakes.json();
            so_far["binary_mistakes"] = until.json();
        }
        object["so_far"] = so_far;
        if let Some(support) = self.support {
            object["support"] = support.json();
        }
        if let Some(updates) = self.matrix_updates {
            object["matrix_updates"] = updates.json();
        }
        if let Some(error) = self.test_error {
            object["test_error"] = error.json();
        }
        if !self.tests.is_empty() {
            let tests = self.tests.iter();
            let tests = tests.map(|(name, error)| ((*name).to_owned(), error.json()));
            object["test_errors"] = Value::Object(tests.collect::<Map<_, _>>());
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(mistakes: [u64; 2], class: [u64; 2]) -> OrderReport {
        let counts = |mistakes| Counts {
            mistakes,
            updates: 2 * mistakes,
        };
        OrderReport {
            seed: 0,
            epochs: mistakes.map(counts).to_vec(),
            ends: vec![EpochEnd::default(); 2],
            classes: vec![
                ("a".to_owned(), class.map(counts).to_vec()),
                // appeared in the second epoch
                ("b".to_owned(), vec![counts(7)]),
            ],
            test: None,
            validation: None,
        }
    }

    #[test]
    fn deviations_of_samples_and_populations() {
        let all = [3.0, 5.0, 10.0];
        let spread = Spread::of(all.into_iter());
        // mean 6, squares 9 + 1 + 16
        assert_eq!(spread.mean, 6.0);
        assert_eq!(spread.sd, 13.0_f64.sqrt());
        assert_eq!(spread.population_sd, (26.0_f64 / 3.0).sqrt());
        let one = Spread::of([4.0].into_iter());
        assert_eq!((one.mean, one.sd, one.population_sd), (4.0, 0.0, 0.0));
    }

    #[test]
    fn epochs_and_classes_of_all_orders() {
        let orders = Permutations {
            runs: vec![order([10, 4], [3, 1]), order([20, 6], [5, 3])],
            split: None,
        };
        let [first, second] = &orders.epochs()[..] else {
            panic!("two epochs");
        };
        let means = |epoch: &EpochSpread| {
            let binary = epoch.binary_mistakes.map(|spread| spread.mean);
            let until = epoch.binary_mistakes_so_far.map(|spread| spread.mean);
            let so_far = epoch.mistakes_so_far.mean;
            (epoch.mistakes.mean, so_far, binary, until)
        };
        assert_eq!(means(first), (15.0, 15.0, Some(4.0), Some(4.0)));
        assert_eq!(means(second), (5.0, 20.0, Some(9.0), Some(13.0)));
        assert_eq!(second.updates_so_far.population_sd, 12.0);
        assert_eq!(orders.binary_mistakes().map(|s| s.mean), Some(13.0));
        let classes = orders.classes();
        let classes = classes.iter().map(|(n, m, u)| (n.as_str(), m.mean, u.mean));
        let want = [("a", 6.0, 12.0), ("b", 7.0, 14.0)];
        assert!(classes.eq(want));
    }
}
