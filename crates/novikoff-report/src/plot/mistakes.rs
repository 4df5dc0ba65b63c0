//! Cumulative mistakes, and what the theorem allows.

use novikoff::certificate::Verdict;

use super::{Axis, Chart, Ink, Layer, LayerShape, SERIES, SMALL, shown};
use crate::certificate::{CertificateReport, Certified};
use crate::report::RunReport;

/// How numbers lie on both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Log,
}

/// The most points of a drawn curve.
const POINTS: usize = 600;

/// How many of the best runs have colours; the others are drawn alike.
const COLOURED: usize = SERIES;

/// The bound of a run, if it has one.
pub(crate) fn certificate(run: &RunReport) -> Option<&CertificateReport> {
    match &run.certificate {
        Some(Certified::Bound(report)) => Some(report),
        _ => None,
    }
}

fn mistakes(run: &RunReport) -> Vec<(f64, f64)> {
    let points = run.course.iter();
    points
        .map(|m| (m.trials as f64, m.mistakes as f64))
        .collect()
}

/// What the curve of a bound is called.
fn said(c: &CertificateReport) -> String {
    let of = match c.verdict() {
        Verdict::Expected => "bound in expectation",
        Verdict::Holds | Verdict::Violated | Verdict::None { .. } => "bound",
    };
    let vacuous = if c.is_vacuous() { " (vacuous)" } else { "" };
    format!("{of}{vacuous}")
}

/// A layer with a bound; a vacuous one does not set the axes.
fn layer_of(c: &CertificateReport, layer: Layer) -> Layer {
    if c.is_vacuous() {
        layer.unbounded()
    } else {
        layer
    }
}

fn bound(run: &RunReport) -> Option<Vec<(f64, f64)>> {
    let curve = &certificate(run)?.curve;
    let every = curve.len().div_ceil(POINTS).max(1);
    let last = curve.len().checked_sub(1)?;
    let kept = curve
        .iter()
        .enumerate()
        .filter(|(i, _)| i % every == 0 || *i == last);
    Some(
        kept.map(|(_, (trials, bound))| (*trials as f64, *bound))
            .collect(),
    )
}

fn axes(layers: &[Layer], scale: Scale, numbers: usize) -> (Axis, Axis) {
    let most = |faint: bool| {
        let layers = layers
            .iter()
            .filter(|layer| (layer.ink == Ink::Faint) == faint && layer.sets_axes);
        let points = layers.flat_map(|layer| match &layer.shape {
            LayerShape::Line(points) | LayerShape::Dashed(points) => &points[..],
            _ => &[],
        });
        let finite = points.filter(|(_, y)| y.is_finite());
        finite.fold((1.0_f64, 1.0_f64), |(t, m), (x, y)| (t.max(*x), m.max(*y)))
    };
    let (trials, named) = most(false);
    // curves without a colour of their own may leave the chart
    let high = named.max(most(true).1.min(2.0 * named));
    let (x, y) = ("trials", "mistakes so far");
    match scale {
        Scale::Linear => (
            Axis::exact(x, 0.0, trials, numbers),
            Axis::up_to_round(y, 0.0, high, 5),
        ),
        Scale::Log => (Axis::log(x, 1.0, trials), Axis::log(y, 1.0, high)),
    }
}

/// One run.
pub(crate) fn one(run: &RunReport, scale: Scale) -> Chart {
    let counted = certificate(run);
    let counts_updates = counted.is_some_and(|c| c.counts_updates);
    let mut layers = Vec::new();
    if let (Some(points), Some(certificate)) = (bound(run), counted) {
        let name = format!("{} of theorem {}", said(certificate), certificate.theorem);
        let layer = Layer::new(name, Ink::Series(1), LayerShape::Dashed(points));
        layers.push(layer_of(certificate, layer));
    }
    if counts_updates {
        let points = run.course.iter();
        let points = points
            .map(|m| (m.trials as f64, m.updates as f64))
            .collect();
        layers.push(Layer::new(
            "updates",
            Ink::Series(2),
            LayerShape::Line(points),
        ));
    }
    layers.push(Layer::new(
        "mistakes",
        Ink::Series(0),
        LayerShape::Line(mistakes(run)),
    ));
    let (x, y) = axes(&layers, scale, 4);
    Chart {
        name: match scale {
            Scale::Linear => "mistakes",
            Scale::Log => "mistakes-log",
        },
        title: "mistakes so far".to_owned(),
        size: SMALL,
        x,
        y,
        layers,
    }
}

/// All runs, best first.
pub(crate) fn overview(runs: &[RunReport], scale: Scale, size: (u32, u32)) -> Chart {
    let order = crate::text::best_first(runs);
    let mut layers = Vec::new();
    for (place, run) in order.iter().enumerate().rev() {
        let ink = if place < COLOURED {
            Ink::Series(place)
        } else {
            Ink::Faint
        };
        let spec = shown(&run.spec, 28);
        if place < COLOURED
            && let (Some(points), Some(c)) = (bound(run), certificate(run))
        {
            let layer = Layer::new(
                format!("{spec}, {}", said(c)),
                ink,
                LayerShape::Dashed(points),
            );
            layers.push(layer_of(c, layer).unlisted());
        }
        let layer = Layer::new(spec, ink, LayerShape::Line(mistakes(run)));
        layers.push(match place {
            _ if place < COLOURED => layer,
            COLOURED => Layer {
                name: format!("{} others", order.len() - COLOURED),
                ..layer
            },
            _ => layer.unlisted(),
        });
    }
    let numbers = if size.0 > 600 { 8 } else { 4 };
    let (x, y) = axes(&layers, scale, numbers);
    Chart {
        name: match scale {
            Scale::Linear => "overview",
            Scale::Log => "overview-log",
        },
        title: "mistakes so far of each learner; dashed: what its theorem allows".to_owned(),
        size,
        x,
        y,
        layers,
    }
}
