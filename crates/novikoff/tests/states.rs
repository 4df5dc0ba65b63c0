//! Saving and resuming beyond what the contract asks of every learner.

use crate::common::stream::Kind;
use crate::common::subjects;
use novikoff_testkit::saving::assert_pieces_make_the_whole;

/// Sums that are kept up to date are recomputed now and then: when, must not depend on loading.
#[test]
fn saving_and_going_on_over_many_updates() {
    let sums = [
        "p-norm",
        "eg",
        "balanced-winnow",
        "alma",
        "normalised-winnow",
    ];
    for subject in subjects() {
        if sums.contains(&subject.spec().name()) {
            // random labels
            let stream = subject.stream(Kind::Dense, 2, 20_000);
            assert_pieces_make_the_whole(&subject, &stream, 1000);
        }
    }
}
