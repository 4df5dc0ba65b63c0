//! Online learning of linear classifiers: the mathematics, without files, clocks or printing.
//!
//! Rows `x` arrive one after another. For each, a learner gives a score `<w, x>`, predicts its sign
//! (`sgn(0) = +1`), sees the label `y` in {-1, +1}, and may change `w`. A prediction that differs
//! from the label is a *mistake*, a change of state an *update*; both are counted.
//!
//! The nouns, and where they live:
//!
//! - a **row** ([`row::Row`]) is a borrowed instance; [`rows::Rows`] owns many, with their labels;
//! - a **label** ([`label::Label`]) is -1 or +1; [`classes::Classes`] turns what the data says into it;
//! - a **rule** ([`learner::Rule`]) is one algorithm, one file in [`online`];
//! - a **learner** ([`learner::Learner`]) is a rule on one weight vector per class;
//! - a **spec** ([`spec::Spec`]) names a learner, as in `p-norm:p=4`; [`catalog::CATALOG`] lists them all;
//! - a **schema** ([`schema::Schema`]) is what rows are: names of features, columns, how they are prepared;
//! - a **model** ([`model::Model`]) is a learner with its classes, its schema and its counts; each trial has an **outcome**
//!   ([`model::Outcome`]);
//! - the **run** ([`mod@run`]) is the loop that puts rows through a model;
//! - a **certificate** ([`certificate::Certificate`]) is what a learner's theorem says of one run.
//!
//! ```
//! use novikoff::{model::{Model, Outcome}, rows::Rows, run, spec::Spec};
//!
//! struct Count(u64);
//! impl run::Observer for Count {
//!     fn trial(&mut self, _epoch: u32, _row: u64, outcome: Outcome<'_>) {
//!         self.0 += u64::from(outcome.is_mistake());
//!     }
//! }
//!
//! let mut rows = Rows::new();
//! for (label, x) in [(-1.0, [1.0, 0.5]), (1.0, [-1.0, 0.25]), (-1.0, [2.0, 0.5])] {
//!     rows.push_label(label, label.to_string().as_bytes());
//!     rows.push(1, x[0]);
//!     rows.push(2, x[1]);
//!     rows.end_row(0);
//! }
//! let spec = Spec::parse("perceptron")?;
//! let mut model = Model::builder(spec).build()?;
//! let mut mistakes = Count(0);
//! run::block(&mut model, rows.view(), 0..rows.len(), run::Position::default(), &mut mistakes)?;
//! assert_eq!((mistakes.0, model.totals().updates), (1, 1));
//! assert_eq!(model.learner().weights(0), [0.0, -1.0, -0.5]); // slot 0 is the bias
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Values are `f32`, all arithmetic and state `f64`; sums run in a fixed order and transcendental
//! functions come from `libm`, so results are the same on every machine.

pub mod calibration;
pub mod catalog;
pub mod certificate;
#[cfg(feature = "linalg")]
pub mod certify;
pub mod classes;
pub mod dual;
pub mod evaluation;
pub mod grammar;
pub mod kernel;
pub mod label;
pub mod learner;
pub mod linalg;
pub mod model;
pub mod names;
pub mod online;
pub mod parallel;
pub mod parameter;
pub mod preparation;
pub mod quantity;
pub mod random;
pub mod remark;
pub mod remedy;
pub mod row;
pub mod rows;
pub mod run;
pub mod schema;
mod simd;
pub mod source;
pub mod space;
pub mod spec;
pub mod standardize;
pub mod state;
pub mod table;
pub mod text_statistics;
