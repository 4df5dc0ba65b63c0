//! Faults that are known and not mended yet: inputs that show them are passed over, so that others are
//! found. Whoever mends one removes it here; its input is in `regressions`.

use novikoff::classes::Counts;
use novikoff::model::Model;

/// A value whose digits wrap to 0 as a `u64`, such as 2^64, is read as 0.
/// `regressions/svmlight/two-to-the-64`
pub(crate) fn digits_wrap(text: &[u8]) -> bool {
    let digits = |word: &[u8]| word.iter().filter(|b| b.is_ascii_digit()).count();
    let words = text.split(|b| !b.is_ascii_digit() && *b != b'.');
    words.into_iter().any(|word| digits(word) >= 20)
}

/// What a learner of several classes that took `memory` bytes needs to be loaded: whitened counts its
/// pairs of features once a class then, although the classes share them.
/// `regressions/spec/whitened-needs-more-memory-to-load`
pub(crate) fn memory_to_load(learner: &str, lanes: usize, memory: u128) -> u128 {
    if learner == "whitened" {
        memory * lanes as u128
    } else {
        memory
    }
}

/// The sparse target of few relevant features draws for ever where the margin is out of their reach.
/// `regressions/generator/margin-out-of-reach`
pub(crate) fn draws_for_ever(spec: &str) -> bool {
    let few = spec.split("relevant=").nth(1).is_some_and(|rest| {
        let end = rest.find(',').unwrap_or(rest.len());
        rest[..end].parse().is_ok_and(|relevant: u32| relevant < 10)
    });
    few && spec.contains("margin=")
}

/// Counts of classes, background and pending trials are loaded unchecked, however many there are, and
/// overflow when trials follow. `regressions/model/background-counts-beyond-the-trials`
pub(crate) fn counts_overflow(model: &Model) -> bool {
    let many = |&n: &u64| n >= 1 << 61;
    let of = |counts: &Counts| [counts.mistakes, counts.updates];
    let classes = &model.classes;
    let pending = classes.unsettled();
    let (totals, background) = (model.totals, of(&classes.background));
    let mut counts = [totals.trials, totals.mistakes, totals.updates, pending.any]
        .into_iter()
        .chain(background)
        .chain(pending.lower.into_values())
        .chain(classes.list().iter().flat_map(|class| of(&class.counts)));
    counts.any(|n| many(&n))
}
