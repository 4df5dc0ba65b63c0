//! Where weight vectors live: plain vectors here, kernel expansions when kernels come.

mod dual_norm;
mod hyperplane;
mod imaged;
mod primal;
mod stored;

pub use dual_norm::{DualNorm, gradient, gradient_of};
pub use hyperplane::{Hyperplane, Lane, Planes};
pub use imaged::{Image, ImagedRows};
pub use primal::Primal;
pub(crate) use primal::grow;
pub use stored::StoredRows;
