//! Cumulative mistakes, and what the theorem allows.

use novikoff::certificate::Verdict;

use super::{Axis, Chart, Ink, Layer, LayerShape, Marker, SERIES, SMALL, shown};
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

/// How many of the best runs are drawn with their bounds.
const BOUNDED: usize = SERIES;

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

/// Of several runs, a bound of more than this multiple of all mistakes leaves the linear chart.
const TALL: f64 = 4.0;

/// Whether the bound of one of these runs, best first, leaves their linear chart.
pub(crate) fn has_tall_bounds(order: &[&RunReport]) -> bool {
    let best = order.iter().take(BOUNDED);
    let most = best.clone().map(|run| run.total().mistakes).max();
    let most = TALL * most.unwrap_or(0).max(1) as f64;
    let mut bounds = best.filter_map(|run| certificate(run));
    bounds.any(|c| !c.is_vacuous() && c.curve.iter().any(|(_, bound)| *bound > most))
}

/// Axes for layers; `others` is the most that lines reach which may leave the chart.
fn axes(layers: &[Layer], scale: Scale, others: f64, numbers: usize) -> (Axis, Axis) {
    let layers = layers.iter().filter(|layer| layer.sets_axes);
    let points = layers.clone().flat_map(|layer| match &layer.shape {
        LayerShape::Line(points) | LayerShape::Dashed(points) => &points[..],
        _ => &[],
    });
    let finite = points.filter(|(_, y)| y.is_finite());
    let (trials, high) = finite.fold((1.0_f64, 1.0_f64), |(t, m), (x, y)| (t.max(*x), m.max(*y)));
    let ends = layers.filter_map(|layer| match &layer.shape {
        LayerShape::Line(points) => points.last(),
        _ => None,
    });
    let lines = ends.fold(1.0_f64, |most, (_, y)| most.max(*y));
    let (x, y) = ("trials", "mistakes so far");
    match scale {
        Scale::Linear => (
            Axis::exact(x, 0.0, trials, numbers),
            Axis::up_to_round(y, 0.0, high.max(others.min(2.0 * lines)), 5),
        ),
        Scale::Log => (
            Axis::log(x, 1.0, trials),
            Axis::log(y, 1.0, high.max(others)),
        ),
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
    let (x, y) = axes(&layers, scale, 0.0, 4);
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

/// The colour of a run by its place.
pub(crate) fn ink_of(place: usize) -> Ink {
    Ink::Series(place % SERIES)
}

/// All runs, best first. Every run has a pair of colour and marker, and its place and name beside the end of its line; of more than
/// [`BOUNDED`] runs the others are drawn without their bounds.
pub(crate) fn overview(runs: &[RunReport], scale: Scale, (width, height): (u32, u32)) -> Chart {
    let order = crate::text::best_first(runs);
    let is_wide = width > 600;
    let mut layers = Vec::new();
    for (place, run) in order.iter().enumerate().rev() {
        let ink = ink_of(place);
        let number = place + 1;
        let name = format!("{number} {}", shown(&run.spec, 24));
        if place < BOUNDED
            && let (Some(points), Some(c)) = (bound(run), certificate(run))
        {
            let layer = Layer::new(
                format!("{name}, {}", said(c)),
                ink,
                LayerShape::Dashed(points),
            );
            layers.push(layer_of(c, layer).unlisted());
        }
        let label = if is_wide {
            name.clone()
        } else {
            number.to_string()
        };
        let layer = Layer {
            // the best may not be made small by the worst
            sets_axes: place < BOUNDED,
            marker: Some(Marker::of(place, SERIES)),
            label,
            ..Layer::new(name, ink, LayerShape::Line(mistakes(run)))
        };
        // beside the line is room for the name, or a few names are in a legend
        layers.push(if is_wide || order.len() > BOUNDED {
            layer.unlisted()
        } else {
            layer
        });
    }
    let numbers = if is_wide { 7 } else { 4 };
    let others = order.iter().skip(BOUNDED).map(|run| run.total().mistakes);
    let others = others.max().unwrap_or(0) as f64;
    let (x, y) = if scale == Scale::Linear && has_tall_bounds(&order) {
        let mistakes = order.iter().take(BOUNDED).map(|run| run.total().mistakes);
        let most = TALL * mistakes.max().unwrap_or(0).max(1) as f64;
        let mut low: Vec<Layer> = layers.clone();
        for layer in &mut low {
            if let LayerShape::Dashed(points) = &mut layer.shape {
                points.retain(|(_, bound)| *bound <= most);
            }
        }
        axes(&low, scale, others, numbers)
    } else {
        axes(&layers, scale, others, numbers)
    };
    for layer in layers.iter_mut().filter(|layer| !layer.label.is_empty()) {
        if let LayerShape::Line(points) = &layer.shape
            && points
                .last()
                .is_some_and(|(_, mistakes)| *mistakes > y.high)
        {
            layer.label.push_str(" ↑");
        }
    }
    Chart {
        name: match scale {
            Scale::Linear => "overview",
            Scale::Log => "overview-log",
        },
        title: "mistakes so far of each learner; dashed: what its theorem allows".to_owned(),
        // every label has its line of text
        size: (width, height.max(80 + 15 * order.len() as u32)),
        x,
        y,
        layers,
    }
}
