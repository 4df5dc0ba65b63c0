//! From the answers of experts to the answer of the majority.
//!
//! The answer is decided by weights alone. The score beside it is graded, so that answers can be ranked: margins of experts, each in units
//! of what is usual for that expert, squashed into (-1, 1) and averaged by weight. Where the average has another sign than the answer, the
//! score is the number nearest to it that has the sign of the answer.

/// One expert's answers to a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ballot<'b> {
    /// Its weight, up to a factor that all share.
    pub(super) weight: f64,
    /// Its scores, lane by lane.
    pub(super) scores: &'b [f64],
    /// What the absolute value of its scores usually is; 0 if it has had none.
    pub(super) usual: f64,
}

impl Ballot<'_> {
    fn graded(&self, lane: usize) -> f64 {
        let score = self.scores[lane];
        let value = if self.usual > 0.0 {
            let size = score / self.usual;
            if size.is_finite() {
                size / (1.0 + size.abs())
            } else {
                score.signum()
            }
        } else if score == 0.0 {
            0.0
        } else {
            score.signum()
        };
        self.weight * value
    }
}

fn mean<'b>(ballots: impl Iterator<Item = Ballot<'b>>, lane: usize) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for ballot in ballots {
        sum += ballot.graded(lane);
        total += ballot.weight;
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// The score with the sign of the answer.
fn signed(score: f64, is_yes: bool) -> f64 {
    if is_yes {
        score.max(0.0)
    } else {
        score.min(-f64::MIN_POSITIVE)
    }
}

/// Yes or no in one lane: yes if those who say so weigh more than the others.
pub(super) fn each_lane<'b>(ballots: impl Iterator<Item = Ballot<'b>> + Clone, lane: usize) -> f64 {
    let (mut yes, mut no) = (0.0, 0.0);
    for ballot in ballots.clone() {
        if ballot.scores[lane] >= 0.0 {
            yes += ballot.weight;
        } else {
            no += ballot.weight;
        }
    }
    signed(mean(ballots, lane), yes > no)
}

/// The lane of the largest score, ties to the first in order.
pub(super) fn best(order: &[usize], score: impl Fn(usize) -> f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for &lane in order {
        let score = score(lane);
        if best.is_none_or(|(_, top)| score > top) {
            best = Some((lane, score));
        }
    }
    best.map(|(lane, _)| lane)
}

/// The scores of all lanes where a row has one label: that of the lane with the most weight behind it is at least 0, the others are below.
/// Lane 0 is no class, and is behind them all.
pub(super) fn one_of<'b>(
    ballots: &(impl Iterator<Item = Ballot<'b>> + Clone),
    order: &[usize],
    out: &mut [f64],
) {
    out.fill(0.0);
    for ballot in ballots.clone() {
        if let Some(lane) = best(order, |lane| ballot.scores[lane]) {
            out[lane] += ballot.weight;
        }
    }
    let chosen = best(order, |lane| out[lane]);
    for &lane in order {
        out[lane] = signed(mean(ballots.clone(), lane), Some(lane) == chosen);
    }
    out[0] = BEHIND;
}

/// Less than any score.
const BEHIND: f64 = -2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn ballot(weight: f64, scores: &[f64]) -> Ballot<'_> {
        Ballot {
            weight,
            scores,
            usual: 1.0,
        }
    }

    #[test]
    fn weight_decides_and_ties_go_to_the_lowest() {
        let (a, b) = ([3.0], [-0.1]);
        let vote = |w: f64, v: f64| each_lane([ballot(w, &a), ballot(v, &b)].into_iter(), 0);
        assert!(vote(1.0, 0.5) > 0.0);
        // a tie is the negative label, which is the lowest
        assert!(vote(1.0, 1.0) < 0.0);
        // the margins say yes, the weights say no
        assert_eq!(vote(0.9, 1.0), -f64::MIN_POSITIVE);
        assert_eq!(each_lane([ballot(1.0, &[0.0])].into_iter(), 0), 0.0);
    }

    #[test]
    fn one_label_of_several() {
        let (a, b, c) = (
            [9.0, 0.1, 0.2, -1.0],
            [9.0, 0.3, -2.0, -1.0],
            [9.0, -1.0, -1.0, -1.0],
        );
        let all = [ballot(1.0, &a), ballot(1.0, &b), ballot(0.5, &c)];
        let mut out = [0.0; 4];
        // lane 3 is the lowest label: the third expert's tie goes to it
        one_of(&all.into_iter(), &[3, 2, 1], &mut out);
        assert_eq!(
            best(&[1, 2, 3], |lane| out[lane]),
            Some(2),
            "two of weight 1: {out:?}"
        );
        assert!(out[2] >= 0.0 && out[1] < 0.0 && out[3] < 0.0 && out[0] < -1.0);
        one_of(&all.into_iter(), &[1, 2, 3], &mut out);
        assert!(
            out[1] >= 0.0 && out[2] < 0.0,
            "the third now says 1: {out:?}"
        );
    }
}
