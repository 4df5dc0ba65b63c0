//! Learns linear and kernel classifiers from streams, with few mistakes, and proves how few.
//!
//! ```
//! use novikoff::{Label, Model, Row, learners::Perceptron};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut model = Model::builder(Perceptron::default()).build()?;
//!     for (x, y) in [([1.0, 0.5], Label::Neg), ([-1.0, 0.25], Label::Pos), ([2.0, 0.5], Label::Neg)] {
//!         let outcome = model.learn(Row::dense(&x), [y])?; // predicts, then sees the label
//!         println!("margin {}, mistake: {}", outcome.class(0).margin, outcome.is_mistake());
//!     }
//!     assert_eq!(model.totals().mistakes, 1);
//!     assert_eq!(model.classify(Row::dense(&[3.0, 1.0])), "-1");
//!     Ok(())
//! }
//! ```
//!
//! Rows arrive one after another. For each, a learner gives a score `<w, x>`, predicts its sign (`sgn(0) = +1`), sees the label `y` in
//! {-1, +1}, and may change `w`. A prediction that differs from the label is a *mistake*, a change of state an *update*; both are
//! counted. The crate is the mathematics of that: it has no files, clocks, printing, environment or global state. Files, formats and
//! jobs over them are in `novikoff-data` and `novikoff-engine`, and the command `novikoff` is a door to those.
//!
//! The crate is not on crates.io yet. A package depends on it by the path of its folder in a copy of the repository:
//!
//! ```toml
//! [dependencies]
//! novikoff = { path = "../novikoff/crates/novikoff" }
//! ```
//!
//! # The nouns
//!
//! - A **row** ([`Row`]) is a borrowed instance, sparse or dense; [`Rows`] owns many with their labels, and a [`Block`] borrows those.
//! - A **label** ([`Label`]) is -1 or +1. Data has labels of its own ([`RawLabel`]: a text or a number), and a [`Task`] says how they become
//!   problems of two labels: one, one per class, one per label of a row.
//! - A **learner** is an algorithm with its parameters. [`learners`] has a type for each, and a [`Spec`] is its checked form, with a
//!   text such as `p-norm:p=4`.
//! - A **model** ([`Model`]) is a learner with its classes and its counts. It learns row by row, and answers at any time.
//! - A **lane** ([`Lane`](learner::Lane)) is the weight vector of one problem of two labels. A model of two labels has one, lane 0. A model of
//!   several classes has one per class, and lane 0 is the *background*: the vector of all classes that have not appeared yet, from which a
//!   new class starts. [`Outcome::class`] and [`Model::classes`] count classes, from 0, without the background.
//! - The **planes** ([`Planes`](learner::Planes)) of a learner are the vectors of all its lanes together, so that one visit of a row serves all.
//! - A **hypothesis** ([`Hypothesis`]) is a predictor that a learner offers: its last vector, its average, its votes. The first that it
//!   offers is *deployed*: it answers unless another is asked for.
//! - An **outcome** ([`Outcome`]) is what one trial came to. A **ledger** ([`Ledger`]) is what a run came to, epoch by epoch.
//! - A **certificate** ([`Certificate`]) is what the learner's theorem says of one run: its mistakes are at most the bound.
//!
//! # Choosing a learner
//!
//! [`Auto`](learners::Auto) to begin with: it runs several learners and answers by their weighted majority.
//! [`Perceptron`](learners::Perceptron) is the simplest. [`Arow`](learners::Arow) or [`PassiveAggressive`](learners::PassiveAggressive) are for
//! sparse rows, [`SecondOrder`](learners::SecondOrder) for features that depend on each other, [`PNorm`](learners::PNorm) or
//! [`Winnow`](learners::Winnow) where few of many features matter. [`learners`] has a table of all, and each type has an example that runs.
//!
//! # Labels
//!
//! The labels of a model are -1 and +1 unless [`task`](ModelBuilder::task) says otherwise, and any other label is then an error. The task is
//! chosen before the first row: [`Task::pair`] for two labels of any name, [`Task::OneVsRest`] for several classes, [`Task::MultiLabel`] for
//! rows with any number of labels.
//!
//! # Preparing rows
//!
//! A model may change rows before its learner sees them: [`bias`](ModelBuilder::bias) adds a constant feature, [`normalize`](ModelBuilder::normalize)
//! divides rows by their norm, [`map`](ModelBuilder::map) makes other features of them. It does so for every row that it learns from or
//! answers about. [`Model::prepared`] gives rows as the learner sees them, for certificates and for [`dual`].
//!
//! An [`Example`] is a row with a weight, how many times its step counts, and [`ClassWeights`] multiply the weights of rows by their labels.
//!
//! # A run
//!
//! [`run::block`] puts the rows of a block through a model, in any order; an [`Observer`] sees each outcome, and `()` watches nothing.
//!
//! ```
//! use novikoff::{Ledger, Model, Row, Rows, Task, learners::Averaged, run};
//!
//! let mut rows = Rows::new();
//! for (x, label) in [([1.0, 0.0], "ham"), ([0.0, 1.0], "spam"), ([0.9, 0.3], "ham"), ([0.1, 0.7], "spam")] {
//!     rows.add(label, Row::dense(&x));
//! }
//! let mut model = Model::builder(Averaged::default()).task(Task::OneVsRest).build()?;
//! let mut ledger = Ledger::begin(&mut model);
//! for (epoch, order) in [[0, 1, 2, 3], [3, 2, 1, 0]].into_iter().enumerate() {
//!     run::block(&mut model, rows.view(), order.into_iter(), run::Position { epoch: epoch as u32, first: 0 }, &mut ())?;
//!     ledger.end_epoch(&mut model);
//! }
//! let mistakes: Vec<u64> = ledger.epochs.iter().map(|epoch| epoch.mistakes).collect();
//! assert_eq!(mistakes, [1, 0]);
//! assert_eq!(model.classify(Row::dense(&[0.2, 0.9])), "spam");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Certificates
//!
//! Nearly every learner has a theorem that bounds its mistakes on any stream by how well any fixed vector U does on it.
//! [`certify::certify`] looks for the U of the least bound over the rows of a finished run, with the dual solver, and evaluates the theorem
//! with every sum rounded up. So `mistakes <= bound` is a proof, and no statistic. A [`certify::Diary`] observes the run. The rows as the
//! learner saw them, with their labels, are a [`Problem`](dual::Problem).
//!
//! ```
//! use novikoff::certify::{Diary, Effort, Finished, certify};
//! use novikoff::dual::{Aim, Problem};
//! use novikoff::{Label, Model, Row, Rows, learners::SecondOrder, run};
//!
//! let (mut rows, mut aims) = (Rows::new(), Vec::new());
//! for t in 0..200_i16 {
//!     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
//!     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
//!     rows.add(y, Row::dense(&x));
//!     aims.push(Aim::label(y));
//! }
//! let mut model = Model::builder(SecondOrder::fixed(1.0)).normalize(2.0).build()?;
//! let mut diary = Diary::default();
//! run::block(&mut model, rows.view(), 0..rows.len(), run::Position::default(), &mut diary)?;
//!
//! let seen = model.prepared(rows.view()); // divided by their norm, as the model does
//! let problem = Problem::prepared(&seen, aims.clone());
//! let answer = certify(&Finished::of(&model, &problem, &diary, 0)?, Effort::Full)?;
//! assert_eq!((answer.counted, answer.certificate.theorem), (model.totals().mistakes, "T8"));
//! assert!(answer.counted as f64 <= answer.bound);
//!
//! // a certificate of other rows would say nothing of this run
//! let other = Problem::new(rows.view(), Vec::new(), aims);
//! assert!(Finished::of(&model, &other, &diary, 0).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Kernels
//!
//! Learners that need inner products only learn in the space of a [`Kernel`]: polynomials, Gaussians, and either of them with rows of length 1.
//!
//! ```
//! use novikoff::{Kernel, Label, Model, Row, learners::SecondOrder};
//!
//! let kernel = Kernel::parse("gaussian:gamma=1")?;
//! let mut model = Model::builder(SecondOrder::fixed(1.0)).kernel(kernel).build()?;
//! for t in 0..400_i16 {
//!     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(|v| f32::from(v) / 5.0);
//!     let y = Label::of(f64::from(x[0] * x[0] + x[1] * x[1]) - 0.7); // inside or outside of a circle
//!     let _ = model.learn(Row::dense(&x), [y])?;
//! }
//! assert_eq!((model.totals().mistakes, model.learner().stored()), (31, Some(26)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # All rows at once
//!
//! [`dual`] solves regularised linear problems through their dual, for many losses and regularisers, kernels, and a bias that
//! is not regularised. It stops at a duality gap, which it certifies. [`dual::solve()`] has an example.
//!
//! # Probabilities
//!
//! A margin says which label, and not how surely. [`Logistic`](learners::Logistic) and solutions of the logistic loss have probabilities at once; models of
//! other learners have them after they were [calibrated](calibration) on rows that they did not learn from.
//!
//! ```
//! use novikoff::{Label, Model, Row, learners::Logistic};
//!
//! let mut model = Model::builder(Logistic::default()).build()?;
//! for t in 0..100_i16 {
//!     let x = [f32::from(t % 7 - 3), f32::from(t % 5 - 2)];
//!     let _ = model.learn(Row::dense(&x), [Label::of(f64::from(x[0] - x[1]))])?;
//! }
//! let (mut scores, mut probabilities) = (Vec::new(), Vec::new());
//! model.scores(Row::dense(&[3.0, -2.0]), None, &mut scores);
//! assert!(model.probabilities(&scores, &mut probabilities));
//! assert!(probabilities[0] > 0.9); // of the positive label
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Evaluation
//!
//! A [`Tally`](evaluation::Tally) counts the errors of a model on labelled rows, block by block, and ends in precision, recall, curves and areas. Errors
//! before each row is learned need no other rows: [`Model::validate`] counts them during the run.
//!
//! ```
//! use novikoff::{Label, Model, Row, Rows, evaluation::Tally, learners::Perceptron};
//!
//! let mut model = Model::builder(Perceptron::default()).build()?;
//! let _ = model.learn(Row::dense(&[1.0, 0.0]), [Label::Neg])?;
//! let mut rows = Rows::new();
//! rows.add(Label::Neg, Row::dense(&[2.0, 1.0]));
//! rows.add(Label::Neg, Row::dense(&[-1.0, 1.0]));
//! let mut tally = Tally::new(&model, None, 1 << 20);
//! tally.add(rows.view()).map_err(|(_, error)| error)?;
//! let evaluation = tally.finish();
//! assert_eq!((evaluation.rows, evaluation.errors), (2, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Saving, and answers while learning
//!
//! The library writes no files. `novikoff_data::model::save` writes a model to a file that is whole or untouched, `load` reads it and checks every byte;
//! `to_bytes` and `from_bytes` do the same in memory. A model that was loaded learns on as if it had never stopped.
//!
//! [`Model::snapshot`] is the model as it was at one moment: other threads answer with it while the model learns.
//!
//! # Named features
//!
//! Rows of this crate have numbered slots. `novikoff_data::row_builder::RowBuilder` makes rows from names (`price`, `colour=red`), text and dates, gives
//! every new name the next slot, and keeps the names in the model, so that they are saved with it.
//!
//! # Costs
//!
//! With d features, nnz values in a row and k updates so far:
//!
//! | learner | trial | update | memory |
//! | --- | --- | --- | --- |
//! | additive and multiplicative learners | O(nnz) | O(nnz) | O(d) |
//! | second order, primal or dual | O(nnz) | O(d^2) or O(k^2) | O(d^2) or O(k^2), the smaller |
//! | any with a kernel | O(k) kernel values | O(1), second order O(k^2) | O(k) rows |
//! | budgets with a kernel | at most `budget` kernel values | the same | `budget` rows |
//! | voted, to predict | O(k nnz) | O(nnz) | O(k nnz) |
//!
//! Several classes share what they can: one visit of a row serves all. [`Entry`](catalog::Entry) has each learner's costs as a function.
//!
//! # Numbers
//!
//! Values are `f32`; every sum, weight and matrix is `f64`. Sums run in an order that the row alone fixes, and transcendental
//! functions come from `libm`: a spec, a seed and an input give the same bits on every machine and for any number of threads. What a
//! model has learned is complete in its [state](learner::State): half of a stream, save, load and the other half are the whole stream, to
//! the last bit.
//!
//! Feature j, from 1, lives in slot j of every weight vector, and slot 0 is the constant feature: `Row::dense(&[0.5, 2.0])` has features
//! 1 and 2, and a model with a [`bias`](ModelBuilder::bias) puts slot 0 in. A slot beyond all that were met counts as zero, so new features may come at any time.
//!
//! # Untrusted input
//!
//! - A row with a value that is not finite, or whose score would not be, is refused with an error, and so are labels that do not
//!   fit the task. A row that is refused changes nothing but the classes that it may have brought.
//! - No row can make a learner allocate more than [`memory`](ModelBuilder::memory) says, 1 GiB unless given: the memory that a slot, a
//!   class or a stored row needs is compared with it first.
//! - The text of a spec may have 16 KiB and eight levels of parentheses; numbers out of range are errors.
//! - Slots of a sparse row must strictly increase. `Row::sparse` checks that in debug builds alone: [`Rows::push_any`] sorts what
//!   comes from elsewhere.
//! - Every error says what is wrong and, by its method `remedy`, what to do about it.
//!
//! # Writing a learner
//!
//! A learner is a [`Rule`](learner::Rule): the margin of a row, and how a trial changes the weights and the state of one lane. [`Linear`](learner::Linear) puts it on
//! one vector per class, and an [`Entry`](catalog::Entry) gives it a name, keys, a theorem and costs. [`Spec::parse_in`] reads specs of a
//! catalogue that has it.
//!
//! ```
//! use novikoff::catalog::{Capabilities, Entry};
//! use novikoff::learner::{Lane, Linear, Primal, Rule, State, StateError, TrialRow};
//! use novikoff::{Label, Model, Row, Spec};
//!
//! /// A perceptron whose steps have length 1.
//! #[derive(Clone)]
//! struct UnitPerceptron;
//!
//! impl Rule<Primal> for UnitPerceptron {
//!     type State = ();
//!
//!     fn start(&self, _planes: &Primal) {}
//!
//!     fn learn(&self, _state: &mut (), mut w: Lane<'_, Primal>, example: TrialRow<'_>, y: Label) -> bool {
//!         let wrong = Label::of(example.margin) != y;
//!         if wrong {
//!             w.add(y.sign() / example.x.norm(2.0), example.x);
//!         }
//!         wrong
//!     }
//!
//!     fn save<'a>(&self, _state: &'a (), _out: &mut State<'a>) {}
//!
//!     fn load(&self, _planes: &Primal, _from: &mut State<'static>) -> Result<(), StateError> {
//!         Ok(())
//!     }
//! }
//!
//! const CATALOG: &[Entry] = &[Entry {
//!     name: "unit-perceptron",
//!     summary: "perceptron whose steps have length 1",
//!     keys: &[],
//!     pairs: false,
//!     build: |_, memory| Box::new(Linear::new(UnitPerceptron, memory)),
//!     build_with: None,
//!     can: Capabilities::PLAIN,
//! }];
//!
//! let mut model = Model::builder(Spec::parse_in(CATALOG, "unit-perceptron")?).build()?;
//! assert!(model.learn(Row::dense(&[3.0, 4.0]), [Label::Neg])?.is_mistake());
//! assert_eq!(model.learner().weights(0), [0.0, -0.6000000000000001, -0.8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate `novikoff-testkit` examines such a learner as the library's own are examined.
//!
//! # Features
//!
//! - **linalg** (default): eigenvalues, by `nalgebra`. Without it there are no certificates (`certify`) and no
//!   `Whitened`.
#![cfg_attr(
    feature = "linalg",
    doc = "",
    doc = "[`certify::certify`]: certify::certify()",
    doc = "[`certify::Diary`]: certify::Diary"
)]
#![cfg_attr(
    not(feature = "linalg"),
    doc = "",
    doc = "[`certify::certify`]: #features",
    doc = "[`certify::Diary`]: #features"
)]

pub mod calibration;
pub mod catalog;
pub mod certificate;
#[cfg(feature = "linalg")]
pub mod certify;
pub mod dual;
pub mod evaluation;
pub mod learner;
pub mod learners;
pub mod remedy;
pub mod run;

mod by_slot;
mod cost;
mod inexact;
mod linalg;
mod majority;
mod simd;

// What the front below does not name is for readers and writers of files, jobs over them, and tests of the mathematics, in the other
// crates of this workspace. It may change at any time.
#[doc(hidden)]
pub mod class_weights;
#[doc(hidden)]
pub mod classes;
#[doc(hidden)]
pub mod grammar;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod label;
#[doc(hidden)]
pub mod map;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod online;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod parameter;
#[doc(hidden)]
pub mod preparation;
#[doc(hidden)]
pub mod quantity;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod remark;
#[doc(hidden)]
pub mod resolve;
#[doc(hidden)]
pub mod row;
#[doc(hidden)]
pub mod rows;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod sizes;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod space;
#[doc(hidden)]
pub mod spec;
#[doc(hidden)]
pub mod spreads;
#[doc(hidden)]
pub mod standardize;
#[doc(hidden)]
pub mod state;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod text_statistics;

#[doc(no_inline)]
pub use certificate::Certificate;
#[doc(inline)]
pub use class_weights::ClassWeights;
#[doc(inline)]
pub use classes::{Class, Classes, Counts, LabelError, Task};
#[doc(inline)]
pub use grammar::GrammarError;
#[doc(inline)]
pub use kernel::{Kernel, KernelShape, KernelSpec};
#[doc(inline)]
pub use label::{Label, LabelName, RawLabel};
#[doc(no_inline)]
pub use learner::{Hypothesis, Refusal};
#[doc(inline)]
pub use map::MapSpec;
#[doc(hidden)]
pub use model::ModelParts;
#[doc(inline)]
pub use model::{
    BackgroundEvent, ClassOutcome, Example, Model, ModelBuilder, NotValidated, Outcome, PartsError,
    ProbabilitySource, Snapshot, Totals, TrialError, Validation,
};
#[doc(inline)]
pub use parameter::{Key, Parameter, Parameters, RowLengths};
#[doc(inline)]
pub use preparation::PreparedRows;
#[doc(no_inline)]
pub use remedy::Remedy;
#[doc(inline)]
pub use row::Row;
#[doc(inline)]
pub use rows::{Block, Rows};
#[doc(no_inline)]
pub use run::{Ledger, Observer};
#[doc(inline)]
pub use source::Source;
#[doc(inline)]
pub use spec::{Spec, SpecError};
