//! A table or figure of a paper, run again: ours beside theirs, as people and machines read it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::table::{TextTable, Width};

/// A table or figure of a paper, as it came out.
#[derive(Clone, Debug)]
pub struct PaperReport {
    /// Its name on the command line.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Authors, title and year of the paper.
    pub paper: String,
    /// How it was run.
    pub protocol: String,
    /// Whether it is the form that takes seconds.
    pub quick: bool,
    /// Repetitions.
    pub repetitions: u64,
    /// What could not be as in the paper.
    pub differs: Vec<String>,
    /// One part per data set.
    pub sections: Vec<PaperSection>,
    /// The claims with their verdicts.
    pub claims: Vec<PaperClaim>,
    /// What is drawn.
    pub charts: Vec<PaperChart>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// Seconds of one core that all its runs took, whenever they were made.
    pub seconds: f64,
}

/// The part of one data set.
#[derive(Clone, Debug)]
pub struct PaperSection {
    /// The data set.
    pub set: String,
    /// Its cells, measure by measure.
    pub cells: Vec<PaperCell>,
}

/// Ours beside theirs.
#[derive(Clone, Debug)]
pub struct PaperCell {
    /// The row of the table.
    pub row: String,
    /// What is measured.
    pub measure: String,
    /// The setting that is shown, where there are several.
    pub setting: String,
    /// Ours; none if no run is done.
    pub ours: Option<Mean>,
    /// The published figure.
    pub theirs: Option<f64>,
    /// How far ours may be from theirs.
    pub tolerance: Option<f64>,
    /// Where the published figure comes from.
    pub standing: Option<PaperStanding>,
}

/// The mean over repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The sample deviation; none of one repetition.
    pub deviation: Option<f64>,
    /// How many repetitions.
    pub count: u64,
}

/// Where a published figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperStanding {
    /// It stands in a text that we hold.
    Printed,
    /// It is known from memory only: a guide, never a gate.
    Recollected,
}

impl PaperStanding {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            PaperStanding::Printed => "printed",
            PaperStanding::Recollected => "recollected",
        }
    }
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperVerdict {
    /// All comparisons are as it says, more clearly than chance would show them.
    Holds,
    /// A comparison is the other way round, more clearly than chance would show one of them.
    Fails,
    /// Neither.
    Open,
}

impl PaperVerdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            PaperVerdict::Holds => "holds",
            PaperVerdict::Fails => "does not hold",
            PaperVerdict::Open => "undecided",
        }
    }
}

/// A claim of the paper, decided by the figures.
#[derive(Clone, Debug)]
pub struct PaperClaim {
    /// What the paper says.
    pub says: String,
    /// The verdict on it.
    pub verdict: PaperVerdict,
    /// Comparisons that are as it says.
    pub held: usize,
    /// Comparisons that are the other way round.
    pub failed: usize,
    /// All comparisons.
    pub of: usize,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub struct PaperChart {
    /// Its name in files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What is from left to right.
    pub x: String,
    /// What is from bottom to top.
    pub y: String,
    /// Both axes have powers of ten.
    pub log: bool,
    /// Names from left to right, if they are no numbers; the i-th is at i + 1/2.
    pub names: Vec<String>,
    /// What is drawn, ours before theirs.
    pub lines: Vec<PaperLine>,
}

/// Points of a chart.
#[derive(Clone, Debug)]
pub struct PaperLine {
    /// What it is called.
    pub name: String,
    /// How it is drawn.
    pub kind: PaperLineKind,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperLineKind {
    /// Ours: a line, or dots above names.
    Ours,
    /// Single runs of ours.
    Points,
    /// Published figures of the line before: dots in its colour.
    Theirs,
    /// A bound.
    Bound,
}

impl PaperLine {
    /// Points by name.
    pub fn new(name: &str, kind: PaperLineKind, points: Vec<(f64, f64)>) -> Self {
        PaperLine {
            name: name.to_owned(),
            kind,
            points,
        }
    }
}

impl PaperCell {
    /// Ours minus theirs.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours?.mean - self.theirs?)
    }

    /// Whether ours is as near to theirs as it may be; none where the tolerance is at least the figure itself, and so decides nothing.
    pub fn is_within(&self) -> Option<bool> {
        let tolerance = self.tolerance?;
        let decides = tolerance < self.theirs?.abs();
        let difference = self.difference()?.abs();
        decides.then_some(difference <= tolerance)
    }

    /// The published figure; one that is known from memory only is marked.
    fn published(&self) -> String {
        let text = self.theirs.map_or_else(String::new, number);
        match self.standing {
            Some(PaperStanding::Recollected) => format!("{text} (recollected)"),
            _ => text,
        }
    }

    fn texts(&self) -> [String; 8] {
        let dash = || "-".to_owned();
        let ours = self.ours.map_or_else(dash, |ours| number(ours.mean));
        let deviation = self.ours.and_then(|ours| ours.deviation);
        let difference = self.difference().map_or_else(String::new, |d| {
            let sign = if d >= 0.0 { "+" } else { "-" };
            format!("{sign}{}", digits(d.abs(), self.theirs.unwrap_or(d)))
        });
        let within = match (self.is_within(), self.tolerance) {
            (Some(is), Some(tolerance)) => {
                let word = if is { "yes" } else { "no" };
                format!("{word} (±{})", short(tolerance))
            }
            _ => String::new(),
        };
        [
            self.measure.clone(),
            self.row.clone(),
            ours,
            deviation.map_or_else(String::new, number),
            self.published(),
            difference,
            within,
            self.setting.clone(),
        ]
    }
}

/// A number with as many decimals as tables of results have.
pub(crate) fn number(value: f64) -> String {
    digits(value, value)
}

/// A number with as many decimals as another one has.
fn digits(value: f64, like: f64) -> String {
    match like.abs() {
        size if size < 100.0 => format!("{value:.2}"),
        size if size < 10_000.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A tolerance without zeros behind its last digit.
fn short(value: f64) -> String {
    format!("{value}")
}

const HEADINGS: [&str; 8] = [
    "measure",
    "row",
    ">ours",
    ">deviation",
    ">published",
    ">difference",
    "within tolerance",
    "setting",
];

/// The cells of a data set; columns that are empty are left out.
fn table(section: &PaperSection) -> TextTable {
    let rows: Vec<[String; 8]> = section.cells.iter().map(PaperCell::texts).collect();
    let is_used = |column: usize| rows.iter().any(|row| !row[column].is_empty());
    let used: Vec<usize> = (0..HEADINGS.len()).filter(|&k| is_used(k)).collect();
    let headings: Vec<&str> = used.iter().map(|&k| HEADINGS[k]).collect();
    let mut table = TextTable::new(&headings).least(&["setting", "deviation"]);
    for row in &rows {
        table.row(used.iter().map(|&k| row[k].clone()).collect());
    }
    table
}

/// What is said of all cells of a report: how many published figures there are, and how many ours are near to.
fn summary(report: &PaperReport) -> Option<String> {
    let cells = || report.sections.iter().flat_map(|section| &section.cells);
    let of = |standing: PaperStanding| {
        let mut near = cells().filter(|cell| cell.standing == Some(standing));
        let (mut within, mut all) = (0, 0);
        for is in near.by_ref().filter_map(PaperCell::is_within) {
            all += 1;
            within += usize::from(is);
        }
        (all > 0).then(|| {
            let name = standing.name();
            format!("{within} of {all} {name} figures within tolerance")
        })
    };
    let all = [PaperStanding::Printed, PaperStanding::Recollected];
    let parts: Vec<String> = all.into_iter().filter_map(of).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

impl PaperClaim {
    /// The verdict, and how many comparisons it rests on.
    fn decision(&self) -> String {
        let verdict = self.verdict.name();
        match self.of {
            0 => format!("{verdict}: nothing was compared"),
            1 => verdict.to_owned(),
            of => format!(
                "{verdict} ({} of {of} comparisons as claimed, {} the other way round)",
                self.held, self.failed
            ),
        }
    }
}

impl PaperReport {
    fn form(&self) -> String {
        let form = if self.quick {
            "quick form"
        } else {
            "full form"
        };
        let times = novikoff::quantity::plural(self.repetitions, "repetition");
        format!("{form}, {times}")
    }
}

/// The report for a person.
pub fn paper_text(report: &PaperReport, width: Width) -> String {
    let mut text = format!("{} ({})\n{}\n", report.title, report.form(), report.paper);
    for section in &report.sections {
        // writing to a String cannot fail
        let _ = write!(text, "\n{}\n{}", section.set, table(section).text(width));
    }
    if let Some(summary) = summary(report) {
        let _ = writeln!(text, "\n{summary}");
    }
    if !report.claims.is_empty() {
        text.push_str("\nclaims of the paper\n");
    }
    for claim in &report.claims {
        let _ = writeln!(text, "- {}: {}", claim.says, claim.decision());
    }
    if !report.differs.is_empty() {
        text.push_str("\nnot as in the paper\n");
    }
    for differs in &report.differs {
        let _ = writeln!(text, "- {differs}");
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// The report as Markdown, with the charts that [`paper_plots`](crate::paper_plots) draws beside it.
pub fn paper_markdown(report: &PaperReport, command: &str) -> String {
    let mut text = format!(
        "# {}\n\n{}. {}.\n\n{}\n\n    {command}\n",
        report.title,
        report.paper,
        sentence(&report.form()),
        report.protocol
    );
    for section in &report.sections {
        let _ = write!(
            text,
            "\n## {}\n\n{}",
            section.set,
            table(section).text(None)
        );
    }
    if let Some(summary) = summary(report) {
        let _ = writeln!(text, "\n{}.", sentence(&summary));
    }
    for chart in &report.charts {
        let _ = writeln!(text, "\n![{}]({}.svg)", chart.title, chart.name);
    }
    if !report.claims.is_empty() {
        text.push_str("\n## Claims of the paper\n\n");
    }
    for claim in &report.claims {
        let _ = writeln!(text, "- {}: **{}**", claim.says, claim.decision());
    }
    if !report.differs.is_empty() {
        text.push_str("\n## Not as in the paper\n\n");
    }
    for differs in &report.differs {
        let _ = writeln!(text, "- {differs}");
    }
    for note in &report.notes {
        let _ = writeln!(text, "\nNote: {note}.");
    }
    text
}

pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The report for machines.
pub fn paper_json(report: &PaperReport) -> Value {
    let cell = |cell: &PaperCell| {
        json!({
            "row": cell.row,
            "measure": cell.measure,
            "setting": (!cell.setting.is_empty()).then_some(&cell.setting),
            "ours": cell.ours.map(|ours| ours.mean),
            "deviation": cell.ours.and_then(|ours| ours.deviation),
            "repetitions": cell.ours.map(|ours| ours.count),
            "published": cell.theirs,
            "standing": cell.standing.map(PaperStanding::name),
            "difference": cell.difference(),
            "tolerance": cell.tolerance,
            "within": cell.is_within(),
        })
    };
    let section = |section: &PaperSection| {
        let cells: Vec<Value> = section.cells.iter().map(cell).collect();
        json!({"set": section.set, "cells": cells})
    };
    let claim = |claim: &PaperClaim| {
        json!({
            "says": claim.says,
            "verdict": claim.verdict.name(),
            "comparisons": claim.of,
            "held": claim.held,
            "failed": claim.failed,
        })
    };
    json!({
        "name": report.name,
        "title": report.title,
        "paper": report.paper,
        "form": if report.quick { "quick" } else { "full" },
        "repetitions": report.repetitions,
        "sets": report.sections.iter().map(section).collect::<Vec<_>>(),
        "claims": report.claims.iter().map(claim).collect::<Vec<_>>(),
        "differs": report.differs,
        "notes": report.notes,
        "seconds": report.seconds,
    })
}

/// The cells of a data set for a page: headings, and texts row by row.
pub(crate) fn cells(section: &PaperSection) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let rows: Vec<[String; 8]> = section.cells.iter().map(PaperCell::texts).collect();
    let is_used = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
    let used: Vec<usize> = (0..HEADINGS.len()).filter(is_used).collect();
    let texts = rows
        .iter()
        .map(|row| used.iter().map(|&k| row[k].clone()).collect());
    (
        used.iter()
            .map(|&k| HEADINGS[k].trim_start_matches('>'))
            .collect(),
        texts.collect(),
    )
}

/// What a page says beside its tables.
pub(crate) fn facts(report: &PaperReport) -> (String, Option<String>, Vec<(String, String)>) {
    let claims = report.claims.iter();
    let claims = claims.map(|claim| (claim.says.clone(), claim.decision()));
    (sentence(&report.form()), summary(report), claims.collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn report() -> PaperReport {
        let cell = |row: &str, mean: f64, theirs: Option<f64>| PaperCell {
            row: row.to_owned(),
            measure: "updates".to_owned(),
            setting: String::new(),
            ours: Some(Mean {
                mean,
                deviation: Some(1.25),
                count: 4,
            }),
            theirs,
            tolerance: theirs.map(|_| 1.5),
            standing: theirs.map(|_| PaperStanding::Printed),
        };
        PaperReport {
            name: "table".to_owned(),
            title: "A <table>".to_owned(),
            paper: "Somebody 1962".to_owned(),
            protocol: "All rows, once.".to_owned(),
            quick: false,
            repetitions: 4,
            differs: vec!["the data".to_owned()],
            sections: vec![PaperSection {
                set: "Lymphoma".to_owned(),
                cells: vec![
                    cell("FO", 21.0, Some(22.1)),
                    cell("SO", 12_345.6, Some(19.3)),
                    cell("HO", 3.0, None),
                ],
            }],
            claims: vec![PaperClaim {
                says: "SO makes fewer updates than FO".to_owned(),
                verdict: PaperVerdict::Fails,
                held: 0,
                failed: 1,
                of: 1,
            }],
            charts: vec![PaperChart {
                name: "updates".to_owned(),
                title: "updates".to_owned(),
                x: "passes".to_owned(),
                y: "updates".to_owned(),
                log: false,
                names: Vec::new(),
                lines: vec![
                    PaperLine::new("FO", PaperLineKind::Ours, vec![(1.0, 2.0), (2.0, 3.0)]),
                    PaperLine::new("FO, published", PaperLineKind::Theirs, vec![(2.0, 3.5)]),
                    PaperLine::new("bound", PaperLineKind::Bound, vec![(1.0, 9.0), (2.0, 9.0)]),
                ],
            }],
            notes: Vec::new(),
            seconds: 1.0,
        }
    }

    #[test]
    fn ours_stands_beside_theirs() {
        let text = paper_text(&report(), None);
        let expected = "\
A <table> (full form, 4 repetitions)
Somebody 1962

Lymphoma
| measure | row |  ours | deviation | published | difference | within tolerance |
|---------|-----|-------|-----------|-----------|------------|------------------|
| updates | FO  | 21.00 |      1.25 |     22.10 |      -1.10 | yes (±1.5)       |
| updates | SO  | 12346 |      1.25 |     19.30 |  +12326.30 | no (±1.5)        |
| updates | HO  |  3.00 |      1.25 |           |            |                  |

1 of 2 printed figures within tolerance

claims of the paper
- SO makes fewer updates than FO: does not hold

not as in the paper
- the data
";
        assert_eq!(text, expected);
    }

    #[test]
    fn machines_read_every_cell() {
        let mut report = report();
        report.sections[0].cells[1].tolerance = Some(19.3);
        let undecided = paper_json(&report)["sets"][0]["cells"][1]["within"].take();
        assert!(undecided.is_null(), "a tolerance as large as the figure");
        report.sections[0].cells[1].tolerance = Some(19.2);
        report.sections[0].cells[1].standing = Some(PaperStanding::Recollected);
        assert!(paper_text(&report, None).contains("| 19.30 (recollected) |"));
        let json = paper_json(&report);
        let cells = &json["sets"][0]["cells"];
        assert_eq!(cells[0]["within"], true);
        assert_eq!(cells[1]["within"], false);
        assert!(cells[2]["published"].is_null() && cells[2]["within"].is_null());
        assert_eq!(json["claims"][0]["verdict"], "does not hold");
    }

    #[test]
    fn markdown_has_the_command_and_the_charts() {
        let text = paper_markdown(&report(), "novikoff reproduce table");
        assert!(text.contains("\n    novikoff reproduce table\n"), "{text}");
        assert!(text.contains("![updates](updates.svg)"), "{text}");
        assert!(text.contains("**does not hold**"), "{text}");
    }
}
