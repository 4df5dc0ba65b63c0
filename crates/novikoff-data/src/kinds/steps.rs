//! Whole numbers that rise or fall by the same step from row to row, as row numbers do; or that rise or fall and leave few numbers out, as row numbers
//! do after some rows were taken out.

/// What was seen of the numbers of a column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    first: Option<i64>,
    last: Option<i64>,
    step: Option<i64>,
    numbers: usize,
    /// A value is missing, is no whole number, or does not follow by the step.
    is_broken: bool,
    /// A value is missing, is no whole number, or does not follow in the direction of the others.
    is_jumbled: bool,
}

impl Steps {
    /// The next value; none if it is no whole number.
    pub(crate) fn add(&mut self, value: Option<i64>) {
        self.numbers += 1;
        let Some(value) = value else {
            (self.is_broken, self.is_jumbled) = (true, true);
            return;
        };
        self.first.get_or_insert(value);
        if let Some(last) = self.last {
            let step = value.checked_sub(last).filter(|&step| step != 0);
            self.is_broken |= step.is_none() || self.step.is_some_and(|known| step != Some(known));
            let follows = |step: i64| self.step.is_none_or(|known| (known < 0) == (step < 0));
            self.is_jumbled |= !step.is_some_and(follows);
            self.step = step;
        }
        self.last = Some(value);
    }

    /// Whether no later value makes a difference.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_broken && self.is_jumbled
    }

    /// The step, if there are at least `least` numbers.
    pub(crate) fn step(&self, least: usize) -> Option<i64> {
        self.step
            .filter(|_| !self.is_broken && self.numbers >= least)
    }

    /// The first and the last number, if there are at least `least`, they rise or fall all the way, and at least half of the numbers between
    /// them are there.
    pub(crate) fn ends(&self, least: usize) -> Option<(i64, i64)> {
        let (first, last) = (self.first?, self.last?);
        let is_dense = first.abs_diff(last) < 2 * self.numbers as u64;
        (!self.is_jumbled && is_dense && self.numbers >= least).then_some((first, last))
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

    #[test]
    fn gaps_are_few() {
        let ends = |values: &[Option<i64>]| {
            let mut steps = Steps::default();
            for &value in values {
                steps.add(value);
            }
            steps.ends(3)
        };
        assert_eq!(ends(&[Some(7), Some(8), Some(10)]), Some((7, 10)));
        assert_eq!(ends(&[Some(10), Some(8), Some(7)]), Some((10, 7)));
        assert_eq!(ends(&[Some(7), Some(9), Some(12)]), Some((7, 12)));
        assert_eq!(ends(&[Some(7), Some(9), Some(13)]), None, "many are out");
        assert_eq!(ends(&[Some(7), Some(8), Some(7)]), None);
        assert_eq!(ends(&[Some(7), Some(7), Some(8)]), None);
        assert_eq!(ends(&[Some(7), None, Some(8), Some(9)]), None);
        assert_eq!(ends(&[Some(7), Some(8)]), None, "too few");
        assert_eq!(ends(&[Some(i64::MIN), Some(0), Some(i64::MAX)]), None);
    }
}
