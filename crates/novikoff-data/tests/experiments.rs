//! The papers' artificial problems: which learner is ahead of which, on the mean of several seeds.
//!
//! Orderings are tested, not figures. What was measured is printed; so is what is within noise.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use novikoff::model::Model;
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff::source::Source;
use novikoff::spec::Spec;
use novikoff_data::generate::Generator;

/// Rows to learn from, and rows to test on.
struct Split {
    rows: Rows,
    train: usize,
}

impl Split {
    fn new(spec: &str, train: usize) -> Self {
        let mut source = Generator::new(spec).unwrap();
        let mut rows = Rows::new();
        while let Some(block) = source.next_block().unwrap() {
            rows.append(block, rows.len() as u64);
        }
        Split { rows, train }
    }

    fn positive(&self, i: usize) -> bool {
        self.rows.labels(i).next().unwrap().number() == Some(1.0)
    }

    /// Mistakes of all epochs, and the share of test rows that the final predictor gets wrong.
    fn run(&self, learner: &str, epochs: usize) -> Outcome {
        let spec = Spec::parse(learner).unwrap();
        let normalize = spec.norm();
        let mut model = Model::builder(spec).normalize(normalize).build().unwrap();
        let mut mistakes = 0;
        for _ in 0..epochs {
            for i in 0..self.train {
                let outcome = model.learn(self.rows.row(i), self.rows.labels(i));
                mistakes += usize::from(outcome.unwrap().is_mistake());
            }
        }
        // the sign of a score does not depend on the row's length
        let weights = model.learner().weights(0);
        let says = |x: Row<'_>| x.dot(&weights) >= 0.0;
        let tested = self.train..self.rows.len();
        let wrong = tested
            .clone()
            .filter(|&i| says(self.rows.row(i)) != self.positive(i));
        Outcome {
            mistakes: mistakes as f64,
            error: wrong.count() as f64 / tested.len() as f64,
        }
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Outcome {
    mistakes: f64,
    error: f64,
}

/// Several seeds of one problem.
struct Problem {
    name: String,
    splits: Vec<Split>,
}

impl Problem {
    /// Seeds 1, 2, ...; the name lacks its seed.
    fn new(name: &str, train: usize, seeds: u64) -> Self {
        let split = |seed| Split::new(&format!("{name},seed={seed}"), train);
        Problem {
            name: name.to_owned(),
            splits: (1..=seeds).map(split).collect(),
        }
    }

    /// The mean over the seeds.
    fn mean(&self, learner: &str, epochs: usize) -> Outcome {
        let (mut sum, seeds) = (Outcome::default(), self.splits.len() as f64);
        for split in &self.splits {
            let outcome = split.run(learner, epochs);
            sum.mistakes += outcome.mistakes / seeds;
            sum.error += outcome.error / seeds;
        }
        println!(
            "{}, {epochs} epochs, {seeds} seeds: {learner}: {:.1} mistakes, test error {:.2}%",
            self.name,
            sum.mistakes,
            100.0 * sum.error
        );
        sum
    }
}

/// The second-order paper's toy problem: labels by the dominant direction of an ellipse, or by another one
/// (docs/theory/README.md#streams-of-the-papers). The second-order perceptron is clearly ahead in both.
#[test]
fn ellipse() {
    let [along, across] = [1, 2].map(|direction| {
        let name = format!("ellipse:rows=10000,gap=0.03,direction={direction}");
        let problem = Problem::new(&name, 9000, 4);
        let first = problem.mean("perceptron", 2);
        let second = problem.mean("second-order:a=10", 2);
        assert!(second.error < 0.7 * first.error, "{second:?}, {first:?}");
        assert!(
            second.mistakes < 0.9 * first.mistakes,
            "{second:?}, {first:?}"
        );
        first
    });
    // for the perceptron they are about equally hard
    let ratio = along.error / across.error;
    assert!((0.4..2.5).contains(&ratio), "{ratio}");
}

/// The higher-order paper's sparse target (docs/theory/README.md#streams-of-the-papers): p = 4 tests better than p = 2, and the
/// second-order perceptron makes the fewest mistakes.
#[test]
fn sparse_target() {
    for (noise, epochs) in [("0", 5), ("0.1", 2)] {
        let problem = format!("sparse-target:rows=2000,noise={noise}");
        let problem = Problem::new(&problem, 1000, 4);
        let second = problem.mean("second-order:a=1", epochs);
        let by_c = [0.0, 0.6]
            .map(|c| [2, 4].map(|p| problem.mean(&format!("higher-order:p={p},c={c}"), epochs)));
        for [square, fourth] in by_c {
            if noise == "0" {
                assert!(fourth.error < 0.8 * square.error, "{fourth:?}, {square:?}");
            }
            for other in [square, fourth] {
                assert!(
                    second.mistakes < 0.97 * other.mistakes,
                    "{second:?}, {other:?}"
                );
            }
        }
        // within noise: printed, not tested
        for (p, name) in [(0, "p = 2"), (1, "p = 4")] {
            let [none, some] = by_c.map(|outcome| outcome[p]);
            println!(
                "noise {noise}, {name}, c = 0.6 against 0: {:+.1} mistakes, test error {:+.2}%",
                some.mistakes - none.mistakes,
                100.0 * (some.error - none.error),
            );
        }
    }
}
