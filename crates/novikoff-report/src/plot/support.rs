//! How the hypothesis grows: stored rows where there is a kernel, updates otherwise.

use super::{Axis, Chart, Ink, Layer, LayerShape, SMALL};
use crate::picture::Moment;

pub(super) fn chart(course: &[Moment]) -> Chart {
    let stored = course.iter().all(|m| m.stored.is_some());
    let size = |m: &Moment| {
        if stored {
            m.stored.unwrap_or(0)
        } else {
            m.updates
        }
    };
    let points: Vec<(f64, f64)> = course
        .iter()
        .map(|m| (m.trials as f64, size(m) as f64))
        .collect();
    let most = points.iter().fold(1.0_f64, |most, (_, y)| most.max(*y));
    let last = course.last().map_or(1.0, |m| m.trials as f64);
    let (title, label) = if stored {
        ("growth of the support", "stored rows")
    } else {
        ("growth of the hypothesis", "updates so far")
    };
    Chart {
        name: "support",
        title: title.to_owned(),
        size: SMALL,
        x: Axis::exact("trials", 0.0, last, 4),
        y: Axis::up_to_round(label, 0.0, most, 5),
        layers: vec![Layer::new(label, Ink::Series(2), LayerShape::Line(points)).unlisted()],
    }
}
