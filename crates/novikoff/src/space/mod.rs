//! Where weight vectors live: plain vectors, and sums of rows in the space of a kernel.

mod ahead;
mod average;
mod coefficients;
mod dual_norm;
mod hyperplane;
mod imaged;
mod met;
mod primal;
mod stored;
mod support;
mod terms;

pub use dual_norm::{DualNorm, gradient, gradient_of};
pub use hyperplane::{Hyperplane, Lane, Planes};
pub use imaged::{Image, ImagedRows};
pub(crate) use met::Met;
pub use primal::Primal;
pub(crate) use primal::grow;
pub use stored::{Coming, StoredRows};
pub use support::Support;
pub(crate) use support::{hash, same};
pub use terms::Terms;
