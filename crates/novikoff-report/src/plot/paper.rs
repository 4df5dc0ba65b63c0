//! Charts of the papers' tables: lines of ours, dots of theirs, bounds.

use super::{Axis, Chart, Ink, Layer, LayerShape, Marker, SERIES, ink_of, shown};
use crate::paper::{PaperChart, PaperLineKind};

/// One chart.
pub(crate) fn paper(paper: &PaperChart, (width, height): (u32, u32)) -> Chart {
    let is_named = !paper.names.is_empty();
    let points = || paper.lines.iter().flat_map(|line| &line.points);
    let least = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::NEG_INFINITY, f64::max);
    let finite = |value: f64, other: f64| if value.is_finite() { value } else { other };
    let (left, right) = (finite(least(|p| p.0), 0.0), finite(most(|p| p.0), 1.0));
    let (low, high) = (finite(least(|p| p.1), 0.0), finite(most(|p| p.1), 1.0));
    let x = if is_named {
        let names = paper.names.iter().map(|name| shown(name, 16));
        Axis::names_across(&paper.x, names)
    } else if paper.log {
        Axis::log(&paper.x, left.max(1e-9) / 1.2, right * 1.2)
    } else {
        Axis::exact(&paper.x, left, right, 6)
    };
    let y = if paper.log {
        Axis::log(&paper.y, low.max(1e-9) / 1.2, high * 1.2)
    } else {
        Axis::up_to_round(&paper.y, 0.0, high, 5)
    };
    let (mut layers, mut place) = (Vec::new(), 0);
    for line in &paper.lines {
        let name = shown(&line.name, 32);
        let points = line.points.clone();
        let layer = match line.kind {
            PaperLineKind::Ours | PaperLineKind::Points => {
                place += 1;
                let ink = ink_of(place - 1);
                if is_named || line.kind == PaperLineKind::Points {
                    Layer::new(name, ink, LayerShape::Dots(points))
                } else {
                    Layer {
                        marker: Some(Marker::of(place - 1, SERIES)),
                        label: name.clone(),
                        ..Layer::new(name, ink, LayerShape::Line(points)).unlisted()
                    }
                }
            }
            PaperLineKind::Theirs => {
                let ink = match (is_named, place) {
                    (true, _) => Ink::Text,
                    (false, place) => ink_of(place.saturating_sub(1)),
                };
                let layer = Layer::new(name, ink, LayerShape::Dots(points));
                if is_named { layer } else { layer.unlisted() }
            }
            PaperLineKind::Bound => Layer::new(name, Ink::Text, LayerShape::Dashed(points)),
        };
        layers.push(layer);
    }
    Chart {
        name: "paper",
        title: paper.title.clone(),
        size: (width, height),
        x,
        y,
        layers,
    }
}
