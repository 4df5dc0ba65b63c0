//! The share of mistakes: of all trials so far, and lately.

use super::{Axis, Chart, Ink, Layer, LayerShape, SMALL};
use crate::picture::{Moment, error_so_far, recent_error};

pub(super) fn chart(course: &[Moment]) -> Chart {
    let percent = |points: Vec<(u64, f64)>| -> Vec<(f64, f64)> {
        let points = points.into_iter();
        points
            .map(|(trials, rate)| (trials as f64, 100.0 * rate))
            .collect()
    };
    let (recent, so_far) = (percent(recent_error(course)), percent(error_so_far(course)));
    // the first trials alone would set the scale
    let settled = recent.iter().chain(so_far.iter().skip(so_far.len() / 10));
    let most = settled.fold(0.1_f64, |most, (_, rate)| most.max(*rate));
    let last = course.last().map_or(1.0, |m| m.trials as f64);
    let first = course.first().map_or(0.0, |m| m.trials as f64);
    Chart {
        name: "error",
        title: "progressive error".to_owned(),
        size: SMALL,
        x: Axis::exact("trials", first, last, 4),
        y: Axis::up_to_round("error in %", 0.0, most, 5),
        layers: vec![
            Layer::new("last twentieth", Ink::Faint, LayerShape::Line(recent)),
            Layer::new(
                "all trials so far",
                Ink::Series(0),
                LayerShape::Line(so_far),
            ),
        ],
    }
}
