//! What every learner of novikoff promises, as checks for learners that are written elsewhere.
//!
//! The library's own learners go through the same checks. A [`Subject`] is a spec of a catalogue; [`contract!`] makes one test of each
//! check, and [`examine`] makes all of them at once.
//!
//! ```
//! use novikoff::catalog::{Capabilities, Entry};
//! use novikoff::learner::{Lane, Linear, Primal, Rule, State, StateError, TrialRow};
//! use novikoff::Label;
//! use novikoff_testkit::{Subject, contract};
//!
//! /// A perceptron that never learns from positive rows.
//! #[derive(Clone)]
//! struct Gloomy;
//!
//! impl Rule<Primal> for Gloomy {
//!     type State = ();
//!     fn start(&self, _planes: &Primal) {}
//!     fn learn(&self, _: &mut (), mut w: Lane<'_, Primal>, example: TrialRow<'_>, y: Label) -> bool {
//!         let wrong = Label::of(example.margin) != y && y == Label::Neg;
//!         if wrong {
//!             w.add(y.sign(), example.x);
//!         }
//!         wrong
//!     }
//!     fn save<'a>(&self, _: &'a (), _: &mut State<'a>) {}
//!     fn load(&self, _: &Primal, _: &mut State<'static>) -> Result<(), StateError> {
//!         Ok(())
//!     }
//! }
//!
//! const CATALOG: &[Entry] = &[Entry {
//!     name: "gloomy",
//!     summary: "learns from negative rows",
//!     keys: &[],
//!     pairs: false,
//!     build: |_, memory| Box::new(Linear::new(Gloomy, memory)),
//!     build_with: None,
//!     can: Capabilities::PLAIN,
//! }];
//!
//! let subject = Subject::parse_in(CATALOG, "gloomy")?;
//! novikoff_testkit::saving::saving_and_going_on_is_never_having_stopped(&subject);
//! contract::scoring_changes_nothing(&subject);
//! # Ok::<(), novikoff::SpecError>(())
//! ```
//!
//! Checks panic where a promise is broken, as tests do. Random cases scale with the environment variable `NOVIKOFF_CASES`.

// a check says by a panic what is broken
#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

pub mod contract;
pub mod harness;
pub mod lanes;
pub mod refusals;
pub mod saving;
pub mod stream;
mod subject;

use std::panic::catch_unwind;

use novikoff::catalog::Entry;

pub use subject::{OneClass, Peculiar, Score, Subject};

/// One promise.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Panics where it is broken.
    pub check: fn(&Subject),
}

/// The checks, once: as a list, and as tests.
macro_rules! checks {
    ($($module:ident: $($name:ident)*;)*) => {
        /// All checks.
        pub const CHECKS: &[Check] = &[
            $($(Check { name: stringify!($name), check: $module::$name },)*)*
        ];

        /// Makes one test of each check: `contract!(subjects)`, where the function `subjects` gives the [`Subject`]s.
        #[macro_export]
        macro_rules! contract {
            ($subjects:path) => {
                $($(
                    #[test]
                    fn $name() {
                        $crate::examine_by(&$subjects(), $crate::$module::$name);
                    }
                )*)*
            };
        }
    };
}

checks! {
    contract:
        scoring_changes_nothing
        deployed_scores_are_the_weights_times_the_row
        formulas_are_the_scores
        an_empty_row_scores_as_a_zero_row
        width_and_stored_zeros_do_not_matter
        storage_does_not_matter
        one_class_only
        a_row_ten_thousand_times
        the_same_stream_gives_the_same_bytes
        whoever_surveys_says_so;
    saving:
        saving_and_going_on_is_never_having_stopped
        a_fresh_learner_survives_saving
        a_state_that_does_not_fit_is_an_error
        odd_numbers_in_a_state_do_not_panic
        a_loaded_learner_scores_alike;
    lanes:
        one_vs_rest_saved_in_the_middle
        a_lane_is_the_binary_run_of_its_class
        lanes_do_not_see_each_other
        a_new_lane_is_a_fresh_learner_that_saw_negatives;
    refusals:
        extreme_values
        rows_with_nan_or_infinity_are_refused
        too_little_memory_is_a_refusal
        memory_does_not_grow_past_its_limit;
}

/// The checks that a learner fails, by name; their messages are printed above.
pub fn failures(subject: &Subject) -> Vec<&'static str> {
    let fails = |check: &&Check| catch_unwind(|| (check.check)(subject)).is_err();
    CHECKS
        .iter()
        .filter(fails)
        .map(|check| check.name)
        .collect()
}

/// Makes all checks of a learner and names those that fail.
pub fn examine(subject: &Subject) {
    let failed = failures(subject);
    assert!(failed.is_empty(), "{subject} breaks {failed:?}");
}

/// Makes one check of several learners and names those that fail.
pub fn examine_by(subjects: &[Subject], check: fn(&Subject)) {
    let fails = |subject: &&Subject| catch_unwind(|| check(subject)).is_err();
    let failed: Vec<String> = subjects
        .iter()
        .filter(fails)
        .map(ToString::to_string)
        .collect();
    assert!(!subjects.is_empty(), "nobody is examined");
    assert!(failed.is_empty(), "broken by {failed:?}");
}

/// Every learner of a catalogue is among the subjects.
pub fn assert_all_are_examined(catalog: &[Entry], subjects: &[Subject]) {
    for entry in catalog {
        let is_there = subjects
            .iter()
            .any(|subject| subject.spec().name() == entry.name);
        assert!(is_there, "{} is not examined", entry.name);
    }
}
