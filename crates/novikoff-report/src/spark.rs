//! Sparklines: a row of bars made of characters.

use crate::picture::Moment;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// How many parts of a run are shown.
const PARTS: u64 = 10;

/// Bars as high as the numbers, from 0.
pub(crate) fn spark(values: &[f64]) -> String {
    bars(values, values.iter().copied().fold(0.0, f64::max))
}

/// Bars as high as the numbers, from 0 to `most`.
pub(crate) fn bars(values: &[f64], most: f64) -> String {
    let bar = |value: &f64| {
        let height = if most > 0.0 { value / most * 7.0 } else { 0.0 };
        BARS[(height.round() as usize).min(7)]
    };
    values.iter().map(bar).collect()
}

/// The rate of mistakes in each tenth of a run; nothing for a run that is too short to have ten.
pub(crate) fn tenths(course: &[Moment]) -> String {
    let (Some(first), Some(last)) = (course.first(), course.last()) else {
        return String::new();
    };
    let trials = last.trials - first.trials;
    if trials < PARTS || (course.len() as u64) < PARTS {
        return String::new();
    }
    let end = |part: u64| {
        let trial =
            first.trials + (u128::from(trials) * u128::from(part) / u128::from(PARTS)) as u64;
        let after = course.partition_point(|moment| moment.trials < trial);
        course[after.min(course.len() - 1)]
    };
    let ends: Vec<Moment> = (0..=PARTS).map(end).collect();
    let rate = |pair: &[Moment]| {
        let trials = pair[1].trials.saturating_sub(pair[0].trials).max(1);
        pair[1].mistakes.saturating_sub(pair[0].mistakes) as f64 / trials as f64
    };
    spark(&ends.windows(2).map(rate).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_by_hand() {
        assert_eq!(spark(&[0.0, 1.0, 3.5, 7.0]), "▁▂▅█");
        assert_eq!(spark(&[0.0, 0.0]), "▁▁");
        assert_eq!(spark(&[]), "");
    }

    #[test]
    fn a_run_in_tenths() {
        // a mistake on every trial of the first half, none afterwards
        let moment = |trials: u64| Moment {
            trials,
            mistakes: trials.min(50),
            ..Moment::default()
        };
        let course: Vec<Moment> = (0..=100).map(moment).collect();
        assert_eq!(tenths(&course), "█████▁▁▁▁▁");
        assert_eq!(tenths(&course[..8]), "");
        assert_eq!(tenths(&[]), "");
    }
}
