//! Rows of two features as points, and the line of a learner with its margin.

use super::ink::{RIGHT, WRONG};
use super::{Axis, Chart, Ink, Layer, LayerShape, Marker, shown};
use crate::plane::{PlaneLine, PlanePicture};

/// Width and height of a drawing.
const SIZE: (u32, u32) = (560, 500);

/// How many times longer one side of the rows may be than the other for both features to have the same scale.
const SAME_SCALE: f64 = 5.0;

/// Points, the line of the end of the run and its margin.
pub(super) fn chart(picture: &PlanePicture) -> Chart {
    let mut chart = points(picture);
    if let Some(last) = picture.steps.last() {
        let corners = ((chart.x.low, chart.y.low), (chart.x.high, chart.y.high));
        let drawn = |line: &PlaneLine| Some(line.within(corners.0, corners.1)?.to_vec());
        let division = last.line.division(&picture.points);
        for band in bands(&last.line, division.margin) {
            let points = drawn(&band).unwrap_or_default();
            chart
                .layers
                .push(Layer::new("", Ink::Text, LayerShape::Dashed(points)));
        }
        if let Some(points) = drawn(&last.line) {
            let name = "the line at the end of the run";
            chart
                .layers
                .push(Layer::new(name, Ink::Text, LayerShape::Line(points)));
        }
    }
    chart
}

/// The lines on both sides at the distance of the margin.
pub(crate) fn bands(line: &PlaneLine, margin: Option<f64>) -> Vec<PlaneLine> {
    let (Some(unit), Some(margin)) = (line.unit(), margin) else {
        return Vec::new();
    };
    [-margin, margin].map(|d| unit.at_distance(d)).to_vec()
}

/// Points alone.
pub(crate) fn points(picture: &PlanePicture) -> Chart {
    let of_label = |positive: bool| -> Vec<(f64, f64)> {
        let points = picture.points.iter();
        let chosen = points.filter(|point| point.positive == Some(positive));
        chosen.map(|point| point.at).collect()
    };
    let layer = |label: &str, ink: Ink, marker: Marker, points: Vec<(f64, f64)>| Layer {
        marker: Some(marker),
        ..Layer::new(shown(label, 24), ink, LayerShape::Dots(points))
    };
    let [negative, positive] = &picture.labels;
    let layers = vec![
        layer(negative, WRONG, Marker::Cross, of_label(false)),
        layer(positive, RIGHT, Marker::Circle, of_label(true)),
    ];
    let all = picture.points.iter().map(|point| point.at);
    // the origin is where all lines without a constant meet
    let all: Vec<(f64, f64)> = all.chain([(0.0, 0.0)]).collect();
    let ((x_low, x_high), (y_low, y_high)) = (
        range(all.iter().map(|at| at.0)),
        range(all.iter().map(|at| at.1)),
    );
    let mut wide = x_high - x_low;
    let mut tall = y_high - y_low;
    if wide < SAME_SCALE * tall && tall < SAME_SCALE * wide {
        // about the shape of the drawing, so that right angles look right
        let shape = 1.1;
        wide = wide.max(shape * tall);
        tall = tall.max(wide / shape);
    }
    let around = |low: f64, high: f64, length: f64| {
        let middle = f64::midpoint(low, high);
        (middle - 0.54 * length, middle + 0.54 * length)
    };
    let (x, y) = (around(x_low, x_high, wide), around(y_low, y_high, tall));
    let [across, up] = &picture.features;
    Chart {
        name: "plane",
        title: "rows and the separating line".to_owned(),
        size: SIZE,
        x: Axis::exact(&axis_name(across), x.0, x.1, 6),
        y: Axis::exact(&axis_name(up), y.0, y.1, 6),
        layers,
    }
}

/// A number alone would look like a value.
fn axis_name(feature: &str) -> String {
    if feature.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("feature {feature}")
    } else {
        shown(feature, 32)
    }
}

/// The least and the largest; never the same.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let limit = 1e150;
    let ends = values.fold((0.0_f64, 0.0_f64), |(low, high), v| {
        (low.min(v.max(-limit)), high.max(v.min(limit)))
    });
    if ends.1 > ends.0 {
        ends
    } else {
        (ends.0 - 1.0, ends.1 + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::axis_name;

    #[test]
    fn axes_have_names() {
        assert_eq!(axis_name("2"), "feature 2");
        assert_eq!(axis_name("age"), "age");
    }
}
