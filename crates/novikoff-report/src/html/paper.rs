//! A page about a table or figure of a paper, run again.

use maud::{Markup, html};

use super::figure::Figures;
use super::{Page, document, shown};
use crate::paper::{PaperReport, PaperSection, cells, facts};
use crate::plot::{PlotError, paper};

/// The page of a report; `command` is what made it.
pub fn paper_html(report: &PaperReport, command: &str) -> Result<String, PlotError> {
    let mut figures = Figures::default();
    let (form, summary, claims) = facts(report);
    let mut charts = Vec::new();
    for chart in &report.charts {
        let (wide, narrow) = (paper(chart, (860, 420)), paper(chart, (380, 400)));
        charts.push((chart.title.clone(), figures.in_sizes(&wide, &narrow)?));
    }
    let main = html! {
        section aria-labelledby="protocol" {
            h2 #protocol { "What was run" }
            p { (shown(&report.protocol)) }
            pre.command { code { (shown(command)) } }
        }
        @for section in &report.sections { (table(section)) }
        @for (title, chart) in charts {
            section { h3 { (shown(&title)) } (chart) }
        }
        @if !claims.is_empty() {
            section aria-labelledby="claims" {
                h2 #claims { "Claims of the paper" }
                ul { @for (says, decision) in &claims { li { (shown(says)) ": " strong { (decision) } } } }
            }
        }
        @if !report.differs.is_empty() {
            section aria-labelledby="differs" {
                h2 #differs { "Not as in the paper" }
                ul { @for differs in &report.differs { li { (shown(differs)) } } }
            }
        }
        @for note in &report.notes { p.note { "Note: " (shown(note)) "." } }
    };
    Ok(document(&Page {
        kicker: &report.paper,
        title: &report.title,
        lede: html! { (form) @if let Some(summary) = summary { "; " (summary) } "." },
        remarks: &[],
        main,
        footer: html! {},
        figures: &figures,
    }))
}

fn table(section: &PaperSection) -> Markup {
    let (headings, rows) = cells(section);
    html! {
        section {
            h2 { (shown(&section.set)) }
            div.scroll {
                table.ranking {
                    thead { tr { @for heading in &headings { th { (heading) } } } }
                    tbody {
                        @for row in &rows {
                            tr { @for cell in row { td { (shown(cell)) } } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_tables_claims_and_charts_and_escapes_all_texts() {
        let page = paper_html(&crate::paper::tests::report(), "novikoff reproduce table");
        let page = page.expect("a page");
        assert!(page.contains("A &lt;table&gt;") && !page.contains("A <table>"));
        assert!(page.contains("does not hold"));
        assert!(page.contains("<svg") && !page.contains("NaN"));
        assert!(page.contains("novikoff reproduce table"));
    }
}
