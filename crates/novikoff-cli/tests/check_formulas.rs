//! The checker's formulas against the library's, for vectors that no search would choose.

use crate::common;

use common::data::SplitMix64;
use novikoff::certificate::first_order::FirstOrder;
use novikoff::certificate::{Certificate, PastTrial, Rival, higher_order};
use novikoff::label::Label;
use novikoff::online::higher_order::{HigherOrder, Schedule};
use novikoff::row::Row;
use novikoff_check::{Kernel, Parameter, Recomputed, Run, Trial, Vector, evaluate};

/// The theorems that the tests below must meet: each fails if one of its own does not come up.
pub(crate) const FIRST_ORDER: [&str; 3] = ["T1", "T2", "T2''"];
/// As above, for the higher-order perceptron with p = 2.
pub(crate) const HIGHER_ORDER: [&str; 2] = ["T12", "T13"];

/// Rows, labels and trials of no learner in particular: every mistake is an update.
struct Made {
    values: Vec<Vec<f32>>,
    labels: Vec<f64>,
    trials: Vec<Trial>,
}

impl Made {
    fn new(random: &mut SplitMix64, unit: bool) -> Self {
        let (rows, width) = (5 + random.below(60), 1 + random.below(4));
        let mut values = Vec::new();
        let mut labels = Vec::new();
        for _ in 0..rows {
            let mut x: Vec<f64> = (0..width).map(|_| 2.0 * random.uniform() - 1.0).collect();
            x[0] += 1e-3;
            if unit {
                let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
                for v in &mut x {
                    *v /= length;
                }
            }
            labels.push(if x[0] > 0.0 { 1.0 } else { -1.0 });
            values.push(x.iter().map(|v| *v as f32).collect());
        }
        let trials = (0..2 * rows).map(|t| {
            let mistake = random.below(9) == 0;
            Trial {
                row: t % rows,
                mistake,
                updated: mistake,
            }
        });
        Made {
            values,
            labels,
            trials: trials.collect(),
        }
    }

    fn past(&self) -> Vec<PastTrial<'_>> {
        let past = |t: &Trial| PastTrial {
            x: Row::dense(&self.values[t.row]),
            y: Label::of(self.labels[t.row]),
            updated: t.updated,
        };
        self.trials.iter().map(past).collect()
    }

    fn evaluated(
        &self,
        (learner, theorem): (&str, &str),
        parameters: &[(&str, Parameter)],
        u: &[f64],
    ) -> Recomputed {
        // slot 0 is that of the constant feature
        let row = |x: &Vec<f32>| (1..).zip(x.iter().map(|v| f64::from(*v))).collect();
        let rows: Vec<novikoff_check::Row> = self.values.iter().map(row).collect();
        let named = parameters.iter();
        let named: Vec<_> = named.map(|(n, p)| ((*n).to_owned(), p.clone())).collect();
        let run = Run {
            learner,
            parameters: &named,
            kernel: Kernel::LINEAR,
            rows: &rows,
            labels: &self.labels,
            trials: &self.trials,
            appeared: &[],
            comparator: &Vector::Weights(u.to_vec()),
        };
        evaluate(&run, theorem).expect("the theorem applies")
    }
}

fn number(value: f64) -> Parameter {
    Parameter::Number(value)
}

#[track_caller]
fn same(certificate: &Certificate, found: &Recomputed) {
    let near = |claimed: f64, is: f64| {
        claimed >= is * (1.0 - 1e-9) - 1e-9 && claimed <= is * (1.0 + 1e-6) + 1e-6
    };
    assert!(
        near(certificate.bound, found.bound),
        "{certificate:?} {found:?}"
    );
    for (name, value) in &certificate.ingredients {
        let ours = found.ingredients.iter().find(|(other, _)| other == name);
        let ours = ours.unwrap_or_else(|| panic!("no {name} in {found:?}")).1;
        assert!(
            (value - ours).abs() <= 1e-6 * ours.abs().max(1.0),
            "{certificate:?} {found:?}"
        );
    }
}

#[test]
fn first_order() {
    let mut seen = Vec::new();
    for seed in 0..200 {
        let mut random = SplitMix64(seed);
        let made = Made::new(&mut random, false);
        let past = made.past();
        let norms: Vec<f64> = past.iter().map(|t| t.x.norm_sq()).collect();
        for scale in [0.0, 0.1, 0.7, 5.0, 1e4] {
            let mut u = vec![0.0, scale];
            u.push(scale * (random.uniform() - 0.5));
            if scale > 1e3 {
                u[2] = 0.0;
            }
            let rival = Rival::new(&past, &u);
            let certificate = FirstOrder { margin: 0.0 }.certify(&past, &norms, &rival);
            let margin = [("margin", number(0.0))];
            let theorem = ("perceptron", certificate.theorem);
            same(&certificate, &made.evaluated(theorem, &margin, &u));
            seen.push(certificate.theorem);
            let certificate = FirstOrder { margin: 0.3 }.certify(&past, &norms, &rival);
            let margin = [("margin", number(0.3))];
            same(
                &certificate,
                &made.evaluated(("perceptron", "T3"), &margin, &u),
            );
        }
    }
    for theorem in FIRST_ORDER {
        let times = seen.iter().filter(|other| **other == theorem).count();
        assert!(times > 20, "{theorem} came up {times} times");
    }
}

#[test]
fn higher_order_of_two() {
    let mut agreed = [0, 0];
    for seed in 0..200 {
        let mut random = SplitMix64(seed);
        let made = Made::new(&mut random, true);
        let (schedule, word) = [
            (Schedule::Harmonic, "harmonic"),
            (Schedule::Sparse, "sparse"),
            (Schedule::Cap, "cap"),
        ][random.below(3)];
        let (c, margin) = (0.1 + 0.8 * random.uniform(), [0.0, 0.2][random.below(2)]);
        let by = HigherOrder {
            p: 2.0,
            c,
            schedule,
            margin,
        };
        let parameters = [
            ("p", number(2.0)),
            ("c", number(c)),
            ("margin", number(margin)),
            ("schedule", Parameter::Word(word.to_owned())),
        ];
        let u = [0.0, 4.0 * random.uniform(), random.uniform() - 0.5];
        let past = made.past();
        if let Ok(certificate) = higher_order::euclidean(&by, &past, &u) {
            same(
                &certificate,
                &made.evaluated(("higher-order", HIGHER_ORDER[0]), &parameters, &u),
            );
            agreed[0] += 1;
        }
        if let Ok(certificate) = higher_order::any_norm(&by, &past, &u) {
            same(
                &certificate,
                &made.evaluated(("higher-order", HIGHER_ORDER[1]), &parameters, &u),
            );
            agreed[1] += 1;
        }
    }
    assert!(agreed.iter().all(|times| *times > 50), "{agreed:?}");
}
