//! The algorithms, one per file.

pub mod alma;
pub mod arow;
pub mod averaged;
pub mod eg;
pub mod forgetron;
pub mod higher_order;
pub mod max_margin;
pub mod normalised_perceptron;
pub mod normalised_winnow;
pub mod p_norm;
pub mod passive_aggressive;
pub mod perceptron;
pub mod projectron;
pub mod random_budget;
pub mod romma;
pub mod second_order;
pub mod selective;
pub mod shifting;
pub mod voted;
#[cfg(feature = "linalg")]
pub mod whitened;
pub mod winnow;
