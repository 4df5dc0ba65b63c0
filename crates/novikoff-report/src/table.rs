//! Aligned tables, as wide as the screen allows.

use comfy_table::{CellAlignment, ContentArrangement, presets};
use novikoff::quantity::plural;

/// The width of what a text is shown on, in characters; none: it is not shown on a screen, and has all that there is.
pub type Width = Option<usize>;

/// Lines of a table of labels or classes that people are shown.
pub(crate) const LISTED: usize = 30;

/// What stands below a table of labels or classes that was cut.
pub(crate) fn and_more(all: usize, noun: &str) -> String {
    match all.saturating_sub(LISTED) {
        0 => String::new(),
        more => {
            let text = plural(more as u64, noun);
            let (more, noun) = text.split_once(' ').unwrap_or((&text, noun));
            format!("and {more} more {noun}; the JSON report has all\n")
        }
    }
}

/// One column of a table with a line per `T`.
pub(crate) struct Column<'a, T> {
    heading: String,
    cell: Box<dyn Fn(&T) -> String + 'a>,
    /// When a narrow screen leaves it out: 1 goes first, none stays.
    leaves: Option<u8>,
}

impl<'a, T> Column<'a, T> {
    /// A column of words.
    pub(crate) fn words(heading: &str, cell: impl Fn(&T) -> String + 'a) -> Self {
        Column {
            heading: heading.to_owned(),
            cell: Box::new(cell),
            leaves: None,
        }
    }

    /// A column of numbers, aligned right.
    pub(crate) fn numbers(heading: &str, cell: impl Fn(&T) -> String + 'a) -> Self {
        Self::words(&format!(">{heading}"), cell)
    }

    /// What stands above it.
    #[cfg(test)]
    pub(crate) fn title(&self) -> &str {
        self.heading.trim_start_matches('>')
    }

    /// A narrow screen leaves the column out, those of the lowest number first.
    pub(crate) fn leaving(self, leaves: u8) -> Self {
        Column {
            leaves: Some(leaves),
            ..self
        }
    }
}

/// A table whose first columns are words and whose others are numbers.
pub struct TextTable {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    least: Vec<String>,
}

impl TextTable {
    /// A table with these headings; those that start with `>` are of numbers, aligned right.
    pub fn new(headings: &[&str]) -> Self {
        TextTable {
            headings: headings.iter().map(|&h| h.to_owned()).collect(),
            rows: Vec::new(),
            least: Vec::new(),
        }
    }

    /// A table of these columns, with a line for each of `lines`.
    pub(crate) fn of<'t, T: 't>(
        columns: &[Column<'_, T>],
        lines: impl IntoIterator<Item = &'t T>,
    ) -> Self {
        let headings: Vec<&str> = columns.iter().map(|c| c.heading.as_str()).collect();
        let mut leaving: Vec<&Column<'_, T>> = columns.iter().collect();
        leaving.retain(|column| column.leaves.is_some());
        leaving.sort_by_key(|column| column.leaves);
        let names = leaving.iter().map(|c| c.heading.trim_start_matches('>'));
        let mut table = TextTable::new(&headings).least(&names.collect::<Vec<_>>());
        for line in lines {
            table.row(columns.iter().map(|column| (column.cell)(line)).collect());
        }
        table
    }

    /// Columns that a narrow screen leaves out, the least important first.
    #[must_use]
    pub fn least(mut self, headings: &[&str]) -> Self {
        self.least = headings.iter().map(|&h| h.to_owned()).collect();
        self
    }

    /// Adds a line.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text, one line per row. On a screen that is too narrow for it, the least important columns are left out, and named below; if
    /// that is not enough, cells are broken into several lines.
    pub fn text(&self, width: Width) -> String {
        let mut columns: Vec<usize> = (0..self.headings.len()).collect();
        let mut left_out = Vec::new();
        let is_too_wide = |columns: &[usize]| width.is_some_and(|most| self.width(columns) > most);
        for least in &self.least {
            if !is_too_wide(&columns) {
                break;
            }
            if let Some(place) = columns.iter().position(|&k| self.name(k) == least) {
                columns.remove(place);
                left_out.push(least.as_str());
            }
        }
        let mut table = comfy_table::Table::new();
        table
            .load_style(presets::ASCII_MARKDOWN)
            .set_content_arrangement(ContentArrangement::Disabled);
        if let Some(most) = width.filter(|_| is_too_wide(&columns)) {
            table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(u16::try_from(most).unwrap_or(u16::MAX));
        }
        table.set_header(columns.iter().map(|&k| self.name(k)));
        for (column, &k) in table.column_iter_mut().zip(&columns) {
            if self.headings[k].starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for row in &self.rows {
            let cell = |&k: &usize| row.get(k).cloned().unwrap_or_default();
            table.add_row(columns.iter().map(cell).collect::<Vec<_>>());
        }
        let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
        let mut text: String = lines.collect();
        if !left_out.is_empty() {
            text.push_str("(not on this narrow screen: ");
            text.push_str(&left_out.join(", "));
            text.push_str(")\n");
        }
        text
    }

    /// Whether all columns fit.
    pub(crate) fn fits(&self, width: Width) -> bool {
        let columns: Vec<usize> = (0..self.headings.len()).collect();
        width.is_none_or(|most| self.width(&columns) <= most)
    }

    fn name(&self, column: usize) -> &str {
        self.headings[column].trim_start_matches('>')
    }

    /// How many characters a line of these columns has.
    fn width(&self, columns: &[usize]) -> usize {
        let of = |&column: &usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let cells = cells.map(|cell| cell.chars().count());
            3 + cells.fold(self.name(column).chars().count(), usize::max)
        };
        columns.iter().map(of).sum::<usize>() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, TextTable};

    #[test]
    fn columns_are_headings_with_their_cells() {
        let columns = [
            Column::words("name", |n: &u8| format!("row {n}")),
            Column::numbers("square", |n: &u8| (n * n).to_string()).leaving(2),
            Column::numbers("cube", |n: &u8| (n * n * n).to_string()).leaving(1),
        ];
        let table = TextTable::of(&columns, &[2, 3]);
        assert_eq!(
            table.text(None),
            "\
| name  | square | cube |
|-------|--------|------|
| row 2 |      4 |    8 |
| row 3 |      9 |   27 |
"
        );
        let narrow = table.text(Some(20));
        assert!(narrow.starts_with("| name  | square |\n"), "{narrow}");
        assert!(narrow.ends_with("screen: cube)\n"), "{narrow}");
    }

    fn table() -> TextTable {
        let mut table = TextTable::new(&["learner", ">mistakes", "course", ">updates"])
            .least(&["course", "updates"]);
        let cells = ["perceptron", "1,234", "▁▂▃▄▅▆▇█▁▂", "1,234"];
        table.row(cells.map(str::to_owned).to_vec());
        table
    }

    #[test]
    fn a_narrow_screen_leaves_the_least_important_columns_out() {
        let table = table();
        let whole = table.text(None);
        assert!(whole.starts_with("| learner    | mistakes | course     | updates |\n"));
        assert_eq!(table.text(Some(48)), whole);
        assert_eq!(
            table.text(Some(47)),
            "\
| learner    | mistakes | updates |
|------------|----------|---------|
| perceptron |    1,234 |   1,234 |
(not on this narrow screen: course)
"
        );
        let narrow = table.text(Some(30));
        assert!(narrow.contains("| learner    | mistakes |\n"), "{narrow}");
        assert!(
            narrow.ends_with("(not on this narrow screen: course, updates)\n"),
            "{narrow}"
        );
    }

    #[test]
    fn what_cannot_be_left_out_is_broken() {
        let text = table().text(Some(18));
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert!(
            lines.iter().all(|line| line.chars().count() <= 18),
            "{text}"
        );
        assert!(lines.len() > 3, "{text}");
    }
}
