//! The words before the first bar: labels, importance, and what may not be there.

use super::VwProblem;
use super::fault::{Fault, bad, check_text};
use crate::draft::Draft;
use crate::error::LineProblem;
use crate::svmlight::{label_number, small_number, value_number};
use crate::word_label;

/// Adds the labels that `word`, which stands at `at`, holds.
pub(super) fn labels(at: usize, word: &[u8], out: &mut Draft) -> Result<(), Fault> {
    if word == b"?" {
        return Ok(());
    }
    if let Some(number) = small_number(word) {
        out.rows.push_label(number, word);
        return Ok(());
    }
    let mut from = at;
    for label in word.split(|&b| b == b',') {
        // a quote begins a tag
        let number = word_label::read(label).filter(|_| !label.starts_with(b"'"));
        let Some(number) = number else {
            check_text(from, label)?;
            return Err(bad(from, label, |token| LineProblem::BadLabel { token }));
        };
        out.rows.push_label(number, label);
        from += label.len() + 1;
    }
    Ok(())
}

/// The importance that `word`, which stands at `at`, is.
pub(super) fn importance(at: usize, word: &[u8]) -> Result<f32, Fault> {
    let (Some(exact), Some((weight, _))) = (label_number(word), value_number(word)) else {
        check_text(at, word)?;
        return Err(bad(at, word, |token| VwProblem::BadImportance { token }));
    };
    if exact < 0.0 {
        return Err(bad(at, word, |token| VwProblem::NegativeImportance {
            token,
        }));
    }
    if weight.is_infinite() {
        return Err(bad(at, word, |token| VwProblem::ImportanceRange { token }));
    }
    Ok(weight.abs()) // -0 is 0
}

/// What is wrong with a word after label and importance.
pub(super) fn extra(at: usize, word: &[u8]) -> Fault {
    if let Err(fault) = check_text(at, word) {
        return fault;
    }
    match label_number(word) {
        Some(_) => bad(at, word, |token| VwProblem::InitialPrediction { token }),
        None => bad(at, word, |token| VwProblem::ExtraWord { token }),
    }
}
