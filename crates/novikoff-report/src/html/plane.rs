//! A run over two features: its rows, its line and its margin, step by step.
//!
//! The end of the run is drawn in the page. The script adds a slider that shows other steps instead; paper and pages without a script show
//! the end.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::figure::{Figures, Frame};
use super::shown;
use crate::plane::{PlanePicture, PlaneStep};
use crate::plot::{PlotError, bands, plane_points};
use crate::rounding::number;
use crate::text::count;

/// The figure, with the end of the run.
pub(super) fn plane(picture: &PlanePicture, figures: &mut Figures) -> Result<Markup, PlotError> {
    let chart = plane_points(picture);
    let steps: Vec<DrawnStep> = picture
        .steps
        .iter()
        .map(|step| DrawnStep::of(step, picture))
        .collect();
    let drawing = figures.drawn_over(&chart, |frame| {
        let last = steps.last().map(|step| step.drawn(&frame));
        let values = steps.iter().map(|step| step.value(&frame));
        let over = html! { g.final { @if let Some(last) = last { (last) } } g.now {} };
        (over, json!({"steps": values.collect::<Vec<Value>>()}))
    })?;
    Ok(html! {
        figure.plane {
            figcaption { "Rows, the separating line and its margin" }
            (drawing)
            p.note.end { @if let Some(last) = steps.last() { (last.said) } }
            @if picture.others > 0 {
                p.note { "The first " (count(picture.points.len() as u64)) " rows are drawn, and the margin is that of those; " (count(picture.others)) " others are not." }
            }
            @if picture.steps.len() as u64 <= picture.changes {
                p.note { "Of " (count(picture.changes)) " mistakes and updates, " (count(picture.steps.len() as u64 - 1)) " at equal distances can be shown." }
            }
        }
    })
}

/// A step with its lines.
struct DrawnStep<'p> {
    step: &'p PlaneStep,
    picture: &'p PlanePicture,
    margin: Option<f64>,
    said: String,
}

impl<'p> DrawnStep<'p> {
    fn of(step: &'p PlaneStep, picture: &'p PlanePicture) -> Self {
        let division = step.line.division(&picture.points);
        let when = if step.row.is_some() {
            format!(
                "After mistake {} (trial {})",
                count(step.mistakes),
                count(step.trials)
            )
        } else {
            format!("End of the run, {} trials", count(step.trials))
        };
        let line = match (step.line.unit(), division.margin) {
            (None, _) => "there is no line yet".to_owned(),
            (Some(_), Some(margin)) => format!(
                "the line separates the rows; its margin, the distance of the nearest row, is {}",
                number(margin)
            ),
            (Some(_), None) => format!(
                "{} of {} rows {} on the wrong side",
                count(division.wrong as u64),
                count(picture.points.len() as u64),
                if division.wrong == 1 { "is" } else { "are" }
            ),
        };
        let when = match step.updates.saturating_sub(step.mistakes) {
            0 => when,
            _ if step.row.is_some() => format!(
                "After update {}, {} mistakes so far (trial {})",
                count(step.updates),
                count(step.mistakes),
                count(step.trials)
            ),
            _ => when,
        };
        DrawnStep {
            step,
            picture,
            margin: division.margin,
            said: shown(&format!("{when}: {line}.")),
        }
    }

    /// The ends of the line and of the margin's lines in the drawing; the first is the line itself.
    fn lines(&self, frame: &Frame<'_>) -> Vec<[f64; 4]> {
        let (x, y) = (&frame.chart.x, &frame.chart.y);
        let bands = bands(&self.step.line, self.margin);
        let lines = std::iter::once(self.step.line).chain(bands);
        let ends = lines.filter_map(|line| {
            let [from, to] = line.within((x.low, y.low), (x.high, y.high))?;
            let (from, to) = (frame.place(from)?, frame.place(to)?);
            Some([from.0, from.1, to.0, to.1])
        });
        ends.collect()
    }

    /// Where the row of the mistake is.
    fn row(&self, frame: &Frame<'_>) -> Option<(f64, f64)> {
        let point = self.picture.points.get(self.step.row?)?;
        frame.place(point.at)
    }

    fn drawn(&self, frame: &Frame<'_>) -> Markup {
        html! {
            @for (i, [x1, y1, x2, y2]) in self.lines(frame).into_iter().enumerate() {
                line.band[i > 0] x1=(x1) y1=(y1) x2=(x2) y2=(y2) {}
            }
        }
    }

    fn value(&self, frame: &Frame<'_>) -> Value {
        let row = self.row(frame).map(|(x, y)| [x, y]);
        json!({"said": self.said, "lines": self.lines(frame), "row": row})
    }
}
