//! Whole numbers that rise or fall by the same step from row to row, as row numbers do.

/// What was seen of the numbers of a column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    last: Option<i64>,
    step: Option<i64>,
    numbers: usize,
    /// A value is missing, is no whole number, or does not follow by the step.
    is_broken: bool,
}

impl Steps {
    /// The next value; none if it is no whole number.
    pub(crate) fn add(&mut self, value: Option<i64>) {
        self.numbers += 1;
        let Some(value) = value else {
            self.is_broken = true;
            return;
        };
        if let Some(last) = self.last {
            let step = value.checked_sub(last).filter(|&step| step != 0);
            self.is_broken |= step.is_none() || self.step.is_some_and(|known| step != Some(known));
            self.step = step;
        }
        self.last = Some(value);
    }

    /// Whether no later value makes a difference.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// The step, if there are at least `least` numbers.
    pub(crate) fn step(&self, least: usize) -> Option<i64> {
        self.step
            .filter(|_| !self.is_broken && self.numbers >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;

    fn step(values: &[Option<i64>]) -> Option<i64> {
        let mut steps = Steps::default();
        for &value in values {
            steps.add(value);
        }
        steps.step(3)
    }

    #[test]
    fn only_equal_steps_count() {
        assert_eq!(step(&[Some(7), Some(8), Some(9)]), Some(1));
        assert_eq!(step(&[Some(10), Some(0), Some(-10), Some(-20)]), Some(-10));
        assert_eq!(step(&[Some(7), Some(8)]), None, "too few");
        assert_eq!(step(&[Some(7), Some(8), Some(10)]), None);
        assert_eq!(step(&[Some(7), Some(7), Some(7)]), None);
        assert_eq!(step(&[Some(7), None, Some(9), Some(10), Some(11)]), None);
        assert_eq!(step(&[Some(i64::MIN), Some(i64::MAX), Some(0)]), None);
    }
}
