//! The report as a page: one file, no network, charts that are there without a script too.
//!
//! What comes from files - labels, names of features, specs, paths - is escaped where it is written:
//! [`escape::text`] in the page, [`escape::json`] in the data for the script.

mod certificate;
mod escape;
mod figure;
mod headline;
mod learner;

use std::fmt::Write as _;

use novikoff::certificate::Verdict;

use crate::certificate::CertificateReport;
use crate::plot::{PlotError, Scale, certificate, overview};
use crate::report::RunReport;
use crate::text::{best_first, count};
use escape::text;
use figure::Figures;

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
}

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// Nothing is fetched, whatever is in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The page.
pub fn html(page: &HtmlPage<'_>) -> Result<String, PlotError> {
    let order = best_first(page.runs);
    let mut figures = Figures::default();
    let mut body = String::new();
    let headline = headline::headline(&order);
    // writing to a String cannot fail
    let _ = write!(
        body,
        "<header>\n<p class=\"kicker\">novikoff · {}</p>\n<h1>{}</h1>\n<p class=\"lede\">{}</p>\n</header>\n<main>\n",
        text(page.data),
        text(&headline),
        text(&headline::data_line(page))
    );
    if let [only] = order[..] {
        body.push_str("<section class=\"run\" aria-label=\"the run\">\n");
        body.push_str(&learner::body(only, &mut figures)?);
        body.push_str("</section>\n");
    } else if !order.is_empty() {
        body.push_str("<section aria-labelledby=\"all\">\n<h2 id=\"all\">Mistakes so far</h2>\n");
        let sizes = [("wide", (860, 420)), ("narrow", (380, 400))];
        let scales = [("linear", Scale::Linear), ("log", Scale::Log)];
        let mut charts = Vec::new();
        for (scale_name, scale) in scales {
            for (size_name, size) in sizes {
                let chart = overview(page.runs, scale, size);
                charts.push((format!("{scale_name} {size_name}"), chart));
            }
        }
        let caption = caption(&order);
        body.push_str(&figures.several(&caption, &charts)?);
        body.push_str("</section>\n<section aria-labelledby=\"table\">\n<h2 id=\"table\">All learners, best first</h2>\n");
        body.push_str(&learner::table(&order));
        body.push_str(
            "</section>\n<section aria-labelledby=\"each\">\n<h2 id=\"each\">Each learner</h2>\n",
        );
        for (place, run) in order.iter().enumerate() {
            let open = if place == 0 { " open" } else { "" };
            let _ = write!(
                body,
                "<details class=\"run\" id=\"run-{}\"{open}>\n<summary><span class=\"name\">{}</span> <span class=\"fact\">{}</span></summary>\n",
                place + 1,
                text(&run.spec),
                text(&headline::fact(run))
            );
            body.push_str(&learner::body(run, &mut figures)?);
            body.push_str("</details>\n");
        }
        body.push_str("</section>\n");
    }
    body.push_str(&about(page));
    body.push_str("</main>\n");
    let _ = writeln!(
        body,
        "<footer><p>novikoff {} · {} learner{} · this page is one file and fetches nothing</p></footer>",
        text(page.version),
        count(page.runs.len() as u64),
        if page.runs.len() == 1 { "" } else { "s" }
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{} · novikoff</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        text(page.data),
        escape::json(&figures.data())
    ))
}

/// What the overview shows.
fn caption(order: &[&RunReport]) -> String {
    let bounds: Vec<&CertificateReport> = order.iter().filter_map(|run| certificate(run)).collect();
    if bounds.is_empty() {
        return "Each learner's mistakes on the same rows in the same order.".to_owned();
    }
    let mut caption = String::from(
        "Solid: mistakes. Dashed, in the same colour: what the learner's theorem allows",
    );
    if bounds.iter().any(|c| c.verdict() == Verdict::Expected) {
        caption.push_str(", for learners that draw coins in expectation");
    }
    caption.push('.');
    if bounds.iter().any(|c| c.is_vacuous()) {
        caption.push_str(" Vacuous bounds leave the chart.");
    }
    caption
}

/// How the page came about.
fn about(page: &HtmlPage<'_>) -> String {
    let mut out = String::from(
        "<section aria-labelledby=\"about\">\n<h2 id=\"about\">How this came about</h2>\n",
    );
    let _ = writeln!(
        out,
        "<pre class=\"command\"><code>{}</code></pre>\n<dl>",
        text(page.command)
    );
    for (name, value) in page.settings {
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            text(name),
            text(value)
        );
    }
    let _ = writeln!(
        out,
        "<div><dt>version</dt><dd>novikoff {}</dd></div>\n</dl>\n</section>",
        text(page.version)
    );
    out
}

#[cfg(test)]
pub(crate) mod tests;
