//! The report as a page: one file, no network, charts that are there without a script too.
//!
//! Templates escape every text, in elements and in attributes (ADR 9). `PreEscaped` marks what they do not escape: the style, the
//! script, its data ([`Figures::data`]) and the drawings, whose texts plotters has escaped.

mod certificate;
mod figure;
mod formula;
mod headline;
mod learner;
mod paper;
mod plane;
mod sweep;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use novikoff::certificate::Verdict;

use crate::certificate::CertificateReport;
use crate::plot::{self, PlotError, Scale, certificate, overview};
use crate::report::{Noted, RunReport};
use crate::sweep::SweepPoint;
use crate::text::{best_first, count};
use figure::Figures;
pub use paper::paper_html;

/// What a page is about.
pub struct HtmlPage<'a> {
    /// The data, as named.
    pub data: &'a str,
    /// The command that made it.
    pub command: &'a str,
    /// The version of the program.
    pub version: &'a str,
    /// How the run was set up, by name.
    pub settings: &'a [(String, String)],
    /// The runs, in the order given.
    pub runs: &'a [RunReport],
    /// What the reader should know about the data, beside what the runs have.
    pub remarks: &'a [Noted],
    /// The data sets of a sweep; none of a page about runs on one data set.
    pub sweep: &'a [SweepPoint],
}

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// Nothing is fetched, whatever is in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The longest text of a page that came from data.
const LONGEST: usize = 2000;

/// The page.
pub fn html(page: &HtmlPage<'_>) -> Result<String, PlotError> {
    let order = best_first(page.runs);
    let mut figures = Figures::default();
    let runs = match order[..] {
        [] => sweep::section(page.sweep, &mut figures)?,
        [only] => html! {
            section.run aria-label="the run" { (learner::body(only, &mut figures)?) }
        },
        _ => comparison(page.runs, &order, &mut figures)?,
    };
    let title = if page.sweep.is_empty() {
        headline::headline(&order)
    } else {
        sweep::headline(page.sweep)
    };
    let learners = page.runs.len().max(crate::sweep::specs(page.sweep).len());
    Ok(document(&Page {
        kicker: page.data,
        title: &title,
        lede: html! { (headline::data_line(page)) },
        remarks: page.remarks,
        main: html! { (runs) (about(page)) },
        footer: html! {
            "novikoff " (page.version) " · "
            (count(learners as u64)) " learner" @if learners != 1 { "s" }
            " · "
        },
        figures: &figures,
    }))
}

/// What all pages have.
struct Page<'p> {
    /// What it is about, in a word or two.
    kicker: &'p str,
    title: &'p str,
    lede: Markup,
    remarks: &'p [Noted],
    main: Markup,
    /// What its last line begins with.
    footer: Markup,
    figures: &'p Figures,
}

/// A page as text.
fn document(page: &Page<'_>) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (shown(page.kicker)) " · novikoff" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.kicker { "novikoff · " (shown(page.kicker)) }
                    h1 { (shown(page.title)) }
                    p.lede { (page.lede) }
                    @for noted in page.remarks { p.note { (shown(&noted.text)) } }
                }
                main { (page.main) }
                footer {
                    p { (page.footer) "this page is one file and fetches nothing" }
                }
                script type="application/json" id="data" { (page.figures.data()) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string()
}

/// Several runs: together, in a table, and one by one.
fn comparison(
    runs: &[RunReport],
    order: &[&RunReport],
    figures: &mut Figures,
) -> Result<Markup, PlotError> {
    let sizes = [("wide", (860, 420)), ("narrow", (380, 400))];
    let scales = [("linear", Scale::Linear), ("log", Scale::Log)];
    let mut charts = Vec::new();
    for (scale_name, scale) in scales {
        for (size_name, size) in sizes {
            let chart = overview(runs, scale, size);
            charts.push((format!("{scale_name} {size_name}"), chart));
        }
    }
    Ok(html! {
        section aria-labelledby="all" {
            h2 #all { "Mistakes so far" }
            (figures.several(&caption(order), &charts)?)
        }
        section aria-labelledby="table" {
            h2 #table { "All learners, best first" }
            (learner::table(order))
        }
        section aria-labelledby="each" {
            h2 #each { "Each learner" }
            @for (place, run) in order.iter().enumerate() {
                details.run id={ "run-" (place + 1) } open[place == 0] {
                    summary {
                        (learner::key(place)) " "
                        span.name { (shown(&run.spec)) } " "
                        span.fact { (headline::fact(run)) }
                    }
                    (learner::body(run, figures)?)
                }
            }
        }
    })
}

/// What the numbers beside the lines are.
const PLACES: &str = "Numbers are the places in the table below.";

/// What the overview shows.
fn caption(order: &[&RunReport]) -> String {
    let bounds: Vec<&CertificateReport> = order.iter().filter_map(|run| certificate(run)).collect();
    if bounds.is_empty() {
        return format!("Each learner's mistakes on the same rows in the same order. {PLACES}");
    }
    let mut caption = String::from(
        "Solid: mistakes. Dashed, in the same colour: what the learner's theorem allows",
    );
    if bounds.iter().any(|c| c.verdict() == Verdict::Expected) {
        caption.push_str("; for learners that toss coins, in expectation");
    }
    caption.push('.');
    if bounds.iter().any(|c| c.is_vacuous()) {
        caption.push_str(" Vacuous bounds leave the chart.");
    }
    if plot::has_tall_bounds(order) {
        caption.push_str(
            " A bound far above the mistakes leaves the linear chart; the logarithmic one has it.",
        );
    }
    if order.len() > 5 {
        caption
            .push_str(" Bounds are drawn for the best five; ↑ marks a line that leaves the chart.");
    }
    if bounds.iter().any(|c| c.falls()) {
        caption.push_str(" The section of a learner says why its bound can fall.");
    }
    caption.push(' ');
    caption.push_str(PLACES);
    caption
}

/// How the page came about.
fn about(page: &HtmlPage<'_>) -> Markup {
    html! {
        section aria-labelledby="about" {
            h2 #about { "How this came about" }
            pre.command { code { (shown(page.command)) } }
            dl {
                @for (name, value) in page.settings { (entry(name, value)) }
                (entry("version", &format!("novikoff {}", page.version)))
            }
        }
    }
}

/// One line of a list of facts.
fn entry(name: &str, value: &str) -> Markup {
    html! { div { dt { (shown(name)) } dd { (shown(value)) } } }
}

/// A text that came from data: no control characters, not too long.
fn shown(text: &str) -> String {
    plot::shown(text, LONGEST)
}

#[cfg(test)]
pub(crate) mod tests;
