//! The algorithms, one a file.

pub mod alma;
pub mod arow;
pub mod averaged;
pub mod eg;
pub mod higher_order;
pub mod max_margin;
pub mod p_norm;
pub mod passive_aggressive;
pub mod perceptron;
pub mod romma;
pub mod second_order;
pub mod voted;
#[cfg(feature = "linalg")]
pub mod whitened;
pub mod winnow;
