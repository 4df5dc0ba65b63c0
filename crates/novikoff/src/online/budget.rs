//! A budget of rows that the binary problems of a model share.

use crate::state::{State, StateError};

/// How many rows are kept at most: by all problems of a model together, or by each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowBudget {
    rows: usize,
    /// Models written before budgets were shared keep that many rows per class.
    is_per_class: bool,
}

/// Where a state says that the budget is shared.
const SHARED: &str = "budget-of-model";

impl RowBudget {
    /// All problems together keep this many rows.
    pub(crate) fn shared(rows: usize) -> Self {
        RowBudget {
            rows,
            is_per_class: false,
        }
    }

    /// How many rows a problem keeps when this many are known; at least 1.
    pub(crate) fn of_problem(self, problems: usize) -> usize {
        if self.is_per_class {
            self.rows
        } else {
            (self.rows / problems.max(1)).max(1)
        }
    }

    /// The most that a problem can have kept.
    pub(crate) fn most(self) -> usize {
        self.rows
    }

    /// Adds to a state that it is shared, if it is.
    pub(crate) fn save(self, out: &mut State<'_>) {
        if !self.is_per_class {
            out.put_u64(SHARED, vec![self.rows as u64]);
        }
    }

    /// Takes that out again. A state that does not say it was written before budgets were shared.
    pub(crate) fn load(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.is_per_class = from.count(SHARED) == 0;
        if self.is_per_class {
            return Ok(());
        }
        let [rows] = from.take_counts(SHARED)?;
        if rows == self.rows as u64 {
            Ok(())
        } else {
            Err(from.bad(SHARED, format!("{rows} rows, not {}", self.rows)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_share_a_budget_and_each_has_a_row() {
        let budget = RowBudget::shared(10);
        let of = [1, 2, 3, 10, 11, 1000].map(|problems| budget.of_problem(problems));
        assert_eq!(of, [10, 5, 3, 1, 1, 1]);
    }

    #[test]
    fn a_state_that_does_not_say_is_of_a_budget_per_class() {
        let mut budget = RowBudget::shared(10);
        assert_eq!(budget.load(&mut State::new()), Ok(()));
        assert_eq!(budget.of_problem(5), 10);
        let mut state = State::new();
        budget.save(&mut state);
        assert!(state.left().is_none(), "and stays so");
        RowBudget::shared(10).save(&mut state);
        let mut state = state.into_owned();
        assert_eq!(budget.load(&mut state), Ok(()));
        assert_eq!(budget.of_problem(5), 2);
        let mut state = State::new();
        RowBudget::shared(9).save(&mut state);
        assert!(budget.load(&mut state.into_owned()).is_err());
    }
}
