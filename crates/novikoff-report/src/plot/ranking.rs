//! Precision against recall.

use super::{Axis, Chart, Ink, Layer, LayerShape, SMALL};
use crate::picture::RankingPicture;

pub(super) fn chart(ranking: &RankingPicture) -> Chart {
    let points = ranking.curve.iter().map(|p| (p.recall, p.precision));
    let diagonal = LayerShape::Line(vec![(0.0, 0.0), (1.0, 1.0)]);
    let mut layers = vec![
        Layer::new("", Ink::Grid, diagonal),
        Layer::new(
            "online margins",
            Ink::Series(0),
            LayerShape::Line(points.collect()),
        ),
    ];
    if let Some(at) = ranking.break_even {
        let name = format!("break-even {at:.3}");
        layers.push(Layer::new(
            name,
            Ink::Series(1),
            LayerShape::Dots(vec![(at, at)]),
        ));
    }
    Chart {
        name: "ranking",
        title: "precision and recall".to_owned(),
        size: SMALL,
        x: Axis::exact("recall", 0.0, 1.0, 5),
        y: Axis::exact("precision", 0.0, 1.0, 5),
        layers,
    }
}
