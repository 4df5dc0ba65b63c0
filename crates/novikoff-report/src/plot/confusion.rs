//! Which label was taken for which.

use novikoff::evaluation::Confusion;

use super::axis::short;
use super::ink::{RIGHT, WRONG};
use super::{Axis, Chart, Ink, Layer, LayerShape, Patch, shown};
use novikoff::quantity::count;

/// The most classes that a chart can show apart.
const MOST: usize = 40;

/// Up to this many classes, counts are written into the cells.
const WRITTEN: usize = 12;

pub(super) fn chart(confusion: &Confusion) -> Option<Chart> {
    let n = confusion.labels.len();
    if n == 0 || n > MOST {
        return None;
    }
    let cells = |ink: Ink, right: bool| {
        let all = (0..n).flat_map(|t| (0..n).map(move |p| (t, p)));
        let chosen: Vec<(usize, usize)> = all.filter(|(t, p)| (t == p) == right).collect();
        // of a label's rows
        let share = |&(t, p): &(usize, usize)| {
            let rows: u64 = (0..n).map(|p| confusion.count(t, p)).sum();
            confusion.count(t, p) as f64 / rows.max(1) as f64
        };
        let most = chosen.iter().map(share).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let patch = |&(t, p): &(usize, usize)| {
            let found = confusion.count(t, p);
            let (from, to) = (p as f64, (n - t) as f64);
            Patch {
                x: (from + 0.03, from + 0.97),
                y: (to - 0.97, to - 0.03),
                strength: 0.05 + 0.5 * share(&(t, p)) / most,
                text: if n <= WRITTEN {
                    short(found as f64)
                } else {
                    String::new()
                },
                label: format!(
                    "{} of label {} taken for {}",
                    count(found),
                    shown(&confusion.labels[t], 40),
                    shown(&confusion.labels[p], 40)
                ),
            }
        };
        let cells = LayerShape::Boxes(chosen.iter().map(patch).collect());
        Layer::new("", ink, cells)
    };
    let longest = if n > 6 { 6 } else { 14 };
    let labels = confusion.labels.iter().map(|label| shown(label, longest));
    let labels: Vec<String> = labels.collect();
    Some(Chart {
        name: "confusion",
        title: "labels and online predictions".to_owned(),
        size: (420, if n > WRITTEN { 430 } else { 320 }),
        x: Axis::names_across("predicted", labels.clone().into_iter()),
        y: Axis::names_down("label", labels.into_iter()),
        layers: vec![cells(WRONG, false), cells(RIGHT, true)],
    })
}
