//! Axes: from values to places between 0 and 1, and the numbers beside them.

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) log: bool,
    /// Names, not numbers.
    pub(crate) named: bool,
    /// Values with their texts.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// Values beyond this are drawn as if they were this, so that no difference overflows.
const HUGE: f64 = 1e300;

impl Axis {
    /// From `low` to a round number at or above `high`, with about `about` numbers.
    pub(crate) fn up_to_round(label: &str, low: f64, high: f64, about: usize) -> Self {
        let mut axis = Self::exact(label, low, high, about);
        let step = step(axis.high - axis.low, about);
        axis.high = (axis.high / step - 1e-9).ceil() * step;
        axis.ticks = ticks(axis.low, axis.high, step);
        axis
    }

    /// From `low` to `high`, no further.
    pub(crate) fn exact(label: &str, low: f64, high: f64, about: usize) -> Self {
        let [low, high] = [low, high].map(|v| {
            if v.is_nan() {
                0.0
            } else {
                v.clamp(-HUGE, HUGE)
            }
        });
        let least = (low.abs() * 1e-9).max(1.0 / HUGE);
        let high = if high - low > least {
            high
        } else {
            low + low.abs().max(1.0)
        };
        Axis {
            label: label.to_owned(),
            low,
            high,
            log: false,
            named: false,
            ticks: ticks(low, high, step(high - low, about)),
        }
    }

    /// Powers of ten are equally far apart; `low` is above 0.
    pub(crate) fn log(label: &str, low: f64, high: f64) -> Self {
        let high = high.clamp(low * 10.0, HUGE);
        let (first, last) = (
            libm::log10(low).ceil() as i32,
            libm::log10(high).floor() as i32,
        );
        let decades = (last - first).max(1);
        let every = (decades / 6 + 1).max(1);
        let mut values: Vec<f64> = Vec::new();
        for power in (first..=last).step_by(every as usize) {
            let ten = libm::pow(10.0, f64::from(power));
            let between: &[f64] = match decades {
                1 => &[1.0, 2.0, 5.0],
                2 => &[1.0, 3.0],
                _ => &[1.0],
            };
            values.extend(between.iter().map(|factor| factor * ten));
        }
        values.retain(|v| *v <= high);
        Axis {
            label: label.to_owned(),
            low,
            high,
            log: true,
            named: false,
            ticks: values.into_iter().map(|v| (v, short(v))).collect(),
        }
    }

    /// Names from left to right; the i-th is about i + 1/2.
    pub(crate) fn names_across(label: &str, names: impl ExactSizeIterator<Item = String>) -> Self {
        let most = names.len().max(1) as f64;
        let ticks = names.enumerate().map(|(i, name)| (i as f64 + 0.5, name));
        Axis {
            label: label.to_owned(),
            low: 0.0,
            high: most,
            log: false,
            named: true,
            ticks: ticks.collect(),
        }
    }

    /// Names from the top down; the i-th is about i + 1/2 below the top.
    pub(crate) fn names_down(label: &str, names: impl ExactSizeIterator<Item = String>) -> Self {
        let mut axis = Self::names_across(label, names);
        for (value, _) in &mut axis.ticks {
            *value = axis.high - *value;
        }
        axis
    }

    /// The place of a value between 0 and 1, if it has one.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        if value.is_nan() || self.log && value <= 0.0 {
            return None;
        }
        let along = |v: f64| if self.log { libm::log10(v) } else { v };
        let (low, high) = (along(self.low), along(self.high));
        let value = along(value.clamp(-HUGE, HUGE));
        Some((value - low) / (high - low))
    }
}

/// A round step that cuts a length into about `about` parts.
fn step(length: f64, about: usize) -> f64 {
    let rough = (length / about.max(1) as f64).max(f64::MIN_POSITIVE);
    let ten = libm::pow(10.0, libm::log10(rough).floor());
    let ten = if ten > 0.0 { ten } else { f64::MIN_POSITIVE };
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * ten);
    round
        .into_iter()
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * ten)
}

fn ticks(low: f64, high: f64, step: f64) -> Vec<(f64, String)> {
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first).clamp(0.0, 50.0) as usize;
    let digits = (-libm::log10(step).floor()).clamp(0.0, 12.0) as usize;
    let value = |i: usize| (first + i as f64) * step + 0.0;
    (0..=count)
        .map(|i| (value(i), tick(value(i), step, digits)))
        .collect()
}

fn tick(value: f64, step: f64, digits: usize) -> String {
    if step < 1e-4 && value != 0.0 {
        format!("{value:.1e}")
    } else if step < 1.0 {
        format!("{value:.digits$}")
    } else {
        short(value)
    }
}

/// A number in few characters: 1,500, 25k, 3M.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    let with = |unit: f64, letter: &str| {
        let text = format!("{:.2}", value / unit);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        format!("{text}{letter}")
    };
    match size {
        _ if size >= 1e15 => format!("{value:.0e}"),
        _ if size >= 1e12 => with(1e12, "T"),
        _ if size >= 1e9 => with(1e9, "G"),
        _ if size >= 1e6 => with(1e6, "M"),
        _ if size >= 1e4 => with(1e3, "k"),
        _ if size >= 1e3 => {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}", crate::text::count(size.round() as u64))
        }
        _ => with(1.0, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn round_numbers() {
        assert_eq!(
            texts(&Axis::exact("", 0.0, 1797.0, 4)),
            ["0", "500", "1,000", "1,500"]
        );
        let up = Axis::up_to_round("", 0.0, 212.0, 4);
        assert_eq!(
            (up.high, texts(&up)),
            (300.0, vec!["0", "100", "200", "300"])
        );
        assert_eq!(
            texts(&Axis::up_to_round("", 0.0, 0.11, 3)),
            ["0.00", "0.05", "0.10", "0.15"]
        );
        assert_eq!(
            texts(&Axis::log("", 1.0, 1797.0)),
            ["1", "10", "100", "1,000"]
        );
        assert_eq!(
            texts(&Axis::log("", 1.0, 60.0)),
            ["1", "2", "5", "10", "20", "50"]
        );
        assert_eq!(
            texts(&Axis::exact("", -2.0, 2.0, 4)),
            ["-2", "-1", "0", "1", "2"]
        );
        assert_eq!(short(250_000.0), "250k");
    }

    #[test]
    fn places() {
        let axis = Axis::exact("", 0.0, 4.0, 4);
        assert_eq!(axis.place(1.0), Some(0.25));
        let log = Axis::log("", 1.0, 100.0);
        assert_eq!(log.place(10.0), Some(0.5));
        assert_eq!(log.place(0.0), None);
    }

    #[test]
    fn no_range_is_too_strange() {
        for (low, high) in [
            (0.0, 0.0),
            (5.0, 5.0),
            (-1e308, 1e308),
            (0.0, 5e-324),
            (0.0, f64::INFINITY),
            (1e15, 1e15 + 1.0),
            (f64::NAN, 1.0),
        ] {
            for axis in [
                Axis::exact("", low, high, 5),
                Axis::up_to_round("", low, high, 5),
            ] {
                assert!(axis.high > axis.low, "{low} {high}");
                assert!(axis.ticks.len() <= 51, "{low} {high}");
                for v in [low, high] {
                    let place = axis.place(v);
                    assert!(place.is_none_or(f64::is_finite), "{low} {high}: {place:?}");
                }
            }
        }
        assert!(Axis::log("", 1.0, f64::INFINITY).ticks.len() < 60);
        assert!(!Axis::log("", 1.0, 0.0).ticks.is_empty());
    }
}
