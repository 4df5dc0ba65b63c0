//! Learners on a budget: as their definitions say, on plain vectors and with kernels; their budgets; their bounds.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::bound::{Run, comparators};
use common::certified::{past, small, streams};
use common::gram::{
    Forgetron, Gram, Projectron, RandomBudget, SPACES, Slow, Space, Tally, beside, everywhere,
};
use common::stream::{Kind, Stream, stream};
use common::{assert_same_state, learner_for, run, same_trials, saved, score, trial};
use novikoff::certificate::NotApplicable;
use novikoff::certificate::budget::{forgetron, projectron};
use novikoff::certificate::{Certificate, PastRun, PastTrial, Rival};
use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::learner::{Hypothesis, Learner, Refusal, Trial};
use novikoff::model::Model;
use novikoff::online::projectron::Projectron as Learned;
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::space::{Primal, Support};
use novikoff::spec::Spec;
use novikoff::state::Array;

/// Of one size, so that inner products say all there is to say.
const KINDS: &[Kind] = &[
    Kind::Dense,
    Kind::Sparse,
    Kind::Binary,
    Kind::Integer,
    Kind::Repeated,
    Kind::Growing,
];

#[test]
fn the_forgetron_is_its_definition() {
    for budget in [1, 2, 5, 20, 60] {
        let spec = format!("forgetron:budget={budget}");
        everywhere(&spec, KINDS, 150, || Forgetron::new(budget));
    }
}

#[test]
fn the_random_budget_perceptron_is_its_definition() {
    for (budget, seed) in [(1, 0), (2, 1), (7, 7), (30, 3)] {
        let spec = format!("random-budget:budget={budget},seed={seed}");
        everywhere(&spec, KINDS, 150, || RandomBudget {
            budget,
            random: SplitMix64::new(seed),
            list: Vec::new(),
        });
    }
}

#[test]
fn the_projectron_is_its_definition() {
    for (eta, plus) in [(0.13, false), (0.6, false), (0.21, true), (0.9, true)] {
        let flag = if plus { ",plus" } else { "" };
        let spec = format!("projectron:eta={eta}{flag}");
        everywhere(&spec, KINDS, 120, || Projectron {
            eta,
            plus,
            list: Vec::new(),
        });
    }
}

/// What a large row that was forgotten leaves behind is measured against the rows that stayed. (The forgetron's
/// factors follow margins of forgotten rows, which for rows far longer than 1 may cancel.)
#[test]
fn forgotten_rows_leave_no_rounding_behind() {
    let mut tally = Tally::default();
    for kind in [Kind::Wide, Kind::Swings, Kind::Huge, Kind::Tiny] {
        for seed in 0..6 {
            let stream = stream(kind, seed, 400);
            let gram = Gram::of(&stream, Kernel::LINEAR);
            for budget in [1, 3, 10] {
                let forgetron = Forgetron::new(budget);
                let random = RandomBudget {
                    budget,
                    random: SplitMix64::new(0),
                    list: Vec::new(),
                };
                let both: [(&str, Box<dyn Slow>); 2] = [
                    ("random-budget", Box::new(random)),
                    ("forgetron", Box::new(forgetron)),
                ];
                for (name, mut slow) in both {
                    if name == "forgetron" && kind == Kind::Huge {
                        continue;
                    }
                    let spec = format!("{name}:budget={budget}");
                    let mut learner = Space::Plain.learner(&spec);
                    let data = (&stream, &gram);
                    beside(&mut *learner, &mut *slow, data, &spec, &mut tally);
                }
            }
        }
    }
    assert!(tally.left * 4 < tally.streams, "{tally:?}");
}

/// The definition of a class that has as many rows as the budget of the model leaves it.
enum Budgeted {
    Forgetron(Forgetron),
    Random(RandomBudget),
}

impl Budgeted {
    fn trial(&mut self, limit: usize, gram: &Gram, t: usize) -> (usize, common::gram::Judged) {
        match self {
            Budgeted::Forgetron(slow) => {
                slow.budget = limit;
                (slow.rows(), slow.trial(gram, t))
            }
            Budgeted::Random(slow) => {
                slow.budget = limit;
                (slow.list.len(), slow.trial(gram, t))
            }
        }
    }
}

/// Classes appear one after another: each is the definition with the rows that the budget leaves it at the time, as if all classes had been
/// known from the start.
#[test]
fn the_classes_of_a_model_share_its_budget() {
    const CLASSES: usize = 5;
    let (mut surplus, mut trials) = (0, 0);
    for seed in 0..6 {
        let stream = stream(Kind::Dense, seed, 250);
        let class_of = |t: usize| (t * 7 + t / 11) % (1 + t / 40).min(CLASSES);
        let grams = (0..CLASSES).map(|k| {
            let mut gram = Gram::of(&stream, Kernel::LINEAR);
            let label = |t| if class_of(t) == k { 1.0 } else { -1.0 };
            gram.labels = (0..stream.samples.len()).map(label).collect();
            gram
        });
        let grams: Vec<Gram> = grams.collect();
        for (name, budget) in [("forgetron", 12), ("random-budget", 12), ("forgetron", 3)] {
            let context = format!("{name}:budget={budget}");
            let builder = Model::builder(Spec::parse(&context).unwrap());
            let mut model = builder.task(Task::OneVsRest).build().unwrap();
            let slow = |_| match name {
                "forgetron" => Budgeted::Forgetron(Forgetron::new(budget)),
                _ => Budgeted::Random(RandomBudget {
                    budget,
                    random: SplitMix64::new(0),
                    list: Vec::new(),
                }),
            };
            let mut all: Vec<Budgeted> = (0..CLASSES).map(slow).collect();
            let mut known: Vec<usize> = Vec::new();
            'stream: for (t, sample) in stream.samples.iter().enumerate() {
                if !known.contains(&class_of(t)) {
                    known.push(class_of(t));
                }
                let limit = (budget / known.len()).max(1);
                let label = class_of(t).to_string();
                let outcome = model.learn(sample.row(), [label.as_str()]).unwrap();
                for (class, (slow, gram)) in all.iter_mut().zip(&grams).enumerate() {
                    let (rows, judged) = slow.trial(limit, gram, t);
                    surplus += usize::from(rows > limit && judged.updates);
                    let Some(k) = known.iter().position(|known| *known == class) else {
                        continue;
                    };
                    let event = outcome.class(k);
                    if judged.margin.abs() <= 1e-9 * judged.scale && judged.scale > 0.0 {
                        break 'stream;
                    }
                    assert_eq!(event.updated, judged.updates, "{context} {seed} {t}");
                    let error = (event.margin - judged.margin).abs();
                    assert!(
                        error <= 1e-9 * judged.scale,
                        "{context} {seed} {t}: {error}"
                    );
                    trials += 1;
                }
            }
        }
    }
    assert!(surplus > 20 && trials > 5000, "{surplus} {trials}");
}

#[test]
fn a_budget_that_is_never_reached_is_no_budget() {
    for &kind in KINDS {
        for seed in 0..3 {
            let stream = stream(kind, seed, 200);
            for &space in SPACES {
                let mut perceptron = space.learner("perceptron");
                let want = run(&mut *perceptron, &stream.samples);
                for spec in ["random-budget:budget=200", "forgetron:budget=200"] {
                    let mut learner = space.learner(spec);
                    let got = run(&mut *learner, &stream.samples);
                    same_trials(&want, &got, 0.0, spec);
                }
            }
        }
    }
}

#[test]
fn projecting_only_what_is_inside_is_the_perceptron() {
    let mut updates = 0;
    for &kind in KINDS {
        for seed in 0..3 {
            let stream = stream(kind, seed, 200);
            for &space in SPACES {
                let [mut a, mut b] =
                    ["perceptron", "projectron:eta=1e-12"].map(|s| space.learner(s));
                for sample in &stream.samples {
                    let x = sample.row();
                    if space.kernel().own(space.kernel().facts(x)) == 0.0 {
                        continue;
                    }
                    let [a, b] =
                        [&mut a, &mut b].map(|l| trial(&mut **l, x, sample.positive).unwrap());
                    if a.1 != b.1 {
                        assert!(a.0.abs() < 1e-6, "{space:?} {}: {a:?} {b:?}", stream.name);
                        break;
                    }
                    updates += usize::from(a.1);
                }
            }
        }
    }
    assert!(updates > 3000, "{updates}");
}

/// The rows kept, after every trial, and what forgetting has cost the forgetron.
#[test]
fn budgets_are_kept() {
    // of two classes, beside the background, each has half
    for spec in ["forgetron:budget=10", "random-budget:budget=11"] {
        for &space in SPACES {
            let stream = stream(Kind::Dense, 2, 400);
            let mut learner = space.learner(spec);
            (0..2).for_each(|_| learner.add_lane(0).unwrap());
            let mut out = Trial::default();
            let mut full = false;
            for (t, sample) in stream.samples.iter().enumerate() {
                let positive: Vec<usize> = (0..3).filter(|k| (t + k) % 3 == 0).collect();
                learner.trial(sample.row(), &positive, &mut out).unwrap();
                let mut state = saved(&*learner);
                for k in 0..3 {
                    let kept = state.count(&format!("{k}/terms"));
                    assert!(kept <= 5, "{spec}: {kept} rows");
                    full |= kept == 5;
                }
                // as many again that nobody has, or sixteen, and the newest three
                assert!(
                    state.count("support-ends") <= 2 * 15 + 16 + 3,
                    "{spec} in {space:?}"
                );
                if spec.starts_with("forgetron") {
                    let cost = state.take_f64("0/cost").unwrap()[0];
                    let n = state.take_u64("0/mistakes").unwrap()[0] as f64;
                    assert!(cost <= 15.0 / 32.0 * n + 1e-9, "{cost} after {n}");
                }
            }
            assert!(full);
        }
    }
}

/// Whose rows come and go, and what else runs with kernels.
const WITH_KERNELS: &[&str] = &[
    "perceptron",
    "averaged",
    "voted",
    "second-order",
    "higher-order",
    "passive-aggressive",
    "forgetron:budget=9",
    "random-budget:budget=9,seed=4",
    "projectron:eta=0.4",
    "projectron:plus",
    "shifting:lambda=3",
    "selective:b=0.5",
    "selective:base=second-order,b=0.5",
];

#[test]
fn saving_and_going_on_with_a_kernel_is_never_having_stopped() {
    for spec in WITH_KERNELS {
        for &space in &SPACES[1..] {
            for (kind, seed) in [(Kind::Dense, 2), (Kind::Repeated, 4), (Kind::Growing, 5)] {
                let stream = stream(kind, seed, 250);
                let mut whole = space.learner(spec);
                let mut parts = space.learner(spec);
                let mut g = SplitMix64::new(seed);
                let at = |learner: &mut dyn Learner, t: usize| {
                    if t == 20 || t == 50 {
                        learner.add_lane(0).unwrap();
                    }
                    let mut out = Trial::default();
                    let sample = &stream.samples[t];
                    let mut positive: Vec<usize> = (1..learner.lanes())
                        .filter(|k| (t + k).is_multiple_of(2))
                        .collect();
                    if sample.positive {
                        positive.push(0);
                    }
                    let x = sample.row();
                    if !learner.is_zero(x) {
                        learner.trial(x, &positive, &mut out).unwrap();
                    }
                    let bits = |m: Vec<f64>| m.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                    (bits(out.margin), out.updated)
                };
                for t in 0..stream.samples.len() {
                    let context = format!("{spec} in {space:?}, trial {t}");
                    assert_eq!(at(&mut *whole, t), at(&mut *parts, t), "{context}");
                    if g.below(5) == 0 {
                        let mut state = saved(&*parts);
                        let mut loaded = space.learner(spec);
                        loaded.load(parts.lanes(), &mut state).unwrap();
                        assert_eq!(state.left(), None, "{context}");
                        parts = loaded;
                    }
                }
                assert_same_state(&*whole, &*parts, spec);
            }
        }
    }
}

/// Kernel values may leave the range of numbers: a finite margin or a refusal, and what was learned stays finite.
#[test]
fn kernel_values_of_any_size() {
    // the higher-order perceptron wants rows of length 1
    for spec in WITH_KERNELS.iter().filter(|s| **s != "higher-order") {
        for kernel in [
            "poly:degree=100",
            "poly:degree=9,gamma=1000",
            "gaussian:gamma=1e-9",
        ] {
            let space = Space::Rows(kernel);
            let mut learner = space.learner(spec);
            let mut g = SplitMix64::new(3);
            let (mut taken, mut refused) = (0, 0);
            for _ in 0..400 {
                let size = 10_f64.powf(12.0 * g.uniform() - 6.0) as f32;
                let values = [size, -size * g.uniform() as f32, g.uniform() as f32];
                match trial(&mut *learner, Row::dense(&values), g.below(2) == 0) {
                    Ok((margin, _)) => {
                        assert!(margin.is_finite(), "{spec} {kernel}");
                        taken += 1;
                    }
                    Err(Refusal::NotFinite) => refused += 1,
                    Err(other) => panic!("{spec} {kernel}: {other}"),
                }
            }
            assert!(taken > 0, "{spec} {kernel}: {refused} refused");
            for (name, array) in saved(&*learner).arrays() {
                if let Array::F64(data) = array {
                    let finite = data.iter().all(|v| v.is_finite());
                    assert!(finite || name.ends_with("churn"), "{spec} {kernel}: {name}");
                }
            }
        }
    }
}

/// All weight vectors of the run vote or are averaged, with a kernel as without.
#[test]
fn averages_and_votes_with_kernels() {
    for &space in SPACES {
        for (kind, seed) in [(Kind::Dense, 1), (Kind::Repeated, 2), (Kind::Sparse, 0)] {
            let stream = stream(kind, seed, 150);
            let gram = Gram::of(&stream, space.kernel());
            let learners = ["averaged", "voted"].map(|spec| {
                let mut learner = space.learner(spec);
                run(&mut *learner, &stream.samples);
                learner
            });
            // the vectors after each trial
            let (mut current, mut vectors) = (Vec::new(), Vec::new());
            let inner = |v: &[(usize, f64)], t: usize| -> f64 {
                v.iter().map(|&(i, c)| c * gram.values[i][t]).sum()
            };
            for (t, y) in gram.labels.iter().enumerate() {
                if (inner(&current, t) >= 0.0) != (*y > 0.0) {
                    current.push((t, *y));
                }
                vectors.push(current.clone());
            }
            for t in (0..150).step_by(7) {
                let x = stream.samples[t].row();
                let all: Vec<f64> = vectors.iter().map(|v| inner(v, t)).collect();
                let size = all.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
                let mean = all.iter().sum::<f64>() / all.len() as f64;
                let last = all[all.len() - 1];
                let vote: f64 = all.iter().map(|v| if *v >= 0.0 { 1.0 } else { -1.0 }).sum();
                let near = |got: f64, want: f64| (got - want).abs() <= 1e-9 * size;
                for learner in &learners {
                    assert!(
                        near(score(&**learner, x, Hypothesis::Averaged), mean),
                        "{space:?}"
                    );
                    assert!(
                        near(score(&**learner, x, Hypothesis::Final), last),
                        "{space:?}"
                    );
                }
                let doubtful = all.iter().any(|v| v.abs() < 1e-9 * size && *v != 0.0);
                let voted = score(&*learners[1], x, Hypothesis::Voted);
                assert!(voted == vote || doubtful, "{space:?}: {voted}, not {vote}");
            }
        }
    }
}

/// Counts how near runs came to their bounds.
#[derive(Default)]
struct Seen {
    checks: u64,
    withheld: u64,
    nearest: f64,
    theorems: u64,
}

impl Seen {
    fn check(
        &mut self,
        said: Result<Certificate, NotApplicable>,
        why: &[NotApplicable],
        name: &str,
    ) {
        match said {
            Ok(certificate) => {
                assert!(certificate.holds(), "{name}: {certificate:?}");
                self.checks += 1;
                let hinge = 2.0 * certificate.ingredient("hinge").unwrap();
                let share = (certificate.counted as f64 - hinge) / (certificate.bound - hinge);
                self.nearest = self.nearest.max(share);
                if let Some(theorem) = certificate.ingredient("theorem") {
                    self.theorems += 1;
                    assert!(
                        certificate.counted as f64 <= theorem,
                        "{name}: {certificate:?}"
                    );
                }
            }
            Err(reason) => {
                assert!(why.contains(&reason), "{name}: {reason}");
                self.withheld += 1;
            }
        }
    }
}

/// 9.4 on rows of length 1 and less.
#[test]
fn the_forgetron_keeps_its_bound() {
    let mut seen = Seen::default();
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let stream = small(seed).unit(2.0);
        let budget = [1, 2, 3, 5, 8, 83, 100][g.below(7)];
        let epochs = if budget > 80 { 20 } else { 1 + g.below(3) };
        let run = Run::of(&format!("forgetron:budget={budget}"), &stream, epochs);
        let trials = past(&run, &stream);
        for u in comparators(&stream, seed) {
            let rival = Rival::new(&trials, &u);
            let said = forgetron(&Primal::default(), &budget.into(), &trials, &rival);
            seen.check(said, &[], &run.name);
        }
    }
    assert!(
        seen.nearest > 0.5 && seen.theorems > 300,
        "{} {}",
        seen.nearest,
        seen.theorems
    );
}

/// 9.6, plain and plus.
#[test]
fn the_projectron_keeps_its_bound() {
    let mut seen = Seen::default();
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let stream = small(seed).unit(2.0);
        let eta = 10_f64.powf(-2.5 * g.uniform());
        let flag = ["", ",plus"][g.below(2)];
        let run = Run::of(
            &format!("projectron:eta={eta}{flag}"),
            &stream,
            1 + g.below(4),
        );
        let trials = past(&run, &stream);
        let plus = !flag.is_empty();
        let by = Learned { eta, plus };
        for u in comparators(&stream, seed) {
            let rival = Rival::new(&trials, &u);
            let counted = PastRun {
                trials: &trials,
                mistakes: run.mistakes() as u64,
            };
            let said = projectron(&Primal::default(), &by, counted, &rival);
            seen.check(said, &[NotApplicable::TooWide], &run.name);
        }
    }
    assert!(
        seen.nearest > 0.3 && seen.withheld > 100,
        "{} {}",
        seen.nearest,
        seen.withheld
    );
}

/// In the space of a kernel U is known by its values.
#[test]
fn bounds_hold_with_kernels_too() {
    let mut seen = Seen::default();
    for seed in 0..streams() / 4 {
        let mut g = SplitMix64::new(seed);
        let stream = small(seed);
        let space = Space::Rows(["gaussian:gamma=0.3", "poly:degree=3,cosine"][g.below(2)]);
        let kernel = space.kernel();
        let gram = Gram::of(&stream, kernel);
        let coefficients: Vec<f64> = gram.labels.iter().map(|y| y * g.uniform() * 0.5).collect();
        let values: Vec<f64> = (0..gram.labels.len())
            .map(|t| common::matrix::dot(&coefficients, &gram.values[t]))
            .collect();
        let norm_sq = common::matrix::dot(&coefficients, &values);
        let rival = Rival::within(norm_sq, &values);
        let (budget, eta) = (1 + g.below(10), 0.5 / (1.0 + norm_sq.sqrt()));
        let mut runs = Vec::new();
        for spec in [
            format!("forgetron:budget={budget}"),
            format!("projectron:plus,eta={eta}"),
        ] {
            let mut learner = space.learner(&spec);
            let trials: Vec<_> = run(&mut *learner, &stream.samples);
            let reported = stream.samples.iter().zip(&trials);
            let past: Vec<PastTrial<'_>> = reported
                .clone()
                .map(|(s, t)| PastTrial {
                    x: s.row(),
                    y: common::certified::label(s.y()),
                    updated: t.1,
                })
                .collect();
            let wrong = reported.filter(|(s, t)| (t.0 >= 0.0) != s.positive).count();
            runs.push((past, wrong as u64));
        }
        let support = Support::new(kernel);
        let name = format!("{kernel}, seed {seed}");
        seen.check(
            forgetron(&support, &budget.into(), &runs[0].0, &rival),
            &[],
            &name,
        );
        let counted = PastRun {
            trials: &runs[1].0,
            mistakes: runs[1].1,
        };
        let by = Learned { eta, plus: true };
        seen.check(projectron(&support, &by, counted, &rival), &[], &name);
    }
    assert!(seen.checks > 100);
}

#[test]
fn long_rows_have_no_certificate() {
    let stream: Stream = stream(Kind::Integer, 1, 60);
    let run = Run::of("forgetron:budget=5", &stream, 1);
    let trials = past(&run, &stream);
    let rival = Rival::new(&trials, &stream.planted);
    let space = Primal::default();
    assert_eq!(
        forgetron(&space, &5.into(), &trials, &rival),
        Err(NotApplicable::TooLong)
    );
    let by = Learned {
        eta: 0.1,
        plus: false,
    };
    assert_eq!(
        projectron(
            &space,
            &by,
            PastRun {
                trials: &trials,
                mistakes: 9
            },
            &rival
        ),
        Err(NotApplicable::TooLong)
    );
}

#[test]
fn bad_values_are_refused() {
    for (spec, part) in [
        (
            "forgetron:budget=0",
            "must be a whole number >= 1 and <= 1000000000",
        ),
        ("forgetron:budget=2.5", "must be a whole number >= 1"),
        ("random-budget:budget=1e10", "must be a whole number >= 1"),
        (
            "random-budget:seed=-1",
            "seed = -1: must be a whole number >= 0",
        ),
        (
            "random-budget:seed=1e17",
            "seed = 1e17: must be a whole number",
        ),
        (
            "projectron:eta=0",
            "eta = 0: must be > 0, or auto; the default is 0.1",
        ),
        ("projectron:plus=maybe", "plus = maybe: must be on|off"),
        ("projectron:plus,plus", "`plus` is given twice"),
        (
            "projectron:budget=5",
            "projectron has no key `budget`; its keys are eta, plus",
        ),
        (
            "shifting:lambda=0",
            "lambda = 0: must be > 0 and <= 1000000",
        ),
        ("shifting:lambda=nan", "lambda = nan: must be > 0"),
        ("selective:b=0", "b = 0: must be > 0"),
        (
            "selective:base=third-order",
            "must be perceptron|second-order",
        ),
        ("selective:a=2", "a and form go with base=second-order only"),
        (
            "selective:form=dual",
            "a and form go with base=second-order only",
        ),
        (
            "selective:base=second-order,form=sketch",
            "must be auto|primal|dual",
        ),
        (
            "selective:base=second-order,a=adaptive",
            "a = adaptive: must be > 0",
        ),
    ] {
        let said = Spec::parse(spec).unwrap_err().to_string();
        assert!(said.contains(part), "{spec}: {said}");
    }
    let plus = Spec::parse("projectron:plus").unwrap();
    assert!(plus.same(&Spec::parse("projectron:plus=on,eta=0.1").unwrap()));
    assert!(!plus.same(&Spec::parse("projectron").unwrap()));
}

/// A budget learner at work: fewer rows than the perceptron has mistakes, and not much worse.
#[test]
fn few_rows_are_nearly_as_good() {
    let stream = stream(Kind::Dense, 0, 3000);
    let mistakes = |spec: &str| {
        let mut learner = learner_for(spec, &stream);
        run(&mut *learner, &stream.samples)
            .iter()
            .filter(|t| t.1)
            .count()
    };
    let perceptron = mistakes("perceptron");
    assert!(perceptron > 60, "{perceptron}");
    for spec in [
        "forgetron:budget=60",
        "random-budget:budget=60",
        "projectron:eta=0.3",
    ] {
        let few = mistakes(spec);
        assert!(
            few < 3 * perceptron,
            "{spec}: {few}, perceptron {perceptron}"
        );
    }
}
