//! A page about several data sets: mistakes against Novikoff's `(R/margin)^2`.

use maud::{Markup, html};

use super::figure::Figures;
use super::shown;
use crate::plot::{PlotError, sweep};
use crate::sweep::{SweepPoint, specs};
use crate::text::count;

/// What the page is about.
pub(super) fn headline(points: &[SweepPoint]) -> String {
    let sets = count(points.len() as u64);
    format!("Mistakes on {sets} data sets against Novikoff's (R/margin)²")
}

/// The chart and the table.
pub(super) fn section(points: &[SweepPoint], figures: &mut Figures) -> Result<Markup, PlotError> {
    if points.is_empty() {
        return Ok(Markup::default());
    }
    let chart = sweep(points, (860, 480));
    let narrow = sweep(points, (380, 420));
    let specs = specs(points);
    Ok(html! {
        section aria-labelledby="sweep" {
            h2 #sweep { "Mistakes against (R/margin)²" }
            p.note {
                "R is the length of the longest row, and the margin is that of the best vector of length 1 that a certificate found. "
                "The dashed line is Novikoff's bound: no perceptron makes more mistakes on rows that can be separated, however often they come."
            }
            (figures.in_sizes(&chart, &narrow)?)
        }
        section aria-labelledby="table" {
            h2 #table { "All data sets" }
            div.scroll {
                table.ranking {
                    thead {
                        tr {
                            th { "data" } th.more { "margin" } th { "(R/margin)²" }
                            @for spec in &specs { th { (shown(spec)) } }
                        }
                    }
                    tbody {
                        @for point in points {
                            @let [data, margin, novikoff] = point.head();
                            tr {
                                th scope="row" { (shown(&data)) }
                                td.more { (margin) } td { (novikoff) }
                                @for spec in &specs { td { (point.cell(spec)) } }
                            }
                        }
                    }
                }
            }
        }
    })
}
