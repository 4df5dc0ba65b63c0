//! How far on the right side, or on the wrong one, the trials were.

use super::ink::{RIGHT, WRONG};
use super::{Axis, Chart, Ink, Layer, LayerShape, Patch, SMALL};
use crate::picture::Margins;
use novikoff::quantity::plural;

pub(super) fn chart(margins: &Margins) -> Chart {
    let bins = margins.right.len();
    let edge = |bin: usize| margins.from + bin as f64 * margins.width;
    let both = margins.right.iter().zip(&margins.wrong);
    let most = both.map(|(r, w)| r + w).max().unwrap_or(1).max(1);
    let layer = |name: &str, ink: Ink, counts: &[u64], below: Option<&[u64]>| {
        let patches = counts
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0)
            .map(|(bin, &n)| {
                let floor = below.map_or(0, |counts| counts[bin]);
                let from = if bin == 0 {
                    "below".to_owned()
                } else {
                    format!("{:.4} to", edge(bin))
                };
                let to = if bin + 1 == bins {
                    "infinity".to_owned()
                } else {
                    format!("{:.4}", edge(bin + 1))
                };
                Patch {
                    x: (edge(bin), edge(bin + 1)),
                    y: (floor as f64, (floor + n) as f64),
                    strength: 0.85,
                    text: String::new(),
                    label: format!("margin {from} {to}: {} {name}", plural(n, "trial")),
                }
            });
        Layer::new(name, ink, LayerShape::Boxes(patches.collect()))
    };
    Chart {
        name: "margins",
        title: "online margins".to_owned(),
        size: SMALL,
        x: Axis::exact("y × margin: positive is right", edge(0), edge(bins), 6),
        y: Axis::up_to_round("trials", 0.0, most as f64, 5),
        layers: vec![
            layer("wrong", WRONG, &margins.wrong, None),
            layer("right", RIGHT, &margins.right, Some(&margins.wrong)),
        ],
    }
}
