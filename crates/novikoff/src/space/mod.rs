//! Where weight vectors live: plain vectors, and sums of rows in the space of a kernel.

mod average;
mod blocked;
mod coefficients;
mod dual_norm;
mod imaged;
mod lookahead;
mod met;
mod planes;
mod prefetched;
mod primal;
mod row_budget;
mod shared;
mod stored;
mod support;
mod terms;

pub(crate) use blocked::BlockedRows;
pub(crate) use dual_norm::{DualNorm, gradient, gradient_of};
pub(crate) use imaged::{Image, ImagedRows};
pub use lookahead::{Lookahead, UpcomingRows};
pub(crate) use met::Met;
pub use planes::{Lane, Planes};
pub use primal::Primal;
pub(crate) use primal::grow;
pub(crate) use row_budget::RowBudget;
pub use shared::SharedValues;
pub use stored::StoredRows;
pub use support::Support;
pub(crate) use support::{hash, same};
pub(crate) use terms::Terms;
