//! The checks find what is wrong with learners that break one promise each.

#![allow(clippy::unwrap_used)]

use novikoff::Label;
use novikoff::catalog::{Capabilities, Entry};
use novikoff::learner::{Lane, Linear, Primal, Rule, State, StateError, TrialRow};
use novikoff_testkit::{Subject, failures};

/// What a learner does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// The count of its mistakes is not saved.
    Forgets,
    /// Weights that were saved are doubled on the way back.
    Doubles,
    /// A row with an even number of stored values is taken for a mistake.
    CountsValues,
}

/// A perceptron with steps `1/(1 + mistakes)`.
#[derive(Clone)]
struct Slowing(Fault);

impl Rule<Primal> for Slowing {
    type State = u64;

    fn start(&self, _planes: &Primal) -> u64 {
        0
    }

    fn learn(
        &self,
        mistakes: &mut u64,
        mut w: Lane<'_, Primal>,
        example: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let even = self.0 == Fault::CountsValues && example.x.len().is_multiple_of(2);
        let wrong = even || Label::of(example.margin) != y;
        if wrong {
            w.add(y.sign() / (1 + *mistakes) as f64, example.x);
            *mistakes += 1;
        }
        wrong
    }

    fn save<'a>(&self, mistakes: &'a u64, out: &mut State<'a>) {
        let kept = if self.0 == Fault::Forgets {
            0
        } else {
            *mistakes
        };
        out.put_u64("mistakes", vec![kept]);
    }

    fn load(&self, _planes: &Primal, from: &mut State<'static>) -> Result<u64, StateError> {
        let [mistakes] = from.take_counts("mistakes")?;
        let factor = if self.0 == Fault::Doubles { 2 } else { 1 };
        // a count that no run reaches
        Ok((mistakes % (1 << 40)) * factor)
    }
}

const fn entry(
    name: &'static str,
    build: fn(&novikoff::Parameters, u128) -> Box<dyn novikoff::learner::Learner>,
) -> Entry {
    Entry {
        name,
        summary: "perceptron with smaller and smaller steps",
        keys: &[],
        pairs: false,
        build,
        build_with: None,
        can: Capabilities::PLAIN,
    }
}

const CATALOG: &[Entry] = &[
    entry("sound", |_, m| {
        Box::new(Linear::new(Slowing(Fault::Nothing), m))
    }),
    entry("forgets", |_, m| {
        Box::new(Linear::new(Slowing(Fault::Forgets), m))
    }),
    entry("doubles", |_, m| {
        Box::new(Linear::new(Slowing(Fault::Doubles), m))
    }),
    entry("counts-values", |_, m| {
        Box::new(Linear::new(Slowing(Fault::CountsValues), m))
    }),
];

fn found(name: &str) -> Vec<&'static str> {
    failures(&Subject::parse_in(CATALOG, name).unwrap())
}

#[test]
fn a_sound_learner_keeps_all_promises() {
    assert_eq!(found("sound"), [""; 0]);
}

#[test]
fn a_save_that_forgets_is_found() {
    let found = found("forgets");
    assert!(
        found.contains(&"saving_and_going_on_is_never_having_stopped"),
        "{found:?}"
    );
    assert!(
        found.contains(&"one_vs_rest_saved_in_the_middle"),
        "{found:?}"
    );
    // what is no matter of saving is right
    assert!(!found.contains(&"storage_does_not_matter"), "{found:?}");
}

#[test]
fn a_load_that_changes_something_is_found() {
    let found = found("doubles");
    assert!(
        found.contains(&"saving_and_going_on_is_never_having_stopped"),
        "{found:?}"
    );
}

#[test]
fn a_learner_that_sees_how_rows_are_stored_is_found() {
    let found = found("counts-values");
    assert!(
        found.contains(&"width_and_stored_zeros_do_not_matter"),
        "{found:?}"
    );
    assert!(found.contains(&"storage_does_not_matter"), "{found:?}");
    assert!(
        !found.contains(&"saving_and_going_on_is_never_having_stopped"),
        "{found:?}"
    );
}
