//! What every learner of the catalogue promises, whatever its algorithm: the checks of `novikoff-testkit`.

use crate::common::subjects;
use novikoff::catalog::CATALOG;

novikoff_testkit::contract!(subjects);

#[test]
fn every_entry_is_examined() {
    novikoff_testkit::assert_all_are_examined(CATALOG, &subjects());
}
