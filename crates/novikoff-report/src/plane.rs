//! A run over two features as values: points, and the separating line mistake by mistake.

/// A run over two features.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanePicture {
    /// The names of the features.
    pub features: [String; 2],
    /// The negative label and the positive one.
    pub labels: [String; 2],
    /// The rows that are drawn.
    pub points: Vec<PlanePoint>,
    /// How many rows there are besides.
    pub others: u64,
    /// Where the run stood after mistakes and updates; the last is its end.
    pub steps: Vec<PlaneStep>,
    /// How many trials were mistakes or updates, whether or not they are among the steps.
    pub changes: u64,
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanePoint {
    /// The values of both features.
    pub at: (f64, f64),
    /// Whether it has the positive label; none until that is known.
    pub positive: Option<bool>,
}

/// Where a run stood.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneStep {
    /// Trials so far.
    pub trials: u64,
    /// Mistakes so far.
    pub mistakes: u64,
    /// Updates so far.
    pub updates: u64,
    /// The row of the mistake or update, by its number in the data.
    pub row: Option<usize>,
    /// The learner's line.
    pub line: PlaneLine,
}

/// The line of all places where `x` times the first feature, `y` times the second and the constant add up to 0. Where they add up to
/// more, or to 0, the answer is the positive label.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneLine {
    /// The weight of the first feature.
    pub x: f64,
    /// The weight of the second feature.
    pub y: f64,
    /// The constant.
    pub constant: f64,
}

/// How a line divides points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Division {
    /// Points on the wrong side.
    pub(crate) wrong: usize,
    /// The least distance of a point from the line, if none is on the wrong side.
    pub(crate) margin: Option<f64>,
}

impl PlaneLine {
    /// What the terms add up to at a place.
    pub fn value(&self, (x, y): (f64, f64)) -> f64 {
        self.x * x + self.y * y + self.constant
    }

    /// With a direction of length 1; none if there is no direction.
    pub(crate) fn unit(&self) -> Option<Self> {
        let length = libm::hypot(self.x, self.y);
        let is_line = length.is_normal() && self.constant.is_finite();
        is_line.then(|| PlaneLine {
            x: self.x / length,
            y: self.y / length,
            constant: self.constant / length,
        })
    }

    /// This line, moved so that it passes where this one has that distance.
    pub(crate) fn at_distance(&self, distance: f64) -> Self {
        PlaneLine {
            constant: self.constant - distance,
            ..*self
        }
    }

    /// How it divides points.
    pub(crate) fn division(&self, points: &[PlanePoint]) -> Division {
        let mut wrong = 0;
        let mut margin = f64::INFINITY;
        let unit = self.unit().unwrap_or(*self);
        for point in points {
            let Some(positive) = point.positive else {
                continue;
            };
            let value = unit.value(point.at);
            if (value >= 0.0) != positive {
                wrong += 1;
            }
            margin = margin.min(value.abs());
        }
        let is_margin = wrong == 0 && margin.is_finite() && self.unit().is_some();
        Division {
            wrong,
            margin: is_margin.then_some(margin),
        }
    }

    /// Where the line enters and leaves a box from `low` to `high`.
    pub(crate) fn within(&self, low: (f64, f64), high: (f64, f64)) -> Option<[(f64, f64); 2]> {
        let mut ends: Vec<(f64, f64)> = Vec::new();
        let is_inside = |(x, y): (f64, f64)| {
            let slack = 1e-9;
            let (wide, tall) = (high.0 - low.0, high.1 - low.1);
            (low.0 - slack * wide..=high.0 + slack * wide).contains(&x)
                && (low.1 - slack * tall..=high.1 + slack * tall).contains(&y)
        };
        for x in [low.0, high.0] {
            ends.push((x, -(self.constant + self.x * x) / self.y));
        }
        for y in [low.1, high.1] {
            ends.push((-(self.constant + self.y * y) / self.x, y));
        }
        ends.retain(|end| end.0.is_finite() && end.1.is_finite() && is_inside(*end));
        let first = *ends.first()?;
        let apart = |end: &(f64, f64)| libm::hypot(end.0 - first.0, end.1 - first.1);
        let other = ends
            .iter()
            .copied()
            .max_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        (apart(&other) > 0.0).then_some([first, other])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, positive: bool) -> PlanePoint {
        PlanePoint {
            at: (x, y),
            positive: Some(positive),
        }
    }

    #[test]
    fn a_line_by_hand() {
        // 3x + 4y = 10
        let line = PlaneLine {
            x: 3.0,
            y: 4.0,
            constant: -10.0,
        };
        let points = [point(2.0, 3.0, true), point(0.0, 0.0, false)];
        let division = line.division(&points);
        assert_eq!(division.wrong, 0);
        assert!((division.margin.expect("they are separated") - 1.6).abs() < 1e-12);
        let wrong = line.division(&[point(2.0, 3.0, false)]);
        assert_eq!((wrong.wrong, wrong.margin), (1, None));
        let ends = line.within((0.0, 0.0), (2.0, 3.0)).expect("it crosses");
        assert!(
            ends.contains(&(0.0, 2.5)) && ends.contains(&(2.0, 1.0)),
            "{ends:?}"
        );
        let moved = line.unit().expect("a direction").at_distance(1.6);
        assert!(moved.value((2.0, 3.0)).abs() < 1e-12);
        assert_eq!(line.within((5.0, 5.0), (6.0, 6.0)), None);
    }

    #[test]
    fn no_direction_is_no_line() {
        let nothing = PlaneLine::default();
        assert_eq!(nothing.unit(), None);
        assert_eq!(nothing.within((0.0, 0.0), (1.0, 1.0)), None);
        // it answers with the positive label everywhere
        let division = nothing.division(&[point(1.0, 1.0, false), point(2.0, 1.0, true)]);
        assert_eq!((division.wrong, division.margin), (1, None));
        assert_eq!(nothing.division(&[point(2.0, 1.0, true)]).margin, None);
        let huge = PlaneLine {
            x: f64::MAX,
            y: f64::MAX,
            constant: 0.0,
        };
        assert_eq!(huge.unit(), None);
        let upright = PlaneLine {
            x: 2.0,
            y: 0.0,
            constant: -1.0,
        };
        let ends = upright.within((0.0, 0.0), (1.0, 1.0)).expect("it crosses");
        assert_eq!(ends.map(|end| end.0), [0.5, 0.5]);
    }
}
