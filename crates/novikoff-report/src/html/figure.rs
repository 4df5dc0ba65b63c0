//! Charts in the page, and their values for the script.

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use super::shown;
use crate::plot::{Axis, Chart, Colours, Layer, LayerShape, PlotError, svg};
use crate::rounding::five_digits;

/// The figures of a page.
#[derive(Default)]
pub(super) struct Figures {
    charts: Map<String, Value>,
    series: Vec<Value>,
    groups: usize,
    /// What is drawn over charts, by their identifiers.
    planes: Map<String, Value>,
    /// The frame of the last chart.
    frame: (i32, i32, i32, i32),
}

/// Where the values of a chart are drawn.
pub(super) struct Frame<'c> {
    pub(super) chart: &'c Chart,
    /// Left and right, in the points of the drawing.
    across: (i32, i32),
    /// Bottom and top.
    up: (i32, i32),
}

impl Frame<'_> {
    /// The place of values in the drawing.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let along = |part: f64, (from, to): (i32, i32)| {
            let place = f64::from(from) + part * f64::from(to - from);
            (place * 10.0).round() / 10.0
        };
        let (x, y) = (self.chart.x.place(x)?, self.chart.y.place(y)?);
        Some((along(x, self.across), along(y, self.up)))
    }
}

impl Figures {
    /// One chart.
    pub(super) fn one(&mut self, chart: &Chart) -> Result<Markup, PlotError> {
        let series = self.keep(chart);
        Ok(html! {
            figure {
                figcaption { (shown(&sentence(&chart.title))) }
                (self.canvas(chart, "", series)?)
            }
        })
    }

    /// One figure for wide screens and for narrow ones.
    pub(super) fn in_sizes(&mut self, wide: &Chart, narrow: &Chart) -> Result<Markup, PlotError> {
        let series = self.keep(wide);
        Ok(html! {
            figure {
                figcaption { (shown(&sentence(&wide.title))) }
                (self.canvas(wide, "wide", series)?)
                (self.canvas(narrow, "narrow", series)?)
            }
        })
    }

    /// One figure of the same curves on several scales: canvases with their classes, `linear` and `log` among them.
    pub(super) fn several(
        &mut self,
        caption: &str,
        charts: &[(String, Chart)],
    ) -> Result<Markup, PlotError> {
        let Some((_, first)) = charts.first() else {
            return Ok(Markup::default());
        };
        let series = self.keep(first);
        self.groups += 1;
        let name = format!("scale-{}", self.groups);
        Ok(html! {
            figure.scales {
                figcaption { (caption) }
                @for scale in ["linear", "log"] {
                    @let id = format!("{name}-{scale}");
                    input type="radio" name=(name) id=(id) class={ "to-" (scale) } checked[scale == "linear"];
                    // the space is the gap between the two
                    label for=(id) { (scale) } " "
                }
                @for (class, chart) in charts { (self.canvas(chart, class, series)?) }
            }
        })
    }

    /// Keeps the values of a chart; where they are.
    fn keep(&mut self, chart: &Chart) -> usize {
        self.series
            .push(chart.layers.iter().filter_map(layer).collect());
        self.series.len() - 1
    }

    /// A chart with more drawn upon it: `over` makes that from the frame of the chart, and the values that the script needs for it.
    pub(super) fn drawn_over(
        &mut self,
        chart: &Chart,
        over: impl FnOnce(Frame<'_>) -> (Markup, Value),
    ) -> Result<Markup, PlotError> {
        let series = self.keep(chart);
        let id = format!("chart-{}", self.charts.len() + 1);
        let canvas = self.canvas(chart, "", series)?;
        let (left, top, right, bottom) = self.frame;
        let (more, values) = over(Frame {
            chart,
            across: (left, right),
            up: (bottom, top),
        });
        self.planes.insert(id, values);
        let with_more = format!("{}</svg>", more.into_string());
        Ok(PreEscaped(
            canvas.into_string().replacen("</svg>", &with_more, 1),
        ))
    }

    fn canvas(&mut self, chart: &Chart, class: &str, series: usize) -> Result<Markup, PlotError> {
        let id = format!("chart-{}", self.charts.len() + 1);
        let drawn = svg(chart, Colours::Page)?;
        self.frame = drawn.frame;
        let (left, top, right, bottom) = drawn.frame;
        self.charts.insert(
            id.clone(),
            json!({
                "name": chart.name,
                "frame": [left, top, right, bottom],
                "x": axis(&chart.x),
                "y": axis(&chart.y),
                "series": series,
            }),
        );
        let label = format!(
            "{}: {} from left to right, {} from bottom to top",
            sentence(&chart.title),
            chart.x.label,
            chart.y.label
        );
        // the root element of the drawing has attributes of its own; these join them
        let root = html! { svg id=(id) role="img" tabindex="0" aria-label=(shown(&label)) {} };
        let opening = root.into_string().replace("></svg>", "");
        let picture = drawn.svg.replacen("<svg", &opening, 1);
        Ok(html! { div class={ "canvas " (class) } { (PreEscaped(picture)) } })
    }

    /// Everything the script needs. A script element ends at a tag, and no tag begins without `<`, which JSON has in strings only.
    pub(super) fn data(&self) -> Markup {
        let data = json!({"charts": self.charts, "series": self.series, "planes": self.planes});
        PreEscaped(data.to_string().replace('<', "\\u003c"))
    }
}

fn axis(axis: &Axis) -> Value {
    json!({"label": axis.label, "low": axis.low, "high": axis.high, "log": axis.log})
}

/// The values of a layer; none of lines that help the eye only.
fn layer(layer: &Layer) -> Option<Value> {
    let ink = layer.ink.name();
    let curve = |kind: &str, points: &[(f64, f64)], round: fn(f64) -> f64| {
        let x: Vec<f64> = points.iter().map(|p| rounded(p.0)).collect();
        let y: Vec<f64> = points.iter().map(|p| round(p.1)).collect();
        json!({"name": layer.said, "ink": ink, "kind": kind, "x": x, "y": y})
    };
    match &layer.shape {
        _ if ink == "grid" => None,
        LayerShape::Line(points) => Some(curve("line", points, rounded)),
        // dashed lines are bounds; the script shows five digits
        LayerShape::Dashed(points) => Some(curve("line", points, five_digits)),
        LayerShape::Dots(points) => Some(curve("dots", points, rounded)),
        LayerShape::Boxes(patches) => {
            let boxes = patches
                .iter()
                .map(|p| json!([p.x.0, p.x.1, p.y.0, p.y.1, p.label]));
            Some(
                json!({"name": layer.said, "ink": ink, "kind": "boxes", "boxes": boxes.collect::<Vec<_>>()}),
            )
        }
    }
}

/// Counts are exact; other numbers keep six digits.
fn rounded(value: f64) -> f64 {
    if value == value.trunc() {
        return value;
    }
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn sentence(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
