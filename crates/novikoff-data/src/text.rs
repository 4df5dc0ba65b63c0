//! Text as features.
//!
//! Words are maximal runs of two or more word characters, in lower case; n-grams are words in a row, joined by one space. The features of
//! column `body` are called `body^word`. A word's value is how many times the row has it, times the inverse document frequency
//! `ln((1 + n) / (1 + df)) + 1`, where `n` rows were met so far and `df` of them have the word, this row included; or the bare count.
//! Then the column's part of the row is scaled to length 1.
//!
//! Words are found by any thread, in any order; `n` and `df` are counted, and values computed, when the block's turn comes
//! ([`Draft::finish`](crate::draft::Draft::finish)). So they depend on the stream alone.

mod characters;
mod counts;
mod drafted;
mod tokeniser;

pub(crate) use counts::TextCounts;
pub(crate) use drafted::{Counted, DraftedText, weigh_counts};
pub(crate) use tokeniser::Tokeniser;
