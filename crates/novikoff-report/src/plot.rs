//! Charts: values to be drawn ([`Chart`]), one kind a file, and the drawing of all of them.
//!
//! A chart is drawn twice by the same code: as SVG, whose colours the page chooses for light and dark, and as the
//! points of a PNG.

mod axis;
mod confusion;
mod draw;
mod error;
mod experts;
mod features;
mod ink;
mod labels;
mod margins;
mod marker;
mod mistakes;
mod paper;
mod plane;
mod ranking;
mod support;
mod sweep;

use crate::paper::PaperReport;
use crate::report::RunReport;
use crate::sweep::SweepPoint;
pub(crate) use axis::Axis;
use draw::png;
pub(crate) use draw::{Colours, svg};
pub(crate) use ink::{Ink, SERIES};
pub(crate) use marker::Marker;
pub(crate) use mistakes::{Scale, certificate, has_tall_bounds, ink_of, overview};
pub(crate) use paper::paper;
pub(crate) use plane::{bands, points as plane_points};
pub(crate) use sweep::sweep;

/// What is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// Its name in files and identifiers.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) title: String,
    /// Width and height.
    pub(crate) size: (u32, u32),
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// From the back to the front.
    pub(crate) layers: Vec<Layer>,
}

/// One thing on a chart.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// Its name in the legend; empty if it has none.
    pub(crate) name: String,
    /// What it is called where its values are shown.
    pub(crate) said: String,
    pub(crate) ink: Ink,
    pub(crate) shape: LayerShape,
    /// The axes reach as far as it does.
    pub(crate) sets_axes: bool,
    /// A sign along its line that no other line of this colour has.
    pub(crate) marker: Option<Marker>,
    /// What is written beside the end of its line; empty if nothing is.
    pub(crate) label: String,
}

impl Layer {
    /// A layer that is called alike everywhere.
    pub(crate) fn new(name: impl Into<String>, ink: Ink, shape: LayerShape) -> Self {
        let name = name.into();
        Layer {
            said: name.clone(),
            name,
            ink,
            shape,
            sets_axes: true,
            marker: None,
            label: String::new(),
        }
    }

    /// Lets the layer leave the chart: the axes are set without it.
    pub(crate) fn unbounded(self) -> Self {
        Layer {
            sets_axes: false,
            ..self
        }
    }

    /// Leaves the layer out of the legend.
    pub(crate) fn unlisted(self) -> Self {
        Layer {
            name: String::new(),
            ..self
        }
    }
}

/// What a layer is made of.
#[derive(Clone, Debug)]
pub(crate) enum LayerShape {
    Line(Vec<(f64, f64)>),
    Dashed(Vec<(f64, f64)>),
    Dots(Vec<(f64, f64)>),
    Boxes(Vec<Patch>),
}

/// A filled rectangle.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
    /// How strong its colour is, from 0 to 1.
    pub(crate) strength: f64,
    /// What is written in it.
    pub(crate) text: String,
    /// What is said of it.
    pub(crate) label: String,
}

/// The usual size of a chart.
pub(crate) const SMALL: (u32, u32) = (420, 300);

/// The charts of one run.
pub(crate) fn charts(run: &RunReport) -> Vec<Chart> {
    let mut charts = Vec::new();
    if run.course.len() > 1 {
        charts.push(mistakes::one(run, Scale::Linear));
        charts.push(mistakes::one(run, Scale::Log));
        charts.push(error::chart(&run.course));
        charts.push(support::chart(&run.course));
    }
    charts.extend(run.panel.as_ref().and_then(experts::chart));
    let Some(picture) = &run.picture else {
        return charts;
    };
    charts.extend(picture.margins.as_ref().map(margins::chart));
    charts.extend(picture.confusion.as_ref().and_then(confusion::chart));
    charts.extend(picture.ranking.as_ref().map(ranking::chart));
    if let [only] = &picture.features[..] {
        charts.push(features::chart(only));
    }
    charts
}

/// A chart could not be drawn.
#[derive(Debug)]
pub struct PlotError(String);

impl std::fmt::Display for PlotError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a chart could not be drawn: {}", self.0)
    }
}

impl std::error::Error for PlotError {}

/// A file with a chart.
pub struct PlotFile {
    /// Its name, without a directory.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The chart of a sweep as SVG and PNG.
pub fn sweep_plots(points: &[SweepPoint]) -> Result<Vec<PlotFile>, PlotError> {
    drawn_files(vec![("sweep".to_owned(), sweep(points, (960, 540)))])
}

/// The charts of a paper's table as SVG and PNG.
pub fn paper_plots(report: &PaperReport) -> Result<Vec<PlotFile>, PlotError> {
    let charts = report.charts.iter();
    let charts = charts.map(|chart| (chart.name.clone(), paper(chart, (960, 540))));
    drawn_files(charts.collect())
}

/// The charts of some runs as SVG and PNG: those of all together, and those of each.
pub fn plots(runs: &[RunReport]) -> Result<Vec<PlotFile>, PlotError> {
    let mut named = Vec::new();
    if runs.len() > 1 {
        for scale in [Scale::Linear, Scale::Log] {
            let chart = overview(runs, scale, (960, 480));
            named.push((chart.name.to_owned(), chart));
        }
    }
    let stem = |(n, run): (usize, &RunReport)| {
        if runs.len() > 1 {
            format!("{:02}-{}-", n + 1, file_word(&run.spec))
        } else {
            String::new()
        }
    };
    let stems: Vec<String> = runs.iter().enumerate().map(stem).collect();
    for (stem, run) in stems.iter().zip(runs) {
        let charts = charts(run).into_iter();
        named.extend(charts.map(|mut chart| {
            chart.title = format!("{}: {}", shown(&run.spec, 32), chart.title);
            (format!("{stem}{}", chart.name), chart)
        }));
    }
    for (stem, run) in stems.iter().zip(runs) {
        let plane = run
            .picture
            .as_ref()
            .and_then(|picture| picture.plane.as_ref());
        named.extend(plane.map(|plane| (format!("{stem}plane"), plane::chart(plane))));
    }
    drawn_files(named)
}

/// Charts as SVG and PNG, by the names of their files.
fn drawn_files(named: Vec<(String, Chart)>) -> Result<Vec<PlotFile>, PlotError> {
    let mut files = Vec::new();
    for (name, chart) in named {
        files.push(PlotFile {
            name: format!("{name}.svg"),
            bytes: svg(&chart, Colours::Light)?.svg.into_bytes(),
        });
        files.push(PlotFile {
            name: format!("{name}.png"),
            bytes: png(&chart)?,
        });
    }
    Ok(files)
}

/// A spec as part of a file's name.
fn file_word(spec: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || ".=".contains(c) {
            c
        } else {
            '-'
        }
    };
    spec.chars().map(plain).take(60).collect()
}

/// A text that came from data, fit to be drawn: no control characters, at most so long.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let plain = |c: char| {
        if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) {
            '\u{fffd}'
        } else {
            c
        }
    };
    let mut shown: String = text.chars().take(most).map(plain).collect();
    if text.chars().nth(most).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::picture::{Margins, Moment, Picture, RankingPicture, TopFeatures};
    use crate::report::{DataSummary, ErrorCount, Validated};
    use novikoff::evaluation::{Confusion, PrPoint};

    pub(crate) fn run(mistakes: impl Fn(u64) -> u64) -> RunReport {
        let moment = |t| Moment {
            trials: 10 * t,
            mistakes: mistakes(t),
            updates: mistakes(t),
            stored: None,
        };
        let mut confusion = Confusion::new(vec!["a".to_owned(), "<b>".to_owned()]);
        confusion.counts = vec![5, 1, 0, 7];
        RunReport {
            spec: "perceptron".to_owned(),
            kernel: "linear".to_owned(),
            map: None,
            parameters: novikoff::parameter::Parameters::default(),
            data: DataSummary {
                rows: 500,
                features: 3,
                classes: 2,
            },
            epochs: Vec::new(),
            ends: Vec::new(),
            separated: None,
            is_multilabel: false,
            baseline: None,
            validation: Validated::Counted(ErrorCount {
                rows: 500,
                errors: 309,
            }),
            classes: None,
            test: None,
            test_baseline: None,
            certificate: None,
            resumed: None,
            permutations: None,
            options: None,
            trace: None,
            skipped: None,
            collisions: None,
            panel: Some(crate::experts::tests::panel()),
            course: (0..=50).map(moment).collect(),
            picture: Some(Picture {
                margins: Margins::of(vec![(1.0, true), (-2.0, false)]),
                confusion: Some(confusion),
                ranking: Some(RankingPicture {
                    curve: vec![PrPoint {
                        threshold: 0.0,
                        recall: 1.0,
                        precision: 0.5,
                    }],
                    break_even: Some(0.5),
                }),
                features: vec![TopFeatures {
                    class: "a".to_owned(),
                    weights: vec![
                        ("</script><b>&\"'\u{1}".to_owned(), -1.5),
                        ("x".to_owned(), 1.0),
                    ],
                    others: 0,
                }],
                plane: None,
                sampled: None,
            }),
            remarks: Vec::new(),
            seconds: 0.0,
            test_seconds: None,
        }
    }

    #[test]
    fn every_chart_is_drawn_with_labelled_axes() {
        for mistakes in [|t: u64| t / 2, |_| 0, |t| t * 1_000_000_000_000] {
            for chart in charts(&run(mistakes)) {
                let drawn = svg(&chart, Colours::Light).expect("an SVG");
                for label in [&chart.x.label, &chart.y.label] {
                    assert!(
                        drawn.svg.contains(label.as_str()),
                        "{}: {label}",
                        chart.name
                    );
                }
                assert!(!drawn.svg.contains("NaN"), "{}", chart.name);
                assert!(!drawn.svg.contains("<b>") && !drawn.svg.contains("</script"));
                assert!(!drawn.svg.contains('\u{1}'));
                let (left, top, right, bottom) = drawn.frame;
                assert!(left < right && top < bottom, "{}", chart.name);
            }
        }
    }

    #[test]
    fn files_of_one_run_and_of_two() {
        let names = |runs: &[RunReport]| -> Vec<String> {
            let files = plots(runs).expect("files");
            for file in &files {
                let png = file.bytes.starts_with(b"\x89PNG\r\n");
                assert_eq!(png, file.name.contains(".png"), "{}", file.name);
            }
            files.into_iter().map(|file| file.name).collect()
        };
        let one = names(&[run(|t| t)]);
        assert!(one.contains(&"mistakes.svg".to_owned()), "{one:?}");
        assert!(one.contains(&"features.png".to_owned()), "{one:?}");
        let two = names(&[run(|t| t), run(|t| t / 2)]);
        assert!(two.contains(&"overview.svg".to_owned()), "{two:?}");
        assert!(
            two.contains(&"02-perceptron-mistakes-log.png".to_owned()),
            "{two:?}"
        );
    }

    #[test]
    fn texts_are_cut_and_cleaned() {
        assert_eq!(shown("abc", 3), "abc");
        assert_eq!(shown("abcd", 3), "ab…");
        assert_eq!(shown("a\nb", 3), "a\u{fffd}b");
    }
}
