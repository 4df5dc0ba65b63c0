//! The largest weights by name.

use super::ink::{RIGHT, WRONG};
use super::{Axis, Chart, Ink, Layer, LayerShape, Patch, shown};
use crate::picture::TopFeatures;

pub(super) fn chart(top: &TopFeatures) -> Chart {
    let n = top.weights.len();
    let (low, high) = top
        .weights
        .iter()
        .fold((0.0_f64, 0.0_f64), |(low, high), (_, w)| {
            (low.min(*w), high.max(*w))
        });
    let bars = |name: &str, ink: Ink, positive: bool| {
        let chosen = top
            .weights
            .iter()
            .enumerate()
            .filter(|(_, (_, w))| (*w > 0.0) == positive);
        let patch = |(i, (feature, w)): (usize, &(String, f64))| {
            let middle = (n - i) as f64 - 0.5;
            Patch {
                x: (w.min(0.0), w.max(0.0)),
                y: (middle - 0.36, middle + 0.36),
                strength: 0.85,
                text: String::new(),
                label: format!("{}: {w:.6}", shown(feature, 60)),
            }
        };
        Layer::new(name, ink, LayerShape::Boxes(chosen.map(patch).collect()))
    };
    let names = top.weights.iter().map(|(name, _)| shown(name, 16));
    Chart {
        name: "features",
        title: format!("largest weights for {}", shown(&top.class, 24)),
        size: (420, 90 + 18 * n as u32),
        x: Axis::exact("weight", low, high, 5),
        y: Axis::names_down("feature", names),
        layers: vec![bars("for", RIGHT, true), bars("against", WRONG, false)],
    }
}
