//! Types and texts are the same learners, and no learner or key of the catalogue is without a type.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::catalog::CATALOG;
use crate::grammar::Expression;
use crate::parameter::{Key, RowLengths, ValueKind};

fn typed<L: TryInto<Spec, Error = SpecError> + fmt::Display>(learner: L) -> (String, Spec) {
    (learner.to_string(), learner.try_into().unwrap())
}

fn two() -> [Spec; 2] {
    ["perceptron", "romma:aggressive@bias=1"].map(|text| Spec::parse(text).unwrap())
}

/// Every constructor and setter, with the text that says the same.
#[allow(clippy::too_many_lines)] // a table
fn table() -> Vec<((String, Spec), &'static str)> {
    vec![
        (typed(Perceptron::default()), "perceptron"),
        (typed(Perceptron::with_margin(0.1)), "perceptron:margin=0.1"),
        (typed(Averaged::default()), "averaged"),
        (typed(Voted::default()), "voted"),
        (typed(PNorm::new(4.0)), "p-norm:p=4"),
        (typed(PNorm::auto().margin(1.5)), "p-norm:p=auto,margin=1.5"),
        (typed(Winnow::default()), "winnow"),
        (
            typed(Winnow::default().alpha(2.0).theta(3.0)),
            "winnow:alpha=2,theta=3",
        ),
        (
            typed(BalancedWinnow::default().alpha(1.2)),
            "balanced-winnow:alpha=1.2",
        ),
        (typed(Eg::default().eta(2.0)), "eg:eta=2"),
        (
            typed(NormalisedWinnow::default().eta(1e-9).theta(-0.5)),
            "normalised-winnow:eta=0.000000001,theta=-0.5",
        ),
        (
            typed(NormalisedWinnow::default().features(7)),
            "normalised-winnow:features=7",
        ),
        (
            typed(NormalisedPerceptron::default().eta(3.0)),
            "normalised-perceptron:eta=3",
        ),
        #[cfg(feature = "linalg")]
        (typed(Whitened::default().ridge(0.5)), "whitened:ridge=0.5"),
        (typed(SecondOrder::fixed(0.3)), "second-order:a=0.3"),
        (typed(SecondOrder::auto()), "second-order:a=auto"),
        (
            typed(SecondOrder::adaptive(0.2).r2(40.0).primal()),
            "second-order:a=adaptive,c=0.2,r2=40,form=primal",
        ),
        (
            typed(SecondOrder::parameterless().margin(0.1).dual()),
            "second-order:a=pinv,margin=0.1,form=dual",
        ),
        (
            typed(SecondOrder::fixed(1.0).diagonal()),
            "second-order:a=1,form=diagonal",
        ),
        (
            typed(SecondOrder::fixed(1.0).sketch(4)),
            "second-order:a=1,form=sketch,rank=4",
        ),
        (
            typed(HigherOrder::new(0.3).p(4.0).margin(0.2).implicit()),
            "higher-order:c=0.3,p=4,margin=0.2,form=implicit",
        ),
        (
            typed(HigherOrder::default().schedule(Schedule::Sparse).primal()),
            "higher-order:schedule=sparse,form=primal",
        ),
        (
            typed(HigherOrder::default().schedule(Schedule::Cap).dual()),
            "higher-order:schedule=cap,form=dual",
        ),
        (
            typed(
                HigherOrder::default()
                    .schedule(Schedule::Constant)
                    .low_rank(),
            ),
            "higher-order:schedule=constant,form=low-rank",
        ),
        (
            typed(HigherOrder::default().schedule(Schedule::Harmonic)),
            "higher-order:schedule=harmonic",
        ),
        (
            typed(Alma::default().p(4.0).alpha(0.5)),
            "alma:p=4,alpha=0.5",
        ),
        (
            typed(PassiveAggressive::hard()),
            "passive-aggressive:variant=pa",
        ),
        (
            typed(PassiveAggressive::one(0.5)),
            "passive-aggressive:variant=1,c=0.5",
        ),
        (
            typed(PassiveAggressive::two(0.5)),
            "passive-aggressive:variant=2,c=0.5",
        ),
        (typed(Romma::default().noise(0.5)), "romma:noise=0.5"),
        (
            typed(Romma::aggressive().noise(1.0)),
            "romma:aggressive,noise=1",
        ),
        (
            typed(Romma::aggressive().from_phi0()),
            "romma:aggressive,start=phi0",
        ),
        (typed(MaxMargin::default().noise(2.0)), "max-margin:noise=2"),
        (
            typed(MaxMargin::default().from_phi0()),
            "max-margin:start=phi0",
        ),
        (typed(Arow::diagonal().r(0.1)), "arow:form=diagonal,r=0.1"),
        (typed(Arow::full()), "arow:form=full"),
        (typed(Logistic::default()), "logistic"),
        (typed(Forgetron::new(7)), "forgetron:budget=7"),
        (
            typed(RandomBudget::new(7).seed(3)),
            "random-budget:budget=7,seed=3",
        ),
        (
            typed(Projectron::plus().eta(0.5)),
            "projectron:plus,eta=0.5",
        ),
        (
            typed(Projectron::default().auto_eta()),
            "projectron:eta=auto",
        ),
        (typed(Shifting::new(1.0)), "shifting:lambda=1"),
        (
            typed(Selective::perceptron(Perceptron::with_margin(0.5)).b(5.0)),
            "selective(perceptron:margin=0.5):b=5",
        ),
        (
            typed(Selective::second_order(SecondOrder::fixed(0.5).primal()).seed(9)),
            "selective(second-order:a=0.5,form=primal):seed=9",
        ),
        (
            typed(Selective::second_order(SecondOrder::auto()).auto_b()),
            "selective(second-order:a=auto):b=auto",
        ),
        (
            typed(Selective::second_order(SecondOrder::default().dual())),
            "selective(second-order:form=dual)",
        ),
        (
            typed(Auto::default().cost(20.0).auto_beta()),
            "auto:cost=20,beta=auto",
        ),
        (
            typed(Auto::of(&two()).beta(0.5).share(0.01)),
            "auto(perceptron; romma:aggressive@bias=1):beta=0.5,share=0.01",
        ),
    ]
}

#[test]
fn types_and_texts_are_the_same_specs() {
    for ((text, spec), want) in table() {
        assert_eq!(text, want);
        let read = Spec::parse(want).unwrap();
        assert!(spec.same(&read), "{want}");
        assert_eq!(spec.text(), want);
        let lengths = RowLengths {
            mean_square: 3.0,
            longest_square: 5.0,
        };
        let values = |spec: &Spec| spec.resolved(Some(10), Some(&lengths));
        assert_eq!(values(&spec), values(&read));
    }
}

#[test]
fn every_key_and_every_word_of_the_catalogue_has_a_type() {
    let typed: Vec<(&'static str, Pairs)> = table()
        .into_iter()
        .map(|((text, spec), _)| (spec.name(), said(&text)))
        .collect();
    for entry in CATALOG {
        let of = || typed.iter().filter(|(name, _)| *name == entry.name);
        assert!(of().next().is_some(), "{} has no type", entry.name);
        for key in entry.keys {
            let mut values = of()
                .flat_map(|(_, pairs)| pairs)
                .filter(|(k, _)| k == key.name);
            assert!(
                values.next().is_some(),
                "{}: nothing sets {}",
                entry.name,
                key.name
            );
            for word in words(key) {
                let set = |(k, value): &(String, Option<String>)| {
                    k == key.name && value.as_deref() == Some(word)
                };
                let is_set = of().any(|(_, pairs)| pairs.iter().any(set));
                let is_default = key.default == word;
                assert!(is_set || is_default, "{}: {}={word}", entry.name, key.name);
            }
        }
    }
}

/// Keys, each with its value unless it stands alone.
type Pairs = Vec<(String, Option<String>)>;

/// The pairs of a text, those of a base in parentheses and its name included.
fn said(text: &str) -> Pairs {
    let typed = Expression::parse(text).unwrap();
    let base = typed.parts.iter().flat_map(|part| {
        let name = ("base".to_owned(), Some(part.name.clone()));
        let pairs = part
            .pairs
            .iter()
            .map(|pair| (pair.key.clone(), pair.value.clone()));
        std::iter::once(name).chain(pairs).collect::<Vec<_>>()
    });
    let own = typed
        .pairs
        .iter()
        .map(|pair| (pair.key.clone(), pair.value.clone()));
    base.chain(own).collect()
}

/// The words that a key takes.
fn words(key: &Key) -> Vec<&'static str> {
    match key.kind {
        ValueKind::Choice(words) => words.to_vec(),
        ValueKind::Real { words, auto, .. } => {
            let auto = auto.map(|_| "auto");
            words.iter().copied().chain(auto).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn what_is_out_of_range_is_said_by_the_catalogue() {
    for (made, want) in [
        (
            Spec::try_from(Perceptron::with_margin(f64::NAN)),
            "perceptron: margin = NaN: must be >= 0; the default is 0",
        ),
        (
            Spec::try_from(HigherOrder::new(1.0)),
            "higher-order: c = 1 goes with schedule=cap only; other schedules need c < 1",
        ),
        (
            Spec::try_from(RandomBudget::new(0)),
            "random-budget: budget = 0: must be a whole number >= 1 and <= 1000000000; the default is 100",
        ),
        (
            Spec::try_from(Selective::second_order(SecondOrder::parameterless())),
            "selective: a = pinv: must be > 0, or auto; the default is 1",
        ),
    ] {
        assert_eq!(made.unwrap_err().to_string(), want);
    }
}

#[test]
fn the_last_value_counts() {
    assert_eq!(PNorm::new(4.0).p(6.0).to_string(), "p-norm:p=6");
}

#[test]
fn the_table_of_the_page_has_every_learner() {
    let page = include_str!("mod.rs");
    let table: String = page.lines().filter(|l| l.starts_with("//! |")).collect();
    for entry in CATALOG {
        let words = entry.name.split('-').map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        });
        let name = format!("`{}", words.collect::<String>());
        assert!(
            table.contains(&name),
            "the table of learners has no {name}`"
        );
    }
}
