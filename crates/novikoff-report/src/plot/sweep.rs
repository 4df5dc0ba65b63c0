//! Mistakes on several data sets against Novikoff's `(R/margin)^2`.

use super::{Axis, Chart, Ink, Layer, LayerShape, Marker, SERIES, ink_of, shown};
use crate::sweep::{SweepPoint, specs};

/// One line per learner, and the line that no perceptron is above.
pub(crate) fn sweep(points: &[SweepPoint], (width, height): (u32, u32)) -> Chart {
    let specs = specs(points);
    let mut layers = Vec::new();
    let mut reach = (f64::INFINITY, 10.0_f64);
    let mut most = 10.0_f64;
    for (place, spec) in specs.iter().enumerate().rev() {
        let at = |point: &SweepPoint| {
            let mistakes = point.run(spec)?.total().mistakes as f64;
            Some((point.separation?.novikoff, mistakes))
        };
        let mut line: Vec<(f64, f64)> = points.iter().filter_map(at).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (x, mistakes) in &line {
            reach = (reach.0.min(*x), reach.1.max(*x));
            most = most.max(*mistakes);
        }
        let name = shown(spec, 24);
        layers.push(Layer {
            marker: Some(Marker::of(place, SERIES)),
            label: name.clone(),
            ..Layer::new(name, ink_of(place), LayerShape::Line(line)).unlisted()
        });
    }
    let low = if reach.0.is_finite() {
        reach.0.max(1e-9)
    } else {
        1.0
    };
    let (low, high) = (low / 1.5, reach.1 * 1.5);
    let bound = LayerShape::Dashed(vec![(low, low), (high, high)]);
    layers.insert(
        0,
        Layer::new("Novikoff: mistakes = (R/margin)²", Ink::Text, bound),
    );
    Chart {
        name: "sweep",
        title: "mistakes against (R/margin)²".to_owned(),
        size: (width, height.max(100 + 15 * specs.len() as u32)),
        x: Axis::log("(R/margin)²", low, high),
        y: Axis::log("mistakes", 1.0, high.max(most)),
        layers,
    }
}
