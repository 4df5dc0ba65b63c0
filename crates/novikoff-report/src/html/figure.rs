//! Charts in the page, and their values for the script.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::escape::text;
use crate::plot::{Axis, Chart, Colours, Layer, LayerShape, PlotError, svg};
use crate::rounding::five_digits;

/// The figures of a page.
#[derive(Default)]
pub(super) struct Figures {
    charts: Map<String, Value>,
    series: Vec<Value>,
    groups: usize,
}

impl Figures {
    /// One chart.
    pub(super) fn one(&mut self, chart: &Chart) -> Result<String, PlotError> {
        let series = self.keep(chart);
        let drawn = self.canvas(chart, "", series)?;
        Ok(format!(
            "<figure>\n<figcaption>{}</figcaption>\n{drawn}</figure>\n",
            text(&sentence(&chart.title))
        ))
    }

    /// One figure of the same curves on several scales: canvases with their classes, `linear` and `log` among them.
    pub(super) fn several(
        &mut self,
        caption: &str,
        charts: &[(String, Chart)],
    ) -> Result<String, PlotError> {
        let Some((_, first)) = charts.first() else {
            return Ok(String::new());
        };
        let series = self.keep(first);
        self.groups += 1;
        let group = self.groups;
        let mut out = format!(
            "<figure class=\"scales\">\n<figcaption>{}</figcaption>\n",
            text(caption)
        );
        for (scale, checked) in [("linear", " checked"), ("log", "")] {
            // writing to a String cannot fail
            let _ = writeln!(
                out,
                "<input type=\"radio\" name=\"scale-{group}\" id=\"scale-{group}-{scale}\" class=\"to-{scale}\"{checked}>\
                 <label for=\"scale-{group}-{scale}\">{scale}</label>"
            );
        }
        for (class, chart) in charts {
            out.push_str(&self.canvas(chart, class, series)?);
        }
        out.push_str("</figure>\n");
        Ok(out)
    }

    /// Keeps the values of a chart; where they are.
    fn keep(&mut self, chart: &Chart) -> usize {
        self.series
            .push(chart.layers.iter().filter_map(layer).collect());
        self.series.len() - 1
    }

    fn canvas(&mut self, chart: &Chart, class: &str, series: usize) -> Result<String, PlotError> {
        let id = format!("chart-{}", self.charts.len() + 1);
        let drawn = svg(chart, Colours::Page)?;
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
        let opening = format!(
            "<svg id=\"{id}\" role=\"img\" tabindex=\"0\" aria-label=\"{}\" ",
            text(&label)
        );
        let picture = drawn.svg.replacen("<svg ", &opening, 1);
        Ok(format!("<div class=\"canvas {class}\">{picture}</div>\n"))
    }

    /// Everything the script needs.
    pub(super) fn data(&self) -> Value {
        json!({"charts": self.charts, "series": self.series})
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
