//! The weights of experts over time: who was right when.

use novikoff::learner::Panel;

use super::{Axis, Chart, Ink, Layer, LayerShape, Marker, SERIES, SMALL, shown};

/// Nothing of a run too short to have a course.
pub(super) fn chart(panel: &Panel) -> Option<Chart> {
    let last = panel
        .course
        .last()
        .filter(|_| panel.course.len() > 1)?
        .trials;
    let line = |(i, facts): (usize, &novikoff::learner::ExpertFacts)| {
        let points = panel.course.iter();
        let points = points.map(|moment| (moment.trials as f64, 100.0 * moment.weights[i]));
        let shape = LayerShape::Line(points.collect());
        let mut layer = Layer::new(shown(&facts.spec, 40), Ink::Series(i % SERIES), shape);
        layer.marker = Some(Marker::of(i, SERIES));
        layer
    };
    Some(Chart {
        name: "experts",
        title: "weights of the experts".to_owned(),
        size: (SMALL.0, SMALL.1 + 22 * panel.experts.len() as u32 / 2),
        x: Axis::exact("trials", 0.0, last as f64, 4),
        y: Axis::exact("weight in %", 0.0, 100.0, 5),
        layers: panel.experts.iter().enumerate().map(line).collect(),
    })
}
