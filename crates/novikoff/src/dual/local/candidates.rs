//! The best b by the losses at several candidates at a time: one round over the partitions per narrowing.

/// Candidates of one narrowing.
const COUNT: usize = 33;

/// Candidates for the bias of least loss, evenly spaced. Losses are convex in b, so the best one's neighbours are on both sides of the
/// optimum; if it is the first or the last, and nothing is known of what is beyond, the range moves on and widens.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidates {
    list: Vec<f64>,
    /// Whether the optimum may be below the first,
    open_below: bool,
    /// or above the last.
    open_above: bool,
}

impl Candidates {
    /// Around `b`, up to `reach` away.
    pub fn around(b: f64, reach: f64) -> Self {
        Candidates {
            open_below: true,
            open_above: true,
            ..Self::between(b - reach, b + reach)
        }
    }

    fn between(low: f64, high: f64) -> Self {
        let step = (high - low) / (COUNT - 1) as f64;
        Candidates {
            list: (0..COUNT).map(|k| low + k as f64 * step).collect(),
            open_below: false,
            open_above: false,
        }
    }

    /// The candidates, increasing.
    pub fn list(&self) -> &[f64] {
        &self.list
    }

    /// The best of them, by the sum of the losses at each; the middle one of several.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn best(&self, losses: &[f64]) -> f64 {
        self.list[Self::best_at(losses)]
    }

    /// The next candidates: sixteen times closer, or beyond the end that was best.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    #[must_use]
    pub fn narrowed(&self, losses: &[f64]) -> Self {
        const LAST: usize = COUNT - 1;
        let (low, high) = (self.list[0], self.list[LAST]);
        let reach = 4.0 * (high - low);
        match Self::best_at(losses) {
            0 if self.open_below => Candidates {
                open_below: true,
                ..Self::between(low - reach, self.list[1])
            },
            LAST if self.open_above => Candidates {
                open_above: true,
                ..Self::between(self.list[LAST - 1], high + reach)
            },
            at => Self::between(
                self.list[at.saturating_sub(1)],
                self.list[(at + 1).min(LAST)],
            ),
        }
    }

    fn best_at(losses: &[f64]) -> usize {
        assert_eq!(losses.len(), COUNT, "one loss per candidate");
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        // a range of best ones, or rounding: at its ends there is nothing to be gained
        let first = losses.iter().position(|&loss| loss == least);
        let last = losses.iter().rposition(|&loss| loss == least);
        usize::midpoint(first.unwrap_or(0), last.unwrap_or(0))
    }
}
