//! A table or figure of a paper as a part of a longer text: one short table per data set, claims, and how long it took.

use std::fmt::Write as _;

use crate::paper::{PaperCell, PaperReport, PaperSection, facts, number, sentence};
use crate::table::TextTable;

/// The report in short, as Markdown; `command` is what makes it again.
pub fn paper_part(report: &PaperReport, command: &str) -> String {
    let (form, summary, _) = facts(report);
    let time = duration(report.seconds);
    let mut text = format!("```\n{command}\n```\n\n{form}; its runs took {time} of one core.\n");
    if report.sections.len() >= MANY_SETS {
        text += &tables_of_sets(&report.sections);
    } else {
        for section in &report.sections {
            // writing to a String cannot fail
            let _ = write!(text, "\n{}:\n\n{}", section.set, table(section));
        }
    }
    for section in &report.sections {
        let settings = settings(section);
        if !settings.is_empty() {
            let _ = writeln!(text, "\nSettings, {}: {settings}.", section.set);
        }
    }
    if let Some(summary) = summary {
        let _ = writeln!(text, "\n{summary}.");
    }
    if !report.claims.is_empty() {
        let headings = ["claim", "verdict", ">as claimed", ">reversed", ">all"];
        let mut claims = TextTable::new(&headings);
        for claim in &report.claims {
            claims.row(vec![
                claim.says.clone(),
                format!("**{}**", claim.verdict.name()),
                claim.held.to_string(),
                claim.failed.to_string(),
                claim.of.to_string(),
            ]);
        }
        let _ = write!(text, "\n{}", claims.text(None));
    }
    for note in &report.notes {
        let _ = writeln!(text, "\nNote: {note}.");
    }
    text
}

/// This many sets are the lines of a table.
const MANY_SETS: usize = 4;

/// The names of cells, each once.
fn names<'c>(
    cells: impl Iterator<Item = &'c PaperCell>,
    of: fn(&PaperCell) -> &String,
) -> Vec<&'c String> {
    let mut names: Vec<&String> = Vec::new();
    for name in cells.map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn text_of(section: &PaperSection, row: &str, measure: &str) -> String {
    let mut cells = section.cells.iter();
    let cell = cells.find(|cell| cell.row == row && cell.measure == measure);
    cell.map_or_else(String::new, short)
}

/// A table with these columns; each line has its name and a text per column.
fn grid(
    first: &str,
    columns: &[&String],
    lines: impl Iterator<Item = (String, Vec<String>)>,
) -> String {
    let mut headings = vec![first];
    headings.extend(columns.iter().map(|name| name.as_str()));
    let mut table = TextTable::new(&headings);
    for (name, texts) in lines {
        let mut line = vec![name];
        line.extend(texts);
        table.row(line);
    }
    table.text(None)
}

/// Sets by rows of the paper, one table per measure; sets by measures if there is one row only.
fn tables_of_sets(sections: &[PaperSection]) -> String {
    let cells = || sections.iter().flat_map(|section| &section.cells);
    let (rows, measures) = (names(cells(), |c| &c.row), names(cells(), |c| &c.measure));
    let lines = |texts: &dyn Fn(&PaperSection) -> Vec<String>| {
        let lines = sections.iter();
        let lines = lines.map(|section| (section.set.clone(), texts(section)));
        lines.collect::<Vec<_>>().into_iter()
    };
    if let [row] = rows[..] {
        let texts = |section: &PaperSection| {
            let texts = measures
                .iter()
                .map(|measure| text_of(section, row, measure));
            texts.collect()
        };
        return format!("\n{}", grid("rows", &measures, lines(&texts)));
    }
    let mut text = String::new();
    for measure in measures {
        let texts = |section: &PaperSection| {
            let texts = rows.iter().map(|row| text_of(section, row, measure));
            texts.collect()
        };
        let table = grid("rows", &rows, lines(&texts));
        let _ = write!(text, "\n{}:\n\n{table}", sentence(measure)); // writing to a String cannot fail
    }
    text
}

/// Rows of the paper by measures; the other way round where there are more measures than rows.
fn table(section: &PaperSection) -> String {
    let rows = names(section.cells.iter(), |cell| &cell.row);
    let measures = names(section.cells.iter(), |cell| &cell.measure);
    if measures.len() > rows.len() {
        let lines = measures.iter().map(|measure| {
            let texts = rows.iter().map(|row| text_of(section, row, measure));
            ((*measure).clone(), texts.collect())
        });
        return grid("measure", &rows, lines);
    }
    let lines = rows.iter().map(|row| {
        let texts = measures
            .iter()
            .map(|measure| text_of(section, row, measure));
        ((*row).clone(), texts.collect())
    });
    grid("row", &measures, lines)
}

/// Ours, its deviation, and the published figure; what is farther from it than it may be is marked.
fn short(cell: &PaperCell) -> String {
    let mut text = cell
        .ours
        .map_or_else(|| "-".to_owned(), |ours| number(ours.mean));
    if let Some(deviation) = cell.ours.and_then(|ours| ours.deviation) {
        let _ = write!(text, " ± {}", number(deviation)); // writing to a String cannot fail
    }
    if let Some(theirs) = cell.theirs {
        let mark = if cell.is_within() == Some(false) {
            "!"
        } else {
            ""
        };
        let _ = write!(text, " ({}{mark})", number(theirs));
    }
    text
}

/// The settings of rows that have several.
fn settings(section: &PaperSection) -> String {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for cell in &section.cells {
        let one = (cell.row.as_str(), cell.setting.as_str());
        if !one.1.is_empty() && !known.contains(&one) {
            known.push(one);
        }
    }
    let texts = known
        .iter()
        .map(|(row, setting)| format!("{row} `{setting}`"));
    texts.collect::<Vec<_>>().join(", ")
}

/// Seconds as a person says them.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} seconds"),
        s if s < 5400.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{:.1} hours", s / 3600.0),
    }
}

/// A text with the part of a table put between its marks, in the place of what was there; an error is the mark that the text lacks.
pub fn with_part(text: &str, name: &str, part: &str) -> Result<String, String> {
    let [begin, end] = ["begin", "end"].map(|word| format!("<!-- {word} {name} -->"));
    let (before, rest) = text.split_once(&begin).ok_or_else(|| begin.clone())?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| end.clone())?;
    Ok(format!("{before}{begin}\n\n{part}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::report;

    #[test]
    fn a_part_has_short_tables_claims_and_the_time() {
        let mut report = report();
        report.seconds = 600.0;
        report.sections[0].cells[0].setting = "perceptron".to_owned();
        let text = paper_part(&report, "novikoff reproduce table --data DIR");
        let expected = "\
```
novikoff reproduce table --data DIR
```

Full form, 4 repetitions; its runs took 10 minutes of one core.

Lymphoma:

| row | updates               |
|-----|-----------------------|
| FO  | 21.00 ± 1.25 (22.10)  |
| SO  | 12346 ± 1.25 (19.30!) |
| HO  | 3.00 ± 1.25           |

Settings, Lymphoma: FO `perceptron`.

1 of 2 printed figures within tolerance.

| claim                          | verdict           | as claimed | reversed | all |
|--------------------------------|-------------------|------------|----------|-----|
| SO makes fewer updates than FO | **does not hold** |          0 |        1 |   1 |
";
        assert_eq!(text, expected);
    }

    #[test]
    fn more_measures_than_rows_go_down() {
        let mut report = report();
        let cells = &mut report.sections[0].cells;
        for (k, cell) in cells.iter_mut().enumerate() {
            cell.row = "FO".to_owned();
            cell.measure = format!("topic {k}");
        }
        let text = paper_part(&report, "");
        assert!(text.contains("| measure | FO "), "{text}");
        assert!(text.contains("| topic 1 | 12346"), "{text}");
    }

    #[test]
    fn many_sets_are_the_lines_of_one_table_per_measure() {
        let mut report = report();
        let set = report.sections[0].clone();
        report.sections = (1..=MANY_SETS)
            .map(|k| PaperSection {
                set: format!("set {k}"),
                ..set.clone()
            })
            .collect();
        let text = paper_part(&report, "");
        assert!(text.contains("Updates:\n\n| rows  | FO "), "{text}");
        assert!(
            text.contains("| set 4 | 21.00 ± 1.25 (22.10) | 12346"),
            "{text}"
        );
        for section in &mut report.sections {
            section.cells.truncate(1);
        }
        let text = paper_part(&report, "");
        assert!(text.contains("| rows  | updates "), "{text}");
        assert!(text.contains("| set 4 | 21.00 ± 1.25 (22.10) |"), "{text}");
    }

    #[test]
    fn a_part_takes_the_place_of_the_last_one() {
        let text = "# A\n\n<!-- begin t -->\nold\n<!-- end t -->\n\nsaid by hand\n";
        let once = with_part(text, "t", "new\n").expect("marks");
        assert_eq!(
            once,
            "# A\n\n<!-- begin t -->\n\nnew\n\n<!-- end t -->\n\nsaid by hand\n"
        );
        assert_eq!(with_part(&once, "t", "new\n").expect("marks"), once);
        let error = with_part(text, "u", "").expect_err("no marks");
        assert_eq!(error, "<!-- begin u -->");
        let error = with_part("<!-- begin u -->", "u", "").expect_err("no end");
        assert_eq!(error, "<!-- end u -->");
    }
}
