//! Rows in several places, as a cluster has them: rows packed into bytes, the work of one partition on them, and what a driver makes of the answers of all partitions.
//!
//! A door moves bytes between a driver and its partitions. Every number is computed here or in the library, in an order that depends on the partitions
//! alone: the same partitions give the same bits, on whatever machine and however often a partition is worked on.
//!
//! [`pack`] makes a block of bytes of rows. A problem of the dual solver is a [`PartitionedProblem`]; in each round every partition walks over its
//! blocks with a [`PartitionRound`], the [`Answer`]s are added in the order of the partitions, and the problem makes the next [`Point`] and the
//! certificates of the sum. An online learner makes one [`Pass`] per partition and epoch, and [`mixed`] makes one model of them; [`sorted_rows`] says whether their order teaches little. [`MarginBins`] counts margins.

mod answer;
mod bins;
mod bytes;
mod mixing;
mod order;
mod packed;
mod point;
mod problem;
mod round;
mod search;
mod solved;

pub use answer::Answer;
pub use bins::{CurvePoint, MarginBins, with_sigmoids};
pub use mixing::{MixBy, Mixed, MixingBound, Pass, mean, mistaken, mixable, mixed, right_answers};
pub use order::{SortedRows, sorted_rows};
pub use packed::{BlockFacts, Truth, pack};
pub use point::Point;
pub use problem::{PartitionedProblem, ProblemFacts};
pub use round::{PartitionRound, Work};
pub use search::BiasSearch;
pub use solved::{columns_model, label_order, plain_schema, solved_model};

#[cfg(test)]
mod tests;
