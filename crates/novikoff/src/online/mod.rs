//! The algorithms, one per file.

pub(crate) mod alma;
pub(crate) mod arow;
pub(crate) mod averaged;
pub(crate) mod budget;
pub(crate) mod eg;
pub(crate) mod forgetron;
pub mod higher_order;
pub mod logistic;
pub(crate) mod max_margin;
pub(crate) mod normalised_perceptron;
pub(crate) mod normalised_winnow;
pub(crate) mod p_norm;
pub mod passive_aggressive;
pub mod perceptron;
pub mod projectron;
pub(crate) mod random_budget;
pub(crate) mod romma;
pub mod second_order;
pub(crate) mod selective;
pub mod shifting;
pub(crate) mod voted;
#[cfg(feature = "linalg")]
pub(crate) mod whitened;
pub(crate) mod winnow;
